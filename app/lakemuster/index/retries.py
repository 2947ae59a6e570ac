"""Retries of quarantined snapshots, with exponential backoff.

The time of the next attempt is by the database's clock. A time that is further away than the longest pause means that
the clock has stepped back since; such an attempt is due.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from lakemuster.index import leases
from lakemuster.index.database import NowMs, current_ms
from lakemuster.index.leases import Lease
from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.index.snapshots import SnapshotRecord, records_of
from lakemuster.index.tables import TableRecord, records_where

SHORTEST_PAUSE_MS = 1_000
LONGEST_PAUSE_MS = 300_000
GROWTH = 1.6


def pause_ms(attempts: int) -> int:
    """Return the pause after ``attempts`` failures: about half of the time since the first one."""
    return round(min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * GROWTH ** min(attempts - 1, 50)))


def schedule(session: Session, row_id: int, at_most: int | None = None, *, is_first: bool = False) -> None:
    """Schedule the next attempt to read a quarantined snapshot, after a pause that grows each time.

    Args:
        at_most: maximum number of attempts; no further ones are scheduled.
        is_first: whether to ignore earlier failures, which had another cause.
    """
    earlier = None if is_first else session.scalar(select(SnapshotRow.attempts).where(SnapshotRow.id == row_id))
    attempts = (earlier or 0) + 1
    if at_most is not None and attempts > at_most:
        return
    session.execute(
        update(SnapshotRow)
        .where(SnapshotRow.id == row_id)
        .values(attempts=attempts, retry_at_ms=current_ms(session) + pause_ms(attempts))
        .execution_options(synchronize_session=False)
    )


def postpone(session: Session, lease: Lease, row_ids: Sequence[int]) -> None:
    """Schedule the next attempt for snapshots whose last attempt did not finish.

    Raises:
        RefreshBusy: the lease was lost.
    """
    leases.ensure(session, lease)
    for row_id in row_ids:
        schedule(session, row_id)


def due_snapshots(session: Session, table_id: int) -> list[SnapshotRecord]:
    """Return a table's quarantined snapshots that are due for a retry."""
    return records_of(session, SnapshotRow.table_id == table_id, _is_due())


def tables_with_due(session: Session) -> list[TableRecord]:
    """Return the tables, including companions, that have snapshots due for a retry."""
    due = select(func.distinct(SnapshotRow.table_id)).where(_is_due())
    ids = list(session.scalars(due))
    return records_where(session, TableRow.id.in_(ids)) if ids else []


def _is_due() -> ColumnElement[bool]:
    return and_(
        SnapshotRow.retry_at_ms.is_not(None),
        SnapshotRow.state == "quarantined",
        or_(SnapshotRow.retry_at_ms <= NowMs(), SnapshotRow.retry_at_ms > NowMs() + LONGEST_PAUSE_MS),
    )
