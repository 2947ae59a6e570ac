"""The least and the greatest value of a column among the rows that match a predicate.

Bounds of a file enclose its values, and need not be any of them. So the least value is at least the smallest lower
bound of all files, and at most the smallest upper bound of the files that certainly have a matching value. NaN counts
as the greatest value; readings of NaN other than ``greatest`` leave open what an extreme of such values is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.aggregates.interval import Doubts, Exclusions, Interval
from lakemuster.planner.aggregates.kept_files import DescribedFiles
from lakemuster.planner.pruning.bounds import comparable
from lakemuster.planner.pruning.prune import Counts, FieldStats, Mask
from lakemuster.predicates import NanMode

_FLOATS = (Kind.FLOAT, Kind.DOUBLE)
UNBOUNDED = "no bounds of the column"
NO_VALUE = "all values may be null, NaN or deleted"
LOOSE = "bounds that need not be values of rows"


@dataclass(slots=True)
class _Side:
    """The least lower or upper bound of some files, or the greatest.

    Attributes:
        files: whether there are any.
        missing: whether one has no bound.
        found: the extreme of each batch.
    """

    pick: Callable[[pa.Array], pa.Scalar]
    files: bool = False
    missing: bool = False
    found: list[pa.Array] = field(default_factory=list)

    def add(self, bounds: pa.Array | None, among: Mask) -> None:
        if not among.any():
            return
        self.files = True
        if bounds is None:
            self.missing = True
            return
        chosen = bounds if among.all() else bounds.filter(pa.array(among))
        self.missing |= chosen.null_count > 0
        if chosen.null_count < len(chosen):
            self.found.append(pa.array([self.pick(chosen)], bounds.type))

    @property
    def known(self) -> object:
        """The extreme of the known bounds in internal form; None if there are none."""
        return _internal(pa.array([self.pick(pa.concat_arrays(self.found))])) if self.found else None

    @property
    def of_all(self) -> object:
        """The extreme of all bounds in internal form; None if one is missing."""
        return None if self.missing else self.known


def _least(values: pa.Array) -> pa.Scalar:
    return pc.min_max(values)["min"]


def _greatest(values: pa.Array) -> pa.Scalar:
    return pc.min_max(values)["max"]


def _internal(one: pa.Array) -> object:
    if pa.types.is_temporal(one.type):
        one = one.view(pa.int32() if one.type.bit_width == 32 else pa.int64())
    return one[0].as_py()


@dataclass(slots=True)
class Extremes:
    """The bounds of a column in the files that a predicate keeps.

    Attributes:
        is_max: whether the greatest value is requested.
        kind: the column's type.
        may_be_nan: whether some row that matches may have NaN; ``is_nan``: whether one certainly has.
        has_number: whether some row that matches certainly has a value other than NaN.
    """

    is_max: bool
    kind: Primitive
    nan: NanMode
    may_be_nan: bool = False
    is_nan: bool = False
    has_number: bool = False
    doubts: Doubts = field(default_factory=Doubts)
    outer: _Side = field(init=False)
    inner: _Side = field(init=False)
    beyond: _Side = field(init=False)

    def __post_init__(self) -> None:
        near = _greatest if self.is_max else _least
        self.outer, self.inner = _Side(near), _Side(near)
        self.beyond = _Side(_least if self.is_max else _greatest)

    def add(self, files: DescribedFiles, stats: FieldStats, given: Exclusions) -> None:
        """Add files."""
        rows, records = files.rows, files.records
        nulls = given.nulls(stats.null_count, files.certain)
        some = rows.most != 0
        nans = np.zeros(len(records), np.int64)
        if self.kind.kind in _FLOATS:
            nans = given.nans(stats.nan_count, files.certain)
            nan = some & (nans != 0) & ~_all(nulls, records)
            if not given.no_nan and nan.any():
                self.may_be_nan = True
                self.is_nan |= bool((files.certain & (nans > 0) & (records >= 0) & (rows.least > records - nans)).any())
        numbers = some & ~_all(nulls, records) & ~_all(nulls + nans, records, (nulls >= 0) & (nans >= 0))
        sure = files.certain & (nulls >= 0) & (nans >= 0) & (rows.least > nulls + nans)
        self.has_number |= bool(sure.any())
        lower, upper = comparable(stats.lower, self.kind), comparable(stats.upper, self.kind)
        outer, inner = _sides(lower, upper, is_max=self.is_max)
        self.outer.add(outer, numbers)
        self.inner.add(inner, sure)
        self.beyond.add(inner, numbers)
        unbounded = numbers & (~_valid(lower, len(records)) | ~_valid(upper, len(records)))
        loose = numbers & ~unbounded & ~_single(lower, upper)
        self.doubts.add(files, {UNBOUNDED: unbounded, LOOSE: loose, NO_VALUE: numbers & files.certain & ~sure})

    @property
    def interval(self) -> Interval:
        """The interval that holds the extreme."""
        if arrow_type(self.kind) is None:
            return Interval(
                None, None, False, may_be_null=True, reason=f"values of type {self.kind.text} are not ordered"
            )
        if not self.outer.files and not self.may_be_nan:
            return Interval.of_value(None)
        near, far = self.outer.of_all, self.inner.known if self.has_number else self.beyond.of_all
        lower, upper = (far, near) if self.is_max else (near, far)
        lower, upper = self._with_nan(lower, upper)
        may_be_null = not (self.has_number or self.is_nan)
        agreed = self.nan == "greatest" or not self.may_be_nan
        same = lower is not None and (lower == upper or (_is_nan(lower) and _is_nan(upper)))
        if same and agreed and not may_be_null:
            return Interval.of_value(lower)
        return Interval(lower, upper, False, may_be_null, self.doubts.reason if agreed else self._nan_reason())

    def _with_nan(self, lower: object, upper: object) -> tuple[object, object]:
        if not self.may_be_nan:
            return lower, upper
        if not self.outer.files:
            return math.nan, math.nan
        if self.nan != "greatest" or not self.has_number or self.is_max:
            upper = math.nan
        if self.is_max and self.is_nan and self.nan == "greatest":
            lower = math.nan
        return lower, upper

    def _nan_reason(self) -> str:
        own = self.doubts.reason
        return "engines differ on extremes of NaN, which may be among the values" + (f"; {own}" if own else "")


def _sides(lower: pa.Array | None, upper: pa.Array | None, *, is_max: bool) -> tuple[pa.Array | None, pa.Array | None]:
    """Return the bounds that an extreme cannot pass, and those that it reaches where there is any value."""
    return (upper, lower) if is_max else (lower, upper)


def _all(some: Counts, records: Counts, known: Mask | None = None) -> Mask:
    """Mark where the number of values of some kind equals the number of rows."""
    return np.asarray((some == records) & (records >= 0) & (True if known is None else known), np.bool_)


def _valid(bounds: pa.Array | None, rows: int) -> Mask:
    if bounds is None:
        return np.zeros(rows, np.bool_)
    return np.asarray(bounds.is_valid().to_numpy(zero_copy_only=False), np.bool_)


def _single(lower: pa.Array | None, upper: pa.Array | None) -> Mask | bool:
    """Mark where both bounds are equal: the one value between them occurs."""
    if lower is None or upper is None:
        return False
    return np.asarray(pc.fill_null(pc.equal(lower, upper), False).to_numpy(zero_copy_only=False), np.bool_)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
