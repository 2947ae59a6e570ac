"""Plans: the files that a query must read, with the deletes that apply to them and the residuals of its predicate.

A plan can be read from any position on. It holds no state between requests but the cached scan index of the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.index.segments import Segment
from lakemuster.planner.columns import repeated, single_array
from lakemuster.planner.pruning.residual import PartitionResiduals, partition_residuals
from lakemuster.planner.row_projection import BRANCH, ManifestPart, RequestedColumns, RowProjection
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan.delete_matching import matching_deletes
from lakemuster.planner.scan.plan_rules import PlannedFiles, Splitting, plan_rules_of
from lakemuster.planner.scan.planned_entries import BatchFiles, LazyEntries, batch_files, grouped, table_of
from lakemuster.planner.scan.planned_rows import SplitRange, plan_rows
from lakemuster.planner.scan.runs import PlaceRanges
from lakemuster.planner.scan.scan_index import ScanIndex, Stretch
from lakemuster.planner.scan.selection import RowNumbers, Survivors, survivors
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.scan.totals import PlanTotals, counted, totals_of
from lakemuster.planner.view import View
from lakemuster.predicates import AlwaysTrue, Bound


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """Some files of a plan, of neighbouring manifests.

    Attributes:
        part: one of the files' manifests; its header's spec is the spec of all files.
        number: the number of the first file's part.
        rows: (N,) positions in the manifests, ascending in each.
        entries: the files' entries.
        delete_offsets, deletes: file i has the delete files ``deletes[delete_offsets[i]:delete_offsets[i + 1]]``,
            numbers for :meth:`Plan.delete_rows`, ascending.
        residuals: the distinct residuals.
        residual: (N,) the index of each file's residual.
        numbers: (N,) the number of each file's part; None when all are of one part.
        sources: the batches of segments that hold the files; empty if many are small, or if the plan added columns.
        branch: the files' branch, where it is not the requested one.
    """

    part: ManifestPart
    number: int
    rows: RowNumbers
    entries: LazyEntries
    delete_offsets: NDArray[np.int64]
    deletes: NDArray[np.int64]
    residuals: tuple[Bound, ...]
    residual: NDArray[np.int64]
    numbers: NDArray[np.int64] | None = None
    sources: tuple[BatchFiles, ...] = ()
    branch: str | None = None

    @property
    def table(self) -> pa.Table:
        """The files' entries as segment columns, inherited fields filled in."""
        return self.entries.table

    @property
    def position(self) -> Position:
        """The position of the first file."""
        return Position(self.number, int(self.rows[0]))

    @property
    def after(self) -> Position:
        """The position after the last file."""
        return Position(self.number if self.numbers is None else int(self.numbers[-1]), int(self.rows[-1]) + 1)

    def slice(self, offset: int, length: int | None = None) -> PlannedBatch:
        """Return some of the files."""
        end = len(self.rows) if length is None else min(len(self.rows), offset + length)
        if end - offset == len(self.rows):
            return self
        offsets = self.delete_offsets[offset : end + 1]
        numbers = None if self.numbers is None else self.numbers[offset:end]
        residuals, residual = self.residuals, self.residual[offset:end]
        if len(residuals) > 1:
            used, residual = np.unique(residual, return_inverse=True)
            residuals = tuple(residuals[at] for at in used)
        return replace(
            self,
            number=self.number if numbers is None or not len(numbers) else int(numbers[0]),
            numbers=numbers,
            rows=self.rows[offset:end],
            entries=self.entries.slice(offset, end - offset),
            delete_offsets=offsets - offsets[0],
            deletes=self.deletes[offsets[0] : offsets[-1]],
            residuals=residuals,
            residual=residual,
            sources=tuple(_some(self.sources, offset, end)),
        )

    def by_source(self) -> Iterator[PlannedBatch]:
        """Yield the files of each source."""
        if len(self.sources) == 1:
            yield self
            return
        at = 0
        for source in self.sources:
            yield self.slice(at, len(source.rows))
            at += len(source.rows)

    def by_part(self) -> Iterator[PlannedBatch]:
        """Yield the files of each manifest."""
        if self.numbers is None:
            yield self
            return
        edges = [0, *(np.flatnonzero(np.diff(self.numbers)) + 1).tolist(), len(self.rows)]
        for start, end in pairwise(edges):
            yield replace(self.slice(start, end - start), numbers=None)

    def surely_matching(self) -> NDArray[np.int64]:
        """Return the (N,) rows that certainly match: all rows of a file without residual and deletes, else 0."""
        whole = np.array([isinstance(residual, AlwaysTrue) for residual in self.residuals], np.bool_)[self.residual]
        undeleted = np.diff(self.delete_offsets) == 0
        if "deletion_vector" in self.table.column_names:
            undeleted &= self.table.column("deletion_vector").is_null().to_numpy()
        records = single_array(self.table.column("record_count")).to_numpy(zero_copy_only=False)
        return np.asarray(np.where(whole & undeleted, records, 0), np.int64)


