"""One column over a snapshot's live files: counts, bounds, bytes, and how far the files' bounds overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.caching import cached
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.bounds import comparable, ordered_form
from lakemuster.planner.pruning.prune import Counts, FieldStats, nothing_ordered
from lakemuster.planner.pruning.statistics import counts, covering
from lakemuster.planner.statistics.live_files import Question, live_files
from lakemuster.planner.statistics.overlap import Overlap, bound_order, overlap
from lakemuster.planner.statistics.rules import STATISTICS_RULES


@dataclass(frozen=True, slots=True)
class LeafColumn:
    """A column of a primitive type, by its full name."""

    field_id: int
    name: str
    type: Primitive


@dataclass(slots=True)
class Counted:
    """A sum over the files that record a count, and how many they are."""

    total: int = 0
    files: int = 0

    def add(self, values: Counts | None) -> None:
        """Add (N,) counts; those below 0 are not recorded."""
        if values is not None:
            known = values >= 0
            self.total += int(values.sum(where=known))
            self.files += int(known.sum())


@dataclass(frozen=True, slots=True)
class Extreme:
    """The least lower or the greatest upper bound.

    Attributes:
        value: an array of one value in the column's type; None where no file has a bound.
        files: how many files that may hold a value have a bound.
    """

    value: pa.Array | None = None
    files: int = 0


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """One column over N data files.

    Attributes:
        files: N.
        holding_files: files that may hold a value that is neither null nor NaN.
        value_count, null_count, nan_count, column_size: sums of what files record, or what is known of them.
        lower, upper: limits of all values, if as many files as hold some have a bound.
        overlap: None for types whose values have no order.
        deepest: an array of the value at which the most bounds overlap; None without samples.
    """

    files: int
    holding_files: int
    value_count: Counted
    null_count: Counted
    nan_count: Counted
    column_size: Counted
    lower: Extreme
    upper: Extreme
    overlap: Overlap | None
    deepest: pa.Array | None


def leaf_columns(schema: Schema) -> list[LeafColumn]:
    """Return all columns of primitive types, nested ones too, in the order of the schema."""
    return [
        LeafColumn(field_id, schema.names[field_id], one.type)
        for field_id, one in schema.by_id.items()
        if isinstance(one.type, Primitive)
    ]


@cached(
    "statistics",
    lambda _: 2000,
    lambda questions, of: (*((one.scan.cache_key, one.bound, one.is_whole) for one in questions), of.name),
)
def column_statistics(questions: Sequence[Question], of: LeafColumn) -> ColumnStatistics:
    """Compute the statistics of a column over the files of all branches, which may give it different ids."""
    found = _Collected(of.type)
    for question in questions:
        own = question.scan.view.schemas[0].by_name.get(of.name)
        for batch in _read(question, of.field_id if own is None else own.field_id):
            found.add(*batch)
    return found.finished()


def _read(question: Question, field_id: int) -> Iterator[tuple[pa.Table, FieldStats, Counts | None]]:
    """Yield a column's statistics in batches of files: their entries, statistics, and the column's bytes."""
    scan, size = question.scan, column("column_size", field_id)
    rules, base = STATISTICS_RULES.of(scan.view.table), frozenset(scan.rules.base)

    def wanted(segment: Segment) -> list[str]:
        of_field = segment.columns_of.get(field_id, ())
        own = (name for name in segment.names if name in base or name == size)
        return [*own, *rules.field_columns(of_field)]

    for _, entries in live_files(question, wanted):
        stats = rules.statistics(scan, entries).field(field_id) or FieldStats()
        yield entries, stats, counts(entries.column(size)) if size in entries.column_names else None


@dataclass(slots=True)
class _Collected:
    """The statistics of a column, batch by batch."""

    type: Primitive
    files: int = 0
    value_count: Counted = field(default_factory=Counted)
    null_count: Counted = field(default_factory=Counted)
    nan_count: Counted = field(default_factory=Counted)
    column_size: Counted = field(default_factory=Counted)
    lower: list[pa.Array] = field(default_factory=list)
    upper: list[pa.Array] = field(default_factory=list)
    holding: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(self, entries: pa.Table, stats: FieldStats, sizes: Counts | None) -> None:
        """Add some files: their entries, statistics of the column, and its bytes."""
        rows = entries.num_rows
        self.files += rows
        self.value_count.add(stats.value_count)
        self.null_count.add(stats.null_count)
        self.nan_count.add(stats.nan_count)
        self.column_size.add(sizes)
        records = counts(entries.column("record_count"))
        certain = covering(stats, records, is_member=False)
        self.holding.append(~nothing_ordered(certain, self.type, rows) & (records != 0))
        if (form := ordered_form(self.type)) is not None:
            for found, bounds in ((self.lower, stats.lower), (self.upper, stats.upper)):
                known = comparable(bounds, self.type)
                found.append(pa.nulls(rows, form) if known is None else known)

    def finished(self) -> ColumnStatistics:
        """Return the statistics of all files."""
        holding = np.concatenate([np.zeros(0, np.bool_), *self.holding])
        of_counts = (self.value_count, self.null_count, self.nan_count, self.column_size)
        form = ordered_form(self.type)
        if form is None:
            return ColumnStatistics(self.files, int(holding.sum()), *of_counts, Extreme(), Extreme(), None, None)
        lower, upper = (pa.chunked_array(of, form) for of in (self.lower, self.upper))
        order = bound_order(lower, upper, self.type)
        found = overlap(order, holding)
        has_lower, has_upper = (np.flatnonzero(holding & has) for has in (order.has_lower, order.has_upper))
        least = has_lower[order.lower[has_lower].argmin()] if len(has_lower) else None
        greatest = has_upper[order.upper[has_upper].argmax()] if len(has_upper) else None
        return ColumnStatistics(
            self.files,
            int(holding.sum()),
            *of_counts,
            Extreme(self._value(lower, least), len(has_lower)),
            Extreme(self._value(upper, greatest), len(has_upper)),
            found,
            self._value(lower, found.place),
        )

    def _value(self, bounds: pa.ChunkedArray, place: int | np.int64 | None) -> pa.Array | None:
        """Return the bound at a place as an array of its own, in the column's type."""
        return None if place is None else single_array(bounds.slice(int(place), 1)).cast(arrow_type(self.type))
