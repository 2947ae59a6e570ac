"""A snapshot's manifests, cached, each with the row number of its first entry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lakemuster.caching import Cache, cached
from lakemuster.errors import SnapshotNotFound
from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord, snapshot_manifests
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.view import View

TableId = tuple[int, str | None]
"""A table's id, and the incarnation of the database that gave it."""

_RECORD_BYTES, _PART_BYTES, _SHARED_BYTES = 1600, 100, 60
"""Memory of a manifest's row, of a part, and of a reference to a row that another snapshot has, too."""

LIVE_ROLES = frozenset({"manifests", "base", "delta"})
ENTRY_ROLES = LIVE_ROLES | {"changelog"}


def manifest_records(index: Index, view: View) -> tuple[ManifestRecord, ...]:
    """Return the rows of the snapshot's manifest lists, in list order."""
    if view.snapshot is None:
        return ()
    return _published(*_key(index, view, view.snapshot)).records


def _key(index: Index, view: View, snapshot: SnapshotRecord) -> tuple[Index, TableId, int, int | None]:
    return index, (view.table.table_id, view.table.incarnation), snapshot.row_id, snapshot.published_at_ms


class _Published(NamedTuple):
    """The manifest rows of a snapshot, and the number that the table's previously read snapshot lacks."""

    records: tuple[ManifestRecord, ...]
    new: int


@cached("manifest lists", lambda found: found.new * _RECORD_BYTES + len(found.records) * _SHARED_BYTES)
def _published(index: Index, table: TableId, row_id: int, _published_at_ms: int | None) -> _Published:
    """Return a snapshot's manifest rows. They stay valid: row ids are never reused, and publishing changes the time."""
    known = _latest.get((index, table)) or {}
    with index.database.reading() as session:
        found = tuple(snapshot_manifests(session, row_id, known))
    _latest.replace((index, table), {record.id: record for record in found})
    return _Published(found, sum(record.id not in known for record in found))


_latest: Cache[tuple[Index, TableId], dict[int, ManifestRecord]] = Cache(
    "manifest lists", lambda _, records: len(records) * _SHARED_BYTES
)
"""The manifests of each table's last read snapshot, by id: the next snapshot shares nearly all of them."""


def parts(index: Index, view: View, roles: Iterable[str]) -> tuple[ManifestPart, ...]:
    """Return the snapshot's manifests of some roles, each with the row number of its first entry.

    Numbers count the entries of Paimon's base and delta manifests in list order; a snapshot's
    cancelled rows refer to these numbers.

    Raises:
        SnapshotNotFound: the snapshot has expired, and the roles do not include the changelog that remains of it.
    """
    if view.snapshot is None:
        return ()
    roles = frozenset(roles)
    if view.snapshot.snapshot.is_expired and "changelog" not in roles:
        number = str(view.snapshot_id)
        raise SnapshotNotFound(f"snapshot {number} has expired; only its changelog remains", snapshot_id=number)
    return _parts(*_key(index, view, view.snapshot), roles)


@cached("manifest lists", lambda found: len(found) * _PART_BYTES)
def _parts(
    index: Index, table: TableId, row_id: int, published_at_ms: int | None, roles: frozenset[str]
) -> tuple[ManifestPart, ...]:
    found: list[ManifestPart] = []
    first_row = 0
    for record in _published(index, table, row_id, published_at_ms).records:
        if record.role in roles:
            found.append(ManifestPart(record, first_row))
        if record.role in LIVE_ROLES:
            first_row += (record.header.added_files_count or 0) + (record.header.deleted_files_count or 0)
    return tuple(found)
