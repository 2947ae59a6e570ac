"""A cache of JSON writers for batches of files and entries: repeated requests only select rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
import pyarrow as pa

from lakemuster.caching import Cache, SeenKeys
from lakemuster.errors import CatalogError
from lakemuster.planner.lists.entries import EntrySource, UnfilteredBatch
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.planned_entries import BatchFiles
from lakemuster.wire.json_kernel.columns import RowPart
from lakemuster.wire.row_writer import RowWriter
from lakemuster.wire.rows import members

MOST_BYTES = 2 * 2**20
"""Maximum bytes of one writer."""
_WRITER_BYTES = 8 * 1024
"""Memory of a writer besides its own bytes."""


class PageWriters:
    """Cached writers by key. A writer is made at the second request for its batch, because making it takes longer."""

    def __init__(self) -> None:
        # Not weighed: the batches' own buffers, which are memory-mapped files.
        self._writers: Cache[Hashable, RowWriter | None] = Cache(
            "page writers", lambda _, writer: _WRITER_BYTES + (0 if writer is None else writer.own_bytes)
        )
        self._seen = SeenKeys("page writers")

    def get(
        self, key: Hashable, make: Callable[[], tuple[list[RowPart], pa.RecordBatch]], *, at_once: bool = False
    ) -> RowWriter | None:
        """Return the writer of a batch, if there is one.

        Args:
            key: identifies the batch, which never changes, and how it is written.
            make: returns the pieces of its rows, and the batch.
            at_once: make the writer at the first request, because more will follow.
        """
        if key in self._writers:
            return self._writers.get(key)
        if not at_once and not self._seen.add(key):
            return None
        if not RowWriter.is_available():
            return None
        return self._writers.get_or_make(key, lambda: _made(make))


def _made(make: Callable[[], tuple[list[RowPart], pa.RecordBatch]]) -> RowWriter | None:
    """Make a writer; None if the whole batch cannot be read, although some rows may be, or if it would be too large."""
    try:
        writer = RowWriter(*make())
    except (CatalogError, pa.ArrowException):
        return None
    return writer if writer.own_bytes <= MOST_BYTES else None


_WRITERS = PageWriters()
"""The cache of this process."""


def writers_of(
    plan: Plan, piece: PlannedBatch, how: Hashable, written: Callable[[ManifestPart, pa.Table], list[RowPart]]
) -> list[RowWriter]:
    """Return a writer for each source of some files of a plan; an empty list unless all of them have one.

    Args:
        how: identifies ``written``.
        written: returns the pieces of rows, given entries of a manifest; depends on its spec only, not on the plan.
    """
    if not piece.sources or plan.statistics != frozenset():
        return []
    spec = piece.sources[0].spec
    if (own := spec.projection.spec) not in plan.view.metadata.specs:
        return []
    found = []
    for source in piece.sources:
        part = spec.parts[int(spec.parts_of(np.array([source.first]))[0])]
        # A manifest may be alone in one snapshot and packed in the next: its segment identifies the batch.
        table = plan.view.table
        place = (spec.index, table.incarnation, source.segment, part.manifest.id, source.batch)
        key = (*place, own, table.rewrites, how)
        writer = _WRITERS.get(key, partial(_pieces, plan, source, part, written))
        if writer is None:
            return []
        found.append(writer)
    return found


def list_writer(source: EntrySource, whole: UnfilteredBatch, *, at_once: bool) -> RowWriter | None:
    """Return a writer for a batch of a list of entries, if there is one.

    Args:
        at_once: see :meth:`PageWriters.get`.
    """

    def made() -> tuple[list[RowPart], pa.RecordBatch]:
        return members(source.row_projection.whole(whole.part, whole.batch)), whole.batch

    return _WRITERS.get((source.key, whole.key), made, at_once=at_once)


def _pieces(
    plan: Plan, source: BatchFiles, part: ManifestPart, written: Callable[[ManifestPart, pa.Table], list[RowPart]]
) -> tuple[list[RowPart], pa.RecordBatch]:
    return written(part, plan.whole(source)), source.columns.batch
