"""Read a snapshot's entries from their segments, one manifest after the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index import Index
from lakemuster.index.segments import BATCH_ROWS, Segment
from lakemuster.planner.row_projection import ManifestPart, RowProjection
from lakemuster.planner.rows import START, Position
from lakemuster.planner.view import View


class UnfilteredBatch(NamedTuple):
    """A batch of a segment whose entries are all in a list.

    Attributes:
        key: a cache key that, with the list's columns, determines the rows.
        first: the number of its first entry in the segment.
        batch: the columns that the list needs.
        rows: the number of entries in the segment.
    """

    key: Hashable
    part: ManifestPart
    first: int
    batch: pa.RecordBatch
    rows: int


@dataclass(frozen=True, slots=True)
class EntrySource:
    """Entries or files of a snapshot; each manifest is a part.

    Attributes:
        batch_rows: rows in a batch; fewer where rows are slow to build, so that a page builds few rows too many.
    """

    key: str
    index: Index
    view: View
    parts: tuple[ManifestPart, ...]
    row_projection: RowProjection
    batch_rows: int = BATCH_ROWS

    @property
    def schema(self) -> pa.Schema:
        """The projection's schema."""
        return self.row_projection.schema

    @property
    def snapshot_id(self) -> int | None:
        """The id of the view's snapshot."""
        return self.view.snapshot_id

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield entries in the order of the manifest list; within a manifest, in its order."""
        for number in range(start.part, len(self.parts)):
            part = self.parts[number]
            offset = start.offset if number == start.part else 0
            segment = self.index.segments.open(part.manifest.segment)
            if self.row_projection.takes_whole(self.view, part, segment):
                for at, batch in self._whole(segment, offset):
                    yield Position(number, at), self.row_projection.whole(part, batch)
                continue
            kept = self.listed(part)
            for at in range(offset, kept.num_rows, self.batch_rows):
                yield Position(number, at), self.row_projection.rows(part, kept.slice(at, self.batch_rows))

    def _whole(self, segment: Segment, offset: int) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield a segment's batches from an entry on, each with the number of its first entry."""
        names = self.row_projection.columns(segment.names)
        for number in range(offset // BATCH_ROWS, -(-segment.num_rows // BATCH_ROWS)):
            batch, begin = segment.batch(number, names), number * BATCH_ROWS
            for at in range(max(offset - begin, 0), batch.num_rows, self.batch_rows):
                yield begin + at, batch.slice(at, self.batch_rows) if at or self.batch_rows < BATCH_ROWS else batch

    def unfiltered_batch(self, at: Position) -> UnfilteredBatch | None:
        """Return the batch with the entry at a position; None at the end, or if it cannot be taken whole or cached."""
        if at.part >= len(self.parts):
            return None
        part = self.parts[at.part]
        segment = self.index.segments.open(part.manifest.segment)
        cache_key = self.row_projection.cache_key(part)
        if (
            at.offset >= segment.num_rows
            or cache_key is None
            or not self.row_projection.takes_whole(self.view, part, segment)
        ):
            return None
        number = at.offset // BATCH_ROWS
        batch = segment.batch(number, self.row_projection.columns(segment.names))
        key = (self.index, self.view.table.incarnation, part.manifest.id, number, cache_key)
        return UnfilteredBatch(key, part, number * BATCH_ROWS, batch, segment.num_rows)

    def listed(self, part: ManifestPart) -> pa.Table:
        """Return a manifest's entries that belong to the list, in the segment's shape, inherited values filled in."""
        segment = self.index.segments.open(part.manifest.segment)
        table = self.row_projection.prepare(part, segment.table(self.row_projection.columns(segment.names)))
        mask = self.row_projection.row_mask(self.view, part, table)
        # Usually the mask selects all entries, and a filter would copy every column.
        return table if mask is None or pc.all(mask).as_py() else table.filter(mask)
