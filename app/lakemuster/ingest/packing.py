"""Pack small manifests into shared segments before a snapshot that lists them is published."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.packed import FEWEST, pack
from lakemuster.index.segments import SegmentInfo, register_segments
from lakemuster.index.snapshots import snapshot_manifests, snapshots_with
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata

_MANY = 256
"""Minimum number of manifests for which a published snapshot is checked for small ones that are not packed."""

_UNKNOWN = 1 << 40
"""Entry count assumed for a manifest without counts, so that it is not packed."""

_log = logging.getLogger(__name__)


def pack_small(index: Index, manifests: Sequence[tuple[ManifestHeader, str]], new: Collection[str] | None) -> None:
    """Pack the small data manifests of a snapshot.

    Packing only makes plans faster, so a failure is logged, and the snapshot is published without it.

    Args:
        manifests: the manifests of a snapshot, in list order, with their segments.
        new: segments that no snapshot had before; None to consider all.
    """
    try:
        written: list[SegmentInfo] = []
        for segments, rows in by_spec(manifests):
            if len(segments) > FEWEST:
                written += pack(index, segments, rows, new)
        if written:
            with index.database.session() as session:
                register_segments(session, written)
    except (IndexUnavailable, SegmentCorrupt) as error:
        _log.warning("small manifests are not packed: %s", error)


def by_spec(manifests: Sequence[tuple[ManifestHeader, str]]) -> list[tuple[list[str], list[int]]]:
    """Return, for each partition spec, the segments of the data manifests and their entry counts, in list order."""
    found: dict[int, tuple[list[str], list[int]]] = {}
    for header, segment in manifests:
        if header.content != "data":
            continue
        segments, rows = found.setdefault(header.spec_id, ([], []))
        counts = (header.added_files_count, header.existing_files_count, header.deleted_files_count)
        segments.append(segment)
        rows.append(sum(count or 0 for count in counts) if None not in counts else _UNKNOWN)
    return list(found.values())


def pack_published(index: Index, table: TableRecord, metadata: TableMetadata) -> None:
    """Pack the current snapshot's small segments that an older version, or an earlier failure, left unpacked."""
    if not format_of(metadata.format).packs_small_manifests or metadata.current_snapshot_id is None:
        return
    with index.database.reading() as session:
        for record in snapshots_with(session, table.table_id, [metadata.current_snapshot_id]):
            if record.state == "published" and (record.manifest_count or 0) >= _MANY:
                manifests = snapshot_manifests(session, record.row_id)
                break
        else:
            return
    pack_small(index, [(one.header, one.segment) for one in manifests], None)
