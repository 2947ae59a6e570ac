"""Companions of Paimon tables, on every database: a second row of the same name, found only through its table."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import text

from lakemuster.errors import TableExists, TableNotFound
from lakemuster.index import migrations
from lakemuster.index.companions import (
    find_companion,
    owner_of,
    remove_companion,
    set_companion,
    withdraw_companion,
)
from lakemuster.index.database import Database
from lakemuster.index.leases import acquire
from lakemuster.index.table_names import names_of_format
from lakemuster.index.tables import TableRecord, add_table, get_table, list_tables, remove_table, store_metadata
from tests.contract.index import made


def paimon(database: Database, name: str = "shop.orders") -> TableRecord:
    with database.session() as session:
        return add_table(session, name, f"s3://lake/{name}", "paimon", [("old", "new")], [f"s3://lake/{name}"])


def test_a_companion_is_found_through_its_table_alone(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        companion = set_companion(session, table, "s3://lake/iceberg", "iceberg")
    assert (companion.name, companion.format, companion.companion_of) == (table.name, "iceberg", table.table_id)
    assert (companion.rewrites, companion.allowed_roots) == (table.rewrites, table.allowed_roots)
    with database.reading() as session:
        assert get_table(session, table.name) == table
        assert list_tables(session) == [table]
        assert names_of_format(session, "iceberg") == [companion.name]
        assert find_companion(session, table.table_id) == companion
        assert owner_of(session, companion) == table
    assert acquire(database, companion.table_id, wait_seconds=0).table_id == companion.table_id


def test_a_companion_shares_the_name_of_its_table(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        set_companion(session, table, "s3://lake/iceberg", "iceberg")
    with pytest.raises(TableExists), database.session() as session:
        add_table(session, table.name, "elsewhere", "iceberg")


def test_setting_a_companion_again_keeps_it_unless_its_location_differs(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        first = set_companion(session, table, "s3://lake/a", "iceberg")
        assert set_companion(session, table, "s3://lake/a", "iceberg") == first
        second = set_companion(session, table, "s3://lake/b", "iceberg")
    assert second.table_id != first.table_id
    with database.reading() as session:
        assert names_of_format(session, "iceberg") == [second.name]


def test_concurrent_writers_set_one_companion(database: Database) -> None:
    table = paimon(database)
    found: list[TableRecord] = []

    def work() -> None:
        with database.session() as session:
            found.append(set_companion(session, table, "s3://lake/a", "iceberg"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({record.table_id for record in found}) == 1


def test_a_companion_is_removed_with_its_table(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        companion = set_companion(session, table, "s3://lake/iceberg", "iceberg")
        store_metadata(session, companion.table_id, made.metadata([made.snapshot(1)]), 1)
    with database.session() as session:
        remove_table(session, table.name)
    with database.session() as session:
        assert names_of_format(session, "iceberg") == []
        with pytest.raises(TableNotFound):
            owner_of(session, companion)
        with pytest.raises(TableNotFound):
            set_companion(session, table, "s3://lake/iceberg", "iceberg")
        with pytest.raises(TableNotFound):
            remove_table(session, table.name)


def test_removing_a_companion_leaves_its_table(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        set_companion(session, table, "s3://lake/iceberg", "iceberg")
    with database.session() as session:
        assert remove_companion(session, table.table_id)
        assert not remove_companion(session, table.table_id)
    with database.reading() as session:
        assert list_tables(session) == [table]


def test_a_withdrawn_companion_is_not_listed_until_read_again(database: Database) -> None:
    table = paimon(database)
    with database.session() as session:
        companion = set_companion(session, table, "s3://lake/iceberg", "iceberg")
        store_metadata(session, companion.table_id, made.metadata([made.snapshot(1)]), 1, pointer="p")
    with database.session() as session:
        withdraw_companion(session, companion, "rolled back")
    with database.reading() as session:
        assert names_of_format(session, "iceberg") == []
        known = find_companion(session, table.table_id)
    assert known is not None
    assert (known.pointer, known.metadata_location, known.stale_reason) == (None, None, "rolled back")
    with database.session() as session:
        store_metadata(session, companion.table_id, made.metadata([made.snapshot(1)]), 2)
        assert names_of_format(session, "iceberg") == [companion.name]


def test_migrations_keep_tables_and_lose_companions_on_the_way_back(empty_url: str) -> None:
    database = Database(empty_url)
    with database.migrating() as connection:
        migrations.upgrade(connection, "0001")
        connection.execute(
            text(
                "INSERT INTO catalog_table"
                " (id, name, format, location, rewrites, allowed_roots, created_at_ms, generation, pointer)"
                " VALUES (7, 'shop.orders', 'paimon', 's3://lake/t', :none, :none, 1, 0, 'seen')"
            ),
            {"none": b"[]"},
        )
        connection.execute(text("INSERT INTO lease (table_id, fence, expires_at_ms) VALUES (7, 3, 0)"))
    database.migrate()
    with database.session() as session:
        table = get_table(session, "shop.orders")
        assert (table.table_id, table.companion_of) == (7, None)
        # Without a pointer, the next look reads the table's options.
        assert table.pointer is None
        companion = set_companion(session, table, "s3://lake/t", "iceberg")
        store_metadata(session, companion.table_id, made.metadata([made.snapshot(1)]), 1)
    with database.migrating() as connection:
        migrations.downgrade(connection, "0001")
        assert connection.execute(text("SELECT id, name FROM catalog_table")).all() == [(7, "shop.orders")]
        assert connection.execute(text("SELECT table_id, fence FROM lease")).all() == [(7, 3)]
        assert connection.execute(text("SELECT count(*) FROM snapshot")).scalar() == 0
    database.migrate()
    with database.session() as session:
        assert get_table(session, "shop.orders").table_id == 7
    database.close()
