"""Read one column's bounds of many data files, and the partitions of the files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from lakemuster.index.segments import Segment
from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import Primitive
from lakemuster.planner.deletes.partition_keys import PartitionKeys
from lakemuster.planner.pruning.bounds import comparable, ordered_form
from lakemuster.planner.pruning.prune import FieldStats, nothing_ordered
from lakemuster.planner.pruning.statistics import counts, covering
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.statistics.live_files import Question, live_files
from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import BoundOrder, Mask, bound_order
from lakemuster.planner.statistics.rules import STATISTICS_RULES


@dataclass(frozen=True, slots=True)
class PartitionOfFiles:
    """The partitions of one spec: an entry of each, in the shape of ``metadata.files``."""

    question: Question
    spec: SpecIndex
    entries: pa.Table


@dataclass(frozen=True, slots=True)
class FileBounds:
    """One column over N data files.

    Attributes:
        kind: the column's type.
        lower, upper: (N,) in the form of ``bounds.comparable``, null where not recorded.
        holding: (N,) whether a file may hold a value that is neither null nor NaN.
        partitions: (N,) numbers from 0, in the order of ``specs``; all 0 where they were not requested.
        specs: the partitions, spec by spec.
    """

    kind: Primitive
    lower: pa.Array
    upper: pa.Array
    holding: Mask
    partitions: Ints
    specs: tuple[PartitionOfFiles, ...]

    def order(self) -> BoundOrder:
        """Return the bounds as numbers in the order of their values."""
        return bound_order(self.lower, self.upper, self.kind)


def file_bounds(questions: Sequence[Question], column: str, *, partitions: bool = False) -> FileBounds | None:
    """Read the bounds of a column by its full name; None: no column of a primitive type with an order.

    Args:
        questions: the files, at least one question; branches may give the column different ids.
        partitions: number the partitions of the files.
    """
    found: _Collected | None = None
    for question in questions:
        own = question.scan.view.schemas[0].by_name.get(column)
        if own is None or not isinstance(own.type, Primitive) or ordered_form(own.type) is None:
            return None
        found = found or _Collected(own.type)
        found.add(question, own.field_id, partitions=partitions)
    return None if found is None else found.finished()


@dataclass(slots=True)
class _Collected:
    """Bounds, batch by batch."""

    kind: Primitive
    lower: list[pa.Array] = field(default_factory=list)
    upper: list[pa.Array] = field(default_factory=list)
    holding: list[Mask] = field(default_factory=list)
    partitions: list[Ints] = field(default_factory=list)
    specs: list[PartitionOfFiles] = field(default_factory=list)
    count: int = 0

    def add(self, question: Question, field_id: int, *, partitions: bool) -> None:
        """Add the files of a question."""
        rules = STATISTICS_RULES.of(question.scan.view.table)
        form = ordered_form(self.kind)
        by_spec: dict[int, tuple[SpecIndex, list[pa.Table]]] = {}
        for spec, entries in live_files(question, partial(_wanted, question, field_id, partitions=partitions)):
            by_spec.setdefault(id(spec), (spec, []))[1].append(entries)
        for spec, tables in by_spec.values():
            if partitions:
                self._number(question, spec, tables)
            for entries in tables:
                stats = rules.statistics(question.scan, entries).field(field_id) or FieldStats()
                rows = entries.num_rows
                records = counts(entries.column("record_count"))
                certain = covering(stats, records, is_member=False)
                self.holding.append(~nothing_ordered(certain, self.kind, rows) & (records != 0))
                if not partitions:
                    self.partitions.append(np.zeros(rows, np.int64))
                for found, bounds in ((self.lower, stats.lower), (self.upper, stats.upper)):
                    known = comparable(bounds, self.kind)
                    found.append(pa.nulls(rows, form) if known is None else known)

    def _number(self, question: Question, spec: SpecIndex, tables: list[pa.Table]) -> None:
        keys, numbers = PartitionKeys.of(spec.projection.spec, tables, question.scan.view.schemas)
        self.partitions.append(numbers + self.count)
        self.count += keys.size
        first = np.unique(numbers, return_index=True)[1]
        # A table without columns has no rows, so one without partition columns keeps another column.
        bare = [
            table.select([n for n in table.column_names if _is_partition(n) or n == "record_count"]) for table in tables
        ]
        one_each = pa.concat_tables(bare, promote_options="permissive").take(pa.array(first))
        self.specs.append(PartitionOfFiles(question, spec, one_each))

    def finished(self) -> FileBounds:
        form = ordered_form(self.kind)
        lower, upper = (pa.concat_arrays([pa.nulls(0, form), *of]) for of in (self.lower, self.upper))
        holding = np.concatenate([np.zeros(0, np.bool_), *self.holding])
        partitions = np.concatenate([np.zeros(0, np.int64), *self.partitions])
        return FileBounds(self.kind, lower, upper, holding, partitions, tuple(self.specs))


def _is_partition(name: str) -> bool:
    return (split_column(name) or "")[:1] == ("partition",)


def _wanted(question: Question, field_id: int, segment: Segment, *, partitions: bool) -> list[str]:
    base = frozenset(question.scan.rules.base)
    rules = STATISTICS_RULES.of(question.scan.view.table)
    own = [n for n in segment.names if n in base or n == "record_count" or (partitions and _is_partition(n))]
    return list(dict.fromkeys([*own, *rules.field_columns(segment.columns_of.get(field_id, ()))]))
