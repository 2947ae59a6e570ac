"""What is left of a predicate once a file's partition is known: decided once per distinct partition tuple.

A leaf whose strict projection holds for the partition holds for all of its rows; one whose inclusive projection
does not hold for it holds for none. What is left must be asked of the rows. Pure.

Source: Iceberg spec, "Scan Planning"; Java's ``ResidualEvaluator`` decides leaf by leaf in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import column
from lakemuster.metadata.predicate import (
    FALSE,
    TRUE,
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Opaque,
    all_of,
    any_of,
)
from lakemuster.metadata.types import arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import flat
from lakemuster.planner.pruning.project import Projection
from lakemuster.planner.pruning.prune import Mask, can_match
from lakemuster.planner.pruning.statistics import PartitionStatistics

FEW_FILES = 256
"""So many files' tuples are told apart sooner in Python."""

KEPT_TUPLES = 10_000
"""Partition tuples whose residuals are kept, for each predicate."""

_LEFT, _ALWAYS, _NEVER = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Residuals:
    """Residuals of some files: the distinct ones, and which each file has."""

    distinct: tuple[Bound, ...]
    of_file: NDArray[np.int64]


def residuals(bound: Bound, table: pa.Table, projection: Projection) -> Residuals:
    """The residual of each file.

    Args:
        bound: the whole predicate.
        table: entries of one spec, with their ``partition.<id>`` columns.
        projection: of that spec.
    """
    return remaining_of(bound, projection).of(table)


@dataclass(frozen=True)
class Remaining:
    """One predicate's residuals under one spec, by partition tuple, as far as they are known."""

    bound: Bound
    projection: Projection
    _known: dict[tuple[object, ...], Bound] = field(default_factory=dict)

    @cached_property
    def _asked(self) -> list[BoundLeaf]:
        """The leaves that partitions tell something of."""
        leaves = dict.fromkeys(_leaves(self.bound))
        return [leaf for leaf in leaves if self.projection.inclusive(leaf) or self.projection.strict(leaf)]

    def of(self, table: pa.Table) -> Residuals:
        """The residual of each file of the spec; as :func:`residuals`."""
        rows = table.num_rows
        if not self._asked or not rows:
            return Residuals((self.bound,), np.zeros(rows, np.int64))
        field_ids = [field.field_id for field in self.projection.spec.fields]
        values = table.select([name for i in field_ids if (name := column("partition", i)) in table.column_names])
        if rows <= FEW_FILES:
            of_rows = _keys(values, field_ids, rows)
            rows_of = {key: row for row, key in enumerate(of_rows)}
            keys, places = list(rows_of), np.array(list(rows_of.values()), np.int64)
            numbers = {key: number for number, key in enumerate(keys)}
            tuple_of = np.array([numbers[key] for key in of_rows], np.int64)
        else:
            places, tuple_of = _tuples(values, rows)
            keys = _keys(values.take(pa.array(places)), field_ids, len(places))
        left = self._of_tuples(values, keys, places)
        distinct = tuple(dict.fromkeys(left))
        place = {residual: number for number, residual in enumerate(distinct)}
        return Residuals(distinct, np.array([place[residual] for residual in left], np.int64)[tuple_of])

    def _of_tuples(
        self, values: pa.Table, keys: Sequence[tuple[object, ...]], places: NDArray[np.int64]
    ) -> list[Bound]:
        """The residual of each tuple, of which ``places`` tell a row among ``values``."""
        found = {key: residual for key in keys if (residual := self._known.get(key)) is not None}
        if missing := [number for number, key in enumerate(keys) if key not in found]:
            field_ids = frozenset(field.field_id for field in self.projection.spec.fields)
            partitions = PartitionStatistics(values.take(pa.array(places[missing])), len(missing), field_ids)
            decided = _decide(self.bound, self._asked, partitions, self.projection)
            new = dict(zip([keys[n] for n in missing], decided, strict=True))
            if len(self._known) > KEPT_TUPLES:
                self._known.clear()
            self._known.update(new)
            found |= new
        return [found[key] for key in keys]


