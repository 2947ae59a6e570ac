"""What a file says of a column's values in some of its rows, and what that leaves of a comparison.

Everything errs to one side: what is not known may be so, and may be otherwise. NaN is in no bounds, and may be among
the values of every column of floating point.

Source: Parquet's ``Statistics`` and ``ColumnOrder`` (parquet.thrift).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from typing import Any, Protocol

import pyarrow as pa

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.predicates import BoundLeaf, Op

_UNKNOWN = (True, True)
_MICROS = {"s": (1_000_000, 1), "ms": (1000, 1), "us": (1, 1), "ns": (1, 1000)}
_INTEGERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG})
_FLOATS = frozenset({Kind.FLOAT, Kind.DOUBLE})
_INSTANTS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
_BYTES = frozenset({Kind.BINARY, Kind.FIXED})


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of a column's values in some rows of a file.

    Attributes:
        type: what Arrow reads them as.
        count: of all of them, nulls too.
        nulls: how many are null; None where that is not said.
        low, high: in Parquet's physical type; no value is below, or above; None where that is not said.
    """

    type: pa.DataType
    count: int
    nulls: int | None
    low: object = None
    high: object = None


BoundsOf = Callable[[int], Bounds | None]
"""The bounds of a field in some rows, by its id."""


class Condition(Protocol):
    """What rows must match to be wanted."""

    def may_hold(self, bounds_of: BoundsOf) -> bool:
        """Whether it may be true for a row among some."""
        ...


def outcomes(leaf: BoundLeaf, bounds: Bounds | None) -> tuple[bool, bool]:
    """Whether it may hold for a value of a column, and whether it may not; comparisons are asked of valid values."""
    if bounds is None:
        return _UNKNOWN
    match leaf.op:
        case Op.IS_NULL:
            return bounds.nulls != 0, bounds.nulls != bounds.count
        case Op.NOT_NULL:
            return bounds.nulls != bounds.count, bounds.nulls != 0
        case Op.IS_NAN | Op.NOT_NAN:
            return _UNKNOWN
    low, high = _stored(bounds.low, bounds.type, leaf.type), _stored(bounds.high, bounds.type, leaf.type)
    values = [_asked(value, leaf.type) for value in leaf.values]
    if low is None or high is None or None in values:
        return _UNKNOWN
    holds, fails = _compared(leaf.op, low, high, values)
    return holds, fails or leaf.type.kind in _FLOATS


def _compared(op: Op, low: Any, high: Any, values: list[Any]) -> tuple[bool, bool]:
    value = values[0]
    match op:
        case Op.EQ | Op.IN:
            return any(low <= one <= high for one in values), low != high or low not in values
        case Op.LT:
            return low < value, high >= value
        case Op.LT_EQ:
            return low <= value, high > value
        case Op.GT:
            return high > value, low <= value
        case Op.GT_EQ:
            return high >= value, low < value
        case Op.STARTS_WITH:
            length = len(value)
            return low[:length] <= value <= high[:length], low[:length] != value or high[:length] != value
    return _UNKNOWN


def _stored(raw: Any, form: pa.DataType, of: Primitive) -> Any:
    """A bound as a value of the table's type, in a form that is ordered as such values are; None when it has none."""
    if raw is None:
        return None
    types, kind = pa.types, of.kind
    if kind is Kind.BOOLEAN and types.is_boolean(form):
        return raw
    if (kind in _INTEGERS and types.is_signed_integer(form)) or (kind is Kind.DATE and types.is_date32(form)):
        return raw
    if kind in _FLOATS and (types.is_float32(form) or types.is_float64(form)):
        return None if isnan(raw) else raw
    if kind in _INSTANTS and types.is_timestamp(form) and isinstance(raw, int):
        factor, divisor = _MICROS[form.unit]
        return raw * factor // divisor
    if kind is Kind.DECIMAL and types.is_decimal(form) and form.scale == of.scale:
        return _decimal(raw, of.scale)
    if kind is Kind.STRING and (types.is_string(form) or types.is_large_string(form)):
        return raw
    return raw if kind in _BYTES and _is_binary(form) else None


def _asked(value: Any, of: Primitive) -> Any:
    """A value of a comparison in the same form; None when it has none."""
    if of.kind in _INSTANTS:
        return None if of.unit == "ns" else value * _MICROS[of.unit][0]
    if of.kind is Kind.STRING:
        try:
            return value.encode()
        except UnicodeEncodeError:
            return None
    return value


def _decimal(raw: int | bytes, scale: int) -> Decimal:
    unscaled = raw if isinstance(raw, int) else int.from_bytes(raw, "big", signed=True)
    digits = tuple(map(int, str(abs(unscaled))))
    return Decimal((int(unscaled < 0), digits, -scale))


def _is_binary(form: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_binary(form) or types.is_large_binary(form) or types.is_fixed_size_binary(form))
