"""Residuals: what is left of a predicate once a file's partition is known, decided once per partition tuple.

A leaf whose strict projection holds for the partition holds for all of its rows; one whose inclusive projection
does not hold for it holds for none. The residual must be evaluated on the rows. Pure.

Source: Iceberg spec, "Scan Planning"; Java's ``ResidualEvaluator`` decides leaf by leaf in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.caching import Cache
from lakemuster.metadata.files import column
from lakemuster.metadata.types import arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.bounds import numbers_of
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.pruning.prune import Mask, can_match, walk
from lakemuster.planner.pruning.statistics import PartitionStatistics
from lakemuster.predicates import (
    FALSE,
    TRUE,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
    all_of,
    any_of,
    leaves,
    matches,
    references,
)

_TUPLE_BYTES = 300
"""Memory of a partition tuple and its residual."""

FEW_VALUES = 16
"""Longer lists of values are evaluated in bulk."""

FEW_ROWS = 8
"""Up to this many files, equal tuples are not merged before they are looked up."""

_SLOTS = 1 << 14
"""Up to this many possible tuples, find the distinct ones by a slot for each, whether it occurs or not."""

_LEFT, _ALWAYS, _NEVER = 0, 1, 2

RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Residuals:
    """Residuals of some files: the distinct ones, and the index of each file's."""

    distinct: tuple[Bound, ...]
    of_file: RowNumbers


def residuals(bound: Bound, table: pa.Table, projection: PartitionPredicates) -> Residuals:
    """Return the residual of each file.

    Args:
        bound: the whole predicate.
        table: entries of one spec, with their ``partition.<id>`` columns.
        projection: projects leaves on that spec's partitions.
    """
    return partition_residuals(bound, projection).of(table.num_rows, lambda: table)


class _ProjectedLeaf(NamedTuple):
    """A leaf's projections on partitions; ``fields`` are the partition fields that decide it."""

    strict: Bound | None
    inclusive: Bound | None
    fields: frozenset[int]

    @classmethod
    def of(cls, leaf: BoundLeaf, projection: PartitionPredicates) -> _ProjectedLeaf | None:
        """Project a leaf; None when it has no projection."""
        strict, inclusive = projection.strict(leaf), projection.inclusive(leaf)
        both = [of for of in (strict, inclusive) if of is not None]
        return cls(strict, inclusive, frozenset().union(*map(references, both))) if both else None


class _Field(NamedTuple):
    """The values of a partition field in some files.

    Attributes:
        values: None where the table has no such column: all values are null.
        numbers: ``values`` in internal form, where they are integers and none is null.
    """

    values: pa.Array | None
    numbers: NDArray[np.generic] | None

    @classmethod
    def of(cls, table: pa.Table, field_id: int) -> _Field:
        place = table.schema.get_field_index(column("partition", field_id))
        if place < 0:
            return cls(None, None)
        values = single_array(table.column(place))
        whole = not values.null_count and (pa.types.is_integer(values.type) or pa.types.is_temporal(values.type))
        return cls(values, numbers_of(values) if whole else None)

    def at(self, rows: RowNumbers) -> list[object]:
        """Return the values at some rows; integers and texts are in internal form."""
        if self.values is None:
            return [None] * len(rows)
        if self.numbers is not None:
            return list(self.numbers[rows].tolist())
        values = self.values.take(pa.array(rows))
        if pa.types.is_temporal(values.type):
            values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
        return list(values.to_pylist())

    def codes(self) -> tuple[RowNumbers, int]:
        """Return a code for each value, the same for equal ones, and a number that all codes are below."""
        if self.numbers is not None:
            least, most = int(self.numbers.min()), int(self.numbers.max())
            if most - least < _SLOTS:
                return self.numbers.astype(np.int64) - least, most - least + 1
        encoded = pc.dictionary_encode(self.values, null_encoding="encode")
        return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64), len(encoded.dictionary)


