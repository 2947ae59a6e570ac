"""Snapshots on every database: known, published atomically, quarantined, removed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from lakemuster.errors import IndexUnavailable, SnapshotChanged, SnapshotNotFound
from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.orm import ManifestRow, SnapshotRow
from lakemuster.index.segments import register_segments
from lakemuster.index.snapshots import (
    ManifestRecord,
    Published,
    get_snapshot,
    list_snapshots,
    publish,
    quarantine,
    snapshot_manifests,
    withdraw,
)
from lakemuster.index.tables import get_table
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.snapshot import ManifestListRef, Snapshot
from tests.contract.index import made

SNAPSHOTS = [made.snapshot(number) for number in (1, 2, 3)]


@pytest.fixture
def table_id(database: Database) -> int:
    return made.table(database, of=made.metadata(SNAPSHOTS))


def manifests(database: Database, table_id: int, number: int) -> list[ManifestRecord]:
    with database.reading() as session:
        return snapshot_manifests(session, get_snapshot(session, table_id, number).row_id)


def as_published(found: list[ManifestRecord]) -> list[Published]:
    return [Published(record.role, record.header, record.segment) for record in found]


def manifest_rows(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(ManifestRow)) or 0


def generation(database: Database) -> int:
    with database.reading() as session:
        return get_table(session, "shop.orders").generation


def test_new_snapshots_are_known_as_they_were_read(database: Database, table_id: int) -> None:
    with database.reading() as session:
        found = list_snapshots(session, table_id)
    assert [repr(record.snapshot) for record in found] == [repr(snapshot) for snapshot in SNAPSHOTS]
    assert {(r.state, r.error, r.live, r.dead_rows, r.manifest_count) for r in found} == {
        ("known", None, None, None, None)
    }


def test_a_known_snapshot_shows_no_manifests(database: Database, table_id: int) -> None:
    with pytest.raises(SnapshotChanged):
        manifests(database, table_id, 1)


@pytest.mark.parametrize("number", [99, 2**63, 2**200, -(2**64)])
def test_an_unknown_id_is_not_found_however_large(database: Database, table_id: int, number: int) -> None:
    with database.reading() as session, pytest.raises(SnapshotNotFound):
        get_snapshot(session, table_id, number)


def test_a_published_snapshot_lists_its_manifests_exactly(database: Database, table_id: int) -> None:
    listed = [
        *made.published(range(5, 0, -1), "base"),
        *made.published([9, 2], "delta"),
        *made.published([7], "index"),
        *made.published([3], "changelog"),
        *made.published([5], "delta"),
    ]
    made.show(database, table_id, 2, listed, [5, 3, 2**40])
    found = manifests(database, table_id, 2)
    assert repr(as_published(found)) == repr(listed)
    assert found[0].id == found[-1].id
    record = made.records(database, table_id)["main", 2]
    assert (record.state, record.manifest_count) == ("published", len(listed))
    assert record.live == LiveCounts(len(listed), 1, 2**62, 2**63 - 1)
    assert record.dead_rows is not None
    assert record.dead_rows.tolist() == [5, 3, 2**40]


def test_a_snapshot_without_manifests_is_published_and_empty(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, [], [])
    assert manifests(database, table_id, 1) == []
    dead = made.records(database, table_id)["main", 1].dead_rows
    assert dead is not None
    assert len(dead) == 0


def test_publishing_again_changes_nothing(database: Database, table_id: int) -> None:
    listed = made.published(range(20))
    made.show(database, table_id, 1, listed)
    before = manifests(database, table_id, 1)
    made.show(database, table_id, 1, listed)
    assert manifests(database, table_id, 1) == before
    assert manifest_rows(database) == 20


def test_snapshots_share_the_rows_of_their_manifests(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published(range(10)))
    made.show(database, table_id, 2, made.published(range(11)))
    assert manifest_rows(database) == 11
    one, two = manifests(database, table_id, 1), manifests(database, table_id, 2)
    assert two[:10] == one


def test_manifest_rows_that_differ_are_separate_rows(database: Database, table_id: int) -> None:
    (first,) = made.published([1])
    others = [
        replace(first, header=other)
        for other in (
            replace(first.header, sequence_number=2),
            replace(first.header, partitions=None),
            replace(first.header, key_metadata=None),
            replace(first.header, extra_files=None),
            replace(first.header, added_rows_count=0),
            replace(first.header, content="deletes"),
        )
    ]
    listed = [first, *others]
    made.show(database, table_id, 1, listed)
    assert repr(as_published(manifests(database, table_id, 1))) == repr(listed)
    assert manifest_rows(database) == len(listed)


def test_tables_do_not_share_rows_but_share_segments(database: Database, table_id: int) -> None:
    other = made.table(database, "other", of=made.metadata(SNAPSHOTS))
    made.show(database, table_id, 1, made.published([1]))
    made.show(database, other, 1, made.published([1]))
    one, two = manifests(database, table_id, 1), manifests(database, other, 1)
    assert one[0].segment == two[0].segment
    assert one[0].id != two[0].id


def test_thousands_of_manifests_are_published_at_once(database: Database, table_id: int) -> None:
    # More parameters than either database accepts in one statement.
    listed = [
        replace(one, header=replace(one.header, location=f"m{number}"))
        for number, one in enumerate(made.published([1]) * 9_000)
    ]
    made.show(database, table_id, 1, listed)
    assert [record.header.location for record in manifests(database, table_id, 1)] == [f"m{n}" for n in range(9_000)]
    store_empty = made.metadata([])
    made.store(database, table_id, store_empty)
    assert manifest_rows(database) == 0


def test_a_segment_that_is_not_registered_keeps_its_snapshot_unpublished(database: Database, table_id: int) -> None:
    listed = made.published(range(3))
    row_id = made.records(database, table_id)["main", 1].row_id
    with leases.hold(database, table_id, wait_seconds=1) as lease:
        with pytest.raises(IndexUnavailable, match="not registered"), database.session() as session:
            publish(session, lease, row_id, listed, segments=made.segments(listed[:2]))
        assert made.records(database, table_id)["main", 1].state == "known"
        assert manifest_rows(database) == 0
        with database.session() as session:
            register_segments(session, made.segments(listed))
        with database.session() as session:
            publish(session, lease, row_id, listed)
    assert made.records(database, table_id)["main", 1].state == "published"


def test_a_failure_in_the_middle_publishes_nothing(database: Database, table_id: int) -> None:
    listed = made.published(range(3))

    def work() -> None:
        with leases.hold(database, table_id, wait_seconds=1) as lease, database.session() as session:
            row_id = get_snapshot(session, table_id, 1).row_id
            publish(session, lease, row_id, listed, segments=made.segments(listed))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert made.records(database, table_id)["main", 1].state == "known"
    assert manifest_rows(database) == 0


def test_a_quarantined_snapshot_has_a_reason_until_published(database: Database, table_id: int) -> None:
    row_id = made.records(database, table_id)["main", 2].row_id
    with leases.hold(database, table_id, wait_seconds=1) as lease, database.session() as session:
        quarantine(session, lease, row_id, made.NASTY)
    made.store(database, table_id, made.metadata(SNAPSHOTS))
    record = made.records(database, table_id)["main", 2]
    assert (record.state, record.error) == ("quarantined", made.NASTY)
    made.show(database, table_id, 2, made.published([1]))
    record = made.records(database, table_id)["main", 2]
    assert (record.state, record.error) == ("published", None)


@pytest.mark.parametrize("how", ["quarantine", "withdraw"])
def test_a_published_snapshot_can_be_withdrawn(database: Database, table_id: int, how: str) -> None:
    made.show(database, table_id, 1, made.published([1, 2]), [1])
    made.show(database, table_id, 2, made.published([2, 3]))
    row_id = made.records(database, table_id)["main", 1].row_id
    with leases.hold(database, table_id, wait_seconds=1) as lease, database.session() as session:
        if how == "quarantine":
            quarantine(session, lease, row_id, "bad")
        else:
            withdraw(session, lease, row_id)
    record = made.records(database, table_id)["main", 1]
    assert record.state == ("quarantined" if how == "quarantine" else "known")
    assert (record.live, record.dead_rows, record.manifest_count, record.published_at_ms) == (None,) * 4
    assert manifest_rows(database) == 2
    assert len(manifests(database, table_id, 2)) == 2


def test_snapshots_of_an_older_decoder_are_indexed_again(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1]))
    with database.session() as session:
        session.execute(update(SnapshotRow).values(decoder_version=0))
    assert made.records(database, table_id)["main", 1].state == "known"
    made.show(database, table_id, 1, made.published([1]))
    assert made.records(database, table_id)["main", 1].state == "published"


def test_publishing_other_manifests_replaces_the_previous_ones(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1, 2, 3]))
    made.show(database, table_id, 1, made.published([3, 4]))
    assert as_published(manifests(database, table_id, 1)) == made.published([3, 4])
    assert manifest_rows(database) == 2


def test_vanished_snapshots_are_deleted_with_manifests_only_they_listed(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1, 2]))
    made.show(database, table_id, 2, made.published([2, 3]))
    made.store(database, table_id, made.metadata(SNAPSHOTS[1:]))
    assert set(made.records(database, table_id)) == {("main", 2), ("main", 3)}
    assert manifest_rows(database) == 2
    assert len(manifests(database, table_id, 2)) == 2
    assert generation(database) == 0


def test_reading_a_deleted_snapshot_fails(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1]))
    row_id = made.records(database, table_id)["main", 1].row_id
    made.store(database, table_id, made.metadata(SNAPSHOTS[1:]))
    with database.reading() as session, pytest.raises(SnapshotChanged):
        snapshot_manifests(session, row_id)


@pytest.mark.parametrize(
    "another",
    [
        replace(made.snapshot(2), committed_at_ms=2001),
        replace(made.snapshot(2), manifest_lists=(ManifestListRef("manifests", "elsewhere"),)),
        replace(made.snapshot(2), manifest_lists=(), inline_manifests=("m",)),
    ],
)
def test_another_commit_with_the_same_id_is_another_snapshot(
    database: Database, table_id: int, another: Snapshot
) -> None:
    made.show(database, table_id, 1, made.published([1]))
    made.show(database, table_id, 2, made.published([1, 2]))
    before = made.records(database, table_id)
    made.store(database, table_id, made.metadata([SNAPSHOTS[0], another]))
    after = made.records(database, table_id)
    assert after["main", 1] == before["main", 1]
    assert after["main", 2].state == "known"
    assert after["main", 2].row_id > before["main", 2].row_id
    assert generation(database) == 1
    assert manifest_rows(database) == 1


def test_a_table_of_another_uuid_keeps_nothing(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1]))
    made.store(database, table_id, made.metadata(SNAPSHOTS, uuid="22222222-2222-2222-2222-222222222222"))
    assert {record.state for record in made.records(database, table_id).values()} == {"known"}
    assert (generation(database), manifest_rows(database)) == (1, 0)


def test_a_uuid_given_later_is_the_same_table(database: Database) -> None:
    table_id = made.table(database, of=made.metadata(SNAPSHOTS, uuid=None))
    made.show(database, table_id, 1, made.published([1]))
    made.store(database, table_id, made.metadata(SNAPSHOTS))
    assert made.records(database, table_id)["main", 1].state == "published"
    assert generation(database) == 0


def test_a_snapshot_that_became_a_tag_stays_published(database: Database, table_id: int) -> None:
    made.show(database, table_id, 2, made.published([1]))
    row_id = made.records(database, table_id)["main", 2].row_id
    tagged = replace(SNAPSHOTS[1], source="tag", extra={"tag_create_time": "x"})
    made.store(database, table_id, made.metadata([SNAPSHOTS[0], tagged]))
    record = made.records(database, table_id)["main", 2]
    assert (record.row_id, record.state, record.snapshot.source) == (row_id, "published", "tag")


def test_branches_have_independent_snapshot_ids(database: Database) -> None:
    both = [made.snapshot(1), made.snapshot(1, "b1", at_ms=7)]
    table_id = made.table(database, of=made.metadata(both, format="paimon"))
    with database.reading() as session:
        assert get_snapshot(session, table_id, 1).snapshot.committed_at_ms == 1000
        assert get_snapshot(session, table_id, 1, "b1").snapshot.committed_at_ms == 7
        assert [r.snapshot.branch for r in list_snapshots(session, table_id)] == ["b1", "main"]
        assert len(list_snapshots(session, table_id, "b1")) == 1
        with pytest.raises(SnapshotNotFound):
            get_snapshot(session, table_id, 1, "b2")


def test_the_same_snapshot_met_twice_is_one(database: Database) -> None:
    twice = [made.snapshot(1), replace(made.snapshot(1), source="tag")]
    table_id = made.table(database, of=made.metadata(twice))
    assert len(made.records(database, table_id)) == 1


def test_a_damaged_index_is_an_error_and_never_a_shorter_list(database: Database, table_id: int) -> None:
    made.show(database, table_id, 1, made.published([1, 2]))
    with database.session() as session:
        victim = session.scalars(select(ManifestRow).limit(1)).one()
        session.delete(victim)
    with pytest.raises(IndexUnavailable, match="lacks"):
        manifests(database, table_id, 1)
