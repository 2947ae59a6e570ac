"""Decode single-value bytes one at a time, and encode columns of them.

The internal form of a value is that of ``metadata.types``: integers for dates, times and
timestamps. Bytes written before a type was promoted are decoded by the old type: four bytes
under ``long`` or ``double``, days under ``timestamp``. Bytes that do not parse give no value;
pruning must not rely on them.

Source: Iceberg spec, appendix D, "Binary single-value serialization".
"""

from __future__ import annotations

import struct
from typing import Literal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg import decimals
from lakemuster.metadata.files import column
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND, scaled

_SECONDS_PER_DAY = 86_400
_LAYOUT = {
    Kind.BOOLEAN: "<?",
    Kind.INT: "<i",
    Kind.DATE: "<i",
    Kind.FLOAT: "<f",
    Kind.LONG: "<q",
    Kind.DOUBLE: "<d",
    Kind.TIME: "<q",
    Kind.TIMESTAMP: "<q",
    Kind.TIMESTAMPTZ: "<q",
}


def decode_value(of: Primitive, raw: bytes) -> object:
    """Return the internal form of single-value bytes; None if they do not conform to the type, or it has no order."""
    match of.kind:
        case Kind.BINARY:
            return raw
        case Kind.STRING:
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return None
        case Kind.UUID:
            return UUID(bytes=raw) if len(raw) == 16 else None
        case Kind.FIXED:
            return raw if len(raw) == of.length else None
        case Kind.DECIMAL:
            number = int.from_bytes(raw, "big", signed=True)
            return scaled(number, of.scale) if raw and abs(number) < 10**of.precision else None
        case kind if kind in _LAYOUT:
            return _decode_number(of, raw)
    return None


def _decode_number(of: Primitive, raw: bytes) -> bool | int | float | None:
    layout = _LAYOUT[of.kind]
    number: bool | int | float
    if len(raw) == struct.calcsize(layout):
        (number,) = struct.unpack(layout, raw)
        if of.kind is Kind.TIME and not 0 <= number < _SECONDS_PER_DAY * PER_SECOND[of.unit]:
            return None
        return number
    if len(raw) != 4:
        return None
    match of.kind:
        case Kind.LONG:
            return int.from_bytes(raw, "little", signed=True)
        case Kind.DOUBLE:
            (number,) = struct.unpack("<f", raw)
            return number
        case Kind.TIMESTAMP:
            moment = int.from_bytes(raw, "little", signed=True) * _SECONDS_PER_DAY * PER_SECOND[of.unit]
            return moment if -(2**63) <= moment < 2**63 else None
    return None


def encode_array(typed: pa.Array) -> pa.BinaryArray:
    """Return the canonical single-value bytes of a column of typed values; nulls stay null."""
    kind = typed.type
    if pa.types.is_binary(kind):
        return typed
    if pa.types.is_string(kind):
        return typed.view(pa.binary())
    if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
        return typed.cast(pa.binary())
    if pa.types.is_decimal128(kind):
        offsets, data = decimals.canonical_bytes(typed)
    else:
        width, data = _number_bytes(typed)
        offsets = np.arange(len(typed) + 1, dtype=np.int32) * np.int32(width)
    filled = pa.BinaryArray.from_buffers(pa.binary(), len(typed), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return filled if typed.null_count == 0 else pc.if_else(typed.is_valid(), filled, pa.scalar(None, pa.binary()))


def _number_bytes(typed: pa.Array) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.uint8]]]:
    if pa.types.is_boolean(typed.type):
        return 1, pc.fill_null(typed, False).cast(pa.uint8()).to_numpy()
    width = typed.type.bit_width // 8
    data = np.frombuffer(typed.buffers()[1], np.uint8)
    return width, data[typed.offset * width : (typed.offset + len(typed)) * width]


def raw_bounds(table: pa.Table | pa.RecordBatch, bound: Literal["lower", "upper"], field_id: int) -> pa.BinaryArray:
    """Return a column's bounds as the bytes that the manifest holds, for every row; null where it holds none.

    Args:
        table: entries in the shape of ``metadata.files``, with the ``<bound>`` and ``<bound>_raw``
            columns of the field, where it has them.
    """
    typed = _single(table, column(bound, field_id))
    raw = _single(table, column(f"{bound}_raw", field_id))
    if typed is None:
        return pa.nulls(table.num_rows, pa.binary()) if raw is None else raw
    canonical = encode_array(typed)
    return canonical if raw is None else pc.coalesce(raw, canonical)


def _single(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array | None:
    if name not in table.schema.names:
        return None
    found = table.column(name)
    if isinstance(found, pa.ChunkedArray):
        return found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
    return found
