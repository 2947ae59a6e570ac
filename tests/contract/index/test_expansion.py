"""Migrations keep everything that servers of the oldest admitted version read and write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Inspector, inspect, text

from lakemuster.index import migrations
from lakemuster.index.database import Database
from tests.contract.index.test_migrations import with_next

Shape = dict[str, dict[str, Any]]


def shape(found: Inspector) -> Shape:
    """Return the columns, unique constraints and indexes, and foreign keys of each table."""
    return {
        table: {
            "columns": {column["name"]: column for column in found.get_columns(table)},
            "unique": {tuple(key["column_names"]) for key in found.get_unique_constraints(table)}
            | {tuple(key["column_names"]) for key in found.get_indexes(table) if key["unique"]},
            "foreign": {tuple(key["constrained_columns"]) for key in found.get_foreign_keys(table)},
        }
        for table in found.get_table_names()
        if table not in ("alembic_version", "sqlite_sequence")
    }


def breaks(before: Shape, after: Shape) -> list[str]:
    """Return the changes from ``before`` to ``after`` that break a program for ``before``."""
    found: list[str] = []
    for table, old in before.items():
        if table not in after:
            found.append(f"table {table} is gone")
            continue
        new = after[table]
        for name, column in old["columns"].items():
            there = new["columns"].get(name)
            if there is None:
                found.append(f"column {table}.{name} is gone")
            elif str(there["type"]) != str(column["type"]):
                found.append(f"column {table}.{name} has another type")
            elif column["nullable"] and not there["nullable"]:
                found.append(f"column {table}.{name} must have a value")
        for name in new["columns"].keys() - old["columns"].keys():
            column = new["columns"][name]
            if not column["nullable"] and column.get("default") is None:
                found.append(f"new column {table}.{name} must have a value")
        found += [f"{table} has a new unique key {key}" for key in new["unique"] - old["unique"]]
        found += [f"{table} has a new foreign key {key}" for key in new["foreign"] - old["foreign"]]
    return found


def upgraded(url: str) -> tuple[Shape, Shape]:
    """Return the shapes of the oldest schema version that the newest admits, and of the newest."""
    database = Database(url)
    with database.migrating() as connection:
        migrations.upgrade(connection, migrations.oldest_server_of(migrations.head()))
        before = shape(inspect(connection))
    with database.migrating() as connection:
        migrations.upgrade(connection)
        after = shape(inspect(connection))
    database.close()
    return before, after


def test_the_newest_schema_has_all_that_the_oldest_server_uses(empty_url: str) -> None:
    before, after = upgraded(empty_url)
    assert migrations.oldest_server_of(migrations.head()) < migrations.head()
    assert "catalog_table" in before
    assert breaks(before, after) == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DROP TABLE dead_letter", "table dead_letter is gone"),
        ("ALTER TABLE webhook DROP COLUMN tries", "column webhook.tries is gone"),
        ("ALTER TABLE webhook ADD COLUMN more TEXT DEFAULT 'x' NOT NULL", None),
        ("ALTER TABLE webhook ADD COLUMN more TEXT", None),
        ("CREATE UNIQUE INDEX one ON webhook (position)", "webhook has a new unique key ('position',)"),
    ],
)
def test_what_contracts_is_noticed(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, told: str | None
) -> None:
    with_next(tmp_path, monkeypatch, then=f'op.execute("{statement}")')
    assert breaks(*upgraded(empty_url)) == ([] if told is None else [told])


def test_each_migration_says_for_which_servers_its_database_is() -> None:
    scripts = migrations._scripts()
    newest = [script for script in scripts.walk_revisions() if script.revision >= "0015"]
    assert newest
    for script in newest:
        assert script.module.oldest_server <= script.revision
        below = script.down_revision
        assert isinstance(below, str)
        assert migrations.oldest_server_of(below) <= script.module.oldest_server


def test_a_database_says_for_which_servers_it_is(empty_url: str) -> None:
    database = Database(empty_url)
    database.migrate()
    with database.reading() as session:
        found = session.execute(text("SELECT id, oldest_server FROM schema_support")).all()
    assert [tuple(row) for row in found] == [(1, migrations.oldest_server_of(migrations.head()))]
    database.close()
