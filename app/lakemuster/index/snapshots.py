"""Snapshots of tables and their states: known, published (all manifests indexed), or quarantined with the reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Row, bindparam, or_, select, update
from sqlalchemy.orm import Session

from lakemuster.errors import IndexUnavailable, SnapshotChanged, SnapshotNotFound
from lakemuster.index import events, leases
from lakemuster.index.database import current_ms
from lakemuster.index.encoding import decode, encode
from lakemuster.index.events import NewEvent
from lakemuster.index.integer_packing import pack, pack_members, unpack, unpack_members
from lakemuster.index.leases import Lease
from lakemuster.index.manifests import delete_orphans, load_manifests, manifest_ids
from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.index.segments import DECODER_VERSION, SegmentInfo, register_segments
from lakemuster.index.statements import chunks
from lakemuster.index.table_figures import show_counts
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, Role, Snapshot

State = Literal["known", "published", "quarantined"]
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Published:
    """A manifest of a snapshot to publish: the role of its list, its row of the list, and the name of its segment."""

    role: Role
    header: ManifestHeader
    segment: str


@dataclass(frozen=True, slots=True)
class ManifestRecord:
    """A manifest of a published snapshot; equal ``id`` means the same list row and segment."""

    id: int
    role: Role
    header: ManifestHeader
    segment: str


@dataclass(frozen=True)
class SnapshotRecord:
    """A snapshot and its state in the index.

    Attributes:
        row_id: the id of its row, never reused, so it may be the key of caches.
        error: why it is quarantined.
        live: its live contents; None unless it was published with counts.
        dead: packed ``dead_rows``.
        warnings: errors of the writer that do not prevent serving the snapshot.
        retry_at_ms: when a quarantined snapshot is retried; None if it is not.
    """

    row_id: int
    table_id: int
    snapshot: Snapshot
    state: State
    error: str | None
    published_at_ms: int | None
    manifest_count: int | None
    live: LiveCounts | None
    dead: bytes | None
    warnings: tuple[str, ...] = ()
    retry_at_ms: int | None = None

    @cached_property
    def dead_rows(self) -> NDArray[np.int64] | None:
        """Positions of entries cancelled by later entries, as published; None if none were stored."""
        return None if self.dead is None else unpack(self.dead)


_COLUMNS = (
    SnapshotRow.id,
    SnapshotRow.table_id,
    SnapshotRow.document,
    SnapshotRow.state,
    SnapshotRow.error,
    SnapshotRow.published_at_ms,
    SnapshotRow.manifest_count,
    SnapshotRow.live_data_files,
    SnapshotRow.live_delete_files,
    SnapshotRow.live_records,
    SnapshotRow.live_bytes,
    SnapshotRow.dead,
    SnapshotRow.decoder_version,
    SnapshotRow.warnings,
    SnapshotRow.retry_at_ms,
)


# Built once: building statements would take a tenth of the first plan of a table.
_BY_ID = select(*_COLUMNS).where(
    SnapshotRow.table_id == bindparam("table_id"),
    SnapshotRow.branch == bindparam("branch"),
    SnapshotRow.snapshot_id == bindparam("snapshot_id"),
)
_MANIFESTS = select(SnapshotRow.manifests, SnapshotRow.published_at_ms).where(SnapshotRow.id == bindparam("row_id"))


def list_snapshots(session: Session, table_id: int, branch: str | None = None) -> list[SnapshotRecord]:
    """Return the snapshots of one branch, or of all branches if None, oldest first."""
    chosen = select(*_COLUMNS).where(SnapshotRow.table_id == table_id)
    if branch is not None:
        chosen = chosen.where(SnapshotRow.branch == branch)
    records = [_record(row) for row in session.execute(chosen)]
    return sorted(records, key=lambda record: (record.snapshot.committed_at_ms, record.row_id))


def get_snapshot(session: Session, table_id: int, snapshot_id: int, branch: str = MAIN) -> SnapshotRecord:
    """Return one snapshot.

    Raises:
        SnapshotNotFound: the table's branch has no snapshot with that id.
    """
    row = None
    if snapshot_id in _INT64:
        row = session.execute(
            _BY_ID, {"table_id": table_id, "branch": branch, "snapshot_id": snapshot_id}
        ).one_or_none()
    if row is None:
        raise SnapshotNotFound(f"snapshot {snapshot_id} does not exist", snapshot_id=str(snapshot_id), branch=branch)
    return _record(row)


def row_id_of(session: Session, table_id: int, snapshot_id: int, branch: str = MAIN) -> int:
    """Return the row id of a snapshot.

    Raises:
        SnapshotNotFound: the table's branch has no snapshot with that id.
    """
    own = (SnapshotRow.table_id == table_id, SnapshotRow.branch == branch, SnapshotRow.snapshot_id == snapshot_id)
    row_id = session.scalar(select(SnapshotRow.id).where(*own))
    if row_id is None:
        raise SnapshotNotFound(f"snapshot {snapshot_id} does not exist", snapshot_id=str(snapshot_id), branch=branch)
    return row_id


def snapshots_with(session: Session, table_id: int, snapshot_ids: Collection[int]) -> list[SnapshotRecord]:
    """Return the snapshots with these ids, of any branch."""
    found: list[SnapshotRecord] = []
    for chunk in chunks(sorted(set(snapshot_ids))):
        chosen = select(*_COLUMNS).where(SnapshotRow.table_id == table_id, SnapshotRow.snapshot_id.in_(chunk))
        found += [_record(row) for row in session.execute(chosen)]
    return found


def records_of(session: Session, *conditions: ColumnElement[bool]) -> list[SnapshotRecord]:
    """Return the snapshots that meet all conditions."""
    return [_record(row) for row in session.execute(select(*_COLUMNS).where(*conditions))]


def tables_with_unpublished(session: Session, table_ids: Sequence[int]) -> set[int]:
    """Return the tables, among some ids, with a snapshot that is not published or has to be indexed again."""
    found: set[int] = set()
    is_unpublished = or_(
        SnapshotRow.state != "published", SnapshotRow.decoder_version.is_distinct_from(DECODER_VERSION)
    )
    for chunk in chunks(table_ids):
        chosen = select(SnapshotRow.table_id).distinct().where(SnapshotRow.table_id.in_(chunk), is_unpublished)
        found.update(session.scalars(chosen))
    return found


def newest_unpublished(session: Session, table_id: int, among: int) -> list[SnapshotRecord]:
    """Return the unpublished ones among the newest ``among`` snapshots, newest first."""
    newest = (
        select(SnapshotRow.id, SnapshotRow.state, SnapshotRow.decoder_version)
        .where(SnapshotRow.table_id == table_id)
        .order_by(SnapshotRow.committed_at_ms.desc(), SnapshotRow.id)
        .limit(among)
    )
    missing = [row_id for row_id, *state in session.execute(newest) if tuple(state) != ("published", DECODER_VERSION)]
    found: dict[int, SnapshotRecord] = {}
    for chunk in chunks(missing):
        for row in session.execute(select(*_COLUMNS).where(SnapshotRow.id.in_(chunk))):
            found[row[0]] = _record(row)
    return [found[row_id] for row_id in missing]


def snapshot_manifests(
    session: Session, row_id: int, known: Mapping[int, ManifestRecord] = MappingProxyType({}), at_ms: int | None = None
) -> list[ManifestRecord]:
    """Return the manifests of a published snapshot, in the order of its lists.

    Args:
        row_id: of the snapshot.
        known: manifests of the same incarnation of the index by id, which are not read again.
        at_ms: when it was published; None for any time.

    Raises:
        SnapshotChanged: the snapshot was deleted or published again meanwhile, or is no longer published.
        IndexUnavailable: the index is damaged.
    """
    row = session.execute(_MANIFESTS, {"row_id": row_id}).one_or_none()
    if row is None or row.manifests is None or at_ms not in (None, row.published_at_ms):
        raise SnapshotChanged("the snapshot was removed or indexed again while it was read; try again")
    roles, ids = unpack_members(row.manifests)
    order = ids.tolist()
    found = load_manifests(session, [one_id for one_id in order if one_id not in known])
    records: list[ManifestRecord] = []
    for role, one_id in zip(roles, order, strict=True):
        before, one = known.get(one_id), found.get(one_id)
        if before is not None:
            records.append(before if before.role == role else replace(before, role=role))
        elif one is not None:
            records.append(ManifestRecord(one_id, role, one.header, one.segment))
        else:
            raise IndexUnavailable("the index lacks manifests of a published snapshot")
    return records


def publish(
    session: Session,
    lease: Lease,
    snapshot_row_id: int,
    manifests: Sequence[Published],
    dead: NDArray[np.int64] | None = None,
    *,
    live: LiveCounts | None = None,
    segments: Sequence[SegmentInfo] = (),
    warnings: Sequence[str] = (),
) -> None:
    """Make a snapshot visible with all of its manifests when the session commits. Idempotent.

    Args:
        lease: the lease of the snapshot's table; verified and renewed in this transaction.
        manifests: every manifest of the snapshot's lists, in their order.
        dead: positions of entries that later entries cancel (Paimon).
        live: its live contents; None if unknown. Those of the current snapshot become the table's figures.
        segments: segments to register first; all segments of ``manifests`` must then be registered.
        warnings: reported with the snapshot.

    Raises:
        RefreshBusy: the lease was lost; nothing is published.
        SnapshotNotFound: the snapshot was deleted meanwhile.
        IndexUnavailable: a segment is not registered, or no longer.
    """
    leases.ensure(session, lease)
    before = _lock(session, lease, snapshot_row_id)
    register_segments(session, segments)
    ids = manifest_ids(session, lease.table_id, [(manifest.header, manifest.segment) for manifest in manifests])
    values = published_values(manifests, ids, dead, live=live, warnings=warnings, published_at_ms=current_ms(session))
    _set(session, snapshot_row_id, **values)
    show_counts(session, lease.table_id, snapshot_row_id, live)
    if before.state == "quarantined":
        _record_state(session, "table.recovered", before)
    if before.manifests is not None and before.manifests != values["manifests"]:
        delete_orphans(session, lease.table_id, [before.manifests])


def published_values(
    manifests: Sequence[Published],
    ids: Sequence[int],
    dead: NDArray[np.int64] | None,
    *,
    live: LiveCounts | None = None,
    warnings: Sequence[str] = (),
    published_at_ms: int,
) -> dict[str, object]:
    """Return the columns of a published snapshot's row; see :func:`publish`.

    Args:
        ids: the row ids of the manifests.
    """
    return {
        "state": "published",
        "error": None,
        "published_at_ms": published_at_ms,
        "decoder_version": DECODER_VERSION,
        "manifest_count": len(manifests),
        "live_data_files": None if live is None else live.data_files,
        "live_delete_files": None if live is None else live.delete_files,
        "live_records": None if live is None else live.records,
        "live_bytes": None if live is None else live.bytes,
        "manifests": pack_members([(one.role, row_id) for one, row_id in zip(manifests, ids, strict=True)]),
        "dead": None if dead is None else pack(dead),
        "warnings": encode(tuple(warnings)) if warnings else None,
        "attempts": None,
        "retry_at_ms": None,
    }


def quarantine(session: Session, lease: Lease, snapshot_row_id: int, reason: str) -> str | None:
    """Mark a snapshot as unreadable, until it is published later.

    Returns:
        The reason for which it was quarantined before; None if it was not.

    Raises:
        RefreshBusy: the lease was lost.
        SnapshotNotFound: the snapshot was deleted meanwhile.
    """
    before = _clear(session, lease, snapshot_row_id, state="quarantined", error=reason)
    if before.state != "quarantined":
        _record_state(session, "table.quarantined", before, reason=reason)
    error: str | None = before.error
    return error


def withdraw(session: Session, lease: Lease, snapshot_row_id: int) -> None:
    """Set a published or quarantined snapshot back to ``known``, to be indexed again.

    Raises:
        RefreshBusy: the lease was lost.
        SnapshotNotFound: the snapshot was deleted meanwhile.
    """
    _clear(session, lease, snapshot_row_id, state="known", error=None)


def _clear(
    session: Session, lease: Lease, row_id: int, *, state: State, error: str | None
) -> Row[int, str, int, str, bytes | None, str | None]:
    leases.ensure(session, lease)
    before = _lock(session, lease, row_id)
    _set(
        session,
        row_id,
        state=state,
        error=error,
        published_at_ms=None,
        decoder_version=None,
        manifest_count=None,
        live_data_files=None,
        live_delete_files=None,
        live_records=None,
        live_bytes=None,
        manifests=None,
        dead=None,
        warnings=None,
        retry_at_ms=None,
        **({} if state == "quarantined" else {"attempts": None}),
    )
    if before.manifests is not None:
        delete_orphans(session, lease.table_id, [before.manifests])
    return before


def _record_state(
    session: Session,
    kind: Literal["table.quarantined", "table.recovered"],
    of: Row[int, str, int, str, bytes | None, str | None],
    **data: object,
) -> None:
    """Record the event of a snapshot's new state; snapshots of companions have no events."""
    name = session.scalar(select(TableRow.name).where(TableRow.id == of.table_id, TableRow.companion_of.is_(None)))
    if name is not None:
        events.record(
            session, [NewEvent(kind, name, {"snapshot_id": str(of.snapshot_id), "branch": of.branch, **data})]
        )