remaining_of = lru_cache(maxsize=256)(Remaining)


def _keys(tuples: pa.Table, field_ids: Sequence[int], rows: int) -> list[tuple[object, ...]]:
    columns: list[list[object]] = []
    for field_id in field_ids:
        name = column("partition", field_id)
        if name not in tuples.column_names:
            columns.append([None] * rows)
            continue
        values = flat(tuples.column(name))
        if pa.types.is_temporal(values.type):
            values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
        columns.append(values.to_pylist())
    return list(zip(*columns, strict=True))


def _decide(
    bound: Bound, asked: Sequence[BoundLeaf], partitions: PartitionStatistics, projection: Projection
) -> list[Bound]:
    verdicts = np.stack([_verdicts(leaf, partitions, projection) for leaf in asked])
    patterns, pattern_of = np.unique(verdicts, axis=1, return_inverse=True)
    known = [_left(bound, dict(zip(asked, pattern, strict=True))) for pattern in patterns.T.tolist()]
    return [known[number] for number in pattern_of.reshape(-1).tolist()]


def _leaves(bound: Bound) -> Iterator[BoundLeaf]:
    match bound:
        case BoundLeaf():
            yield bound
        case BoundAnd(children=children) | BoundOr(children=children):
            for child in children:
                yield from _leaves(child)


def _tuples(values: pa.Table, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each distinct tuple, and the tuple of each row."""
    codes = np.zeros(rows, np.int64)
    for column_values in values.columns:
        encoded = pc.dictionary_encode(flat(column_values), null_encoding="encode")
        count = len(encoded.dictionary)
        if count > 1:
            own = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)
            codes = np.unique(codes * count + own, return_inverse=True)[1]
    _, first, tuple_of = np.unique(codes, return_index=True, return_inverse=True)
    return first, tuple_of


def _verdicts(leaf: BoundLeaf, partitions: PartitionStatistics, projection: Projection) -> NDArray[np.int8]:
    verdicts = np.full(partitions.rows, _LEFT, np.int8)
    if (strict := projection.strict(leaf)) is not None:
        verdicts[_holds(strict, partitions)] = _ALWAYS
    if (inclusive := projection.inclusive(leaf)) is not None:
        verdicts[~can_match(inclusive, partitions)] = _NEVER
    return verdicts


def _left(bound: Bound, verdicts: Mapping[BoundLeaf, int]) -> Bound:
    match bound:
        case BoundLeaf():
            verdict = verdicts.get(bound, _LEFT)
            return TRUE if verdict == _ALWAYS else FALSE if verdict == _NEVER else bound
        case BoundAnd(children=children):
            left = [_left(child, verdicts) for child in children]
            return bound if left == list(children) else all_of(left)
        case BoundOr(children=children):
            left = [_left(child, verdicts) for child in children]
            return bound if left == list(children) else any_of(left)
    return bound


def _holds(bound: Bound, partitions: PartitionStatistics) -> Mask:
    """Where a predicate surely holds of exact partition values."""
    match bound:
        case AlwaysTrue():
            return np.ones(partitions.rows, np.bool_)
        case AlwaysFalse() | Opaque():
            return np.zeros(partitions.rows, np.bool_)
        case BoundAnd(children=children):
            return np.asarray(np.logical_and.reduce([_holds(child, partitions) for child in children]))
        case BoundOr(children=children):
            return np.asarray(np.logical_or.reduce([_holds(child, partitions) for child in children]))
        case BoundLeaf():
            return _leaf_holds(bound, partitions)


def _leaf_holds(leaf: BoundLeaf, partitions: PartitionStatistics) -> Mask:
    field, kind = partitions.field(leaf.field_id), arrow_type(leaf.type)
    comparable = (
        field is not None and kind is not None and (field.lower is None or cast_or_none(field.lower, kind) is not None)
    )
    if leaf.maybe or leaf.transform is not None or not comparable:
        return np.zeros(partitions.rows, np.bool_)
    # Of a single known value, what can match does.
    return can_match(leaf, partitions)
