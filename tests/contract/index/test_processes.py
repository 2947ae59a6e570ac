"""Several processes on one index, and processes that are killed at any statement."""

from __future__ import annotations

import signal

import pytest
from sqlalchemy import func, select

from lakemuster.errors import SnapshotChanged
from lakemuster.index import leases
from lakemuster.index.database import Database, open_database
from lakemuster.index.orm import ManifestRow
from lakemuster.index.segments import known_segments
from lakemuster.index.snapshots import get_snapshot, snapshot_manifests
from tests.contract.index import made, processes


def manifest_rows(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(ManifestRow)) or 0


def test_processes_that_publish_the_same_snapshot_leave_one(database_url: str, database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    workers = [processes.start(processes.publish_snapshot, database_url, table_id, 1, 50) for _ in range(3)]
    assert [processes.finish(worker) for worker in workers] == [0, 0, 0]
    record = made.records(database, table_id)["main", 1]
    with database.reading() as session:
        assert len(snapshot_manifests(session, record.row_id)) == 50
    assert (record.state, manifest_rows(database)) == ("published", 50)


def test_a_process_killed_while_it_publishes_leaves_nothing_visible(database_url: str, database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    row_id = made.records(database, table_id)["main", 1].row_id
    listed = made.published(range(30))
    kills = 0
    while True:
        worker = processes.start(processes.publish_until, database_url, table_id, 1, 30, kills + 1)
        if processes.finish(worker) == 0:
            break
        assert worker.exitcode == -signal.SIGKILL
        kills += 1
        assert made.records(database, table_id)["main", 1].state == "known"
        assert manifest_rows(database) == 0
        with database.reading() as session:
            assert known_segments(session, [one.segment for one in listed]) == set()
            with pytest.raises(SnapshotChanged):
                snapshot_manifests(session, row_id)
    # The process was killed after each statement, and before the commit.
    assert kills >= 8
    with database.reading() as session:
        found = snapshot_manifests(session, get_snapshot(session, table_id, 1).row_id)
    assert [record.segment for record in found] == [one.segment for one in listed]


def test_the_lease_of_a_killed_holder_is_free_at_once(database_url: str, database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    worker = processes.start(processes.hold_and_die, database_url, table_id)
    assert processes.finish(worker) == -signal.SIGKILL
    with leases.hold(database, table_id, wait_seconds=0) as lease:
        assert lease.fence == 2


def test_processes_that_migrate_at_once_all_succeed(empty_url: str) -> None:
    workers = [processes.start(processes.migrate, empty_url) for _ in range(4)]
    assert [processes.finish(worker) for worker in workers] == [0, 0, 0, 0]
    open_database(empty_url).check_version()
