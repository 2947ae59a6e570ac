"""Tell which rows of statistics can hold a matching row of data.

Pure: arrays in, mask out. One walk serves partition summaries of manifests, zones of segments, and
entries, so the levels cannot disagree. False is a proof that nothing matches; unknown
statistics (a missing bound or count, a NaN bound, a type that does not compare) never drop a row.

Bounds are bounds, not observed values: lower <= every value that is neither null nor NaN <= upper.

Source: Iceberg spec, "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.pruning.bounds import Test, comparable, numbers_of, passes, plain, proven, scalar
from lakemuster.predicates import AlwaysFalse, AlwaysTrue, Bound, BoundAnd, BoundLeaf, BoundOr, Op, Opaque

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]

UNKNOWN = -1
"""A count that was not recorded."""


@dataclass(frozen=True, slots=True)
class FieldStats:
    """One field over N rows of statistics.

    Attributes:
        lower, upper: Arrow arrays of the field's type, null where missing; None when missing everywhere.
        null_count, nan_count, value_count: ``UNKNOWN`` where missing; None when missing everywhere.
            ``value_count`` counts nulls and NaN too.
    """

    lower: pa.Array | None = None
    upper: pa.Array | None = None
    null_count: Counts | None = None
    nan_count: Counts | None = None
    value_count: Counts | None = None


class PreparedField(Protocol):
    """One field over N rows of statistics, prepared for repeated evaluation."""

    def cannot(self, leaf: BoundLeaf) -> Mask:
        """Like :func:`cannot` on the field's statistics."""
        ...


class Statistics(Protocol):
    """Statistics of N entries, zones or manifests."""

    @property
    def rows(self) -> int:
        """The number of entries, zones or manifests: N."""
        ...

    @property
    def record_count(self) -> Counts | None:
        """(N,) record counts; ``UNKNOWN`` or less where unknown."""
        ...

    def field(self, field_id: int) -> FieldStats | None:
        """Return the statistics of one field; None when there are none."""
        ...

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, Statistics] | None:
        """Return the leaf's inclusive projection, and the statistics of partitions; None when there is none."""
        ...


class Evaluable(Protocol):
    """The input of an evaluation: :class:`Statistics`, or a prepared form of them."""

    @property
    def rows(self) -> int:
        """See :class:`Statistics`."""
        ...

    @property
    def record_count(self) -> Counts | None:
        """See :class:`Statistics`."""
        ...

    def field(self, field_id: int) -> FieldStats | PreparedField | None:
        """See :class:`Statistics`."""
        ...

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, Evaluable] | None:
        """See :class:`Statistics`."""
        ...


def can_match(bound: Bound, statistics: Evaluable) -> Mask:
    """Mark the entries, zones or manifests that can hold a matching row.

    Returns:
        bool (N,). False is a proof of no match; True promises nothing.
    """
    keep = _possible(bound, statistics)
    if (records := statistics.record_count) is not None:
        keep = keep & (records != 0)
    return keep


def walk(bound: Bound, rows: int, leaf: Callable[[BoundLeaf], Mask], *, opaque: bool) -> Mask:
    """Evaluate a predicate on N rows of statistics, from the verdicts on its leaves.

    Args:
        rows: N.
        leaf: the verdict on one leaf; not called where the others decide already.
        opaque: the verdict on conditions that statistics say nothing about.
    """
    match bound:
        case BoundLeaf():
            return leaf(bound)
        case AlwaysTrue() | AlwaysFalse() | Opaque():
            return np.full(rows, opaque if isinstance(bound, Opaque) else isinstance(bound, AlwaysTrue))
        case BoundAnd(children=children) | BoundOr(children=children):
            is_and = isinstance(bound, BoundAnd)
            keep = walk(children[0], rows, leaf, opaque=opaque)
            for child in children[1:]:
                if not keep.any() if is_and else keep.all():
                    break
                other = walk(child, rows, leaf, opaque=opaque)
                keep = keep & other if is_and else keep | other
            return keep


def _possible(bound: Bound, statistics: Evaluable) -> Mask:
    return walk(bound, statistics.rows, lambda leaf: _leaf(leaf, statistics), opaque=True)


def _leaf(leaf: BoundLeaf, statistics: Evaluable) -> Mask:
    keep = None
    if (projected := statistics.projected(leaf)) is not None:
        keep = _possible(*projected)
        if not keep.any():
            return keep
    field = None if leaf.transform is not None else statistics.field(leaf.field_id)
    if field is None:
        return np.ones(statistics.rows, np.bool_) if keep is None else keep
    own = ~(cannot(leaf, field, statistics.rows) if isinstance(field, FieldStats) else field.cannot(leaf))
    return own if keep is None else keep & own


