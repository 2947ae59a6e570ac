"""Time travel, on every database."""

from __future__ import annotations

from dataclasses import replace

from lakemuster.errors import SnapshotNotFound
from lakemuster.index.database import Database
from lakemuster.index.history import snapshot_at
from lakemuster.metadata.snapshot import MAIN
from tests.contract.index import made


def at(database: Database, table_id: int, moment: int, branch: str = MAIN, *, has_log: bool = True) -> int | None:
    with database.reading() as session:
        try:
            kind = {"has_snapshot_log": has_log, "are_numbered": not has_log}
            return snapshot_at(session, table_id, moment, branch, **kind).snapshot.snapshot_id
        except SnapshotNotFound:
            return None


def test_iceberg_history_follows_the_snapshot_log(database: Database) -> None:
    snapshots = [made.snapshot(number) for number in (1, 2, 3)]
    # 2 was rolled back to 1, then 3 was committed.
    log = ((1000, 1), (2000, 2), (2500, 1), (3000, 3))
    table_id = made.table(database, of=made.metadata(snapshots, snapshot_log=log))
    found = {
        moment: at(database, table_id, moment) for moment in (999, 1000, 1999, 2000, 2499, 2500, 2999, 3000, 2**62)
    }
    assert found == {
        999: None,
        1000: 1,
        1999: 1,
        2000: 2,
        2499: 2,
        2500: 1,
        2999: 1,
        3000: 3,
        2**62: 3,
    }


def test_iceberg_history_without_a_log_follows_ancestry(database: Database) -> None:
    snapshots = [made.snapshot(1), made.snapshot(2), replace(made.snapshot(3), parent_id=1)]
    table_id = made.table(database, of=made.metadata(snapshots, snapshot_log=()))
    assert [at(database, table_id, moment) for moment in (999, 1000, 2500, 3000)] == [None, 1, 1, 3]


def test_a_time_whose_snapshot_expired_has_none(database: Database) -> None:
    table_id = made.table(database, of=made.metadata([made.snapshot(2)], snapshot_log=((1000, 1), (2000, 2))))
    assert at(database, table_id, 1500) is None


def test_history_of_a_paimon_branch_follows_its_commits(database: Database) -> None:
    snapshots = [
        *(made.snapshot(number) for number in (1, 2, 3)),
        made.snapshot(1, "b1", at_ms=1500),
        made.snapshot(2, "b1", at_ms=1500),
    ]
    table_id = made.table(database, of=made.metadata(snapshots, format="paimon", snapshot_log=()))
    assert [at(database, table_id, moment, has_log=False) for moment in (999, 1999, 2000, 5000)] == [None, 1, 2, 3]
    assert [at(database, table_id, moment, "b1", has_log=False) for moment in (1499, 1500)] == [None, 2]
    assert at(database, table_id, 5000, "b2", has_log=False) is None


def test_a_tagged_snapshot_is_not_that_of_the_expired_ones_after_it(database: Database) -> None:
    snapshots = [made.snapshot(number) for number in (1, 2, 5, 6)]
    table_id = made.table(database, of=made.metadata(snapshots, format="paimon", snapshot_log=()))
    moments = (1000, 1999, 2000, 4999, 5000, 6000, 9000)
    assert [at(database, table_id, moment, has_log=False) for moment in moments] == [1, 1, None, None, 5, 6, 6]


def test_an_unknown_table_has_no_history(database: Database) -> None:
    assert at(database, 5, 1000) is None
