"""Spark's filters as SQL: the server parses the same meaning, and filters without an exact form are left out."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Decimal

import pytest

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive, StructType
from lakemuster.predicates import BoundAnd, BoundLeaf, BoundOr, Op, bind
from lakemuster.predicates.row_evaluation import matches
from lakemuster.predicates.sql import parse_sql
from lakemuster.spark.filter_sql import filter_to_sql, filters_to_sql, rounded_columns


# The same classes as in ``pyspark.sql.datasource``.
@dataclass(frozen=True)
class OfColumn:
    attribute: tuple[str, ...]


@dataclass(frozen=True)
class OfValue(OfColumn):
    value: object


class IsNull(OfColumn): ...


class IsNotNull(OfColumn): ...


class EqualTo(OfValue): ...


class EqualNullSafe(OfValue): ...


class GreaterThan(OfValue): ...


class GreaterThanOrEqual(OfValue): ...


class LessThan(OfValue): ...


class LessThanOrEqual(OfValue): ...


class In(OfValue): ...


class StringStartsWith(OfValue): ...


class StringEndsWith(OfValue): ...


@dataclass(frozen=True)
class Not:
    child: object


KINDS = {
    "id": Primitive(Kind.LONG, "long"),
    "flag": Primitive(Kind.BOOLEAN, "boolean"),
    "ratio": Primitive(Kind.DOUBLE, "double"),
    "price": Primitive(Kind.DECIMAL, "decimal(9, 2)", precision=9, scale=2),
    "name": Primitive(Kind.STRING, "string"),
    "blob": Primitive(Kind.BINARY, "binary"),
    "day": Primitive(Kind.DATE, "date"),
    "local": Primitive(Kind.TIMESTAMP, "timestamp"),
    "instant": Primitive(Kind.TIMESTAMPTZ, "timestamptz"),
    'odd "näme`': Primitive(Kind.INT, "int"),
}
FIELDS = tuple(Field(number, name, kind) for number, (name, kind) in enumerate(KINDS.items(), 1))
PLACE = Field(50, "place", StructType((Field(51, "lat", Primitive(Kind.DOUBLE, "double")),)))
SCHEMA = Schema(0, (*FIELDS, PLACE))

ASKED = [
    (EqualTo(("id",), 3), Op.EQ, (3,)),
    (LessThan(("id",), -(2**63)), None, ()),
    (GreaterThan(("price",), Decimal("10.25")), Op.GT, (Decimal("10.25"),)),
    (In(("id",), (1, None, 2)), Op.IN, (1, 2)),
    (In(("name",), ("it's", "é𝄞")), Op.IN, ("it's", "é𝄞")),
    (Not(In(("id",), (1, 2))), Op.NOT_IN, (1, 2)),
    (EqualTo(("flag",), True), Op.EQ, (True,)),
    (Not(EqualTo(("flag",), True)), Op.NOT_EQ, (True,)),
    (LessThanOrEqual(("ratio",), 1e300), Op.LT_EQ, (1e300,)),
    (EqualTo(("ratio",), 0.1), Op.EQ, (0.1,)),
    (EqualTo(("blob",), b"\x00x"), Op.EQ, (b"\x00x",)),
    (LessThan(("day",), dt.date(1969, 12, 31)), Op.LT, (-1,)),
    (GreaterThanOrEqual(("local",), dt.datetime.fromisoformat("1970-01-01T00:00:01.000005")), Op.GT_EQ, (1_000_005,)),
    (
        EqualTo(("instant",), dt.datetime(1970, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
        Op.EQ,
        (3_600_000_000,),
    ),
    (EqualTo(('odd "näme`',), 1), Op.EQ, (1,)),
    (EqualTo(("place", "lat"), 2.5), Op.EQ, (2.5,)),
    (StringStartsWith(("name",), "a'b%"), Op.STARTS_WITH, ("a'b%",)),
    (Not(StringStartsWith(("name",), "ab")), Op.NOT_STARTS_WITH, ("ab",)),
    (IsNull(("place", "lat")), Op.IS_NULL, ()),
    (Not(IsNull(("id",))), Op.NOT_NULL, ()),
    (IsNotNull(("id",)), Op.NOT_NULL, ()),
]


@pytest.mark.parametrize(("asked", "op", "values"), ASKED, ids=lambda one: str(one)[:50])
def test_the_server_reads_what_spark_asks(asked, op, values):
    text = filter_to_sql(asked)
    assert text is not None
    bound = bind(parse_sql(text), SCHEMA)
    if op is None:
        return
    assert isinstance(bound, BoundLeaf), bound
    assert (bound.op, bound.values) == (op, values)


def test_nan_is_never_lost():
    assert bind(parse_sql(filter_to_sql(EqualTo(("ratio",), math.nan)) or ""), SCHEMA).op is Op.IS_NAN
    above = bind(parse_sql(filter_to_sql(GreaterThan(("ratio",), 5.0)) or ""), SCHEMA)
    assert isinstance(above, BoundOr)
    assert {leaf.op for leaf in above.children} == {Op.GT, Op.IS_NAN}


def test_null_safe_equality():
    same = bind(parse_sql(filter_to_sql(EqualNullSafe(("id",), 4)) or ""), SCHEMA)
    assert isinstance(same, BoundAnd)
    other = bind(parse_sql(filter_to_sql(Not(EqualNullSafe(("id",), 4))) or ""), SCHEMA)
    assert isinstance(other, BoundOr)
    assert {leaf.op for leaf in other.children} == {Op.IS_NULL, Op.NOT_EQ}


@pytest.mark.parametrize(
    "asked",
    [
        StringEndsWith(("name",), "x"),
        Not(In(("id",), (1, None))),
        EqualTo(("a.b",), 1),
        EqualTo((), 1),
        EqualTo(("id",), None),
        EqualTo(("words",), ["a"]),
        EqualTo(("name",), "\ud800"),
        EqualTo(("price",), Decimal("NaN")),
        In(("id",), ()),
        In(("id",), (None,)),
        Not(Not(EqualTo(("id",), 1))),
        dt.date(2024, 1, 1),
    ],
    ids=str,
)
def test_what_is_not_surely_the_same_is_left_out(asked):
    assert filter_to_sql(asked) is None


def test_several_are_all_asked():
    assert filters_to_sql([EqualTo(("id",), 1), StringEndsWith(("name",), "x"), IsNull(("day",))]) == (
        '"id" = 1 AND "day" IS NULL'
    )
    assert filters_to_sql([StringEndsWith(("name",), "x")]) is None


FINE = Schema(
    0,
    (
        Field(1, "id", Primitive(Kind.LONG, "BIGINT")),
        Field(2, "at", Primitive(Kind.TIMESTAMP, "TIMESTAMP(9)", precision=9, unit="ns")),
        Field(3, "zoned", Primitive(Kind.TIMESTAMPTZ, "TIMESTAMP_LTZ(9)", precision=9, unit="ns")),
    ),
)
"""Columns of Paimon, whose nanoseconds are rounded down for Spark."""
SECOND = dt.datetime.fromisoformat("1969-12-31T23:59:58.000005")
NANOSECOND = -1_999_995_000
LAST = dt.datetime.fromisoformat("9999-12-31T23:59:59.999999")
ROUNDED = [
    (EqualTo(("at",), SECOND), [False, True, True, False, False]),
    (EqualNullSafe(("at",), SECOND), [False, True, True, False, False]),
    (LessThan(("at",), SECOND), [True, False, False, False, False]),
    (LessThanOrEqual(("at",), SECOND), [True, True, True, False, False]),
    (GreaterThan(("at",), SECOND), [False, False, False, True, False]),
    (GreaterThanOrEqual(("at",), SECOND), [False, True, True, True, False]),
    (In(("at",), (SECOND, None, SECOND.replace(year=2024))), [False, True, True, False, False]),
    (Not(EqualTo(("at",), SECOND)), [True, False, False, True, False]),
    (Not(EqualNullSafe(("at",), SECOND)), [True, False, False, True, True]),
    (Not(In(("at",), (SECOND,))), [True, False, False, True, False]),
    (Not(LessThanOrEqual(("at",), SECOND)), [False, False, False, True, False]),
    (Not(GreaterThan(("at",), SECOND)), [True, True, True, False, False]),
    (EqualTo(("zoned",), SECOND.replace(tzinfo=dt.UTC)), [False, True, True, False, False]),
]


@pytest.mark.parametrize(("asked", "expected"), ROUNDED, ids=lambda one: str(one)[:60])
def test_comparisons_with_a_microsecond_hold_for_its_nanoseconds(asked, expected):
    assert rounded_columns(FINE) == {"at", "zoned"}
    bound = bind(parse_sql(filter_to_sql(asked, rounded_columns(FINE)) or ""), FINE)
    values = [NANOSECOND - 1, NANOSECOND, NANOSECOND + 999, NANOSECOND + 1000, None]
    assert [matches(bound, {2: value, 3: value}) is True for value in values] == expected


def test_a_microsecond_without_a_successor_is_left_out():
    assert filter_to_sql(EqualTo(("at",), LAST), {"at"}) is None
    assert filter_to_sql(In(("at",), (SECOND, LAST)), {"at"}) is None
    assert filter_to_sql(IsNull(("at",)), {"at"}) == '"at" IS NULL'