def cannot(leaf: BoundLeaf, field: FieldStats, rows: int) -> Mask:
    """Mark the rows of a column's statistics that prove that nothing matches a leaf without a transform."""
    return _cannot(leaf, _Column.of(leaf.type, field, rows))


def nothing_ordered(field: FieldStats, kind: Primitive, rows: int) -> Mask:
    """Mark the rows that are known to hold only nulls and NaN, which match no comparison."""
    return _Column.of(kind, field, rows).nothing_ordered


@dataclass(frozen=True)
class PreparedStats:
    """One field's statistics over N rows, prepared for repeated evaluation: what all leaves share is computed once.

    Attributes:
        rows: N.
        kind: the type that most predicates take the field to have.
    """

    stats: FieldStats
    kind: Primitive
    rows: int

    def cannot(self, leaf: BoundLeaf) -> Mask:
        """Like :func:`cannot` on the statistics."""
        return _cannot(leaf, self._column if leaf.type == self.kind else _Column.of(leaf.type, self.stats, self.rows))

    @cached_property
    def _column(self) -> _Column:
        return _Column.of(self.kind, self.stats, self.rows)


@dataclass(frozen=True)
class _Column:
    """A field's statistics, prepared: bounds in the predicate's type, missing counts as ``UNKNOWN``."""

    rows: int
    lower: pa.Array | None
    upper: pa.Array | None
    nulls: Counts
    nans: Counts
    values: Counts
    has_nan: bool

    @classmethod
    def of(cls, kind: Primitive, field: FieldStats, rows: int) -> _Column:
        unknown = np.full(rows, UNKNOWN, np.int64)
        values = unknown if field.value_count is None else field.value_count
        return cls(
            rows,
            comparable(field.lower, kind),
            comparable(field.upper, kind),
            unknown if field.null_count is None else field.null_count,
            unknown if field.nan_count is None else field.nan_count,
            values,
            kind.kind in (Kind.FLOAT, Kind.DOUBLE),
        )

    @cached_property
    def no_nulls(self) -> Mask:
        """Mask of the rows known to hold no null."""
        return _mask(self.nulls == 0)

    @property
    def no_nans(self) -> Mask:
        """Mask of the rows known to hold no NaN."""
        return _mask(self.nans == 0) if self.has_nan else np.ones(self.rows, np.bool_)

    @cached_property
    def only_nulls(self) -> Mask:
        """Mask of the rows known to hold only nulls."""
        return _mask((self.values > 0) & (self.nulls == self.values))

    @cached_property
    def nothing_ordered(self) -> Mask:
        """Mask of the rows known to hold only nulls and NaN, which match no comparison."""
        if not self.has_nan:
            return self.only_nulls
        known = (self.values > 0) & (self.nans >= 0)
        both = known & (self.nulls >= 0) & (self.nulls + self.nans == self.values)
        return _mask(self.only_nulls | both | (known & (self.nans == self.values)))

    def lower_is(self, test: Test, value: object) -> Mask:
        """Mark where the lower bound is known and passes a comparison with a value."""
        return passes(self.lower, test, value, self.rows)

    def upper_is(self, test: Test, value: object) -> Mask:
        """Mark where the upper bound is known and passes a comparison with a value."""
        return passes(self.upper, test, value, self.rows)


def _mask(verdicts: object) -> Mask:
    return np.asarray(verdicts, np.bool_)


def _cannot(leaf: BoundLeaf, column: _Column) -> Mask:
    """Mark the rows that prove that nothing matches the leaf."""
    match leaf.op:
        case Op.IS_NULL:
            return column.no_nulls
        case Op.NOT_NULL:
            return column.only_nulls
        case Op.IS_NAN:
            return _mask((column.nans == 0) | column.only_nulls)
        case Op.NOT_NAN:
            return _mask((column.values > 0) & (column.nans == column.values))
        case Op.LT:
            return column.nothing_ordered | column.lower_is(pc.greater_equal, leaf.values[0])
        case Op.LT_EQ:
            return column.nothing_ordered | column.lower_is(pc.greater, leaf.values[0])
        case Op.GT:
            return column.nothing_ordered | column.upper_is(pc.less_equal, leaf.values[0])
        case Op.GT_EQ:
            return column.nothing_ordered | column.upper_is(pc.less, leaf.values[0])
        case Op.EQ:
            value = leaf.values[0]
            outside = column.lower_is(pc.greater, value) | column.upper_is(pc.less, value)
            return column.nothing_ordered | outside
        case Op.IN:
            return column.nothing_ordered | _none_between(column, leaf)
        case Op.NOT_EQ | Op.NOT_IN:
            return _no_match_of_null(leaf, column) | (
                _only_of(column, leaf.values, leaf.type) & _nothing_else(leaf, column)
            )
        case Op.STARTS_WITH:
            return column.nothing_ordered | _outside_prefix(column, leaf.values[0])
        case Op.NOT_STARTS_WITH:
            return _no_match_of_null(leaf, column) | (
                _within_prefix(column, leaf.values[0]) & _nothing_else(leaf, column)
            )