def _some(sources: Sequence[BatchFiles], offset: int, end: int) -> Iterator[BatchFiles]:
    """Slice consecutive sources: their files from ``offset`` to before ``end``."""
    for source in sources:
        count = len(source.rows)
        if offset < count and end > 0:
            yield source._replace(rows=source.rows[max(offset, 0) : end])
        offset, end = offset - count, end - count


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A part of a plan: the files from ``start`` to before ``end``, or those of a range of splits."""

    start: Position = START
    end: Position | None = None
    splits: SplitRange | None = None


WHOLE_PLAN = PlanPart()


@dataclass(frozen=True)
class Plan:
    """The files of a snapshot that a predicate keeps.

    Attributes:
        bound: the predicate.
        statistics: field ids of the columns whose statistics are wanted; None for all.
        added_in: for incremental plans: only files that one of these snapshots added, without deletes.
        splitting: how to pack files into splits, if requested.
        details: whether to add how each file is read.
        within: the part of the plan to read (see ``tasks``); None for the whole.
        second_branch: the plan of another branch, whose files follow these; part numbers continue.
        shows_branch: whether files of two branches are listed together.
    """

    scan: ScanIndex
    bound: Bound
    statistics: frozenset[int] | None = frozenset()
    added_in: frozenset[int] | None = None
    splitting: Splitting | None = None
    details: bool = True
    within: PlanPart | None = None
    second_branch: Plan | None = None
    shows_branch: bool = False

    @property
    def view(self) -> View:
        """The table at its snapshot."""
        return self.scan.view

    @property
    def cache_key(self) -> tuple[object, ...]:
        """A key that is equal for equal plans of one scan index, and does not keep the index alive."""
        own = (self.bound, self.statistics, self.added_in, self.splitting, self.details, self.within, self.shows_branch)
        return self.scan.cache_key, *own, None if self.second_branch is None else self.second_branch.cache_key

    @property
    def can_be_limited(self) -> bool:
        """Whether each row of a file is a row of the table; files that are read together may hold parts of rows."""
        return not self.scan.rules.reads_together and (self.second_branch is None or self.second_branch.can_be_limited)

    @property
    def entries(self) -> int:
        """The number of entries of the data manifests, in both branches."""
        own = sum(int(spec.part_starts[-1]) for spec in self.scan.specs)
        return own + (0 if self.second_branch is None else self.second_branch.entries)

    @property
    def parts(self) -> int:
        """The number of data manifests, in both branches."""
        return len(self.scan.data) + (0 if self.second_branch is None else self.second_branch.parts)

    def row_projection_of(self, batch: PlannedBatch) -> RowProjection:
        """Return the row projection of a batch's files."""
        return (
            self.row_projection
            if self.second_branch is None or batch.branch is None
            else self.second_branch.row_projection
        )

    @cached_property
    def row_projection(self) -> RowProjection:
        """The row projection of files in the table's format."""
        wanted = RequestedColumns(statistics=self.statistics, planned=self.details, branch=self.shows_branch)
        return self.scan.row_projection(wanted)

    @property
    def survivors(self) -> Survivors:
        """The manifests and entries that pruning by manifests and zones leaves."""
        return survivors(self.scan, self.bound)

    def batches(self, start: Position = START, end: Position | None = None) -> Iterator[PlannedBatch]:
        """Yield the files from ``start`` to before ``end``, in the order of manifests and of their entries."""
        within = self.within or WHOLE_PLAN
        first = max(start, within.start)
        last = within.end if end is None or (within.end is not None and within.end < end) else end
        found = plan_rows(self.scan, self.bound, self.added_in, first, last, within.splits)
        for group in grouped(batch_files(found, self._opened)):
            yield self._planned(group)
        if self.second_branch is not None and (end is None or end.part >= len(self.scan.data)):
            yield from self._of_other(self.second_branch, start, end)

    def _of_other(self, other: Plan, start: Position, end: Position | None) -> Iterator[PlannedBatch]:
        """Yield the files of the other branch; its part numbers follow this plan's."""
        before = len(self.scan.data)
        own_end = None if end is None else Position(end.part - before, end.offset)
        own_start = Position(start.part - before, start.offset) if start.part >= before else START
        for batch in other.batches(own_start, own_end):
            yield self._numbered_on(batch, other)

    def _numbered_on(self, batch: PlannedBatch, other: Plan) -> PlannedBatch:
        """Renumber a batch of the other branch: its parts, sections and splits follow this plan's."""
        rules = plan_rules_of(self.scan)
        after = rules.numbers_after(self.scan, self.bound, self.splitting) if self.details else {}
        snapshot = other.view.snapshot
        assert snapshot is not None
        branch = snapshot.snapshot.branch

        def finished(table: pa.Table) -> pa.Table:
            for name, number in after.items():
                at = table.schema.get_field_index(name)
                table = table.set_column(at, table.field(at), pc.add(table.column(at), number))
            return table.append_column(BRANCH, repeated(branch, pa.string(), table.num_rows))

        before = len(self.scan.data)
        numbers = None if batch.numbers is None else batch.numbers + before
        entries = LazyEntries(lambda: batch.entries.recorded, lambda _: finished(batch.entries.table))
        return replace(batch, number=batch.number + before, numbers=numbers, entries=entries, sources=(), branch=branch)

    def limited(self, limit: int, start: Position = START) -> Iterator[PlannedBatch]:
        """Yield the first files that certainly hold ``limit`` matching rows together, or else all files."""
        known = 0
        for batch in self.batches(start):
            reached = np.flatnonzero(known + np.cumsum(batch.surely_matching()) >= limit)
            if len(reached):
                yield batch.slice(0, int(reached[0]) + 1)
                return
            known += int(batch.surely_matching().sum())
            yield batch

    @cached_property
    def totals(self) -> PlanTotals:
        """The totals of the whole plan, before any limit; cached for all of its pages."""
        own = totals_of(self.scan, self.bound, self.added_in)
        if self.second_branch is None:
            return own
        return PlanTotals(*map(sum, zip(astuple(own), astuple(self.second_branch.totals), strict=True)))

    def totals_of(self, batches: Iterable[PlannedBatch]) -> PlanTotals:
        """Count the whole plan from batches that hold all of its files, without planning again."""
        if self.within is not None or self.second_branch is not None:
            return self.totals
        return counted(self.survivors, len(self.scan.data), (batch.entries.recorded for batch in batches))

    def ranges(self, files: int) -> list[tuple[Position, Position | None]]:
        """Cut the plan into consecutive ranges of about ``files`` entries; pruning by entry may leave fewer."""
        starts = [START]
        runs = [(stretch, self._left_in(stretch)) for stretch in self.scan.stretches]
        passed = 0
        for stretch, own in runs:
            ends = passed + np.cumsum(own.ends - own.starts)
            total = int(ends[-1]) if len(ends) else passed
            cuts = np.arange(max(1, -(-passed // files)) * files, total, files)
            at = np.searchsorted(ends, cuts, side="right")
            places = own.ends[at] - (ends[at] - cuts)
            starts += [stretch.position(place) for place in places.tolist()]
            passed = total
        return [(start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]

    def _left_in(self, stretch: Stretch) -> PlaceRanges:
        low, high = (int(stretch.spec.part_starts[part]) for part in (stretch.first, stretch.end))
        return self.survivors.runs[stretch.spec.cache_key].between(low, high)

    def delete_rows(self, numbers: NDArray[np.int64]) -> Iterator[tuple[ManifestPart, pa.Table]]:
        """Yield delete files by ascending number, manifest by manifest, as entries with inherited fields."""
        tables = self.scan.delete_tables
        starts = np.cumsum([0, *(table.num_rows for _, table in tables)])
        edges = np.searchsorted(numbers, starts)
        for at in np.flatnonzero(np.diff(edges)).tolist():
            part, table = tables[at]
            yield part, table.take(pa.array(numbers[edges[at] : edges[at + 1]] - starts[at]))

    def _planned(self, group: Sequence[BatchFiles]) -> PlannedBatch:
        spec = group[0].spec
        places = group[0].places if len(group) == 1 else np.concatenate([member.places for member in group])
        owners = spec.owners(places)
        rows = owners.within(places, spec.part_starts)
        own, first = spec.parts[owners.first], spec.numbers[owners.first]
        numbers = owners.each(spec.part_numbers) if owners.first != owners.last else None
        files = PlannedFiles(self.scan, self.bound, self.splitting, self.details, group, places, owners, rows)
        entries, sources = plan_rules_of(self.scan).complete(files, LazyEntries(lambda: table_of(group)))
        if spec not in self._residuals:
            self._residuals[spec] = partition_residuals(self.bound, spec.projection)
        left = self._residuals[spec].of(len(rows), lambda: entries.recorded)
        offsets, deletes = np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int64)
        if self.added_in is None and (index := self.scan.delete_index) is not None:
            offsets, deletes = matching_deletes(self.scan, index, group, lambda: entries.table)
        return PlannedBatch(own, first, rows, entries, offsets, deletes, left.distinct, left.of_file, numbers, sources)

    def whole(self, source: BatchFiles) -> pa.Table:
        """Return all entries of the batch that holds a source of a planned batch."""
        return plan_rules_of(self.scan).whole(source)

    def _opened(self, name: str) -> tuple[Segment, list[str]]:
        """Open a segment, and select the columns that the plan needs, cached by the names of the segment's columns."""
        segment = self.scan.index.segments.open(name)
        if (present := segment.names) not in self._columns_of:
            columns = self.row_projection.columns(list(present))
            if self.added_in is None and self.scan.delete_index is not None:
                asked = self.scan.delete_index.stat_columns
                columns += [name for name in present if name in asked and name not in columns]
            self._columns_of[present] = columns
        return segment, self._columns_of[present]

    @cached_property
    def _residuals(self) -> dict[SpecIndex, PartitionResiduals]:
        return {}

    @cached_property
    def _columns_of(self) -> dict[tuple[str, ...], list[str]]:
        return {}
