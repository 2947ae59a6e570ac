"""The files of an Iceberg table that an expiry would remove.

There are two ways. ``reachable`` removes what only expired snapshots refer to: Spark's procedure, and the library where
snapshots outside of main are concerned. The library's other way, ``incremental``, removes the files that expired
commits deleted: a file that a commit deleted stays until that commit expires as well.

Source: Iceberg 1.12 ``ReachableFileCleanup``, ``IncrementalFileCleanup``, ``ExpireSnapshotsSparkAction``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord
from lakemuster.metadata.integer_text import parse_int64
from lakemuster.planner.columns import single_array
from lakemuster.planner.history.expiry import ExpiryState, Policy, Retention, content_rows, joined, metadata_rows
from lakemuster.planner.iceberg.retention import lineage
from lakemuster.planner.iceberg.rows import IcebergRows
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.manifest_list import manifest_records
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

Manifests = Mapping[str, tuple[ManifestRecord, View]]
"""Manifests by location, each with the view of a snapshot that lists it."""
SOURCE_SNAPSHOT = "source-snapshot-id"


def expired_files(index: Index, state: ExpiryState, policy: Policy, retention: Retention) -> pa.Table:
    """List the files that an expiry would remove."""
    gone = {record.row_id for record in retention.expired}
    kept = [record for record in state.records if record.row_id not in gone]
    valid = _manifests(index, state, kept)
    if policy.cleanup == "library" and _is_incremental(state, retention.expired, kept):
        cleaned, manifests, content = _incremental(index, state, retention.expired, kept, valid)
    else:
        cleaned = list(retention.expired)
        listed = _manifests(index, state, retention.expired)
        manifests = {location: one for location, one in listed.items() if location not in valid}
        content = _reachable(index, state, manifests, valid)
    moved = Rewrites(state.table.rewrites).apply
    lists = {moved(ref.location): ref.length for record in cleaned for ref in record.snapshot.manifest_lists}
    return joined(
        state,
        [
            *content,
            metadata_rows(state, "manifest", {moved(at): one.header.length for at, (one, _) in manifests.items()}),
            metadata_rows(state, "manifest-list", lists),
            metadata_rows(state, "statistics", {moved(at): size for at, size in _statistics(state, gone).items()}),
        ],
    )


def _manifests(
    index: Index, state: ExpiryState, records: Iterable[SnapshotRecord]
) -> dict[str, tuple[ManifestRecord, View]]:
    found: dict[str, tuple[ManifestRecord, View]] = {}
    for record in records:
        view = state.view(record)
        for manifest in manifest_records(index, view):
            found.setdefault(manifest.header.location, (manifest, view))
    return found


def _reachable(index: Index, state: ExpiryState, manifests: Manifests, valid: Manifests) -> list[pa.Table]:
    """List the live files of expired manifests that are live in no other manifest."""
    tables = [_content(index, state, one, view) for one, view in manifests.values()]
    if not tables:
        return []
    candidates = pa.concat_tables(tables).combine_chunks()
    paths = single_array(candidates.column("file_path"))
    used: list[pa.Array] = []
    for manifest, view in valid.values():
        live = single_array(_content(index, state, manifest, view).column("file_path"))
        used.append(live.filter(pc.is_in(live, value_set=paths)))
    if used:
        candidates = candidates.filter(pc.invert(pc.is_in(paths, value_set=pa.concat_arrays(used))))
    return [candidates]


def _content(
    index: Index,
    state: ExpiryState,
    manifest: ManifestRecord,
    view: View,
    wanted: Callable[[pa.RecordBatch], pa.Array] | None = None,
) -> pa.Table:
    """Return a manifest's live files; with ``wanted``, the files of all entries that it marks."""
    projection = IcebergRows(view, RequestedColumns(status=wanted is not None))
    part = ManifestPart(manifest)
    source = EntrySource("files", index, view, (part,), projection)
    rows = projection.rows(part, source.listed(part))
    if wanted is not None:
        rows = rows.filter(wanted(rows))
    return content_rows(state, rows, rows.column("content"))


def _statistics(state: ExpiryState, gone: set[int]) -> dict[str, int | None]:
    """Return the statistics files that only expired snapshots have, with their sizes."""
    expired = {record.snapshot.snapshot_id for record in state.records if record.row_id in gone}
    kept: set[str] = set()
    found: dict[str, int | None] = {}
    for member in ("statistics", "partition_statistics"):
        listed = state.metadata.extra.get(member)
        for one in listed if isinstance(listed, list | tuple) else ():
            location, size = one.get("statistics_path"), one.get("file_size_in_bytes")
            if not isinstance(location, str):
                continue
            if one.get("snapshot_id") in expired:
                found[location] = size if isinstance(size, int) else None
            else:
                kept.add(location)
    return {location: size for location, size in found.items() if location not in kept}


def _is_incremental(state: ExpiryState, expired: Sequence[SnapshotRecord], kept: Sequence[SnapshotRecord]) -> bool:
    """Tell whether the library chooses ``incremental``: if main's lineage has all expired and all kept snapshots.

    After the expiry, the lineage ends at the first expired snapshot.
    """
    by_id = {record.snapshot.snapshot_id: record for record in state.records}
    before = {record.row_id for record in lineage(by_id, state.metadata.current_snapshot_id)}
    left = {record.snapshot.snapshot_id: record for record in kept}
    after = {record.row_id for record in lineage(left, state.metadata.current_snapshot_id)}
    return all(record.row_id in before for record in expired) and all(record.row_id in after for record in kept)


def _incremental(
    index: Index,
    state: ExpiryState,
    expired: Sequence[SnapshotRecord],
    kept: Sequence[SnapshotRecord],
    valid: Manifests,
) -> tuple[list[SnapshotRecord], Manifests, list[pa.Table]]:
    """Return the snapshots that are cleaned, the manifests to remove, and the files that expired commits deleted.

    Snapshots that were cherry-picked, or are copies of others of main, are not cleaned.
    """
    by_id = {record.snapshot.snapshot_id: record for record in state.records}
    ancestors = {record.snapshot.snapshot_id for record in lineage(by_id, state.metadata.current_snapshot_id)}
    picked = {_source(by_id[number]) for number in ancestors} - {None}
    stay = {record.snapshot.snapshot_id for record in kept}
    cleaned = [
        record
        for record in expired
        if record.snapshot.snapshot_id not in picked and _source(record) not in ancestors | picked
    ]
    manifests = {at: one for at, one in _manifests(index, state, cleaned).items() if at not in valid}
    scanned = [
        (one, view)
        for one, view in valid.values()
        if one.header.added_snapshot_id not in stay and one.header.added_snapshot_id in ancestors | picked
    ]
    scanned += [(one, view) for one, view in manifests.values() if one.header.added_snapshot_id in ancestors]
    staying = pa.array(sorted(stay), pa.int64())

    def deleted(rows: pa.RecordBatch) -> pa.Array:
        is_deleted = pc.equal(rows.column("status"), "deleted")
        return pc.and_(is_deleted, pc.invert(pc.is_in(rows.column("snapshot_id"), value_set=staying)))

    has_deleted = [(one, view) for one, view in scanned if one.header.deleted_files_count != 0]
    return cleaned, manifests, [_content(index, state, one, view, deleted) for one, view in has_deleted]


def _source(record: SnapshotRecord) -> int | None:
    """Return the id of the snapshot that one was cherry-picked from, or None."""
    return parse_int64(record.snapshot.summary.get(SOURCE_SNAPSHOT, ""))
