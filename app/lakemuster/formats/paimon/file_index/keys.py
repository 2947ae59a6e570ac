"""Index keys: values in the form that indexes store, as integers in Java's order of the values, or as bytes.

Java orders floats by their bits: -0.0 before 0.0, NaN above all. Their keys are integers in that order. Timestamps are
stored in milliseconds up to a precision of 3, else in microseconds; decimals as unscaled integers; texts in UTF-8.

Source: Paimon ``BitmapFileIndexMeta``, ``BitSliceIndexBitmapFileIndex``, ``KeyFactory``.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from lakemuster.formats.paimon.file_index.cursor import Cursor
from lakemuster.metadata.types import Kind, Primitive

Key = int | bytes
"""A value as an index stores it. All keys of a column have the same Python type."""

Read = Callable[[Cursor], Key]

_SHORT, _BYTE = struct.Struct(">h"), struct.Struct(">b")
_INT, _LONG = struct.Struct(">i"), struct.Struct(">q")
_FLOATS = {Kind.FLOAT: (struct.Struct(">f"), _INT), Kind.DOUBLE: (struct.Struct(">d"), _LONG)}
_NUMBERS = {
    Kind.TINYINT: _BYTE,
    Kind.SMALLINT: _SHORT,
    Kind.INT: _INT,
    Kind.LONG: _LONG,
    Kind.DATE: _INT,
    Kind.TIME: _INT,
    Kind.DECIMAL: _LONG,
    Kind.TIMESTAMP: _LONG,
    Kind.TIMESTAMPTZ: _LONG,
}

INTEGERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG})
TEMPORAL = frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ})


@dataclass(frozen=True, slots=True)
class Keys:
    """Conversion of a column's values to keys.

    Attributes:
        of: the column's type when the file was written.
        read: reads a key from a cursor.
    """

    of: Primitive
    read: Read

    @classmethod
    def of_type(cls, of: Primitive) -> Keys | None:
        """Return the conversion of a type; None for types that no index supports."""
        if of.kind in _NUMBERS:
            number = _NUMBERS[of.kind]
            return cls(of, lambda cursor: cursor.number(number))
        if of.kind in _FLOATS:
            bits, wide = _FLOATS[of.kind][1], of.kind is Kind.DOUBLE
            return cls(of, lambda cursor: _in_order(cursor.number(bits), wide=wide))
        if of.kind is Kind.BOOLEAN:
            return cls(of, lambda cursor: int(cursor.byte() != 0))
        if of.kind is Kind.STRING:
            return cls(of, Cursor.sized)
        return None

    @property
    def exact(self) -> bool:
        """Whether different values have different keys; nanoseconds may share one."""
        return not (self.of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and self.of.unit == "ns")

    def key(self, value: object) -> Key | None:
        """Return the key of a value in internal form; None if the column cannot hold the value."""
        kind = self.of.kind
        match value:
            case bool():
                return int(value) if kind is Kind.BOOLEAN else None
            case int() if kind in INTEGERS or kind in TEMPORAL:
                return value if self.exact else value // 1000
            case float() if kind in _FLOATS:
                bits = float_bits(self.of, value)
                return None if bits is None else _in_order(bits, wide=kind is Kind.DOUBLE)
            case Decimal() if kind is Kind.DECIMAL:
                return unscaled(value, self.of.scale)
            case str() if kind is Kind.STRING:
                return value.encode("utf-8", "surrogatepass")
        return None

    def equal_keys(self, value: object) -> tuple[Key, ...] | None:
        """Return the keys of all values equal to this one: two for zero. None if the column cannot hold it."""
        values = (0.0, -0.0) if isinstance(value, float) and value == 0 else (value,)
        keys = tuple(key for one in values if (key := self.key(one)) is not None)
        return keys if len(keys) == len(values) else None

    @property
    def nan(self) -> Key | None:
        """The key of NaN; None for types without NaN."""
        return self.key(math.nan) if self.of.kind in _FLOATS else None


def float_bits(of: Primitive, value: float) -> int | None:
    """Return a float's bits as a signed integer, the same for every NaN; None if the type cannot hold the value."""
    as_float, as_bits = _FLOATS[of.kind]
    if math.isnan(value):
        return 0x7FC00000 if of.kind is Kind.FLOAT else 0x7FF8000000000000
    try:
        raw = as_float.pack(value)
    except OverflowError:
        return None
    (again,) = as_float.unpack(raw)
    (bits,) = as_bits.unpack(raw)
    return int(bits) if again == value else None


def unscaled(value: Decimal, scale: int) -> int | None:
    """Return the unscaled integer of a decimal at a scale; None if it has more digits after the point."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return None
    number = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    shift = exponent + scale
    if shift > 100:
        return None
    if shift >= 0:
        return int(number * 10**shift)
    whole, rest = divmod(number, 10**-shift)
    return None if rest else whole


def _in_order(bits: int, *, wide: bool) -> int:
    """Map the bits of a float to an integer in Java's order of floats."""
    top, least = (0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000) if wide else (0x7FFFFFFF, 0x7F800000)
    if bits & top > least:
        return top  # every NaN is one
    return bits if bits >= 0 else bits ^ top
