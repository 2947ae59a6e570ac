"""The files of a Paimon table that an expiry would remove.

A data file is removed with the snapshot before the one that deleted it, unless the newest tag before that one has it.
Manifests and index files are removed unless the first retained snapshot or a tag in between has them.

Source: Paimon ``ExpireSnapshotsImpl``, ``SnapshotDeletion``, ``FileDeletionBase``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.paths import extra_file_paths
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.files import ExpiredKind
from lakemuster.metadata.snapshot import MAIN
from lakemuster.planner.columns import single_array
from lakemuster.planner.history.expiry import (
    ExpiryState,
    Policy,
    Retention,
    content_rows,
    expired_schema,
    joined,
    metadata_rows,
)
from lakemuster.planner.history.partition_texts import partition_texts
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.lists.index_files import index_rows
from lakemuster.planner.manifest_list import LIVE_ROLES, manifest_records, parts
from lakemuster.planner.paimon.retention import keeps_changelogs, options_of, own_snapshots, tagged_snapshots
from lakemuster.planner.paimon.rows import PaimonRows
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

_DATA_LISTS = ("base", "delta")
_DECIDING = ("status", "file_source", "bucket", "file_name")


def expired_files(index: Index, state: ExpiryState, policy: Policy, retention: Retention) -> pa.Table:
    """List the files that an expiry would remove, except decoupled changelogs, which outlive the snapshots."""
    if not retention.expired:
        return joined(state, [])
    expired = sorted(retention.expired, key=lambda record: record.snapshot.snapshot_id)
    end = own_snapshots(state)[_end(state, expired)]
    tags = tagged_snapshots(state)
    is_decoupled = keeps_changelogs(state, policy)
    has_producer = options_of(state).get("changelog-producer", "none").strip().lower() != "none"
    keeps_appended = is_decoupled and not has_producer
    tables: list[pa.Table] = []
    for record in (*expired[1:], end):
        earlier = [tag for number, tag in tags.items() if number < record.snapshot.snapshot_id]
        tables += _deleted(index, state, record, earlier[-1] if earlier else None, keeps_appended=keeps_appended)
    if not is_decoupled:
        for record in expired:
            tables += _changelogs(index, state, record)
    kept = [end, *_overlapping(tags, expired[0].snapshot.snapshot_id, end.snapshot.snapshot_id)]
    roles = {"changelog"} if keeps_appended else {*_DATA_LISTS, "changelog"}
    if is_decoupled:
        roles.discard("changelog")
    tables += _metadata(index, state, expired, kept, frozenset(roles))
    return joined(state, tables)


def _end(state: ExpiryState, expired: Sequence[SnapshotRecord]) -> int:
    """Return the first retained snapshot."""
    last = expired[-1].snapshot.snapshot_id
    return min(number for number in own_snapshots(state) if number > last)


def _overlapping(tags: Mapping[int, SnapshotRecord], begin: int, end: int) -> list[SnapshotRecord]:
    """Return the tagged snapshots that may share manifests with expired ones: from the last one before the range."""
    before = [number for number in tags if number <= begin]
    first = before[-1] if before else begin
    return [tag for number, tag in tags.items() if first <= number < end]


def _deleted(
    index: Index, state: ExpiryState, record: SnapshotRecord, tag: SnapshotRecord | None, *, keeps_appended: bool
) -> Iterator[pa.Table]:
    """Yield the data files that a snapshot's delta deletes for good, and their extra files.

    Args:
        tag: the newest tag before the snapshot, whose files are retained.
        keeps_appended: retain files that no compaction wrote, as changelogs.
    """
    view = state.view(record)
    projection = PaimonRows(view, RequestedColumns(status=True))
    whole: list[pa.Table] = []
    extra: list[pa.Array] = []
    for part in parts(index, view, {"delta"}):
        entries = _entries(index, view, projection, part)
        rows = projection.rows(part, entries)
        whole.append(pa.Table.from_batches([_with(rows, content_rows(state, rows, "data"))]))
        extra.append(_extra(entries, state, view))
    if not whole:
        return
    table = pa.concat_tables(whole).append_column("extra", pa.chunked_array(extra)).combine_chunks()
    gone = table.filter(_is_deleted_last(table))
    if keeps_appended:
        gone = gone.filter(pc.equal(gone.column("file_source"), "compact"))
    if tag is not None and gone.num_rows:
        gone = gone.filter(pc.invert(pc.is_in(_names(gone), value_set=_live_names(index, state, tag))))
    yield gone.select(expired_schema(state).names)
    lists = single_array(gone.column("extra"))
    paths = pc.list_flatten(lists)
    if len(paths):
        sizes = dict.fromkeys(Rewrites(state.table.rewrites).apply_array(paths).to_pylist())
        yield metadata_rows(state, "index", sizes)


def _with(rows: pa.RecordBatch, content: pa.Table) -> pa.RecordBatch:
    """Append to the rows of the list the columns that decide about files."""
    own = content.combine_chunks().to_batches()
    batch = own[0] if own else pa.RecordBatch.from_pylist([], schema=content.schema)
    return pa.RecordBatch.from_arrays(
        [*batch.columns, *(rows.column(name) for name in _DECIDING)],
        schema=pa.schema([*batch.schema, *(rows.schema.field(name) for name in _DECIDING)]),
    )


def _entries(index: Index, view: View, projection: PaimonRows, part: ManifestPart) -> pa.Table:
    return EntrySource("files", index, view, (part,), projection).listed(part)


def _extra(entries: pa.Table, state: ExpiryState, view: View) -> pa.Array:
    if "extra_files" not in entries.column_names:
        return pa.nulls(entries.num_rows, pa.list_(pa.string()))
    return extra_file_paths(entries, state.metadata.location, state.metadata, view.schemas)


def _is_deleted_last(table: pa.Table) -> pa.Array:
    """Mark the DELETE entries of files that no later entry adds again: an upgrade deletes and adds a file's entry."""
    rows = pa.array(range(table.num_rows), pa.int64())
    last = (
        pa.table({"path": table.column("file_path"), "row": rows})
        .group_by("path", use_threads=False)
        .aggregate([("row", "max")])
        .column("row_max")
    )
    return pc.and_(pc.equal(table.column("status"), "deleted"), pc.is_in(rows, value_set=last.combine_chunks()))