@dataclass(frozen=True)
class PartitionResiduals:
    """One predicate's residuals under one spec, cached by partition tuple."""

    bound: Bound
    projection: PartitionPredicates
    _known: dict[tuple[object, ...], Bound] = field(default_factory=dict)

    @property
    def tuples(self) -> int:
        """The number of partition tuples with a cached residual."""
        return len(self._known)

    @cached_property
    def _leaves(self) -> list[_ProjectedLeaf | None]:
        """The predicate's leaves in the order of a walk; None for those without a projection."""
        return [_ProjectedLeaf.of(leaf, self.projection) for leaf in leaves(self.bound)]

    @cached_property
    def _fields(self) -> list[int]:
        """The partition fields that decide any leaf."""
        return sorted(frozenset().union(*(of.fields for of in self._leaves if of is not None)))

    def of(self, rows: int, read: Callable[[], pa.Table]) -> Residuals:
        """Return the residual of each of ``rows`` files of the spec, as :func:`residuals` does.

        Args:
            read: reads their entries; called only where partitions decide any leaf.
        """
        if not self._fields or not rows:
            return Residuals((self.bound,), np.zeros(rows, np.int64))
        table = read()
        fields = {field_id: _Field.of(table, field_id) for field_id in self._fields}
        every = np.arange(rows)
        one_of_each, tuple_of = (every, every) if rows <= FEW_ROWS else _tuples(list(fields.values()), rows)
        left = self._of_tuples(fields, one_of_each)
        distinct = tuple(dict.fromkeys(left))
        if len(distinct) == 1:
            return Residuals(distinct, np.zeros(rows, np.int64))
        place = {residual: number for number, residual in enumerate(distinct)}
        return Residuals(distinct, np.array([place[residual] for residual in left], np.int64)[tuple_of])

    def _of_tuples(self, fields: Mapping[int, _Field], rows: RowNumbers) -> list[Bound]:
        """Return the residual of each tuple; ``rows`` has one row of each."""
        keys = list(zip(*(of.at(rows) for of in fields.values()), strict=True))
        found = {key: residual for key in keys if (residual := self._known.get(key)) is not None}
        if missing := [number for number, key in enumerate(keys) if key not in found]:
            tuples = [dict(zip(fields, keys[number], strict=True)) for number in missing]
            decided = self._decided(fields, rows[missing], tuples)
            new = dict(zip([keys[number] for number in missing], decided, strict=True))
            self._known.update(new)
            _residual_cache.replace((self.bound, self.projection), self)
            found |= new
        return [found[key] for key in keys]

    def _decided(
        self, fields: Mapping[int, _Field], rows: RowNumbers, tuples: Sequence[Mapping[int, object]]
    ) -> Iterator[Bound]:
        unknown = [_LEFT] * len(tuples)
        verdicts = [unknown if of is None else _verdicts(of, fields, rows, tuples) for of in self._leaves]
        known: dict[tuple[int, ...], Bound] = {}
        for pattern in zip(*verdicts, strict=True):
            if pattern not in known:
                known[pattern] = _left(self.bound, iter(pattern))
            yield known[pattern]


def partition_residuals(bound: Bound, projection: PartitionPredicates) -> PartitionResiduals:
    """Return the residuals of a predicate under a spec, cached."""
    return _residual_cache.get_or_make((bound, projection), lambda: PartitionResiduals(bound, projection))


_residual_cache: Cache[tuple[Bound, PartitionPredicates], PartitionResiduals] = Cache(
    "residuals", lambda _, found: 2000 + found.tuples * _TUPLE_BYTES
)


def _left(bound: Bound, verdicts: Iterator[int]) -> Bound:
    """Return the residual of a predicate, from the verdicts on its leaves in the order of a walk."""
    match bound:
        case BoundLeaf():
            verdict = next(verdicts)
            return TRUE if verdict == _ALWAYS else FALSE if verdict == _NEVER else bound
        case BoundAnd(children=children):
            left = [_left(child, verdicts) for child in children]
            return bound if left == list(children) else all_of(left)
        case BoundOr(children=children):
            left = [_left(child, verdicts) for child in children]
            return bound if left == list(children) else any_of(left)
    return bound


