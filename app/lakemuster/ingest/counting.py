"""Compute the live counts of snapshots that older versions of Lakemuster published without counts."""

from __future__ import annotations

import logging

import numpy as np
from sqlalchemy.orm import Session

from lakemuster.errors import CatalogError
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.live_counts import Uncounted, record_counts, uncounted_snapshots
from lakemuster.index.segments import add_counts, true_counts
from lakemuster.index.snapshots import ManifestRecord, snapshot_manifests
from lakemuster.ingest.live_counts import COUNTED, counts_of_entries, counts_of_manifests, storable
from lakemuster.metadata.counts import EntryCounts, LiveCounts
from lakemuster.metadata.files import ADDED

_log = logging.getLogger(__name__)


def count_next(index: Index, after: int, limit: int) -> tuple[int, int | None]:
    """Count up to ``limit`` snapshots without counts; the counts of a current snapshot become its table's figures.

    Args:
        after: the row id of the last snapshot that was examined; 0 to begin.

    Returns:
        The number of snapshots counted, and the row id of the last one examined; None at the end.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with index.database.reading() as session:
        found = uncounted_snapshots(session, after, limit)
    counted = 0
    for one in found:
        try:
            live = _count(index, one)
        except CatalogError as error:
            _log.warning("a snapshot of table %d cannot be counted: %s", one.table_id, error.code)
            continue
        if live is not None:
            with index.database.session() as session:
                counted += record_counts(session, one, live)
    return counted, found[-1].row_id if len(found) == limit else None


def _count(index: Index, one: Uncounted) -> LiveCounts | None:
    with index.database.reading() as session:
        manifests = snapshot_manifests(session, one.row_id)
    folding = format_of(one.format).folding
    if folding is None:
        return _of_manifests(index, manifests)
    state = [manifest for manifest in manifests if manifest.role in folding.roles]
    tables = [index.segments.open(manifest.segment).table(["status", *COUNTED]) for manifest in state]
    added = [table.column("status").to_numpy() == ADDED for table in tables]
    dead = np.zeros(sum(map(len, added)), np.bool_)
    dead[one.dead_rows] = True
    starts = np.cumsum([0, *map(len, added)])
    live = [own & ~dead[start : start + len(own)] for own, start in zip(added, starts, strict=False)]
    return storable(counts_of_entries(tables, live))


def _of_manifests(index: Index, manifests: list[ManifestRecord]) -> LiveCounts | None:
    names = [manifest.segment for manifest in manifests if manifest.role == "manifests"]
    with index.database.reading() as session:
        counts = true_counts(session, names)
    known = {name for name, found in counts.items() if found.live_bytes is not None}
    missing = {name: _of_segment(index, name) for name in names if name not in known}
    if missing:
        # Store them: the next snapshot that lists these manifests needs the same counts.
        with index.database.session() as session:
            _keep(session, missing)
    counts |= {name: found for name, found in missing.items() if found is not None}
    return counts_of_manifests((one.role, one.header, counts.get(one.segment)) for one in manifests)


def _of_segment(index: Index, name: str) -> EntryCounts | None:
    segment = index.segments.open(name)
    wanted = ("status", "record_count", "file_size_in_bytes", "content_size_in_bytes")
    return EntryCounts.of(segment.table([column for column in wanted if column in segment.names]))


def _keep(session: Session, found: dict[str, EntryCounts | None]) -> None:
    add_counts(session, {name: counts.pack() for name, counts in found.items() if counts is not None})
