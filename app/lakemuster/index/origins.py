"""Origins of segments: the manifests, of any table, whose entries a segment holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from lakemuster.index.integer_packing import unpack_members
from lakemuster.index.manifests import load_manifests
from lakemuster.index.orm import ManifestRow, SegmentRow, SnapshotRow, TableRow
from lakemuster.index.tables import TableRecord, records_where
from lakemuster.metadata.snapshot import ManifestHeader


@dataclass(frozen=True, slots=True)
class Origin:
    """A manifest of a table, with its row of the manifest list.

    Attributes:
        branch: the branch of a snapshot that lists it.
    """

    table: TableRecord
    header: ManifestHeader
    branch: str


def origins_of(session: Session, segment: str) -> list[Origin]:
    """Return the manifests that have this segment: one for each table that lists such a manifest."""
    rows = session.execute(select(ManifestRow.table_id, ManifestRow.id).where(ManifestRow.segment == segment))
    by_table: dict[int, int] = dict(iter(rows))
    tables = records_where(session, TableRow.id.in_(by_table)) if by_table else []
    found = load_manifests(session, by_table.values())
    return [
        Origin(table, found[row_id].header, branch)
        for table in tables
        if (row_id := by_table[table.table_id]) in found
        and (branch := next((b for b, _ in _listing(session, table.table_id, row_id)), None)) is not None
    ]


def snapshots_listing(session: Session, segment: str) -> Iterator[int]:
    """Yield the row ids of published snapshots that list a segment's manifest, the newest of each table first."""
    rows = session.execute(select(ManifestRow.table_id, ManifestRow.id).where(ManifestRow.segment == segment)).all()
    for table_id, row_id in rows:
        for _, snapshot_row_id in _listing(session, table_id, row_id):
            yield snapshot_row_id


def last_of_packed(session: Session, name: str) -> str | None:
    """Return the name of the last segment in a packed segment; None if no packed segment has that name."""
    return session.scalar(select(SegmentRow.location).where(SegmentRow.name == name, SegmentRow.length == 0))


def forget_segment(session: Session, name: str) -> None:
    """Unregister a segment, unless a manifest row refers to it; it is decoded again when it is needed."""
    session.execute(
        delete(SegmentRow)
        .where(SegmentRow.name == name, ~exists().where(ManifestRow.segment == name))
        .execution_options(synchronize_session=False)
    )


def _listing(session: Session, table_id: int, manifest_row_id: int) -> Iterator[tuple[str, int]]:
    """Yield branch and row id of the published snapshots of a table that list a manifest, newest first."""
    chosen = (
        select(SnapshotRow.branch, SnapshotRow.id, SnapshotRow.manifests)
        .where(SnapshotRow.table_id == table_id, SnapshotRow.manifests.is_not(None))
        .order_by(SnapshotRow.committed_at_ms.desc(), SnapshotRow.id.desc())
    )
    for branch, row_id, packed in session.execute(chosen):
        if packed is not None and np.any(unpack_members(packed)[1] == manifest_row_id):
            yield branch, row_id
