"""Reconcile a table's stored snapshots with its metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from lakemuster.caching import Cache
from lakemuster.errors import MetadataCorrupt
from lakemuster.index.encoding import decode, encode
from lakemuster.index.manifests import delete_orphans
from lakemuster.index.orm import SnapshotRow
from lakemuster.index.statements import chunks, insert_all
from lakemuster.metadata.reachable import Reached, SnapshotKey, newly_reachable
from lakemuster.metadata.snapshot import Snapshot, TableMetadata


@dataclass(frozen=True, slots=True)
class Changes:
    """The numbers of new snapshots, of vanished ones, and of those replaced by another snapshot of the same id.

    Attributes:
        reached: the snapshots that refs reach for the first time, parents first.
    """

    new: int
    vanished: int
    replaced: int
    reached: tuple[Reached, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class _Stored:
    row_id: int
    digest: bytes
    announced: bool


@dataclass(frozen=True, slots=True)
class _Encoded:
    snapshot: Snapshot
    document: bytes
    digest: bytes


def reconcile(
    session: Session, table_id: int, metadata: TableMetadata, *, is_another: bool, since_ms: int | None
) -> Changes:
    """Insert new snapshots in state ``known``, delete vanished and replaced ones, keep the state of the others.

    Args:
        is_another: whether the table is another one than the stored one, so that all snapshots are replaced.
        since_ms: only snapshots committed after this time are in ``Changes.reached``; None for no such limit.

    Raises:
        MetadataCorrupt: two snapshots share one id.
    """
    wanted = _by_key(metadata.snapshots)
    stored = _stored(session, table_id)
    encoded = {key: _encoded(table_id, key, snapshot) for key, snapshot in wanted.items()}
    documents = {key: one.document for key, one in encoded.items()}
    digests = {key: one.digest for key, one in encoded.items()}
    differing = [key for key, row in stored.items() if key in wanted and row.digest != digests[key]]
    replaced = {key for key in stored if key in wanted} if is_another else set(differing)
    if not is_another:
        before = _documents(session, [stored[key].row_id for key in differing])
        changed = [key for key in differing if is_same(decode(before[stored[key].row_id]), wanted[key])]
        replaced -= set(changed)
        for key in changed:
            session.execute(
                update(SnapshotRow)
                .where(SnapshotRow.id == stored[key].row_id)
                .values(document=documents[key], digest=digests[key])
            )
    vanished = [key for key in stored if key not in wanted]
    _forget(session, table_id, [stored[key].row_id for key in (*vanished, *replaced)])
    new = [key for key in wanted if key not in stored or key in replaced]
    kept = {key: row for key, row in stored.items() if key in wanted and key not in replaced}
    old = {key for key, row in kept.items() if row.announced} | _not_after(wanted, since_ms)
    reached = newly_reachable(metadata, old)
    announced = old | {_key_of(one) for one in reached}
    insert_all(session, SnapshotRow, [_row(table_id, key, encoded[key], key in announced) for key in new])
    _announce(session, [row.row_id for key, row in kept.items() if key in announced and not row.announced])
    return Changes(new=len(new) - len(replaced), vanished=len(vanished), replaced=len(replaced), reached=tuple(reached))


def snapshot_rows(
    table_id: int, metadata: TableMetadata, since_ms: int
) -> tuple[dict[SnapshotKey, dict[str, object]], list[Reached]]:
    """Return rows in state ``known`` for the snapshots of a table's first metadata, and the newly reached snapshots.

    Args:
        since_ms: see :func:`reconcile`.

    Raises:
        MetadataCorrupt: two snapshots share one id.
    """
    wanted = _by_key(metadata.snapshots)
    old = _not_after(wanted, since_ms)
    reached = newly_reachable(metadata, old)
    announced = old | {_key_of(one) for one in reached}
    rows = {key: _row(table_id, key, _encoded(table_id, key, one), key in announced) for key, one in wanted.items()}
    return rows, reached


def _key_of(reached: Reached) -> SnapshotKey:
    return reached.snapshot.branch, reached.snapshot.snapshot_id


def _not_after(snapshots: Mapping[SnapshotKey, Snapshot], since_ms: int | None) -> set[SnapshotKey]:
    if since_ms is None:
        return set()
    return {key for key, snapshot in snapshots.items() if snapshot.committed_at_ms <= since_ms}


def _announce(session: Session, row_ids: Sequence[int]) -> None:
    for chunk in chunks(row_ids):
        session.execute(
            update(SnapshotRow)
            .where(SnapshotRow.id.in_(chunk))
            .values(announced=True)
            .execution_options(synchronize_session=False)
        )


_encoded_snapshots: Cache[tuple[int, SnapshotKey], _Encoded] = Cache(
    "encoded snapshots", lambda _, encoded: 1000 + 2 * len(encoded.document)
)


def _row(table_id: int, key: SnapshotKey, encoded: _Encoded, announced: bool) -> dict[str, object]:
    return {
        "table_id": table_id,
        "branch": key[0],
        "snapshot_id": key[1],
        "committed_at_ms": encoded.snapshot.committed_at_ms,
        "document": encoded.document,
        "digest": encoded.digest,
        "state": "known",
        "announced": announced,
    }


def _encoded(table_id: int, key: SnapshotKey, snapshot: Snapshot) -> _Encoded:
    """Return the document of a snapshot, cached because the metadata of each commit repeats all earlier snapshots."""
    encoded = _encoded_snapshots.get((table_id, key))
    if encoded is None or encoded.snapshot != snapshot:
        document = encode(snapshot)
        encoded = _Encoded(snapshot, document, hashlib.sha256(document).digest())
        _encoded_snapshots.replace((table_id, key), encoded)
    return encoded


def is_same(old: Snapshot, new: Snapshot) -> bool:
    """Tell whether two snapshots of one id are the same commit, even if one is from a tag or lacks an expired list.

    The id is not sufficient: Paimon numbers snapshots from 1 in every table, and reuses numbers after a rollback.
    """
    if old.committed_at_ms != new.committed_at_ms or old.inline_manifests != new.inline_manifests:
        return False
    locations = {listed.role: listed.location for listed in old.manifest_lists}
    return all(locations.get(listed.role, listed.location) == listed.location for listed in new.manifest_lists)


def _by_key(snapshots: Sequence[Snapshot]) -> dict[SnapshotKey, Snapshot]:
    wanted: dict[SnapshotKey, Snapshot] = {}
    for snapshot in snapshots:
        first = wanted.setdefault((snapshot.branch, snapshot.snapshot_id), snapshot)
        if first is not snapshot and not is_same(first, snapshot):
            raise MetadataCorrupt("two snapshots share one id", snapshot_id=str(snapshot.snapshot_id))
    return wanted


def _stored(session: Session, table_id: int) -> dict[SnapshotKey, _Stored]:
    rows = session.execute(
        select(
            SnapshotRow.branch, SnapshotRow.snapshot_id, SnapshotRow.id, SnapshotRow.digest, SnapshotRow.announced
        ).where(SnapshotRow.table_id == table_id)
    )
    return {(row.branch, row.snapshot_id): _Stored(row.id, row.digest, row.announced) for row in rows}


def _documents(session: Session, row_ids: Sequence[int]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for chunk in chunks(row_ids):
        rows = session.execute(select(SnapshotRow.id, SnapshotRow.document).where(SnapshotRow.id.in_(chunk)))
        found.update((row_id, document) for row_id, document in rows)
    return found


def _forget(session: Session, table_id: int, row_ids: Sequence[int]) -> None:
    memberships: list[bytes] = []
    for chunk in chunks(row_ids):
        removed = session.execute(
            delete(SnapshotRow)
            .where(SnapshotRow.id.in_(chunk))
            .returning(SnapshotRow.manifests)
            .execution_options(synchronize_session=False)
        )
        memberships += [packed for (packed,) in removed if packed is not None]
    delete_orphans(session, table_id, memberships)
