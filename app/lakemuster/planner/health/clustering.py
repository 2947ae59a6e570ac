"""How well a column separates the files of each partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import partial

import numpy as np
import pyarrow as pa

from lakemuster.index.segments import Segment
from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.deletes.partition_keys import PartitionKeys
from lakemuster.planner.pruning.bounds import comparable
from lakemuster.planner.pruning.prune import FieldStats, nothing_ordered
from lakemuster.planner.pruning.statistics import counts
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.statistics.live_files import Question, live_files
from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import BoundOrder, Mask, bound_order
from lakemuster.planner.statistics.rules import STATISTICS_RULES


@dataclass(frozen=True, slots=True)
class Clustering:
    """How many files of its own partition contain the lower bound of a file, itself among them.

    Attributes:
        column: the full name.
        samples: files with a lower bound.
        mean: over them; None without any.
    """

    column: str
    samples: int
    mean: float | None


def clustering_of(questions: Sequence[Question], column: str) -> Clustering | None:
    """Count the files of each file's partition whose bounds contain its lower bound; None: no such primitive column."""
    found = _Bounds()
    kind: Primitive | None = None
    for question in questions:
        field = question.scan.view.schemas[0].by_name.get(column)
        if field is None or not isinstance(field.type, Primitive) or _form(field.type) is None:
            return None
        kind = field.type
        found.add(question, field.field_id, kind)
    if kind is None or not found.partitions:
        return Clustering(column, 0, None)
    order = bound_order(_joined(found.lower, kind), _joined(found.upper, kind), kind)
    depths = depths_in_partitions(order, np.concatenate(found.holding), np.concatenate(found.partitions))
    return Clustering(column, len(depths), int(depths.sum()) / len(depths) if len(depths) else None)


@dataclass(slots=True)
class _Bounds:
    """A column's bounds, whether a file may hold a value, and the files' partitions, batch by batch."""

    lower: list[pa.Array] = dataclass_field(default_factory=list)
    upper: list[pa.Array] = dataclass_field(default_factory=list)
    holding: list[Mask] = dataclass_field(default_factory=list)
    partitions: list[Ints] = dataclass_field(default_factory=list)
    count: int = 0

    def add(self, question: Question, field_id: int, kind: Primitive) -> None:
        """Add the files of a question."""
        rules = STATISTICS_RULES.of(question.scan.view.table)
        by_spec: dict[int, tuple[SpecIndex, list[pa.Table]]] = {}
        for spec, entries in live_files(question, partial(_wanted, question, field_id)):
            by_spec.setdefault(id(spec), (spec, []))[1].append(entries)
        for spec, tables in by_spec.values():
            keys, numbers = PartitionKeys.of(spec.projection.spec, tables, question.scan.view.schemas)
            self.partitions.append(numbers + self.count)
            self.count += keys.size
            for entries in tables:
                stats = rules.statistics(question.scan, entries).field(field_id) or FieldStats()
                rows = entries.num_rows
                has_rows = counts(entries.column("record_count")) != 0
                self.holding.append(~nothing_ordered(stats, kind, rows) & has_rows)
                for found, bounds in ((self.lower, stats.lower), (self.upper, stats.upper)):
                    known = comparable(bounds, kind)
                    found.append(pa.nulls(rows, _form(kind)) if known is None else known)


def depths_in_partitions(bounds: BoundOrder, holding: Mask, partitions: Ints) -> Ints:
    """Return the depth at each lower bound among the files of the same partition.

    Args:
        bounds: of N files; a missing one contains every value on its side.
        holding: (N,) whether a file may hold a value at all.
        partitions: (N,) numbers from 0.
    """
    lower, has_lower, upper, has_upper = bounds
    holding = holding & ~(has_lower & has_upper & (lower > upper))
    if not holding.any():
        return np.zeros(0, np.int64)
    rows = int(holding.sum())
    _, ranks = np.unique(np.concatenate([lower[holding], upper[holding]]), return_inverse=True)
    span = 2 * rows + 2
    begins = np.where(has_lower[holding], ranks[:rows] + 1, 0) + partitions[holding] * span
    ends = np.where(has_upper[holding], ranks[rows:] + 1, span - 1) + partitions[holding] * span
    sampled = begins[has_lower[holding]]
    # Each file of an earlier partition counts once on both sides.
    return np.asarray(np.sort(begins).searchsorted(sampled, "right") - np.sort(ends).searchsorted(sampled, "left"))


def _wanted(question: Question, field_id: int, segment: Segment) -> list[str]:
    base = frozenset(question.scan.rules.base)
    rules = STATISTICS_RULES.of(question.scan.view.table)
    own = [
        name
        for name in segment.names
        if name in base or name == "record_count" or (split_column(name) or "")[:1] == ("partition",)
    ]
    return list(dict.fromkeys([*own, *rules.field_columns(segment.columns_of.get(field_id, ()))]))


def _form(kind: Primitive) -> pa.DataType | None:
    form = arrow_type(kind)
    return pa.binary() if form is not None and pa.types.is_fixed_size_binary(form) else form


def _joined(parts: Sequence[pa.Array], kind: Primitive) -> pa.Array:
    return pa.concat_arrays([pa.nulls(0, _form(kind)), *parts])
