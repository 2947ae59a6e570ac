"""A snapshot's manifests, cached, each with the row number of its first entry."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord, snapshot_manifests
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.view import View

CACHED_SNAPSHOTS = 64
"""Snapshots whose manifest rows are cached."""

CACHED_PARTS = 16
"""Lists of parts that are cached: each page of a list needs them."""

LIVE_ROLES = frozenset({"manifests", "base", "delta"})
ENTRY_ROLES = LIVE_ROLES | {"changelog"}


def manifest_records(index: Index, view: View) -> tuple[ManifestRecord, ...]:
    """Return the rows of the snapshot's manifest lists, in list order."""
    if view.snapshot is None:
        return ()
    return _published(index, view.table.table_id, view.snapshot.row_id, view.snapshot.published_at_ms)


@lru_cache(maxsize=CACHED_SNAPSHOTS)
def _published(index: Index, table_id: int, row_id: int, _published_at_ms: int | None) -> tuple[ManifestRecord, ...]:
    """Row ids are not reused, and publishing again changes the time: a cached value stays valid."""
    latest = _latest(index, table_id)
    with index.database.reading() as session:
        found = tuple(snapshot_manifests(session, row_id, latest[0] if latest else {}))
    latest[:] = [{record.id: record for record in found}]
    return found


@lru_cache(maxsize=CACHED_SNAPSHOTS)
def _latest(_index: Index, _table_id: int) -> list[dict[int, ManifestRecord]]:
    """Return a cell that holds the manifests of the table's last read snapshot: the next shares nearly all of them."""
    return []


def parts(index: Index, view: View, roles: Iterable[str]) -> tuple[ManifestPart, ...]:
    """Return the snapshot's manifests of some roles, each with the row number of its first entry.

    Numbers count the entries of Paimon's base and delta manifests in list order; a snapshot's
    cancelled rows refer to these numbers.
    """
    if view.snapshot is None:
        return ()
    of = (index, view.table.table_id, view.snapshot.row_id, view.snapshot.published_at_ms)
    return _parts(*of, frozenset(roles))


@lru_cache(maxsize=CACHED_PARTS)
def _parts(
    index: Index, table_id: int, row_id: int, published_at_ms: int | None, roles: frozenset[str]
) -> tuple[ManifestPart, ...]:
    found: list[ManifestPart] = []
    first_row = 0
    for record in _published(index, table_id, row_id, published_at_ms):
        if record.role in roles:
            found.append(ManifestPart(record, first_row))
        if record.role in LIVE_ROLES:
            first_row += (record.header.added_files_count or 0) + (record.header.deleted_files_count or 0)
    return tuple(found)
