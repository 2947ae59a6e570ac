"""Plans: the files that a query must read, with the deletes that apply to them and what is left of its predicate.

A plan is read from any place on; it holds nothing between requests but what the outline keeps of the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.index.segments import BATCH_ROWS, Segment
from lakemuster.metadata.predicate import AlwaysTrue, Bound
from lakemuster.planner.columns import flat
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.pruning.residual import Remaining, remaining_of
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan.details import SplitRange, Splitting, plan_rows, with_details
from lakemuster.planner.scan.outline import Outline, SpecOutline
from lakemuster.planner.scan.planned_entries import by_batch, inherited, take
from lakemuster.planner.scan.selection import Candidate, Rows, Survivors, survivors
from lakemuster.planner.shape import Part, Shape, Wanted
from lakemuster.planner.view import View

KEPT_TOTALS = 1024
"""Plans whose totals are kept."""


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """Some files of a plan, all of one manifest.

    Attributes:
        part: the manifest; its header's spec is the spec of all files.
        number: of the part.
        rows: (N,) positions in the manifest, ascending.
        table: the files' entries as segment columns, inherited fields filled in.
        delete_offsets, deletes: file i has the delete files ``deletes[delete_offsets[i]:delete_offsets[i + 1]]``,
            numbers for :meth:`Plan.delete_rows`, ascending.
        residuals: what is left to ask of rows, the distinct ones.
        residual: (N,) which of them each file has.
    """

    part: Part
    number: int
    rows: Rows
    table: pa.Table
    delete_offsets: NDArray[np.int64]
    deletes: NDArray[np.int64]
    residuals: tuple[Bound, ...]
    residual: NDArray[np.int64]

    @property
    def position(self) -> Position:
        """Of the first file."""
        return Position(self.number, int(self.rows[0]))

    @property
    def after(self) -> Position:
        """Where the next file may be."""
        return Position(self.number, int(self.rows[-1]) + 1)

    def slice(self, offset: int, length: int | None = None) -> PlannedBatch:
        """Some of the files."""
        end = len(self.rows) if length is None else min(len(self.rows), offset + length)
        offsets = self.delete_offsets[offset : end + 1]
        return replace(
            self,
            rows=self.rows[offset:end],
            table=self.table.slice(offset, end - offset),
            delete_offsets=offsets - offsets[0],
            deletes=self.deletes[offsets[0] : offsets[-1]],
            residual=self.residual[offset:end],
        )

    def surely_matching(self) -> NDArray[np.int64]:
        """(N,) how many rows of each file are known to match: all where nothing is left to ask or to delete."""
        whole = np.array([isinstance(residual, AlwaysTrue) for residual in self.residuals], np.bool_)[self.residual]
        undeleted = np.diff(self.delete_offsets) == 0
        if "deletion_vector" in self.table.column_names:
            undeleted &= self.table.column("deletion_vector").is_null().to_numpy()
        records = flat(self.table.column("record_count")).to_numpy(zero_copy_only=False)
        return np.asarray(np.where(whole & undeleted, records, 0), np.int64)


@dataclass(frozen=True, slots=True)
class Within:
    """A part of a plan: the files from ``start`` to before ``end``; of plans that go by splits, those of some."""

    start: Position = START
    end: Position | None = None
    splits: SplitRange | None = None


EVERYTHING = Within()


@dataclass(frozen=True, slots=True)
class Totals:
    """A whole plan in numbers; ``entries`` is what of the kept manifests was looked at."""

    manifests: int
    manifests_kept: int
    entries: int
    files: int
    records: int
    bytes: int


@dataclass(frozen=True)
class Plan:
    """The files of a snapshot that a predicate keeps.

    Attributes:
        bound: the predicate.
        statistics: field ids of the columns whose statistics are wanted; None for all.
        added_in: for incremental plans of Iceberg: only files that one of these snapshots added, without deletes.
        splitting: Paimon: how to pack files into splits, when they are wanted.
        details: Paimon: say how each file is to be read.
        within: a part of the plan (see ``tasks``) in the place of the whole.
    """

    outline: Outline
    bound: Bound
    statistics: frozenset[int] | None = frozenset()
    added_in: frozenset[int] | None = None
    splitting: Splitting | None = None
    details: bool = True
    within: Within | None = None

    @property
    def view(self) -> View:
        """The table at its snapshot."""
        return self.outline.view

    @property
    def can_be_limited(self) -> bool:
        """Whether rows of a file surely stand: Paimon's may be replaced, or be parts of rows."""
        reading = self.outline.reading
        return not isinstance(reading, PaimonReading) or not reading.merges

    @cached_property
    def shape(self) -> Shape:
        """The columns of files in the table's format."""
        return self.outline.shape(Wanted(statistics=self.statistics, planned=self.details))

    @property
    def survivors(self) -> Survivors:
        """What manifests and zones leave."""
        return survivors(self.outline, self.bound)

    def batches(self, start: Position = START, end: Position | None = None) -> Iterator[PlannedBatch]:
        """The files from ``start`` to before ``end``, in the order of manifests and of their entries."""
        within = self.within or EVERYTHING
        start = max(start, within.start)
        end = within.end if end is None or (within.end is not None and within.end < end) else end
        for candidate, rows in plan_rows(self.outline, self.bound, self.added_in, start, end, within.splits):
            yield from self._planned(candidate, rows)

    def limited(self, limit: int, start: Position = START) -> Iterator[PlannedBatch]:
        """The first files that surely hold ``limit`` matching rows together, or else all."""
        known = 0
        for batch in self.batches(start):
            reached = np.flatnonzero(known + np.cumsum(batch.surely_matching()) >= limit)
            if len(reached):
                yield batch.slice(0, int(reached[0]) + 1)
                return
            known += int(batch.surely_matching().sum())
            yield batch

    @cached_property
    def totals(self) -> Totals:
        """The whole plan in numbers, before any limit; counted once for all of its pages."""
        return _totals(self.outline, self.bound, self.added_in)

    def ranges(self, files: int) -> list[tuple[Position, Position | None]]:
        """Cut the plan into consecutive ranges of about so many files, of which pruning by entry may leave fewer."""
        starts = [START]
        room = files
        for candidate in self.survivors.candidates:
            for start, end in candidate.runs:
                at = start
                while end - at > room:
                    at += room
                    starts.append(Position(candidate.number, at))
                    room = files
                room -= end - at
        return [(start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]

    def delete_rows(self, numbers: NDArray[np.int64]) -> Iterator[tuple[Part, pa.Table]]:
        """Delete files by number, ascending, those of one manifest together; as entries with inherited fields."""
        tables = self.outline.delete_tables
        starts = np.cumsum([0, *(table.num_rows for _, table in tables)])
        edges = np.searchsorted(numbers, starts)
        for at in np.flatnonzero(np.diff(edges)).tolist():
            part, table = tables[at]
            yield part, table.take(pa.array(numbers[edges[at] : edges[at + 1]] - starts[at]))

    def _planned(self, candidate: Candidate, rows: Rows) -> Iterator[PlannedBatch]:
        part, spec = candidate.part, candidate.spec
        segment = self.outline.index.segments.open(part.manifest.segment)
        deletes = None if self.added_in is not None else self.outline.delete_index
        columns = self._columns(tuple(segment.schema.names))
        row_ids = self._row_ids(part, segment)
        if spec not in self._remaining:
            self._remaining[spec] = remaining_of(self.bound, spec.projection)
        remaining = self._remaining[spec]
        for batch, own in by_batch(rows, BATCH_ROWS):
            entries = take(segment.batch(batch, columns), own - batch * BATCH_ROWS)
            if self.view.table.format == "iceberg":
                entries = inherited(
                    entries, part.manifest.header, None if row_ids is None else row_ids.take(pa.array(own))
                )
            if self.details and isinstance(self.outline.reading, PaimonReading):
                entries = with_details(self.outline, self.bound, self.splitting, candidate.number, own, entries)
            left = remaining.of(entries)
            offsets, numbers = np.zeros(len(own) + 1, np.int64), np.zeros(0, np.int64)
            if deletes is not None:
                offsets, numbers = deletes.match(part.manifest.header.spec_id, entries)
            yield PlannedBatch(part, candidate.number, own, entries, offsets, numbers, left.distinct, left.of_file)

    def _columns(self, present: tuple[str, ...]) -> list[str]:
        """Of a segment's columns, those that a plan needs; segments of one table are alike."""
        if present not in self._columns_of:
            columns = self.shape.columns(list(present))
            if self.added_in is None and self.outline.delete_index is not None:
                asked = self.outline.delete_index.stat_columns
                columns += [name for name in present if name in asked and name not in columns]
            self._columns_of[present] = columns
        return self._columns_of[present]

    @cached_property
    def _remaining(self) -> dict[SpecOutline, Remaining]:
        return {}

    @cached_property
    def _columns_of(self) -> dict[tuple[str, ...], list[str]]:
        return {}

    def _row_ids(self, part: Part, segment: Segment) -> pa.Array | None:
        """Row ids that entries inherit depend on all that stand before them in the manifest."""
        if self.view.table.format != "iceberg" or part.manifest.header.first_row_id is None:
            return None
        own = [name for name in ("status", "record_count", "first_row_id") if name in segment.schema.names]
        return flat(inherit(segment.table(own), part.manifest.header).column("first_row_id"))


@lru_cache(maxsize=KEPT_TOTALS)
def _totals(outline: Outline, bound: Bound, added_in: frozenset[int] | None) -> Totals:
    files = records = size = 0
    for candidate, rows in plan_rows(outline, bound, added_in, START, None):
        segment = outline.index.segments.open(candidate.part.manifest.segment)
        table = segment.table(["record_count", "file_size_in_bytes"])
        counts, sizes = (flat(table.column(name)).fill_null(0).to_numpy(zero_copy_only=False)[rows] for name in (0, 1))
        files += len(rows)
        records += int(counts.sum())
        size += int(sizes.sum())
    left = survivors(outline, bound)
    entries = sum(candidate.entries for candidate in left.candidates)
    return Totals(len(outline.data), left.manifests, entries, files, records, size)
