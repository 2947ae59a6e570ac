"""Hypothesis strategies of predicates and rows over columns of every type."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.metadata.transforms import apply, transformed_type
from lakemuster.metadata.types import Kind
from lakemuster.metadata.values import json_value
from lakemuster.predicates import And, Leaf, Literal, Not, Op, Or

_FIRST, _LAST = -62135596800000000, 253402300799999999
"""Microseconds of the years 1 to 9999."""
VALUES: dict[str, list[Any]] = {
    "boolean": [False, True],
    "int": [-(2**31), -1, 0, 1, 2**31 - 1],
    "long": [-(2**63), -(2**53) - 1, -1, 0, 1, 2**53 + 1, 2**63 - 1],
    "float": [math.nan, -math.inf, -1.5, 0.0, 0.5, 3.4028234663852886e38, math.inf],
    "double": [math.nan, -math.inf, -1e300, -0.1, 0.0, 0.1, 1e22, math.inf],
    "decimal(9, 2)": [Decimal(text) for text in ("-9999999.99", "-0.01", "0.00", "12.30", "9999999.99")],
    "decimal(38, 10)": [Decimal(text) for text in ("-0.0000000001", "1.0000000000", "1234567890123456789.0123456789")],
    "date": [-719162, -1, 0, 19218, 2932896],
    "time": [0, 1, 86_399_999_999],
    "timestamp": [_FIRST, -1, 0, 1660471200123456, _LAST],
    "timestamptz": [_FIRST, -1, 0, 1660471200123456, _LAST],
    "timestamp_ns": [-1, 0, 1660471200123456789],
    "timestamptz_ns": [-1, 0, 1660471200123456789],
    "string": ["", "a", "ab", "abc", "b", 'quote " and \\', "é", "\U0001f600"],
    "uuid": [UUID(int=0), UUID(int=1 << 127), UUID("eb26bdb1-a1d8-4aa6-990e-da940875492c")],
    "fixed[2]": [b"\0\0", b"a\xff", b"\xff\xff"],
    "binary": [b"", b"a", b"ab", b"\xff"],
}
_TRANSFORMED = {
    "bucket[4]": {"int", "long", "decimal(9, 2)", "date", "time", "timestamp", "string", "uuid", "fixed[2]", "binary"},
    "truncate[2]": {"int", "long", "decimal(9, 2)", "string", "binary"},
    "year": {"date", "timestamp", "timestamptz"},
    "month": {"date", "timestamptz", "timestamp_ns"},
    "day": {"date", "timestamp", "timestamptz_ns"},
    "hour": {"timestamp", "timestamptz"},
}
_BITS = {Kind.INT: 32, Kind.LONG: 64}
_COMPARED = [Op.EQ, Op.NOT_EQ, Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ]

NAMES = {of: f"c{number}" for number, of in enumerate(VALUES, 1)}
_NESTED = {"type": "struct", "fields": [{"id": 51, "name": "x", "type": "long", "required": False}]}
COLUMNS = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        *({"id": int(name[1:]), "name": name, "type": of, "required": False} for of, name in NAMES.items()),
        {"id": 50, "name": "point", "required": False, "type": _NESTED},
    ],
}
SCHEMA = parse_schema(COLUMNS, "schema")
IDS = {**{name: int(name[1:]) for name in NAMES.values()}, "point.x": 51}
KNOWN = {**{name: VALUES[of] for of, name in NAMES.items()}, "point.x": VALUES["long"]}


def rows(names=tuple(KNOWN)):
    """Return a strategy of rows: values in internal form, or null, by field id."""
    return st.fixed_dictionaries({IDS[name]: st.none() | st.sampled_from(KNOWN[name]) for name in names})


@st.composite
def leaves(draw, names=tuple(KNOWN), transforms=True):
    """Draw a comparison with JSON literals of the column's type, except NaN, which only IS NAN tests for."""
    name = draw(st.sampled_from(names))
    of = SCHEMA.primitive(IDS[name])
    values = [value for value in KNOWN[name] if not (isinstance(value, float) and math.isnan(value))]
    transform = None
    fitting = [found for found, types in _TRANSFORMED.items() if of.text in types]
    if transforms and fitting and draw(st.integers(0, 3)) == 0:
        transform = draw(st.sampled_from(fitting))
        values = [apply(transform, of, value) for value in values]
        of = transformed_type(transform, of)
        values = [value for value in values if of.kind not in _BITS or -value <= 1 << (_BITS[of.kind] - 1)]
    unary = [Op.IS_NULL, Op.NOT_NULL, *([Op.IS_NAN, Op.NOT_NAN] if of.kind in (Kind.FLOAT, Kind.DOUBLE) else [])]
    prefixes = [Op.STARTS_WITH, Op.NOT_STARTS_WITH] if of.kind is Kind.STRING else []
    op = draw(st.sampled_from([*unary, *_COMPARED, *_COMPARED, Op.IN, Op.NOT_IN, *prefixes]))
    if op in unary:
        return Leaf(op, name, transform=transform)
    count = draw(st.integers(0, 4)) if op in (Op.IN, Op.NOT_IN) else 1
    chosen = [json_value(of, draw(st.sampled_from(values))) for _ in range(count)]
    return Leaf(op, name, tuple(Literal(value, "untyped") for value in chosen), transform)


def trees(names=tuple(KNOWN), transforms=True):
    """Return a strategy of predicates as clients may send them."""
    return st.recursive(
        leaves(names, transforms),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=4).map(lambda found: And(tuple(found)))
            | st.lists(inner, min_size=1, max_size=4).map(lambda found: Or(tuple(found)))
            | inner.map(Not)
        ),
        max_leaves=8,
    )