def _names(table: pa.Table) -> pa.Array:
    """Return a text for each file: its partition, bucket and name, by which tags retain files."""
    one = table.combine_chunks()
    specs = single_array(one.column("spec_id"))
    partitions = partition_texts(specs, single_array(one.column("partition")))
    bucket = pc.fill_null(single_array(one.column("bucket")).cast(pa.string()), "")
    return pc.binary_join_element_wise(partitions, bucket, single_array(one.column("file_name")), "\x1e")


def _live_names(index: Index, state: ExpiryState, record: SnapshotRecord) -> pa.Array:
    view = state.view(record)
    projection = PaimonRows(view, RequestedColumns())
    found = [pa.array([], pa.string())]
    for part in parts(index, view, LIVE_ROLES):
        rows = projection.rows(part, _entries(index, view, projection, part))
        if not rows.num_rows:
            continue
        content = content_rows(state, rows, "data")
        named = content.append_column("bucket", rows.column("bucket")).append_column(
            "file_name", rows.column("file_name")
        )
        found.append(_names(named))
    return pa.concat_arrays(found)


def _changelogs(index: Index, state: ExpiryState, record: SnapshotRecord) -> Iterator[pa.Table]:
    """Yield the changelog files that a snapshot added."""
    view = state.view(record)
    projection = PaimonRows(view, RequestedColumns(status=True))
    for part in parts(index, view, {"changelog"}):
        rows = projection.rows(part, _entries(index, view, projection, part))
        yield content_rows(state, rows.filter(pc.equal(rows.column("status"), "added")), "changelog")


def _metadata(
    index: Index,
    state: ExpiryState,
    expired: Sequence[SnapshotRecord],
    kept: Sequence[SnapshotRecord],
    roles: frozenset[str],
) -> Iterator[pa.Table]:
    """Yield manifests, manifest lists, index files, statistics and snapshot files of expired snapshots.

    Args:
        roles: the manifest lists that are removed.
    """
    moved = Rewrites(state.table.rewrites).apply
    root = state.metadata.location.rstrip("/")
    staying = {location for record in kept for location in _referred(index, state, record)}
    for record in expired:
        view, snapshot = state.view(record), record.snapshot
        manifests = [one for one in manifest_records(index, view) if one.role in roles]
        listed_sizes = {one.header.location: one.header.length for one in manifests}
        own_sizes = {moved(at): size for at, size in listed_sizes.items() if at not in staying}
        yield metadata_rows(state, "manifest", own_sizes)
        for kind, listed in (("manifest-list", roles), ("manifest", {"index"})):
            own = {ref.location: ref.length for ref in snapshot.manifest_lists if ref.role in listed}
            sizes = {moved(at): size for at, size in own.items() if at not in staying}
            yield metadata_rows(state, cast("ExpiredKind", kind), sizes)
        for rows in _index_files(index, view):
            gone = rows.filter(pc.invert(pc.is_in(rows.column("file_path"), value_set=pa.array(sorted(staying)))))
            paths, lengths = (gone.column(name).to_pylist() for name in ("file_path", "file_size_in_bytes"))
            yield metadata_rows(state, "index", dict(zip(paths, lengths, strict=True)))
        statistics = snapshot.extra.get("statistics")
        if isinstance(statistics, str) and f"{root}/statistics/{statistics}" not in staying:
            yield metadata_rows(state, "statistics", {moved(f"{root}/statistics/{statistics}"): None})
        folder = root if state.branch == MAIN else f"{root}/branch/branch-{state.branch}"
        yield metadata_rows(state, "snapshot", {moved(f"{folder}/snapshot/snapshot-{snapshot.snapshot_id}"): None})


def _referred(index: Index, state: ExpiryState, record: SnapshotRecord) -> Iterator[str]:
    """Yield the metadata files that a retained snapshot refers to, except those of its changelogs."""
    view = state.view(record)
    yield from (one.header.location for one in manifest_records(index, view) if one.role in (*_DATA_LISTS, "index"))
    yield from (ref.location for ref in record.snapshot.manifest_lists if ref.role in (*_DATA_LISTS, "index"))
    for rows in _index_files(index, view):
        yield from rows.column("file_path").to_pylist()
    statistics = record.snapshot.extra.get("statistics")
    if isinstance(statistics, str):
        yield f"{state.metadata.location.rstrip('/')}/statistics/{statistics}"


def _index_files(index: Index, view: View) -> Iterator[pa.Table]:
    for part in parts(index, view, {"index"}):
        yield index_rows(index.segments.open(part.manifest.segment).table(None), view)
