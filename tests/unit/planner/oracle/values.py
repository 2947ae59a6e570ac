"""Few, close values of every primitive type, so that constants and bounds collide."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
from pyiceberg import conversions, transforms, types

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.predicates import Literal

DAY = 86_400 * 10**6
_DAYS = [-366, -365, -32, -1, 0, 1, 30, 31, 365]
_INSTANTS = sorted({day * DAY + more for day in (-366, -365, -1, 0, 1, 31) for more in (0, -1, 1, 3_600_000_000)})

POOLS: dict[str, list[Any]] = {
    "boolean": [False, True],
    "int": [-3, -2, -1, 0, 1, 2, 3],
    "long": [-3, -2, -1, 0, 1, 2, 3],
    "float": [-math.inf, -1.5, -0.0, 0.0, 0.5, 2.0, math.inf],
    "double": [-math.inf, -1.5, -0.0, 0.0, 0.5, 2.0, math.inf],
    "decimal(4,1)": [Decimal(n).scaleb(-1) for n in (-21, -11, -1, 0, 1, 10, 19)],
    "decimal(6,1)": [Decimal(n).scaleb(-1) for n in (-21, -11, -1, 0, 1, 10, 19)],
    "date": _DAYS,
    "time": [0, 1, 3_600_000_000, DAY - 1],
    "timestamp": _INSTANTS,
    "timestamptz": _INSTANTS,
    "timestamp_ns": [value * 1000 + more for value in _INSTANTS[::3] for more in (0, 1)],
    "timestamptz_ns": [value * 1000 + more for value in _INSTANTS[::3] for more in (0, -1)],
    "string": ["", "a", "aa", "ab", "abc", "b", "ba", "bab", "é", "\ud7ff", "\U0001d11e", "\U0010ffff", "\U0010ffffa"],
    "binary": [b"", b"\x00", b"a", b"ab", b"abc", b"b", b"\xff", b"\xff\xff", b"\xff\x00"],
    "fixed[2]": [b"\x00\x00", b"aa", b"a\xff", b"b\x00", b"\xff\xff"],
    "uuid": [UUID(int=n) for n in (0, 1, 1 << 64, 1 << 127, (1 << 128) - 1)],
}
EXTREMES: dict[str, list[Any]] = {
    "int": [-(2**31), 2**31 - 1],
    "long": [-(2**63), -(2**31) - 1, -(2**31), 2**31 - 1, 2**31, 2**63 - 1],
    "decimal(4,1)": [Decimal("999.9")],
    "decimal(6,1)": [Decimal("-999.9"), Decimal("999.9"), Decimal("99999.9")],
}
PROMOTIONS = {"int": "long", "float": "double", "decimal(4,1)": "decimal(6,1)", "date": "timestamp"}
TRANSFORMS = {
    "numbers": ["bucket[3]", "bucket[4]", "truncate[2]", "truncate[3]"],
    "texts": ["bucket[3]", "truncate[1]", "truncate[2]"],
    "times": ["year", "month", "day", "hour", "bucket[3]"],
    "dates": ["year", "month", "day", "bucket[3]"],
    "others": ["bucket[3]"],
}
_FAMILY = {
    Kind.INT: "numbers", Kind.LONG: "numbers", Kind.DECIMAL: "numbers", Kind.STRING: "texts", Kind.BINARY: "texts",
    Kind.DATE: "dates", Kind.TIMESTAMP: "times", Kind.TIMESTAMPTZ: "times", Kind.TIME: "others",
    Kind.FIXED: "others", Kind.UUID: "others",
}  # fmt: skip
_PEERS: dict[str, Any] = {
    "boolean": types.BooleanType(), "int": types.IntegerType(), "long": types.LongType(), "float": types.FloatType(),
    "double": types.DoubleType(), "decimal(4,1)": types.DecimalType(4, 1), "decimal(6,1)": types.DecimalType(6, 1),
    "date": types.DateType(), "time": types.TimeType(), "timestamp": types.TimestampType(),
    "timestamptz": types.TimestamptzType(), "timestamp_ns": types.TimestampNanoType(),
    "timestamptz_ns": types.TimestamptzNanoType(), "string": types.StringType(), "binary": types.BinaryType(),
    "fixed[2]": types.FixedType(2), "uuid": types.UUIDType(),
}  # fmt: skip
TYPES = {text: parse_primitive(text) for text in POOLS}


def chance(rng: Random, percent: int) -> bool:
    """Return True with a probability of ``percent`` percent; shrinking leads to False."""
    return rng.randrange(100) >= 100 - percent


def some_value(rng: Random, of: Primitive, *, nulls: bool = True) -> Any:
    """Return a random value of the type, including null, NaN and the type's limits."""
    if nulls and chance(rng, 15):
        return None
    if of.kind in (Kind.FLOAT, Kind.DOUBLE) and chance(rng, 15):
        return math.nan
    extremes = EXTREMES.get(of.text)
    if extremes and chance(rng, 3):
        return rng.choice(extremes)
    return rng.choice(POOLS[of.text])


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def transforms_of(of: Primitive) -> list[str]:
    return ["identity", "void", *TRANSFORMS.get(_FAMILY.get(of.kind, ""), [])]


def transformed(transform: str, of: Primitive, value: Any) -> Any:
    """Return PyIceberg's transform of a value; truncated integers wrap around as in Java."""
    if value is None:
        return None
    found = _function(transform, of.text)(value)
    if of.kind in (Kind.INT, Kind.LONG) and transform.startswith("truncate"):
        bits = 32 if of.kind is Kind.INT else 64
        return found + (1 << bits) if found < -(1 << bits - 1) else found
    return found


@cache
def _function(transform: str, text: str) -> Any:
    return transforms.parse_transform(transform).transform(_PEERS[text])


def encoded(of: Primitive, value: Any) -> bytes:
    """Return the single-value serialization by PyIceberg."""
    return conversions.to_bytes(_PEERS[of.text], value)


def promoted(value: Any, old: Primitive, new: Primitive) -> Any:
    """Return a value after the promotion of its column's type."""
    if value is not None and old.kind is Kind.DATE and new.kind is Kind.TIMESTAMP:
        return value * DAY
    return value


def array(values: list[Any], of: Primitive) -> pa.Array:
    kind = arrow_type(of)
    plain = [value.bytes if isinstance(value, UUID) else value for value in values]
    return pa.array(plain, kind)


def literal(of: Primitive, value: Any) -> Literal:
    """Return the value as a literal of a filter."""
    match of.kind:
        case Kind.BOOLEAN:
            return Literal(value, "boolean")
        case Kind.INT | Kind.LONG:
            return Literal(value, "integer")
        case Kind.FLOAT | Kind.DOUBLE:
            return Literal(value, "float")
        case Kind.DECIMAL:
            return Literal(value, "decimal")
        case Kind.DATE:
            return Literal(value, "date")
        case Kind.TIME:
            return Literal(value, "time")
        case Kind.STRING:
            return Literal(value, "string")
        case Kind.BINARY | Kind.FIXED:
            return Literal(value, "binary")
        case Kind.UUID:
            return Literal(value, "uuid")
    zoned = of.kind is Kind.TIMESTAMPTZ
    text = str(np.datetime_as_string(np.datetime64(value, of.unit))) + ("+00:00" if zoned else "")
    return Literal(text, "timestamptz" if zoned else "timestamp")
