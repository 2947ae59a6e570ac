"""Tables listed directly from the SQLite file equal those listed through the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from lakemuster.index import migrations, schema_version
from lakemuster.index.database import Database, open_database
from lakemuster.index.orm import TableRow
from lakemuster.index.sqlite_tables import list_sqlite_tables
from lakemuster.index.table_lists import TableChoice, TableOrder, listed_by_id, table_ids
from lakemuster.index.table_record import FIGURES
from lakemuster.index.tables import add_table


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/index.db"


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = open_database(url)
    with opened.session() as session:
        add_table(session, "shop.orders", "s3://lake/orders", "iceberg", [("a", "b")], ["s3://lake"], ["s3://lake"])
        session.execute(update(TableRow).values({name: 7 + at for at, name in enumerate(FIGURES)}))
        add_table(session, "a.\x00\x1b\ud800", "/lake/odd", "paimon")
    yield opened
    opened.close()


def test_the_records_are_equal(url: str, database: Database) -> None:
    with database.reading() as session:
        expected = listed_by_id(session, table_ids(session, TableChoice(), TableOrder()))
    assert [table.record.name for table in expected] == ["a.\x00\x1b\ud800", "shop.orders"]
    assert list_sqlite_tables(url) == expected


def test_companions_are_left_out(url: str, database: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection, connection:
        connection.execute("UPDATE catalog_table SET companion_of = 1 WHERE name <> 'shop.orders'")
    assert [table.record.name for table in list_sqlite_tables(url) or ()] == ["shop.orders"]


@pytest.mark.parametrize("statement", ["UPDATE alembic_version SET version_num = '0001'", "DROP TABLE alembic_version"])
def test_another_schema_version_is_for_the_database(
    url: str, database: Database, tmp_path: Path, statement: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection, connection:
        connection.execute(statement)
    assert list_sqlite_tables(url) is None


def test_what_is_no_readable_sqlite_file_is_for_the_database(url: str, tmp_path: Path) -> None:
    assert list_sqlite_tables(url) is None
    assert not (tmp_path / "index.db").exists()
    (tmp_path / "index.db").write_bytes(b"no database" * 100)
    assert list_sqlite_tables(url) is None
    assert list_sqlite_tables("postgresql+psycopg://lake/index") is None


def test_the_newest_migration_script_is_the_head() -> None:
    assert schema_version.newest() == migrations.head()
