"""Values of bucket keys of every type, in internal form and as text for other programs."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal

from hypothesis import strategies as st

from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND, scaled, unscaled

Value = object

integers = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
texts = st.text(max_size=20)
contents = st.binary(max_size=20)
moments = st.integers(-62_135_596_800_000, 253_402_300_799_999)


def whole(bits: int) -> st.SearchStrategy[int]:
    edges = [0, -1, 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]
    return st.sampled_from(edges) | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    limit = 10**precision - 1
    powers = [sign * 2**bits for bits in range(7, 127, 8) for sign in (1, -1) if 2**bits <= limit]
    edges = [0, 1, -1, 10, -100, limit, -limit, *powers]
    return (st.sampled_from(edges) | st.integers(-limit, limit)).map(lambda number: scaled(number, scale))


def instants(precision: int) -> st.SearchStrategy[int]:
    """Return a strategy of timestamps in the unit of a precision; nanoseconds span 64 bits."""
    if precision > 6:
        return st.integers(-(2**63), 2**63 - 1)
    return moments if precision <= 3 else moments.map(lambda millis: millis * 1000) | st.integers(-(10**15), 10**15)


VALUES: dict[str, st.SearchStrategy[Value]] = {
    **{name: whole(bits) for name, bits in integers.items()},
    "BOOLEAN": st.booleans(),
    "FLOAT": st.floats(width=32, allow_nan=False),
    "DOUBLE": st.floats(allow_nan=False),
    "DATE": st.integers(-719_162, 2_932_896),
    "TIME(3)": st.integers(0, 86_399_999),
    "DECIMAL(5, 2)": decimals(5, 2),
    "DECIMAL(18, 0)": decimals(18, 0),
    "DECIMAL(19, 4)": decimals(19, 4),
    "DECIMAL(38, 38)": decimals(38, 38),
    "DECIMAL(38, 10)": decimals(38, 10),
    "TIMESTAMP(0)": instants(3).map(lambda millis: millis // 1000 * 1000),
    "TIMESTAMP(3)": instants(3),
    "TIMESTAMP(6)": instants(6),
    "TIMESTAMP(9)": instants(9),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": instants(3),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": instants(6),
    "STRING": texts,
    "VARCHAR(30)": texts,
    "CHAR(30)": texts,
    "BYTES": contents,
    "VARBINARY(30)": contents,
    "BINARY(30)": contents,
}


def primitive(text: str) -> Primitive:
    of, _ = parse_type(text, 0)
    assert isinstance(of, Primitive)
    return of


def keys(types: Sequence[str], *, nulls: bool = False) -> st.SearchStrategy[tuple[Value, ...]]:
    return st.tuples(*(VALUES[of] | st.none() if nulls else VALUES[of] for of in types))


def plain(text: str, value: Value) -> str | None:
    """Return a value as text for other programs; ``Buckets.java`` parses it."""
    of = primitive(text)
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case float():
            return str(struct.unpack("<i", struct.pack("<f", value))[0] if of.kind is Kind.FLOAT else _bits(value))
        case bytes():
            return value.hex()
        case Decimal():
            return f"{value:f}"
        case int() if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            millis, nanos = parts(of, value)
            return f"{millis}:{nanos}"
    return str(value)


def _bits(value: float) -> int:
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits)


def parts(of: Primitive, value: int) -> tuple[int, int]:
    """Return the milliseconds of a timestamp and the nanoseconds within the millisecond."""
    per_milli = PER_SECOND[of.unit] // 1000
    return value // per_milli, value % per_milli * (1_000_000 // per_milli)


def encoded(text: str, value: Value) -> Value:
    """Return a value in the form that ``rows.binary_row`` takes."""
    of = primitive(text)
    match value:
        case Decimal():
            return unscaled(value, of.scale)
        case int() if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            return parts(of, value)
    return value