def _tuples(fields: Sequence[_Field], rows: int) -> tuple[RowNumbers, RowNumbers]:
    """Return a row of each distinct tuple, and the index of each row's tuple."""
    codes, size = np.zeros(rows, np.int64), 1
    for own, count in (of.codes() for of in fields if of.values is not None):
        if count > 1:
            if size * count > 1 << 31:
                distinct, codes = np.unique(codes, return_inverse=True)
                size = len(distinct)
            codes = codes * count + own
            size *= count
    if size == 1:
        return np.zeros(1, np.int64), codes
    if size > max(_SLOTS, rows):
        _, one_of_each, tuple_of = np.unique(codes, return_index=True, return_inverse=True)
        return one_of_each, tuple_of
    slots = np.full(size, -1)
    slots[codes] = np.arange(rows)
    occurring = (slots >= 0).nonzero()[0]
    one_of_each = slots[occurring]
    slots[occurring] = np.arange(len(occurring))
    return one_of_each, slots[codes]


def _verdicts(
    projected: _ProjectedLeaf, fields: Mapping[int, _Field], rows: RowNumbers, tuples: Sequence[Mapping[int, object]]
) -> list[int]:
    """Return what each tuple decides about a leaf."""
    if not all(_is_plain(of, fields) for of in (projected.strict, projected.inclusive) if of is not None):
        return _verdicts_in_bulk(projected, fields, rows)
    known: dict[tuple[object, ...], int] = {}
    found = []
    for values in tuples:
        own = tuple([values[field_id] for field_id in projected.fields])
        if own not in known:
            known[own] = _verdict(projected, values)
        found.append(known[own])
    return found


def _is_plain(bound: Bound, fields: Mapping[int, _Field]) -> bool:
    """Tell whether a projection compares partitions, in internal form, with few values of the partitions' type."""
    match bound:
        case BoundLeaf(op=Op.IS_NAN | Op.NOT_NAN) | Opaque():
            return False
        case BoundLeaf():
            of = fields[bound.field_id].values
            if bound.maybe or bound.transform is not None or len(bound.values) > FEW_VALUES:
                return False
            if of is None:
                return True
            whole = pa.types.is_integer(of.type) or pa.types.is_temporal(of.type)
            return (
                (whole or pa.types.is_string(of.type))
                and of.type == arrow_type(bound.type)
                and all(type(value) is (int if whole else str) for value in bound.values)
            )
        case BoundAnd(children=children) | BoundOr(children=children):
            return all(_is_plain(child, fields) for child in children)
    return True


def _verdict(projected: _ProjectedLeaf, values: Mapping[int, object]) -> int:
    """Return what a tuple in internal form decides about a leaf."""
    if projected.inclusive is not None and matches(projected.inclusive, values) is not True:
        return _NEVER
    return _ALWAYS if projected.strict is not None and matches(projected.strict, values) is True else _LEFT


def _verdicts_in_bulk(projected: _ProjectedLeaf, fields: Mapping[int, _Field], rows: RowNumbers) -> list[int]:
    """Return what the tuples of some rows decide about a leaf, by their statistics, which are exact."""
    places = pa.array(rows)
    columns = {
        column("partition", number): of.values.take(places) for number, of in fields.items() if of.values is not None
    }
    partitions = PartitionStatistics(pa.table(columns), len(rows), frozenset(fields))
    verdicts = np.full(len(rows), _LEFT)
    if projected.strict is not None:
        certain = walk(projected.strict, len(rows), lambda leaf: _leaf_holds(leaf, partitions), opaque=False)
        verdicts[certain] = _ALWAYS
    if projected.inclusive is not None:
        verdicts[~can_match(projected.inclusive, partitions)] = _NEVER
    found: list[int] = verdicts.tolist()
    return found


def _leaf_holds(leaf: BoundLeaf, partitions: PartitionStatistics) -> Mask:
    """Mark where a leaf certainly holds for exact partition values."""
    field, kind = partitions.field(leaf.field_id), arrow_type(leaf.type)
    comparable = (
        field is not None and kind is not None and (field.lower is None or cast_or_none(field.lower, kind) is not None)
    )
    if leaf.maybe or leaf.transform is not None or not comparable:
        return np.zeros(partitions.rows, np.bool_)
    # For a single exact value, a leaf that can match does match.
    return can_match(leaf, partitions)
