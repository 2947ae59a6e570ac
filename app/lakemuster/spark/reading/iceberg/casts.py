"""Cast values of a file's column to the table's type: type promotion, and the physical forms of a type.

Source: Iceberg spec, "Schema Evolution" (type promotion), "Appendix A: Format-specific Requirements".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.spark.reading.iceberg.schema import arrow_type
from lakemuster.spark.reading.int96 import instants, is_int96
from lakemuster.spark.reading.variants import stores_variants, variants

Cast = Callable[[pa.Array], pa.Array]

_INTEGERS = {Kind.INT: 32, Kind.LONG: 64}
_FLOATS = {Kind.FLOAT: 32, Kind.DOUBLE: 64}
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_DASHES = (8, 13, 18, 23)
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class IncompatibleTypeError(Exception):
    """A file's column type cannot be promoted to the table's; the message names both."""


def cast(source: pa.DataType, of: Primitive) -> Cast:
    """Return a function that casts arrays of a file's column to a table's type, as ``schema.arrow_type(of)``.

    Raises:
        IncompatibleTypeError: the file's type cannot be promoted to the table's.
        UnknownTypeError: the table's type has no Arrow type.
    """
    if pa.types.is_dictionary(source):
        inner = cast(source.value_type, of)
        return lambda array: inner(array.dictionary_decode())
    target = arrow_type(of)
    if of.kind is Kind.UNKNOWN:
        return lambda array: pa.nulls(len(array), target)
    if pa.types.is_null(source):
        return lambda array: pa.nulls(len(array), target)
    found = _cast(source, of, target)
    if found is None:
        raise IncompatibleTypeError(f"it holds {source}, not {of.text}")
    return found


def _cast(source: pa.DataType, of: Primitive, target: pa.DataType) -> Cast | None:
    types = pa.types
    match of.kind:
        case Kind.BOOLEAN:
            fits = types.is_boolean(source)
        case Kind.INT | Kind.LONG:
            fits = _is_narrower_integer(source, _INTEGERS[of.kind])
        case Kind.FLOAT | Kind.DOUBLE:
            fits = types.is_floating(source) and source.bit_width <= _FLOATS[of.kind]
        case Kind.DECIMAL:
            fits = types.is_decimal(source) and source.scale == of.scale
        case Kind.DATE:
            fits = types.is_date(source)
        case Kind.TIME:
            if types.is_int64(source):  # from ORC
                return lambda array: array.view(target)
            fits = types.is_time(source)
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return _to_timestamp(source, of, target)
        case Kind.STRING:
            fits = _is_text(source) or _is_bytes(source)
        case Kind.BINARY:
            fits = _is_bytes(source)
        case Kind.FIXED:
            return _of_length(source, of.length)
        case Kind.UUID:
            return uuid_text if _of_length(source, 16) else _same(source, target) if _is_text(source) else None
        case Kind.VARIANT:
            return variants if stores_variants(source) else None
        case _:
            fits = False
    return _same(source, target) if fits else None


def _same(source: pa.DataType, target: pa.DataType) -> Cast:
    if source == target:
        return lambda array: array
    return lambda array: array.cast(target)


def _is_narrower_integer(source: pa.DataType, bits: int) -> bool:
    if pa.types.is_signed_integer(source):
        return bool(source.bit_width <= bits)
    return bool(pa.types.is_unsigned_integer(source) and source.bit_width < bits)


def _is_text(of: pa.DataType) -> bool:
    return bool(pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of))


def _is_bytes(of: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_binary(of) or types.is_large_binary(of) or types.is_binary_view(of) or types.is_fixed_size_binary(of)
    )


def _of_length(source: pa.DataType, length: int) -> Cast | None:
    """Return a cast to binary that checks that every value has ``length`` bytes; None if the source is not binary."""
    if not _is_bytes(source):
        return None
    if pa.types.is_fixed_size_binary(source):
        return _same(source, pa.binary()) if source.byte_width == length else None

    def checked(array: pa.Array) -> pa.Array:
        lengths = pc.min_max(pc.binary_length(array)).as_py()
        if lengths["min"] not in {None, length} or lengths["max"] not in {None, length}:
            raise IncompatibleTypeError(f"it holds values of other than {length} bytes")
        return array.cast(pa.binary())

    return checked


def _to_timestamp(source: pa.DataType, of: Primitive, target: pa.DataType) -> Cast | None:
    """Return a cast to a timestamp. A zone does not change the stored number; dates never become zoned timestamps."""
    if pa.types.is_date(source):
        return (lambda array: array.cast(target)) if of.kind is Kind.TIMESTAMP else None
    if is_int96(source):
        after = _to_timestamp(pa.timestamp("us"), of, target)
        return None if after is None else lambda array: after(instants(array))
    if not pa.types.is_timestamp(source):
        return None
    if source.unit == target.unit:
        return _same(source, target) if source == target else lambda array: array.view(pa.int64()).view(target)
    have, want = _UNITS[source.unit], _UNITS[target.unit]
    if have > want:
        return lambda array: pc.multiply_checked(array.view(pa.int64()), have // want).view(target)
    return lambda array: _floor_divide(array.view(pa.int64()), want // have).view(target)


def _floor_divide(array: pa.Array, by: int) -> pa.Array:
    numbers = pc.fill_null(array, 0).to_numpy(zero_copy_only=False) // by
    return pa.array(numbers, pa.int64(), mask=_nulls(array))


def _nulls(array: pa.Array) -> np.ndarray | None:
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


def uuid_text(array: pa.Array) -> pa.Array:
    """Convert UUIDs of 16 bytes to strings, lower-case with dashes.

    Raises:
        IncompatibleTypeError: a value has another length.
    """
    filled = pc.fill_null(array, bytes(16))
    lengths = pc.min_max(pc.binary_length(filled)).as_py()
    if len(array) and (lengths["min"], lengths["max"]) != (16, 16):
        raise IncompatibleTypeError("it holds values of other than 16 bytes, not uuid")
    data = filled.cast(pa.binary(16)) if len(array) else pa.array([], pa.binary(16))
    start = data.offset * 16
    octets = np.frombuffer(data.buffers()[1], np.uint8)[start : start + len(array) * 16].reshape(-1, 16)
    digits = np.empty((len(array), 32), np.uint8)
    digits[:, 0::2] = _DIGITS[octets >> 4]
    digits[:, 1::2] = _DIGITS[octets & 15]
    text = np.full((len(array), 36), ord("-"), np.uint8)
    text[:, [place for place in range(36) if place not in _DASHES]] = digits
    offsets = np.arange(0, 36 * (len(array) + 1), 36, dtype=np.int32)
    texts = pa.StringArray.from_buffers(len(array), pa.py_buffer(offsets), pa.py_buffer(text.tobytes()))
    return texts if not array.null_count else pc.if_else(array.is_valid(), texts, pa.scalar(None, pa.string()))