def _lock(session: Session, lease: Lease, row_id: int) -> Row[int, str, int, str, bytes | None, str | None]:
    locked = (
        select(
            SnapshotRow.table_id,
            SnapshotRow.branch,
            SnapshotRow.snapshot_id,
            SnapshotRow.state,
            SnapshotRow.manifests,
            SnapshotRow.error,
        )
        .where(SnapshotRow.id == row_id, SnapshotRow.table_id == lease.table_id)
        .with_for_update()
    )
    row = session.execute(locked).one_or_none()
    if row is None:
        raise SnapshotNotFound("the snapshot is no longer in the index")
    return row


def _set(session: Session, row_id: int, **values: object) -> None:
    session.execute(
        update(SnapshotRow).where(SnapshotRow.id == row_id).values(values).execution_options(synchronize_session=False)
    )


def _record(row: Row[*tuple[Any, ...]]) -> SnapshotRecord:
    row_id, table_id, document, state, error, published_at_ms, manifest_count, *others = row
    *counts, dead, decoder_version, warned, retry_at_ms = others
    if state == "published" and decoder_version != DECODER_VERSION:
        # Its segments were made by an older decoder: index it again.
        state = "known"
    live = None if counts[0] is None else LiveCounts(*counts)
    warnings = () if warned is None else tuple(decode(warned))
    snapshot: Snapshot = decode(document)
    values = (row_id, table_id, snapshot, state, error, published_at_ms, manifest_count, live, dead)
    return SnapshotRecord(*values, warnings=warnings, retry_at_ms=retry_at_ms)
