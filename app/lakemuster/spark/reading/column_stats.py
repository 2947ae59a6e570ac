"""Evaluate comparisons on column statistics (bounds, null counts) of some rows of a file, such as a row group.

The results are conservative: without statistics, a comparison may hold and may fail. Column statistics do not cover
NaN, which any floating-point column may contain.

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
class ColumnStats:
    """Statistics of a column's values in some rows of a file.

    Attributes:
        type: the Arrow type that the values are read as.
        count: the number of values, nulls included.
        nulls: the number of nulls; None if not recorded.
        low, high: the lower and upper bound, in Parquet's physical type; None if not recorded. They are not used if
            ``low`` is above ``high``.
    """

    type: pa.DataType
    count: int
    nulls: int | None
    low: object = None
    high: object = None


StatsOf = Callable[[int], ColumnStats | None]
"""Returns a field's statistics in some rows, by field id."""


class Condition(Protocol):
    """A condition on rows that can be evaluated on statistics."""

    def may_hold(self, stats_of: StatsOf) -> bool:
        """Return whether the condition may be true for any of the rows that the statistics describe."""
        ...


def outcomes(leaf: BoundLeaf, stats: ColumnStats | None) -> tuple[bool, bool]:
    """Return whether a leaf may hold, and whether it may fail, for a value of a column; comparisons ignore nulls."""
    if stats is None:
        return _UNKNOWN
    match leaf.op:
        case Op.IS_NULL:
            return stats.nulls != 0, stats.nulls != stats.count
        case Op.NOT_NULL:
            return stats.nulls != stats.count, stats.nulls != 0
        case Op.IS_NAN | Op.NOT_NAN:
            return _UNKNOWN
    low, high = (
        _comparable_bound(stats.low, stats.type, leaf.type),
        _comparable_bound(stats.high, stats.type, leaf.type),
    )
    values = [_comparable_literal(value, leaf.type) for value in leaf.values]
    if low is None or high is None or None in values or low > high:
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


def _comparable_bound(raw: Any, form: pa.DataType, of: Primitive) -> Any:
    """Return a bound in a form that sorts like values of the table's type; None when it cannot be converted."""
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


def _comparable_literal(value: Any, of: Primitive) -> Any:
    """Return a comparison's constant in the form of :func:`_comparable_bound`; None when it cannot be converted."""
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
