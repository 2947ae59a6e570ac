"""The lists of a snapshot: manifests, entries, files, partitions, indexes, differences."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakemuster.errors import ManifestNotFound, RequestInvalid
from lakemuster.index import Index
from lakemuster.index.snapshots import list_snapshots
from lakemuster.planner.list_rules import row_projection_of
from lakemuster.planner.lists import differences, index_files, manifest_rows, partition_rows
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.manifest_list import ENTRY_ROLES, LIVE_ROLES, manifest_records, parts
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.rows import RowSource, TableSource
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

CONTENTS = ("data", "position-deletes", "equality-deletes", "changelog")


def manifests(index: Index, view: View) -> RowSource:
    """List the manifests, with typed partition bounds."""
    table = manifest_rows.manifest_table(manifest_records(index, view), view)
    return TableSource("manifests", table, view.snapshot_id)


def entries(index: Index, view: View, manifest: str | None = None) -> RowSource:
    """List all manifest entries with all fields; only those of one manifest when ``manifest`` names it.

    Raises:
        ManifestNotFound: the snapshot lists no manifest of that location or file name, or it is an index manifest.
    """
    chosen = parts(index, view, ENTRY_ROLES)
    if manifest is not None:
        rewrites = Rewrites(view.table.rewrites)
        chosen = _named(chosen, manifest, rewrites)
        if not chosen and _named(parts(index, view, ENTRY_ROLES | {"index"}), manifest, rewrites):
            raise ManifestNotFound("an index manifest has no file entries: see the list indexes", manifest=manifest)
        if not chosen:
            raise ManifestNotFound("the snapshot has no such manifest", manifest=manifest)
    wanted = RequestedColumns(status=True, statistics=None, raw=True, manifest=True)
    return EntrySource("entries", index, view, chosen, row_projection_of(view, wanted))


def _named(chosen: tuple[ManifestPart, ...], name: str, rewrites: Rewrites) -> tuple[ManifestPart, ...]:
    """Return the manifests whose location, recorded or rewritten, or file name is ``name``."""
    return tuple(part for part in chosen if name in _names(part.manifest.header.location, rewrites))


def _names(location: str, rewrites: Rewrites) -> tuple[str, str, str]:
    return location, rewrites.apply(location), location.rsplit("/", 1)[-1]


def files(
    index: Index, view: View, content: Sequence[str] | None = None, stats: Sequence[str] | None = None
) -> RowSource:
    """List live data and delete files.

    Args:
        content: the contents to list; None for all live ones. ``changelog`` lists Paimon's changelog files.
        stats: dotted names of the columns to show statistics of; ``["*"]`` for all.

    Raises:
        RequestInvalid: an unknown content or column.
    """
    chosen = checked_contents(content)
    roles: set[str] = set(LIVE_ROLES)
    if chosen is not None and "changelog" in chosen:
        roles.add("changelog")
    wanted = RequestedColumns(statistics=statistics_of(view, stats), contents=chosen)
    return EntrySource("files", index, view, parts(index, view, roles), row_projection_of(view, wanted))


def checked_contents(content: Sequence[str] | None) -> frozenset[str] | None:
    """Return the contents to list; None for all live ones.

    Raises:
        RequestInvalid: an unknown content, or an empty sequence.
    """
    unknown = [name for name in content or () if name not in CONTENTS]
    if unknown or (content is not None and not content):
        raise RequestInvalid(f"content must be one of {', '.join(CONTENTS)}", content=unknown)
    return None if content is None else frozenset(content)


def statistics_of(view: View, stats: Sequence[str] | None) -> frozenset[int] | None:
    """Return the field ids of columns whose statistics are requested; None for all.

    Args:
        stats: dotted names; ``["*"]`` for all; None for none.

    Raises:
        RequestInvalid: an unknown column.
    """
    if stats is None:
        return frozenset()
    if "*" in stats:
        return None
    ids = {name: field_id for field_id, name in view.names.items()}
    unknown = [name for name in stats if name not in ids]
    if unknown:
        raise RequestInvalid(f"no such column: {', '.join(unknown)}", stats=unknown)
    return frozenset(ids[name] for name in stats)


def partitions(index: Index, view: View) -> RowSource:
    """List partitions: files, records, bytes, delete files, last commit."""
    source = EntrySource(
        "partitions", index, view, parts(index, view, LIVE_ROLES), row_projection_of(view, RequestedColumns())
    )
    files = ((part, source.listed(part)) for part in source.parts)
    table = partition_rows.partition_table(files, view, commit_times(index, view))
    return TableSource("partitions", table, view.snapshot_id)


def commit_times(index: Index, view: View) -> dict[int, int]:
    """Return the commit times of the view's table by snapshot id, in milliseconds since the Unix epoch."""
    with index.database.reading() as session:
        records = list_snapshots(session, view.table.table_id)
    return {record.snapshot.snapshot_id: record.snapshot.committed_at_ms for record in records}


def indexes(index: Index, view: View) -> RowSource:
    """List Paimon's index files: HASH and DELETION_VECTORS, with vector ranges. No rows for Iceberg."""
    chosen = parts(index, view, {"index"})
    tables = [index_files.index_rows(index.segments.open(part.manifest.segment).table(None), view) for part in chosen]
    schema = index_files.schema(view)
    return TableSource("indexes", pa.concat_tables([schema.empty_table(), *tables]), view.snapshot_id)


def diff(index: Index, old: View, new: View) -> RowSource:
    """List the files added and removed from ``old`` to ``new``."""
    return differences.DiffSource(
        index,
        EntrySource("diff", index, old, parts(index, old, LIVE_ROLES), row_projection_of(old, RequestedColumns())),
        EntrySource("diff", index, new, parts(index, new, LIVE_ROLES), row_projection_of(new, RequestedColumns())),
    )
