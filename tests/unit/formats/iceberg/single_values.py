"""Single-value serialization by the struct module alone, and Arrow columns as internal forms."""

from __future__ import annotations

import struct
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.slices import Decoded, Items, decode
from lakemuster.metadata.types import Kind, Primitive

NUMBERS = {
    "boolean": "<?",
    "int": "<i",
    "long": "<q",
    "float": "<f",
    "double": "<d",
    "date": "<i",
    "time": "<q",
    "timestamp": "<q",
    "timestamptz": "<q",
    "timestamp_ns": "<q",
    "timestamptz_ns": "<q",
}
INT32, INT64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)


def unscaled(precision: int) -> st.SearchStrategy[int]:
    """Return a strategy of integers of at most ``precision`` digits, with edge cases near powers of two."""
    limit = 10**precision - 1
    edges = st.tuples(st.integers(0, 128), st.integers(-1, 1)).map(lambda pair: 2 ** pair[0] + pair[1])
    edges = edges.filter(lambda n: n <= limit)
    return st.one_of(st.integers(-limit, limit), edges, edges.map(lambda n: -n), st.sampled_from([limit, -limit, 0]))


VALUES: dict[str, st.SearchStrategy[object]] = {
    "boolean": st.booleans(),
    "int": INT32,
    "long": INT64,
    "float": st.floats(width=32),
    "double": st.floats(),
    "date": INT32,
    "time": st.integers(0, 86_400_000_000 - 1),
    "timestamp": INT64,
    "timestamptz": INT64,
    "timestamp_ns": INT64,
    "timestamptz_ns": INT64,
    "string": st.text(),
    "binary": st.binary(),
    "fixed[5]": st.binary(min_size=5, max_size=5),
    "uuid": st.uuids(),
    "decimal(9, 2)": unscaled(9).map(lambda n: Decimal(n).scaleb(-2)),
    "decimal(18, 0)": unscaled(18).map(Decimal),
    "decimal(38, 10)": unscaled(38).map(lambda n: Decimal((n < 0, tuple(map(int, str(abs(n)))), -10))),
}
"""A strategy of internal forms for every type that has values."""

TYPES = {name: parse_primitive(name) for name in VALUES}


def encode(name: str, value: object) -> bytes:
    """Return the canonical bytes of an internal form, by the specification's table."""
    if name in NUMBERS:
        return struct.pack(NUMBERS[name], value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, UUID):
        return value.bytes
    if isinstance(value, Decimal):
        sign, digits, _ = value.as_tuple()
        number = int("".join(map(str, digits))) * (-1 if sign else 1)
        for length in range(1, 18):
            if -(1 << 8 * length - 1) <= number < 1 << 8 * length - 1:
                return number.to_bytes(length, "big", signed=True)
    assert isinstance(value, bytes)
    return value


def decode_array(raw: pa.BinaryArray, of: Primitive) -> Decoded:
    """Decode a column of single-value bytes; nulls stay null."""
    present = None if raw.null_count == 0 else raw.is_valid().to_numpy(zero_copy_only=False)
    return decode(Items(raw), np.arange(len(raw), dtype=np.int64), present, of)


def internal(column: pa.Array, of: Primitive) -> list[object]:
    """Return a typed column's values in internal form."""
    kind = column.type
    if pa.types.is_date32(kind):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        column = column.view(pa.int64())
    values: list[object] = column.to_pylist()
    return [UUID(bytes=value) if of.kind is Kind.UUID and isinstance(value, bytes) else value for value in values]