def _no_match_of_null(leaf: BoundLeaf, column: _Column) -> Mask:
    """Mark where there are only nulls, and this negation does not match null."""
    return np.zeros(column.rows, np.bool_) if leaf.nulls else column.only_nulls


def _nothing_else(leaf: BoundLeaf, column: _Column) -> Mask:
    """Mark where nulls and NaN, which a negation may match, are known to be absent."""
    absent = column.no_nans
    return absent & column.no_nulls if leaf.nulls else absent


def _only_of(column: _Column, values: Sequence[object], kind: Primitive) -> Mask:
    """Mark where every value that is neither null nor NaN is one of the given values."""
    if column.lower is None or column.upper is None:
        return np.zeros(column.rows, np.bool_)
    single = proven(pc.equal(column.lower, column.upper), column.rows)
    if not single.any():
        return single
    return single & proven(_is_in(column.lower, values, kind), column.rows)


def _is_in(bounds: pa.Array, values: Sequence[object], kind: Primitive) -> pa.Array:
    if len(values) == 1:
        return pc.equal(bounds, scalar(values[0], bounds.type))
    known = pa.array([plain(value, bounds.type) for value in values], bounds.type)
    if kind.kind in (Kind.FLOAT, Kind.DOUBLE):
        # Arrow's is_in distinguishes -0.0 from 0.0.
        numbers = np.asarray(list(values), np.float64)
        return pa.array(np.isin(bounds.to_numpy(zero_copy_only=False).astype(np.float64), numbers))
    return pc.is_in(bounds, value_set=known)


def _none_between(column: _Column, leaf: BoundLeaf) -> Mask:
    """Mark where no value of IN is between the bounds, found by one search in the sorted values."""
    first, last = leaf.values[0], leaf.values[-1]
    outside = column.lower_is(pc.greater, last) | column.upper_is(pc.less, first)
    if column.lower is None or column.upper is None or outside.all():
        return outside
    bounded = proven(pc.is_valid(column.lower), column.rows) & proven(pc.is_valid(column.upper), column.rows) & ~outside
    places = np.flatnonzero(bounded)
    if len(places):
        chosen = pa.array(places)
        outside[places] = _in_gaps(column.lower.take(chosen), column.upper.take(chosen), leaf.values)
    return outside


def _in_gaps(lower: pa.Array, upper: pa.Array, values: Sequence[object]) -> Mask:
    """Mark where both bounds are not null and strictly between two neighbours of the sorted values."""
    least, greatest = numbers_of(lower), numbers_of(upper)
    if least is not None and greatest is not None:
        return _between_numbers(np.array(values, least.dtype), least, greatest)
    known = pa.array([plain(value, lower.type) for value in values], lower.type)
    everything = pa.concat_arrays([known, lower, upper])
    ranks = pc.rank(everything, tiebreaker="dense").to_numpy()
    of_lower, of_upper = ranks[len(known) : len(known) + len(lower)], ranks[len(known) + len(lower) :]
    return _between_numbers(np.sort(ranks[: len(known)]), of_lower, of_upper)


def _between_numbers(values: NDArray[Any], lower: NDArray[Any], upper: NDArray[Any]) -> Mask:
    after = np.searchsorted(values, lower)
    following = values[np.minimum(after, len(values) - 1)]
    return np.asarray((after == len(values)) | (following > upper))


def _outside_prefix(column: _Column, prefix: object) -> Mask:
    cannot = column.upper_is(pc.less, prefix)
    beyond = _next_prefix(_plain_bytes(prefix))
    if beyond is not None and column.lower is not None:
        raw = _raw(column.lower)
        cannot = cannot | proven(pc.greater_equal(raw, pa.scalar(beyond, raw.type)), column.rows)
    return cannot


def _within_prefix(column: _Column, prefix: object) -> Mask:
    """Mark where both bounds start with the prefix, and so does every value between them."""
    if column.lower is None or column.upper is None:
        return np.zeros(column.rows, np.bool_)
    start = _plain_bytes(prefix)
    lower, upper = _raw(column.lower), _raw(column.upper)
    return proven(pc.starts_with(lower, start), column.rows) & proven(pc.starts_with(upper, start), column.rows)


def _next_prefix(prefix: bytes) -> bytes | None:
    """Return the least byte string above all that have a prefix; None when there is none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _raw(array: pa.Array) -> pa.Array:
    return array if pa.types.is_binary(array.type) else array.cast(pa.binary())


def _plain_bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode()
    assert isinstance(value, bytes)
    return value
