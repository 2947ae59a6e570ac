"""Encoder of ``BinaryRow`` bytes, exactly as Paimon's Java writer lays them out.

The reverse of ``binary_row`` (which describes the layout), for key rows that are hashed. Details that change the hash
are fixed here: unscaled decimals take the fewest bytes, padding is zero, and a null of a type that does not fit its
slot still takes the place after the fixed part that a value would take.

Source: Paimon ``BinaryRowWriter``, ``AbstractBinaryWriter``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import Decimal

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND, unscaled

COMPACT_DECIMAL = 18
"""Most digits of a decimal that fits its slot."""

COMPACT_TIMESTAMP = 3
"""Most fractional digits of a timestamp that fits its slot."""

Cell = tuple[bytes, bytes, int]
"""A slot; the bytes after the fixed part, padded; the low half of a slot that points to them."""

_FORMS = {
    Kind.BOOLEAN: "<?7x",
    Kind.TINYINT: "<b7x",
    Kind.SMALLINT: "<h6x",
    Kind.INT: "<i4x",
    Kind.DATE: "<i4x",
    Kind.TIME: "<i4x",
    Kind.LONG: "<q",
    Kind.FLOAT: "<f4x",
    Kind.DOUBLE: "<d",
}
_INLINE = 7


def is_writable(of: Primitive) -> bool:
    """Return whether values of a type can be encoded."""
    return of.kind in _FORMS or of.kind in _WRITERS


def row_bytes(types: Sequence[Primitive], values: Sequence[object]) -> bytes:
    """Encode a row without its arity.

    Args:
        types: types of the fields.
        values: in their internal form (see ``metadata.types``), or None.

    Raises:
        ValueError: a value does not conform to its type.
    """
    header = (len(types) + 63 + 8) // 64 * 8
    fixed = bytearray(header + 8 * len(types))
    behind = bytearray()
    for i, (of, value) in enumerate(zip(types, values, strict=True)):
        if value is None:
            fixed[(i + 8) // 8] |= 1 << (i + 8) % 8
        slot, more, low = cell(of, value)
        if more:
            slot = struct.pack("<q", len(fixed) + len(behind) << 32 | low)
            behind += more
        fixed[header + 8 * i : header + 8 * i + 8] = slot
    return bytes(fixed + behind)


def cell(of: Primitive, value: object) -> Cell:
    """Encode one value of a row.

    Raises:
        ValueError: the value does not conform to its type.
    """
    form = _FORMS.get(of.kind)
    try:
        if form is not None:
            return (bytes(8) if value is None else struct.pack(form, value)), b"", 0
        return _WRITERS[of.kind](of, value)
    except (struct.error, OverflowError, UnicodeEncodeError, KeyError) as error:
        raise ValueError(f"a value cannot be written as {of.text}") from error


def _decimal(of: Primitive, value: object) -> Cell:
    if of.precision <= COMPACT_DECIMAL:
        return (bytes(8) if value is None else struct.pack("<q", _unscaled(of, value))), b"", 0
    if value is None:
        return b"", bytes(16), 0
    number = _unscaled(of, value)
    length = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return b"", number.to_bytes(length, "big", signed=True).ljust(16, b"\0"), length


def _unscaled(of: Primitive, value: object) -> int:
    if not isinstance(value, Decimal) or abs(number := unscaled(value, of.scale)) >= 10**of.precision:
        raise ValueError(f"a value does not fit {of.text}")
    return number


def _timestamp(of: Primitive, value: object) -> Cell:
    if value is not None and not isinstance(value, int):
        raise ValueError(f"a value cannot be written as {of.text}")
    per_milli = PER_SECOND[of.unit] // 1000
    millis, rest = (0, 0) if value is None else divmod(value, per_milli)
    if of.precision <= COMPACT_TIMESTAMP:
        return struct.pack("<q", millis), b"", 0
    return b"", struct.pack("<q", millis), rest * (1_000_000 // per_milli)


def _bytes(of: Primitive, value: object) -> Cell:
    if value is None:
        return bytes(8), b"", 0
    content = value.encode() if isinstance(value, str) else value
    if not isinstance(content, bytes) or isinstance(value, str) is not (of.kind is Kind.STRING):
        raise ValueError(f"a value cannot be written as {of.text}")
    if len(content) <= _INLINE:
        return content.ljust(_INLINE, b"\0") + bytes([0x80 | len(content)]), b"", 0
    return b"", content.ljust((len(content) + 7) // 8 * 8, b"\0"), len(content)


_WRITERS: dict[Kind, Callable[[Primitive, object], Cell]] = {
    Kind.DECIMAL: _decimal,
    Kind.TIMESTAMP: _timestamp,
    Kind.TIMESTAMPTZ: _timestamp,
    Kind.STRING: _bytes,
    Kind.BINARY: _bytes,
    Kind.FIXED: _bytes,
}
