"""Constants that engines read differently: the bound comparison holds wherever one of the readings does."""

from __future__ import annotations

import pytest

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.predicates import FALSE, AlwaysFalse, BoundLeaf, Op, Opaque, bind
from lakemuster.predicates.sql import parse_sql

TYPES = {
    "i": Primitive(Kind.INT, "int"),
    "f": Primitive(Kind.FLOAT, "float"),
    "x": Primitive(Kind.DOUBLE, "double"),
    "d": Primitive(Kind.DECIMAL, "decimal(4,1)", precision=4, scale=1),
    "big": Primitive(Kind.DECIMAL, "decimal(38,10)", precision=38, scale=10),
    "day": Primitive(Kind.DATE, "date"),
    "t": Primitive(Kind.TIME, "time"),
    "ts": Primitive(Kind.TIMESTAMP, "timestamp"),
    "ms": Primitive(Kind.TIMESTAMP, "TIMESTAMP(3)", unit="ms"),
    "tz": Primitive(Kind.TIMESTAMPTZ, "timestamptz"),
}
IDS = {name: number for number, name in enumerate(TYPES, 1)}
SCHEMA = Schema(0, tuple(Field(IDS[name], name, of) for name, of in TYPES.items()))
MICROS = 1_577_836_800_000_000  # 2020-01-01
SINGLE = 1.100000023841858  # the 4-byte value nearest to 1.1


@pytest.mark.parametrize(
    ("text", "op", "values", "maybe"),
    [
        ("ts < '2020-01-01 00:00:00.0000015'", Op.LT_EQ, (MICROS + 1,), True),
        ("ts <= '2020-01-01 00:00:00.0000015'", Op.LT_EQ, (MICROS + 1,), False),
        ("ts > '2020-01-01 00:00:00.0000015'", Op.GT, (MICROS + 1,), False),
        ("ts >= '2020-01-01 00:00:00.0000015'", Op.GT_EQ, (MICROS + 1,), True),
        ("tz = '2020-01-01 00:00:00.0000015Z'", Op.EQ, (MICROS + 1,), True),
        ("ts != '2020-01-01 00:00:00.0000015'", Op.NOT_NULL, (), True),
        ("ts NOT IN ('2020-01-01', '2020-01-01 00:00:00.0000015')", Op.NOT_EQ, (MICROS,), True),
        ("t < '23:59:59.9999999'", Op.NOT_NULL, (), True),
        ("ms >= '2020-01-01 00:00:00.0010007'", Op.GT_EQ, (MICROS // 1000 + 1,), True),
        ("f NOT IN (1.1)", Op.NOT_NULL, (), True),
        ("f NOT IN (1.1, 2)", Op.NOT_EQ, (2.0,), True),
        ("x = 0.5F", Op.EQ, (0.5,), False),
        ("x = 1.1F", Op.EQ, (SINGLE,), True),
        ("x = CAST(1.1 AS REAL)", Op.EQ, (SINGLE,), True),
        ("x = 1.1e0::FLOAT", Op.EQ, (SINGLE,), True),
        ("i = 5F", Op.EQ, (5,), False),
    ],
)
def test_a_comparison_holds_wherever_a_reading_does(text: str, op: Op, values: tuple[object, ...], maybe: bool) -> None:
    found = bind(parse_sql(text), SCHEMA)
    assert isinstance(found, BoundLeaf)
    assert (found.op, found.values, found.maybe) == (op, values, maybe)


@pytest.mark.parametrize(
    "text", ["i >= 5." + "0" * 29 + "1", "d = 1.2" + "0" * 40 + "1", "d = 9.9" + "0" * 40 + "1", "big < 0." + "1" * 11]
)
def test_decimals_beyond_38_digits_are_not_compared(text: str) -> None:
    found = bind(parse_sql(text), SCHEMA)
    assert isinstance(found, Opaque)
    assert "more exact than the constant as a floating" in found.reason
    for same in ("i >= 5." + "0" * 27 + "1", "i < 5." + "3" * 40, "NOT i = 5." + "0" * 40):
        assert isinstance(bind(parse_sql(same), SCHEMA), BoundLeaf)


def test_readings_that_agree_are_exact() -> None:
    found = bind(parse_sql("ms = '2020-01-01 00:00:00.0015007'"), SCHEMA)
    assert isinstance(found, AlwaysFalse)
    assert found == FALSE


@pytest.mark.parametrize("text", ["big = 0.5F", "i >= CAST(16777216 AS REAL)", "d = 1.1F"])
def test_values_that_a_4_byte_constant_may_not_tell_apart_are_not_compared(text: str) -> None:
    found = bind(parse_sql(text), SCHEMA)
    assert isinstance(found, Opaque)
    assert "more exact than the constant as a floating" in found.reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ts >= DATE '2020-01-01 10:00:00'", "not a date such as"),
        ("tz >= CAST('2020-1-1 1:00' AS DATE)", "not a date such as"),
        ("day = TIMESTAMP '2020-01-01 00:00:00+01:00'", "the constant has a time zone, and dates have none"),
    ],
)
def test_constants_of_two_meanings_are_refused(text: str, said: str) -> None:
    with pytest.raises(FilterInvalid, match=said):
        bind(parse_sql(text), SCHEMA)
