"""Find the snapshots that a refresh indexes: those that refs name, and the newest ones."""

from __future__ import annotations

from sqlalchemy.orm import Session

from lakemuster.index.reconcile import is_same
from lakemuster.index.snapshots import SnapshotRecord, snapshots_with
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata

Key = tuple[str, int]
"""A branch, and the id of a snapshot on it."""


def ref_snapshots_of(metadata: TableMetadata) -> set[Key]:
    """Return the snapshots that refs name, the current one included."""
    found = {(ref.branch, ref.snapshot_id) for ref in metadata.refs}
    if metadata.current_snapshot_id is not None:
        found.add((MAIN, metadata.current_snapshot_id))
    return found


def snapshots_to_index(metadata: TableMetadata, history: int) -> list[Snapshot]:
    """Return the snapshots that a first refresh indexes: those that refs name, and the ``history`` newest ones."""
    heads = ref_snapshots_of(metadata)
    newest = sorted(metadata.snapshots, key=lambda snapshot: -snapshot.committed_at_ms)[:history]
    chosen = {(snapshot.branch, snapshot.snapshot_id) for snapshot in newest} | heads
    return [one for one in metadata.snapshots if (one.branch, one.snapshot_id) in chosen]


def ref_snapshots_to_index(
    session: Session, table_id: int, metadata: TableMetadata
) -> tuple[list[SnapshotRecord], list[Snapshot]]:
    """Return the refs' unpublished snapshots: those that the index has, and those that are new to it."""
    heads = ref_snapshots_of(metadata)
    records = snapshots_with(session, table_id, [snapshot_id for _, snapshot_id in heads])
    by_key = {(record.snapshot.branch, record.snapshot.snapshot_id): record for record in records}
    known: dict[Key, SnapshotRecord] = {}
    new: dict[Key, Snapshot] = {}
    for snapshot in metadata.snapshots:
        key = (snapshot.branch, snapshot.snapshot_id)
        if key not in heads:
            continue
        record = by_key.get(key)
        if record is None or not is_same(record.snapshot, snapshot):
            new.setdefault(key, snapshot)
        elif record.state != "published":
            known[key] = record
    return list(known.values()), list(new.values())
