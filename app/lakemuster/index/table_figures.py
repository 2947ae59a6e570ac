"""The figures of tables: files, records and bytes of the current snapshot, the number of snapshots, the last commit.

They are columns of the table's row, so that lists of tables can be sorted by them, and are written in the transactions
that change them. Those of the current snapshot's contents are null until it is published with counts.
"""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.snapshot import MAIN, TableMetadata


def show_counts(session: Session, table_id: int, snapshot_row_id: int, live: LiveCounts | None) -> None:
    """Make the counts of a published snapshot the table's figures, if it is the current one."""
    own = select(SnapshotRow.snapshot_id).where(SnapshotRow.id == snapshot_row_id, SnapshotRow.branch == MAIN)
    session.execute(
        update(TableRow)
        .where(TableRow.id == table_id, TableRow.current_snapshot_id == own.scalar_subquery())
        .values(live_figures(live))
        .execution_options(synchronize_session=False)
    )


def live_figures(live: LiveCounts | None) -> dict[str, int | None]:
    """Return the columns of a table's row that depend on its live contents; these also make its health due again.

    Args:
        live: None if the live contents are unknown.
    """
    return {
        "health_due_at_ms": 0,
        "total_records": None if live is None else live.records,
        "data_files": None if live is None else live.data_files,
        "total_bytes": None if live is None else live.bytes,
        "delete_files": None if live is None else live.delete_files,
    }


def history_figures(metadata: TableMetadata) -> dict[str, int | None]:
    """Return the columns of a table's row that depend on its snapshots on main."""
    times = {one.snapshot_id: one.committed_at_ms for one in metadata.snapshots if one.branch == MAIN}
    current = metadata.current_snapshot_id
    return {"snapshots": len(times), "last_committed_at_ms": None if current is None else times.get(current)}


def current_counts(session: Session, table_id: int, current_snapshot_id: int | None) -> LiveCounts | None:
    """Return the live contents of a table's current snapshot; None if it is not published with counts."""
    if current_snapshot_id is None:
        return LiveCounts(0, 0, 0, 0)
    row = session.execute(
        select(
            SnapshotRow.live_data_files, SnapshotRow.live_delete_files, SnapshotRow.live_records, SnapshotRow.live_bytes
        ).where(
            SnapshotRow.table_id == table_id,
            SnapshotRow.branch == MAIN,
            SnapshotRow.snapshot_id == current_snapshot_id,
            SnapshotRow.live_data_files.is_not(None),
        )
    ).one_or_none()
    return None if row is None else LiveCounts(*(count or 0 for count in row))
