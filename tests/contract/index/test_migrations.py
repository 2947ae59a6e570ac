"""Schema migrations on every database: upgrade, downgrade, upgrade again, each atomic."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import UniqueConstraint, inspect, make_url, text

from lakemuster.errors import DatabaseVersionMismatch, IndexUnavailable
from lakemuster.index import migrations, schema_version
from lakemuster.index.database import Database, open_database
from lakemuster.index.sql_tables import METADATA
from lakemuster.index.tables import get_table, load_metadata
from tests.contract.index import made
from tests.polling import until
from tests.postgres import PostgresServer

NEXT = '''
"""A later version."""
import sqlalchemy as sa
from alembic import op
revision = "9000"
down_revision = "{last}"
oldest_server = "{oldest}"
def upgrade():
    op.create_table("later", sa.Column("id", sa.Integer))
    with op.batch_alter_table("catalog_table") as table:
        table.alter_column("format", nullable=True)
    {then}
def downgrade():
    op.drop_table("later")
'''


@pytest.fixture
def database(empty_url: str) -> Iterator[Database]:
    """A separate database at the newest version."""
    opened = Database(empty_url)
    opened.migrate()
    yield opened
    opened.close()


def tables(database: Database) -> set[str]:
    with database.migrating() as connection:
        return set(inspect(connection).get_table_names())


def with_next(folder: Path, monkeypatch: pytest.MonkeyPatch, then: str = "") -> None:
    """Install migration scripts of a program that is one version ahead."""
    shutil.copytree(schema_version._IN_SOURCE_TREE, folder / "migrations")
    script = NEXT.format(last=migrations.head(), oldest=migrations.oldest_server_of(migrations.head()), then=then)
    (folder / "migrations" / "versions" / "9000_later.py").write_text(script)
    monkeypatch.setattr(schema_version, "_IN_SOURCE_TREE", folder / "migrations")


def test_migrations_make_the_tables_of_the_code(database: Database) -> None:
    with database.migrating() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_constraints_have_the_names_of_the_code(database: Database) -> None:
    with database.migrating() as connection:
        found = inspect(connection)
        for name, table in METADATA.tables.items():
            unique = {str(key["name"]) for key in found.get_unique_constraints(name)}
            assert unique == {str(key.name) for key in table.constraints if isinstance(key, UniqueConstraint)}
            stored = {str(key["name"]) for key in found.get_foreign_keys(name)}
            assert stored == {str(key.name) for key in table.foreign_key_constraints}


def test_downgrade_to_nothing_and_upgrade_again(database: Database) -> None:
    with database.migrating() as connection:
        migrations.downgrade(connection)
    assert tables(database) <= {"alembic_version", "sqlite_sequence"}
    with pytest.raises(DatabaseVersionMismatch, match="run: lakemuster migrate"):
        database.check_version()
    database.migrate()
    database.check_version()
    made.table(database, of=made.metadata([made.snapshot(1)]))


def test_migrating_a_database_that_is_up_to_date_keeps_what_it_has(database: Database) -> None:
    written = made.metadata([])
    table_id = made.table(database, of=written)
    database.migrate()
    with database.reading() as session:
        assert load_metadata(session, table_id) == written


def test_an_older_database_names_the_command_and_is_not_touched(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_next(tmp_path, monkeypatch)
    monkeypatch.setattr(schema_version, "OLDEST_DATABASE", "9000")
    with pytest.raises(DatabaseVersionMismatch, match=r"older.*versions 9000 to 9000.*run: lakemuster migrate"):
        database.check_version()
    assert "later" not in tables(database)


def test_an_older_database_in_the_range_is_served_as_it_is(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_next(tmp_path, monkeypatch)
    database.check_version()
    assert "later" not in tables(database)


def test_only_the_embedded_database_is_migrated_by_opening_it(
    empty_url: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    with_next(tmp_path, monkeypatch)
    if database.is_embedded:
        open_database(empty_url).check_version()
        assert "later" in tables(database)
        # Rebuilding a table must not cascade to rows that refer to it.
        assert set(made.records(database, table_id)) == {("main", 1)}
    else:
        open_database(empty_url).close()
        assert "later" not in tables(database)


def test_the_error_of_a_newer_database_says_to_upgrade(
    empty_url: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ahead:
        with_next(tmp_path, ahead)
        database.migrate()
    with database.migrating() as connection:
        connection.execute(text("DROP TABLE schema_support"))  # a database that does not state its oldest server
    for attempt in (database.check_version, database.migrate, lambda: open_database(empty_url)):
        with pytest.raises(DatabaseVersionMismatch, match="upgrade lakemuster"):
            attempt()


def says_it_is_for(database: Database, oldest: str) -> None:
    """Set the oldest server version that a database admits."""
    with database.migrating() as connection:
        assert connection.execute(text("UPDATE schema_support SET oldest_server = :o"), {"o": oldest}).rowcount == 1


def test_a_newer_database_is_served_if_it_admits_this_version_and_refused_otherwise(
    empty_url: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ahead:
        with_next(tmp_path, ahead)
        database.migrate()
    says_it_is_for(database, migrations.head())
    database.check_version()
    database.migrate()
    open_database(empty_url).close()
    assert "later" in tables(database)
    says_it_is_for(database, "9000")
    for attempt in (database.check_version, database.migrate, lambda: open_database(empty_url)):
        with pytest.raises(DatabaseVersionMismatch, match=r"9000 for servers from 9000 on.*upgrade lakemuster"):
            attempt()


def test_servers_read_while_a_migration_waits_for_a_lock(
    postgres_url: str, postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lakemuster.index.database._MIGRATION_LOCK_SECONDS", 0.5)
    monkeypatch.setattr("lakemuster.index.database._MIGRATION_PAUSE_SECONDS", 0.0)
    name = str(make_url(postgres_url).database)
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'catalog_table'::regclass"
    with (
        closing(Database(postgres_url)) as served,
        closing(Database(postgres_url)) as migrated,
        postgres_server.connect(name) as backup,
        postgres_server.connect(name) as observer,
        ThreadPoolExecutor(1) as threads,
    ):
        served.migrate()
        made.table(served, of=made.metadata([made.snapshot(1)]))
        with_next(tmp_path, monkeypatch)
        with backup.transaction():
            backup.execute("LOCK TABLE catalog_table IN ACCESS SHARE MODE")
            done = threads.submit(migrated.migrate)
            for _ in range(2):
                until(lambda: observer.execute(waiting).fetchone())
                with served.reading() as session:
                    assert get_table(session, "shop.orders").name == "shop.orders"
            assert not done.done()
        done.result(60)
        assert "later" in tables(served)


def test_a_migration_that_waits_too_long_says_what_for(
    postgres_url: str, postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lakemuster.index.database._MIGRATION_LOCK_SECONDS", 0.01)
    monkeypatch.setattr("lakemuster.index.database._MIGRATION_WAIT_SECONDS", 0)
    name = str(make_url(postgres_url).database)
    with closing(Database(postgres_url)) as database, postgres_server.connect(name) as backup:
        database.migrate()
        with_next(tmp_path, monkeypatch)
        with backup.transaction():
            backup.execute("LOCK TABLE catalog_table IN ACCESS SHARE MODE")
            with pytest.raises(IndexUnavailable, match="another session of the database, such as a backup, holds"):
                database.migrate()
        assert "later" not in tables(database)


def test_a_migration_that_fails_changes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = made.metadata([])
    table_id = made.table(database, of=written)
    with monkeypatch.context() as ahead:
        with_next(tmp_path, ahead, then="raise ZeroDivisionError")
        with pytest.raises(ZeroDivisionError):
            database.migrate()
    database.check_version()
    assert "later" not in tables(database)
    with database.reading() as session:
        assert load_metadata(session, table_id) == written
