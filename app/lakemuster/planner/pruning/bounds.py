"""Compare bounds with a value: in numpy where both are numbers, else in Arrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.numbers import number_type
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none

Test = Callable[[pa.Array, pa.Scalar], pa.Array]


def passes(bounds: pa.Array | None, test: Test, value: object, rows: int) -> NDArray[np.bool_]:
    """Mark where bounds are known and pass a comparison with a value in its internal form."""
    if bounds is None:
        return np.zeros(rows, np.bool_)
    if (numbers := numbers_of(bounds)) is None:
        return proven(test(bounds, scalar(value, bounds.type)), rows)
    verdicts = np.asarray(_NUMPY[test](numbers, value), np.bool_)
    return verdicts & bounds.is_valid().to_numpy(zero_copy_only=False) if bounds.null_count else verdicts


_NUMPY: dict[Test, np.ufunc] = {
    pc.less: np.less,
    pc.less_equal: np.less_equal,
    pc.greater: np.greater,
    pc.greater_equal: np.greater_equal,
}


def numbers_of(bounds: pa.Array) -> NDArray[np.generic] | None:
    """View numbers, dates and times as a numpy array, null slots included; None for other types.

    numpy compares them in a fifth of Arrow's time.
    """
    form = _form(bounds.type)
    data = None if form is None else bounds.buffers()[1]
    if data is None:
        return None
    return np.frombuffer(data, form, len(bounds), bounds.offset * bounds.type.bit_width // 8)


@lru_cache(maxsize=256)
def _form(kind: pa.DataType) -> np.dtype[np.generic] | None:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return number_type(kind)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return np.dtype(f"i{kind.bit_width // 8}")
    return None


def proven(verdicts: pa.Array, rows: int) -> NDArray[np.bool_]:
    """Return verdicts as a mask; an unknown (null) one is not proven."""
    if verdicts.null_count == rows:
        return np.zeros(rows, np.bool_)
    if verdicts.null_count:
        verdicts = pc.fill_null(verdicts, False)
    return np.asarray(verdicts.to_numpy(zero_copy_only=False), np.bool_)


def comparable(bounds: pa.Array | None, kind: Primitive) -> pa.Array | None:
    """Return bounds in the predicate's type; None when they do not compare with it. NaN bounds become null."""
    target = arrow_type(kind)
    if bounds is None or target is None:
        return None
    bounds = cast_or_none(bounds, target)
    if bounds is None:
        return None
    if pa.types.is_floating(target) and ((numbers := numbers_of(bounds)) is None or np.isnan(numbers).any()):
        bounds = pc.if_else(pc.is_nan(bounds), pa.scalar(None, target), bounds)
    if pa.types.is_fixed_size_binary(target):
        bounds = bounds.cast(pa.binary())
    return bounds


def ordered_form(kind: Primitive) -> pa.DataType | None:
    """Return the type of bounds in the form of :func:`comparable`; None for types without an order."""
    form = arrow_type(kind)
    return pa.binary() if form is not None and pa.types.is_fixed_size_binary(form) else form


def scalar(value: object, kind: pa.DataType) -> pa.Scalar:
    """Return a value in internal form as an Arrow scalar of a type."""
    return (
        pa.array([plain(value, kind)], _storage(kind)).view(kind)[0]
        if pa.types.is_temporal(kind)
        else pa.scalar(plain(value, kind), kind)
    )


def _storage(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def plain(value: object, kind: pa.DataType) -> object:
    """Return a value in internal form as Arrow accepts it."""
    if isinstance(value, UUID):
        return value.bytes
    if isinstance(value, str) and pa.types.is_binary(kind):
        return value.encode()
    return value
