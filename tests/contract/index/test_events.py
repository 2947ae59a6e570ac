"""The event log: every event once, in one total order."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import pytest
from sqlalchemy import select

from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.events import Bounds, Event, NewEvent, Page, bounds, prune, read_log, record
from lakemuster.index.orm import SnapshotRow
from lakemuster.index.snapshots import get_snapshot, quarantine
from lakemuster.index.tables import add_table, remove_table, store_metadata
from lakemuster.metadata.reachable import newly_reachable
from lakemuster.metadata.snapshot import MAIN, Ref, Snapshot, TableMetadata
from tests.contract.index import made, processes


def events_after(database: Database, after: int, limit: int) -> tuple[Event, ...]:
    page = read_log(database, after, limit)
    assert page.restart is None
    return page.events


def told(database: Database, after: int = 0) -> list[tuple[object, ...]]:
    """Return the events as tuples of the type and the values that identify each."""
    return [_short(one) for one in events_after(database, after, 10_000)]


def _short(one: Event) -> tuple[object, ...]:
    kind, data = one.type.removeprefix("table."), one.data
    if kind == "committed":
        return kind, int(data["snapshot_id"]), data["ref"]
    if kind == "ref_changed":
        ends = (data["previous_snapshot_id"], data["snapshot_id"])
        return kind, data["ref"], *(None if end is None else int(end) for end in ends)
    return (kind, one.table)


def last(database: Database) -> int:
    return bounds(database).last


def of(*snapshots: Snapshot, **refs: int) -> TableMetadata:
    """Return metadata with these branches; main refers to the last snapshot by default."""
    plain = made.metadata(snapshots)
    named = refs or {MAIN: snapshots[-1].snapshot_id}
    branches = tuple(Ref(name, "branch", number) for name, number in named.items())
    return replace(plain, refs=branches, current_snapshot_id=named.get(MAIN))


def test_a_commit_is_told_once_and_after_its_parents(database: Database) -> None:
    one, two, three, four = (made.snapshot(number) for number in (1, 2, 3, 4))
    table_id = made.table(database, of=of(one))
    assert told(database) == [("registered", "shop.orders")]
    made.store(database, table_id, of(one, two, three))
    made.store(database, table_id, of(one, two, three))
    made.store(database, table_id, of(two, three, four))
    assert told(database, 1) == [("committed", 2, "main"), ("committed", 3, "main"), ("committed", 4, "main")]


def test_what_was_committed_before_the_registration_is_not_told(database: Database) -> None:
    with database.session() as session:
        table = add_table(session, "shop.orders", "s3://lake/t", "iceberg")
    created = database.clock_ms()
    old = made.snapshot(1)
    staged = made.snapshot(3, at_ms=5, parent_id=1)
    later = made.snapshot(2, at_ms=created + 1000)
    made.store(database, table.table_id, of(old, staged, later, main=2))
    assert told(database, 1) == [("committed", 2, "main")]
    # A branch that moves to a snapshot from before the registration is a changed ref, not a commit.
    made.store(database, table.table_id, of(old, staged, later, main=2, audit=3))
    assert told(database, 2) == [("ref_changed", "audit", None, 3)]


def test_rollbacks_and_branches_move_refs_and_commit_nothing_twice(database: Database) -> None:
    numbers = [made.snapshot(number) for number in (1, 2, 3)]
    table_id = made.table(database, of=of(*numbers))
    made.store(database, table_id, of(*numbers, main=2))
    made.store(database, table_id, of(*numbers, main=3))
    made.store(database, table_id, of(*numbers, main=3, audit=2))
    branched = made.snapshot(4, parent_id=2)
    made.store(database, table_id, of(*numbers, branched, main=3, audit=4))
    made.store(database, table_id, of(*numbers, branched, main=4, audit=4))
    made.store(database, table_id, of(*numbers, branched, main=4))
    assert told(database, 1) == [
        ("ref_changed", "main", 3, 2),
        ("ref_changed", "main", 2, 3),
        ("ref_changed", "audit", None, 2),
        ("committed", 4, "audit"),
        ("ref_changed", "main", 3, 4),
        ("ref_changed", "audit", 4, None),
    ]


def test_a_staged_snapshot_is_told_when_a_ref_reaches_it(database: Database) -> None:
    one, staged = made.snapshot(1), made.snapshot(2)
    table_id = made.table(database, of=of(one))
    made.store(database, table_id, of(one, staged, main=1))
    assert told(database, 1) == []
    made.store(database, table_id, of(one, staged, main=2))
    assert told(database, 1) == [("committed", 2, "main")]


def test_an_id_that_means_another_snapshot_is_told_again(database: Database) -> None:
    one, two, other = made.snapshot(1), made.snapshot(2), made.snapshot(2, at_ms=2500)
    table_id = made.table(database, of=of(one, two))
    made.store(database, table_id, of(one, other))
    assert told(database, 1) == [("committed", 2, "main"), ("ref_changed", "main", 2, 2)]


def test_paimon_branches_number_their_snapshots_themselves(database: Database) -> None:
    main = [made.snapshot(number) for number in (1, 2)]
    table_id = made.table(database, of=of(*main))
    branch = [made.snapshot(number, "b") for number in (1, 2)]
    both = replace(of(*main), snapshots=(*main, *branch))
    both = replace(both, refs=(Ref(MAIN, "branch", 2), Ref("b", "branch", 2, "b")))
    made.store(database, table_id, both)
    assert told(database, 1) == [("committed", 1, "b"), ("committed", 2, "b"), ("ref_changed", "b", None, 2)]


def test_a_gap_of_expired_snapshots_is_no_rollback(database: Database) -> None:
    table_id = made.table(database, of=of(made.snapshot(1), made.snapshot(2)))
    made.store(database, table_id, of(made.snapshot(8), made.snapshot(9)))
    assert told(database, 1) == [("committed", 8, "main"), ("committed", 9, "main")]


def test_altered_names_what_changed(database: Database) -> None:
    before = of(made.snapshot(1))
    table_id = made.table(database, of=before)
    made.store(database, table_id, replace(before, properties={"owner": "x", "b": "1"}))
    made.store(database, table_id, replace(before, properties={"owner": "x", "b": "1"}, default_spec_id=0))
    columns = replace(before.schemas[1], schema_id=8, fields=before.schemas[1].fields[:2])
    changed = replace(before, properties={"owner": "x", "b": "1"}, default_spec_id=0)
    made.store(database, table_id, replace(changed, schemas=(*before.schemas, columns), current_schema_id=8))
    assert [one.data for one in events_after(database, 1, 10)] == [
        {"properties": ["\0", "b", "owner"], "property_count": 3},
        {"spec_id": 0},
        {"schema_id": 8},
    ]


def test_quarantine_and_recovery_are_told_once(database: Database) -> None:
    table_id = made.table(database, of=of(made.snapshot(1)))
    for _ in range(2):
        with leases.hold(database, table_id, wait_seconds=5) as lease, database.session() as session:
            quarantine(session, lease, get_snapshot(session, table_id, 1).row_id, "metadata_corrupt: cut")
    made.show(database, table_id, 1, made.published(range(2)))
    made.show(database, table_id, 1, made.published(range(2)))
    found = events_after(database, 1, 10)
    assert [(one.type, one.data.get("reason")) for one in found] == [
        ("table.quarantined", "metadata_corrupt: cut"),
        ("table.recovered", None),
    ]


def test_a_removed_table_keeps_its_events(database: Database) -> None:
    table_id = made.table(database, of=of(made.snapshot(1)))
    made.store(database, table_id, of(made.snapshot(1), made.snapshot(2)))
    with database.session() as session:
        remove_table(session, "shop.orders")
    assert told(database) == [("registered", "shop.orders"), ("committed", 2, "main"), ("removed", "shop.orders")]


def test_a_transaction_that_fails_tells_nothing_and_takes_no_id(database: Database) -> None:
    table_id = made.table(database, of=of(made.snapshot(1)))

    def fail() -> None:
        with database.session() as session:
            store_metadata(session, table_id, of(made.snapshot(1), made.snapshot(2)), 2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert bounds(database) == Bounds(1, 1)
    made.store(database, table_id, of(made.snapshot(1), made.snapshot(2)))
    assert [one.id for one in events_after(database, 0, 10)] == [1, 2]


def test_the_oldest_events_are_pruned_by_number_and_age(database: Database) -> None:
    with database.session() as session:
        record(session, [NewEvent("table.altered", "a.b", {"n": n}) for n in range(100)])
    with database.session() as session:
        assert prune(session, keep=1000, keep_ms=3_600_000, limit=50) == 0
        assert prune(session, keep=70, keep_ms=3_600_000, limit=50) == 30
        assert prune(session, keep=70, keep_ms=-3_600_000, limit=50) == 50
    assert bounds(database) == Bounds(81, 100)
    gone = read_log(database, 79, 5)
    assert (gone.restart, [one.id for one in gone.events]) == (80, [81, 82, 83, 84, 85])
    assert read_log(database, 80, 5).restart is None
    assert read_log(database, 100, 5) == Page(())
    assert read_log(database, 101, 5).restart == 80
    with database.session() as session:
        prune(session, keep=0, keep_ms=3_600_000, limit=50)
    assert bounds(database) == Bounds(101, 100)
    assert (read_log(database, 100, 5), read_log(database, 3, 5)) == (Page(()), Page((), 100))
    with database.session() as session:
        record(session, [NewEvent("table.altered", "a.b", {})])
    assert bounds(database) == Bounds(101, 101)


def test_no_smaller_id_appears_after_a_larger_one_was_seen(database_url: str, database: Database) -> None:
    tables = [made.table(database, f"shop.t{number}", of=of(made.snapshot(1))) for number in range(4)]
    commits = 15
    followed: list[int] = []
    is_over = threading.Event()

    def follow() -> None:
        at = 0
        while True:
            ending = is_over.is_set()
            page = events_after(database, at, 7)
            for one in page:
                followed.append(one.id)
                at = one.id
            # A follower that is behind has more than one page to read after the last commit.
            if ending and not page:
                return

    def commit(table_id: int) -> None:
        for number in range(2, 2 + commits):
            made.store(database, table_id, made.on_main(range(1, number + 1)))

    follower = threading.Thread(target=follow)
    follower.start()
    others = [processes.start(processes.commit_each, database_url, tables[:2], commits)]
    threads = [threading.Thread(target=commit, args=(table_id,)) for table_id in tables[2:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [processes.finish(other) for other in others] == [0]
    is_over.set()
    follower.join()
    assert followed == list(range(1, 1 + len(tables) * (1 + commits)))
    for name in (f"shop.t{number}" for number in range(4)):
        own = [
            one.data for one in events_after(database, 0, 1000) if (one.table, one.type) == (name, "table.committed")
        ]
        assert [int(data["snapshot_id"]) for data in own] == list(range(2, 2 + commits))


def test_a_process_killed_while_it_commits_neither_loses_nor_invents_an_event(
    database_url: str, database: Database
) -> None:
    table_id = made.table(database, of=of(made.snapshot(1)))
    kills = 0
    while True:
        worker = processes.start(processes.commit_until, database_url, table_id, kills + 1)
        if processes.finish(worker) == 0:
            break
        assert worker.exitcode == -signal.SIGKILL
        kills += 1
        assert told(database, 1) == []
        assert set(made.records(database, table_id)) == {(MAIN, 1)}
    assert kills >= 6
    assert told(database, 1) == [("committed", 2, "main")]


def test_announced_marks_what_refs_have_reached(database: Database) -> None:
    table_id = made.table(database, of=of(made.snapshot(1)))
    made.store(database, table_id, of(made.snapshot(1), made.snapshot(2), made.snapshot(3), main=2))
    with database.reading() as session:
        columns = (SnapshotRow.snapshot_id, SnapshotRow.announced)
        found = session.execute(select(*columns).where(SnapshotRow.table_id == table_id))
        assert sorted((row.snapshot_id, row.announced) for row in found) == [(1, True), (2, True), (3, False)]


def test_a_lineage_that_runs_in_a_circle_ends() -> None:
    one, two = made.snapshot(1, parent_id=2), made.snapshot(2)
    assert [reached.snapshot.snapshot_id for reached in newly_reachable(of(one, two), ())] == [1, 2]
