"""Time travel: find the snapshot that was current at a point in time."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from lakemuster.errors import SnapshotNotFound
from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.table_metadata_store import snapshot_log
from lakemuster.metadata.snapshot import MAIN


def snapshot_at(
    session: Session,
    table_id: int,
    at_ms: int,
    branch: str = MAIN,
    *,
    has_snapshot_log: bool,
    are_numbered: bool = False,
) -> SnapshotRecord:
    """Return the snapshot of a branch that was current at a point in time.

    Args:
        has_snapshot_log: whether the table's format has a log of main that includes rollbacks. A table without this
            optional log is resolved by the ancestry of its current snapshot; other formats, by commit time.
        are_numbered: whether the ids of a branch's snapshots follow one another, so that missing ones have expired.

    Raises:
        SnapshotNotFound: the branch had no snapshot yet, or its snapshot of that time has expired.
    """
    missing = SnapshotNotFound("no snapshot is known for that time", as_of_ms=at_ms, branch=branch)
    table = session.execute(select(TableRow.current_snapshot_id).where(TableRow.id == table_id)).one_or_none()
    if table is None:
        raise missing
    if has_snapshot_log:
        log = snapshot_log(session, table_id) or _ancestry(session, table_id, table.current_snapshot_id)
        current = [snapshot_id for changed_at_ms, snapshot_id in log if changed_at_ms <= at_ms]
        if not current:
            raise missing
        return get_snapshot(session, table_id, current[-1], branch)
    known = select(SnapshotRow.snapshot_id).where(SnapshotRow.table_id == table_id, SnapshotRow.branch == branch)
    newest_first = known.order_by(SnapshotRow.snapshot_id.desc()).limit(1)
    newest = session.scalar(newest_first.where(SnapshotRow.committed_at_ms <= at_ms))
    if newest is None:
        raise missing
    next_one = known.where(SnapshotRow.snapshot_id == newest + 1)
    if are_numbered and newest != session.scalar(newest_first) and session.scalar(next_one) is None:
        # A tag keeps it, and the snapshot after it has expired, which may have been current at that time.
        raise missing
    return get_snapshot(session, table_id, newest, branch)


def _ancestry(session: Session, table_id: int, current: int | None) -> list[tuple[int, int]]:
    by_id = {record.snapshot.snapshot_id: record.snapshot for record in list_snapshots(session, table_id, MAIN)}
    log: list[tuple[int, int]] = []
    while current is not None and (snapshot := by_id.pop(current, None)) is not None:
        log.append((snapshot.committed_at_ms, snapshot.snapshot_id))
        current = snapshot.parent_id
    return log[::-1]
