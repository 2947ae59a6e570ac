"""Registered tables and their metadata, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from lakemuster.errors import MetadataCorrupt, RequestInvalid, TableExists, TableNotFound
from lakemuster.index.database import Database
from lakemuster.index.orm import TableRow
from lakemuster.index.sql_tables import METADATA
from lakemuster.index.tables import (
    add_table,
    find_table,
    get_table,
    list_tables,
    load_metadata,
    record_look,
    refs,
    remove_table,
    schemas,
    snapshot_log,
    specs,
    store_metadata,
)
from lakemuster.metadata.snapshot import Ref
from tests.contract.index import made


def rows(database: Database) -> dict[str, int]:
    with database.reading() as session:
        return {name: session.scalar(select(func.count()).select_from(of)) or 0 for name, of in METADATA.tables.items()}


def test_a_table_is_found_by_its_name(database: Database) -> None:
    with database.session() as session:
        added = add_table(session, "b.`x.y`", "s3://lake/t", "paimon", [("s3://old", "s3://new")], ["s3://new"])
        add_table(session, "a", made.NASTY, "iceberg")
    with database.reading() as session:
        assert get_table(session, "b.`x.y`") == added
        assert (added.format, added.rewrites, added.allowed_roots, added.generation) == (
            "paimon",
            (("s3://old", "s3://new"),),
            ("s3://new",),
            0,
        )
        assert [record.name for record in list_tables(session)] == ["a", "b.`x.y`"]
        assert get_table(session, "a").location == made.NASTY
        with pytest.raises(TableNotFound):
            get_table(session, "A")


def test_a_name_is_registered_once(database: Database) -> None:
    made.table(database, "a.b")
    with pytest.raises(TableExists), database.session() as session:
        add_table(session, "a.b", "elsewhere", "paimon")
    with database.reading() as session:
        assert get_table(session, "a.b").format == "iceberg"


def test_a_name_may_be_as_long_as_a_database_index_allows(database: Database) -> None:
    with database.session() as session:
        add_table(session, "é" * 512, "x", "iceberg")
    with pytest.raises(RequestInvalid), database.session() as session:
        add_table(session, "é" * 513, "x", "iceberg")


def test_metadata_round_trips(database: Database) -> None:
    written = made.metadata([made.snapshot(1), made.snapshot(2)])
    table_id = made.table(database, of=written)
    with database.reading() as session:
        assert repr(load_metadata(session, table_id)) == repr(replace(written, snapshots=()))
        assert schemas(session, table_id) == written.schemas
        assert schemas(session, table_id, "b1") == written.branch_schemas["b1"]
        assert schemas(session, table_id, "none") == ()
        assert specs(session, table_id) == written.specs
        assert refs(session, table_id) == written.refs
        assert snapshot_log(session, table_id) == written.snapshot_log
        record = get_table(session, "shop.orders")
    assert (record.uuid, record.current_snapshot_id, record.checked_at_ms) == (written.uuid, 2, 1)
    assert record.table_location == written.location


def test_newer_metadata_replaces_older(database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    newer = made.metadata(
        [],
        schemas=(made.SCHEMA,),
        specs=(),
        properties={},
        branch_schemas={},
        uuid=None,
        last_updated_ms=None,
        extra={},
    )
    with database.session() as session:
        store_metadata(session, table_id, newer, 9, pointer="p\0")
    with database.reading() as session:
        assert load_metadata(session, table_id) == newer
        record = get_table(session, "shop.orders")
    assert (record.pointer, record.checked_at_ms, record.stale_reason) == ("p\0", 9, None)


def test_the_same_metadata_again_changes_no_row(database: Database) -> None:
    written = made.metadata([made.snapshot(n) for n in range(1, 6)])
    table_id = made.table(database, of=written)
    before = {key: record.row_id for key, record in made.records(database, table_id).items()}
    with database.session() as session:
        changes = store_metadata(session, table_id, written, 2)
    assert (changes.new, changes.vanished, changes.replaced) == (0, 0, 0)
    assert {key: record.row_id for key, record in made.records(database, table_id).items()} == before


def test_a_table_whose_metadata_was_not_read_has_none(database: Database) -> None:
    table_id = made.table(database)
    with database.reading() as session:
        with pytest.raises(TableNotFound):
            load_metadata(session, table_id)
        with pytest.raises(TableNotFound):
            load_metadata(session, table_id + 1)
    with pytest.raises(TableNotFound), database.session() as session:
        store_metadata(session, table_id + 1, made.metadata([]), 1)


def test_a_failed_look_leaves_the_time_of_the_last_good_one(database: Database) -> None:
    table_id = made.table(database)
    with database.session() as session:
        record_look(session, table_id, 100)
    with database.session() as session:
        record_look(session, table_id, 200, "gone \0")
    with database.reading() as session:
        record = get_table(session, "shop.orders")
    assert (record.checked_at_ms, record.stale_reason) == (100, "gone \0")
    with database.session() as session:
        record_look(session, table_id, 300)
    with database.reading() as session:
        record = get_table(session, "shop.orders")
    assert (record.checked_at_ms, record.stale_reason) == (300, None)


def test_a_removed_table_leaves_only_its_segments_and_events(database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    made.show(database, table_id, 1, made.published([1, 2]))
    with database.session() as session:
        remove_table(session, "shop.orders")
    assert {name: count for name, count in rows(database).items() if count} == {
        "segment": 2,
        "event": 2,
        "event_sequence": 1,
        "schema_support": 1,
    }
    with pytest.raises(TableNotFound), database.session() as session:
        remove_table(session, "shop.orders")


def test_ids_are_never_used_twice(database: Database) -> None:
    first = made.table(database, of=made.metadata([made.snapshot(1)]))
    row_id = made.records(database, first)["main", 1].row_id
    with database.session() as session:
        remove_table(session, "shop.orders")
    second = made.table(database, of=made.metadata([made.snapshot(1)]))
    assert second > first
    assert made.records(database, second)["main", 1].row_id > row_id


@pytest.mark.parametrize(
    "wrong",
    [
        made.metadata([made.snapshot(2**63)]),
        made.metadata([], current_schema_id=-(2**63) - 1),
        made.metadata([], snapshot_log=((2**64, 1),)),
        made.metadata([], schemas=(made.SCHEMA, made.SCHEMA)),
        made.metadata([], specs=(*made.SPECS, *made.SPECS)),
        made.metadata([made.snapshot(1), made.snapshot(1, at_ms=5)]),
        made.metadata([made.snapshot(1, "b" * 1025)]),
        made.metadata([], branch_schemas={"\x1b" * 205: (made.SCHEMA,)}),
    ],
)
def test_metadata_that_cannot_be_stored_is_corrupt_and_changes_nothing(database: Database, wrong: object) -> None:
    good = made.metadata([made.snapshot(1)])
    table_id = made.table(database, of=good)
    with pytest.raises(MetadataCorrupt), database.session() as session:
        store_metadata(session, table_id, wrong, 2)  # type: ignore[arg-type]
    with database.reading() as session:
        assert repr(load_metadata(session, table_id)) == repr(replace(good, snapshots=()))


def test_names_of_any_length_are_stored_where_formats_set_no_limit(database: Database) -> None:
    long = "x" * 100_000
    ref = Ref(long, "tag", 1)
    table_id = made.table(database, of=made.metadata([made.snapshot(1, operation=long)], refs=(ref,), location=long))
    with database.reading() as session:
        assert refs(session, table_id) == (ref,)
        assert session.scalar(select(TableRow.table_location)) == long


def test_find_table_returns_the_current_record(database_url: str) -> None:
    one, other = Database(database_url), Database(database_url)
    name = "db.t\x00\ud800"
    with one.session() as session:
        added = add_table(session, name, "/lake/db/t", "iceberg", [("s3://a/", "/a/")], ["/lake"])
    assert find_table(one, name) == find_table(other, name) == added
    with other.session() as session:
        record_look(session, added.table_id, 77)
    assert find_table(one, name) == replace(added, checked_at_ms=77)
    with other.session() as session:
        remove_table(session, name)
    for database in (one, other):
        with pytest.raises(TableNotFound):
            find_table(database, name)
        database.close()
