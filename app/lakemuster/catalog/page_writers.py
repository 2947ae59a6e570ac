"""Writers of the batches that pages are of, kept at hand: from one question to the next, only rows are chosen anew."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
import pyarrow as pa

from lakemuster.errors import CatalogError
from lakemuster.planner.lists.entries import EntrySource, WholeBatch
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.planned_entries import Piece as Source
from lakemuster.wire.json_kernel.columns import Piece
from lakemuster.wire.row_writer import RowWriter
from lakemuster.wire.rows import members

KEPT_BYTES = 64 * 2**20
"""Of all writers, the batches' own buffers apart, which are mapped files."""
MOST_BYTES = 2 * 2**20
"""Of one writer."""
_OVERHEAD = 8 * 1024
_SEEN = 1 << 14


class PageWriters:
    """Writers by what they write. One is made when its batch is asked for the second time: that takes longer."""

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self._room = budget
        self._kept: OrderedDict[Hashable, tuple[RowWriter | None, int]] = OrderedDict()
        self._seen: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, key: Hashable, make: Callable[[], tuple[list[Piece], pa.RecordBatch]], *, at_once: bool = False
    ) -> RowWriter | None:
        """The writer of a batch, if there is one.

        Args:
            key: stands for the batch, which never changes, and for how it is written.
            make: the pieces of its rows, and the batch.
            at_once: whether to make it when the batch is first asked for: it will be asked for again.
        """
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found[0]
            if key not in self._seen and not at_once:
                self._seen[key] = None
                if len(self._seen) > _SEEN:
                    self._seen.popitem(last=False)
                return None
        if not RowWriter.is_available():
            return None
        writer = _made(make)
        size = _OVERHEAD + (0 if writer is None else writer.own_bytes)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = writer, size
                self._room -= size
            while self._room < 0:
                self._room += self._kept.popitem(last=False)[1][1]
        return writer


def _made(make: Callable[[], tuple[list[Piece], pa.RecordBatch]]) -> RowWriter | None:
    """None of a batch that does not read back, of which other rows may, and of one that would take too much room."""
    try:
        writer = RowWriter(*make())
    except (CatalogError, pa.ArrowException):
        return None
    return writer if writer.own_bytes <= MOST_BYTES else None


_WRITERS = PageWriters()
"""Of this process."""


def writers_of(
    plan: Plan, piece: PlannedBatch, how: Hashable, written: Callable[[ManifestPart, pa.Table], list[Piece]]
) -> list[RowWriter]:
    """A writer for each source of some files of a plan; none when not all of them have one.

    Args:
        how: stands for ``written``.
        written: what rows are made of, given entries of a manifest: by its spec, and by nothing of the plan.
    """
    if not piece.sources or plan.statistics != frozenset():
        return []
    spec = piece.sources[0].spec
    if (own := spec.projection.spec) not in plan.view.metadata.specs:
        return []
    found = []
    for source in piece.sources:
        part = spec.parts[int(spec.parts_of(np.array([source.first]))[0])]
        # A manifest stays alone in one snapshot and is packed with others in the next: its segment tells the batch.
        key = (spec.index, source.segment, part.manifest.id, source.batch, own, plan.view.table.rewrites, how)
        writer = _WRITERS.get(key, partial(_pieces, plan, source, part, written))
        if writer is None:
            return []
        found.append(writer)
    return found


def list_writer(source: EntrySource, whole: WholeBatch, *, at_once: bool) -> RowWriter | None:
    """A writer of a batch of a list of entries, if there is one.

    Args:
        at_once: see :meth:`PageWriters.get`.
    """

    def made() -> tuple[list[Piece], pa.RecordBatch]:
        return members(source.shape.whole(whole.part, whole.batch)), whole.batch

    return _WRITERS.get((source.key, whole.key), made, at_once=at_once)


def _pieces(
    plan: Plan, source: Source, part: ManifestPart, written: Callable[[ManifestPart, pa.Table], list[Piece]]
) -> tuple[list[Piece], pa.RecordBatch]:
    return written(part, plan.whole(source)), source.columns.batch
