"""Find published snapshots without live counts, which older versions of Lakemuster wrote, and record their counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from lakemuster.index.integer_packing import unpack
from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.index.segments import DECODER_VERSION
from lakemuster.index.table_figures import show_counts
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.snapshot import Format


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A published snapshot without counts.

    Attributes:
        dead_rows: positions of entries that later entries cancel.
        published_at_ms: when it was published; changes when it is published again.
    """

    row_id: int
    table_id: int
    format: Format
    dead_rows: NDArray[np.int64]
    published_at_ms: int | None


def uncounted_snapshots(session: Session, after: int, limit: int) -> list[Uncounted]:
    """Return published snapshots without counts whose row ids are greater than ``after``, in the order of row ids."""
    rows = session.execute(
        select(SnapshotRow.id, SnapshotRow.table_id, TableRow.format, SnapshotRow.dead, SnapshotRow.published_at_ms)
        .join(TableRow, TableRow.id == SnapshotRow.table_id)
        .where(
            SnapshotRow.id > after,
            SnapshotRow.state == "published",
            SnapshotRow.decoder_version == DECODER_VERSION,
            SnapshotRow.live_data_files.is_(None),
        )
        .order_by(SnapshotRow.id)
        .limit(limit)
    )
    none = np.zeros(0, np.int64)
    return [
        Uncounted(row.id, row.table_id, row.format, none if row.dead is None else unpack(row.dead), row.published_at_ms)
        for row in rows
    ]


def record_counts(session: Session, one: Uncounted, live: LiveCounts) -> bool:
    """Record a snapshot's counts, unless it was published again or removed meanwhile; return whether they were."""
    recorded = session.execute(
        update(SnapshotRow)
        .where(
            SnapshotRow.id == one.row_id,
            SnapshotRow.state == "published",
            SnapshotRow.published_at_ms == one.published_at_ms,
        )
        .values(
            live_data_files=live.data_files,
            live_delete_files=live.delete_files,
            live_records=live.records,
            live_bytes=live.bytes,
        )
        .returning(SnapshotRow.id)
        .execution_options(synchronize_session=False)
    ).scalar()
    if recorded is None:
        return False
    show_counts(session, one.table_id, one.row_id, live)
    return True
