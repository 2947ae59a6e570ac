"""Store the first state of many tables in a few statements, instead of some dozens for each table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lakemuster.errors import MetadataCorrupt, RefreshBusy
from lakemuster.index.database import current_ms
from lakemuster.index.events import record
from lakemuster.index.manifests import first_manifest_ids
from lakemuster.index.orm import SnapshotRow, TableRow
from lakemuster.index.orm_base import Base
from lakemuster.index.reconcile import snapshot_rows
from lakemuster.index.segments import SegmentInfo, register_segments
from lakemuster.index.snapshots import Published, published_values
from lakemuster.index.statements import chunks, insert_all
from lakemuster.index.table_events import events_of
from lakemuster.index.table_figures import live_figures
from lakemuster.index.table_metadata_store import check_branches, documents_of, table_values
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata


@dataclass(frozen=True, slots=True)
class FirstSnapshot:
    """A snapshot to publish; the arguments of ``snapshots.publish``."""

    snapshot: Snapshot
    manifests: Sequence[Published]
    dead: NDArray[np.int64] | None = None
    warnings: Sequence[str] = ()
    live: LiveCounts | None = None


@dataclass(frozen=True, slots=True)
class FirstState:
    """The first state of a table: its metadata, and the snapshots to publish with it.

    Attributes:
        pointer: the token of the look that found the metadata.
        checked_at_ms: the time of that look, by the database's clock.
    """

    table_id: int
    metadata: TableMetadata
    pointer: str
    checked_at_ms: int
    snapshots: Sequence[FirstSnapshot]


def check_first_state(state: FirstState) -> None:
    """Check one table for what would make ``store_first_states`` fail for all.

    Raises:
        LimitExceeded: the name of a branch is too long.
        MetadataCorrupt: two snapshots share one id.
    """
    check_branches(state.metadata)
    snapshot_rows(state.table_id, state.metadata, 0)


def store_first_states(
    session: Session, states: Sequence[FirstState], segments: Sequence[SegmentInfo], held: Collection[int]
) -> None:
    """Store the metadata of tables that were never read, and publish their snapshots, all or none.

    The rows are the same that ``store_metadata`` and ``publish`` write for each table.

    Args:
        segments: segments to register first.
        held: the tables whose leases this transaction holds.

    Raises:
        RefreshBusy: a table was read or removed meanwhile, or its lease was lost.
        MetadataCorrupt: the index cannot store the metadata of a table.
        IndexUnavailable: a segment is not registered, or no longer.
    """
    unread = _require_unread(session, {state.table_id for state in states}, held)
    register_segments(session, segments)
    ids = first_manifest_ids(
        session,
        {
            state.table_id: [(one.header, one.segment) for snapshot in state.snapshots for one in snapshot.manifests]
            for state in states
        },
    )
    rows: dict[type[Base], list[Mapping[str, object]]] = defaultdict(list)
    published_at_ms = current_ms(session)
    for state in states:
        for kind, documents in documents_of(state.metadata).items():
            rows[kind] += [{"table_id": state.table_id, **row} for row in documents]
        table = unread[state.table_id]
        known, reached = snapshot_rows(state.table_id, state.metadata, table.created_at_ms)
        if table.companion_of is None:
            record(session, events_of(table.name, None, state.metadata, reached))
        for one in state.snapshots:
            row_ids = [ids[state.table_id][manifest.header, manifest.segment] for manifest in one.manifests]
            known[one.snapshot.branch, one.snapshot.snapshot_id] |= published_values(
                one.manifests, row_ids, one.dead, live=one.live, warnings=one.warnings, published_at_ms=published_at_ms
            )
        # An INSERT of several rows needs the same columns in each.
        rows[SnapshotRow] += [_UNPUBLISHED | row for row in known.values()]
    try:
        for target, values in rows.items():
            insert_all(session, target, values)
    except IntegrityError as cause:
        raise MetadataCorrupt("two schemas or two partition specs of the metadata share one id") from cause
    session.execute(
        update(TableRow),
        [
            {"id": one.table_id, **table_values(one.metadata, one.checked_at_ms, one.pointer), **_figures(one)}
            for one in states
        ],
    )


def _figures(state: FirstState) -> dict[str, int | None]:
    live = {(one.snapshot.branch, one.snapshot.snapshot_id): one.live for one in state.snapshots}
    current = state.metadata.current_snapshot_id
    return live_figures(LiveCounts(0, 0, 0, 0) if current is None else live.get((MAIN, current)))


_UNPUBLISHED: dict[str, Any] = dict.fromkeys(
    name for name in published_values((), (), None, published_at_ms=0) if name != "state"
)


def _require_unread(
    session: Session, table_ids: Collection[int], held: Collection[int]
) -> dict[int, Row[int, str, int, int | None]]:
    """Lock the rows of the tables, and return them by id."""
    unread: dict[int, Row[int, str, int, int | None]] = {}
    for chunk in chunks(sorted(table_ids)):
        rows = session.execute(
            select(TableRow.id, TableRow.name, TableRow.created_at_ms, TableRow.companion_of)
            .where(TableRow.id.in_(chunk), TableRow.metadata_location.is_(None))
            .order_by(TableRow.id)
            .with_for_update()
        )
        unread.update((row.id, row) for row in rows)
    if not unread.keys() & set(held) >= set(table_ids):
        raise RefreshBusy("another process has refreshed one of the tables")
    return unread
