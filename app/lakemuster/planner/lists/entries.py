"""Read a snapshot's entries manifest by manifest from their segments."""

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


class WholeBatch(NamedTuple):
    """A batch of a segment, all of whose entries are in a list.

    Attributes:
        key: decides, with the list's columns, what its rows are.
        first: of its entries, counted in the segment, which has so many ``rows``.
        batch: the columns that the list needs.
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
        batch_rows: rows of a batch: fewer where each takes long to make, so that a page is not made of many too many.
    """

    key: str
    index: Index
    view: View
    parts: tuple[ManifestPart, ...]
    shape: RowProjection
    batch_rows: int = BATCH_ROWS

    @property
    def schema(self) -> pa.Schema:
        """The shape's."""
        return self.shape.schema

    @property
    def snapshot_id(self) -> int | None:
        """The view's snapshot."""
        return self.view.snapshot_id

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Entries in the order of the manifest list, each manifest's in its own order."""
        for number in range(start.part, len(self.parts)):
            part = self.parts[number]
            offset = start.offset if number == start.part else 0
            segment = self.index.segments.open(part.manifest.segment)
            if self.shape.takes_whole(self.view, part, segment):
                for at, batch in self._whole(segment, offset):
                    yield Position(number, at), self.shape.whole(part, batch)
                continue
            kept = self.kept(part)
            for at in range(offset, kept.num_rows, self.batch_rows):
                yield Position(number, at), self.shape.rows(part, kept.slice(at, self.batch_rows))

    def _whole(self, segment: Segment, offset: int) -> Iterator[tuple[int, pa.RecordBatch]]:
        """A segment's batches from an entry on, and where each begins."""
        names = self.shape.columns(segment.names)
        for number in range(offset // BATCH_ROWS, -(-segment.num_rows // BATCH_ROWS)):
            batch, begin = segment.batch(number, names), number * BATCH_ROWS
            for at in range(max(offset - begin, 0), batch.num_rows, self.batch_rows):
                yield begin + at, batch.slice(at, self.batch_rows) if at or self.batch_rows < BATCH_ROWS else batch

    def whole_at(self, at: Position) -> WholeBatch | None:
        """The batch that has the entry at a place, if the list has all of its segment's entries; None at the end."""
        if at.part >= len(self.parts):
            return None
        part = self.parts[at.part]
        segment = self.index.segments.open(part.manifest.segment)
        decided_by = self.shape.decided_by(part)
        if at.offset >= segment.num_rows or decided_by is None or not self.shape.takes_whole(self.view, part, segment):
            return None
        number = at.offset // BATCH_ROWS
        batch = segment.batch(number, self.shape.columns(segment.names))
        key = (self.index, part.manifest.id, number, decided_by)
        return WholeBatch(key, part, number * BATCH_ROWS, batch, segment.num_rows)

    def kept(self, part: ManifestPart) -> pa.Table:
        """One manifest's entries that belong to the list, as its segment holds them, nulls inherited."""
        segment = self.index.segments.open(part.manifest.segment)
        table = self.shape.prepare(part, segment.table(self.shape.columns(segment.names)))
        mask = self.shape.keep(self.view, part, table)
        # As a rule all are kept, and a filter would copy every column.
        return table if mask is None or pc.all(mask).as_py() else table.filter(mask)
