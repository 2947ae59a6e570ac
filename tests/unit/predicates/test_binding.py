"""Binding of names, constants and NOT, and the texts of bound predicates."""

import math
import struct
from decimal import Decimal
from uuid import UUID

import pytest

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType
from lakemuster.predicates import (
    FALSE,
    TRUE,
    And,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Leaf,
    Literal,
    Not,
    Op,
    Opaque,
    Or,
    all_of,
    any_of,
    bind,
    conjuncts,
    matches,
    references,
    text_of,
)
from lakemuster.predicates.sql import parse_sql
from tests.pace import assert_takes_less

TYPES = {
    "flag": Primitive(Kind.BOOLEAN, "boolean"),
    "tiny": Primitive(Kind.TINYINT, "TINYINT"),
    "i": Primitive(Kind.INT, "int"),
    "l": Primitive(Kind.LONG, "long"),
    "f": Primitive(Kind.FLOAT, "float"),
    "x": Primitive(Kind.DOUBLE, "double"),
    "d": Primitive(Kind.DECIMAL, "decimal(4,1)", precision=4, scale=1),
    "big": Primitive(Kind.DECIMAL, "decimal(38,10)", precision=38, scale=10),
    "day": Primitive(Kind.DATE, "date"),
    "t": Primitive(Kind.TIME, "time"),
    "ts": Primitive(Kind.TIMESTAMP, "timestamp"),
    "ts_ms": Primitive(Kind.TIMESTAMP, "TIMESTAMP(3)", unit="ms"),
    "ts_ns": Primitive(Kind.TIMESTAMP, "timestamp_ns", unit="ns"),
    "tz": Primitive(Kind.TIMESTAMPTZ, "timestamptz"),
    "s": Primitive(Kind.STRING, "string"),
    "u": Primitive(Kind.UUID, "uuid"),
    "b": Primitive(Kind.BINARY, "binary"),
    "fx": Primitive(Kind.FIXED, "fixed[2]", length=2),
    "v": Primitive(Kind.VARIANT, "variant"),
}
IDS = {name: number for number, name in enumerate(TYPES, 1)}
NESTED = (
    Field(50, "person", StructType((Field(51, "name", TYPES["s"]), Field(52, "Age", TYPES["i"])))),
    Field(60, "tags", ListType(Field(61, "element", StructType((Field(62, "k", TYPES["s"]),))))),
    Field(70, "m", MapType(Field(71, "key", TYPES["s"]), Field(72, "value", TYPES["i"]))),
    Field(80, "dotted.name", TYPES["i"]),
)
SCHEMA = Schema(0, tuple(Field(IDS[name], name, of) for name, of in TYPES.items()) + NESTED)


def bound(text: str, **options):
    return bind(parse_sql(text), SCHEMA, **options)


def leaf(name: str, op: Op, *values, **rest) -> BoundLeaf:
    return BoundLeaf(op, IDS[name], name, TYPES[name], values, **rest)


def plain(found):
    """Return a bound predicate without the filter's text."""
    match found:
        case BoundAnd(children=children) | BoundOr(children=children):
            return type(found)(tuple(map(plain, children)))
        case BoundLeaf():
            return BoundLeaf(found.op, found.field_id, found.name, found.type, found.values, found.transform,
                             nulls=found.nulls, maybe=found.maybe)  # fmt: skip
    return found


DAYS = 18262  # 2020-01-01
MICROS = DAYS * 86_400_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i < 5", leaf("i", Op.LT, 5)),
        ("i < 5.5", leaf("i", Op.LT_EQ, 5)),
        ("i <= 5.5", leaf("i", Op.LT_EQ, 5)),
        ("i > 5.5", leaf("i", Op.GT, 5)),
        ("i >= 5.5", leaf("i", Op.GT, 5)),
        ("i >= -5.5", leaf("i", Op.GT, -6)),
        ("i = 5.0", leaf("i", Op.EQ, 5)),
        ("i = 5.5", FALSE),
        ("i != 5.5", leaf("i", Op.NOT_NULL)),
        ("i = 3000000000", FALSE),
        ("i != 3000000000", leaf("i", Op.NOT_NULL)),
        ("i < 3000000000", leaf("i", Op.NOT_NULL)),
        ("i > 3000000000", FALSE),
        ("NOT i > 3000000000", leaf("i", Op.NOT_NULL)),
        ("i > -3000000000", leaf("i", Op.NOT_NULL)),
        ("i <= 2147483647", leaf("i", Op.NOT_NULL)),
        ("i < -2147483648", FALSE),
        ("i >= -2147483648", leaf("i", Op.NOT_NULL)),
        ("tiny = 128", FALSE),
        ("tiny >= 127", leaf("tiny", Op.GT_EQ, 127)),
        ("l > 1e30", FALSE),
        ("i = 1e999999999", FALSE),
        ("i < 0." + 300 * "0" + "1", leaf("i", Op.LT_EQ, 0)),
        ("i > -0." + 300 * "0" + "1", leaf("i", Op.GT, -1)),
        ("d < 1.25", leaf("d", Op.LT_EQ, Decimal("1.2"))),
        ("d > -1.25", leaf("d", Op.GT, Decimal("-1.3"))),
        ("d = 1.20", leaf("d", Op.EQ, Decimal("1.2"))),
        ("d = 1", leaf("d", Op.EQ, Decimal("1.0"))),
        ("d = DECIMAL '1.2'", leaf("d", Op.EQ, Decimal("1.2"))),
        ("d < 1000", leaf("d", Op.NOT_NULL)),
        ("d = 1.2e0", leaf("d", Op.EQ, Decimal("1.2"))),
        ("x = -0.0", leaf("x", Op.EQ, 0.0)),
        ("x <= 1", leaf("x", Op.LT_EQ, 1.0)),
        ("x IN (1, 2.5, 1.0)", leaf("x", Op.IN, 1.0, 2.5)),
        ("f = 0.5", leaf("f", Op.EQ, 0.5)),
        ("day = '2020-01-01'", leaf("day", Op.EQ, DAYS)),
        ("day = DATE '2020-01-01'", leaf("day", Op.EQ, DAYS)),
        ("day = DATE('2020-01-01')", leaf("day", Op.EQ, DAYS)),
        ("day >= TIMESTAMP '2020-01-01 10:00:00'", leaf("day", Op.GT, DAYS)),
        ("day < TIMESTAMP '2020-01-01 00:00:00'", leaf("day", Op.LT, DAYS)),
        ("t < '00:00:01'", leaf("t", Op.LT, 1_000_000)),
        ("t >= TIME '00:00:00'", leaf("t", Op.NOT_NULL)),
        ("ts = '2020-01-01'", leaf("ts", Op.EQ, MICROS)),
        ("ts = DATE '2020-01-01'", leaf("ts", Op.EQ, MICROS)),
        ("ts >= '2020-01-01T00:00:00.000001'", leaf("ts", Op.GT_EQ, MICROS + 1)),
        ("ts_ms < '2020-01-01 00:00:00.0015'", leaf("ts_ms", Op.LT_EQ, MICROS // 1000 + 1)),
        ("ts_ns = '2020-01-01 00:00:00.000000001'", leaf("ts_ns", Op.EQ, MICROS * 1000 + 1)),
        ("ts_ns < '9999-01-01'", leaf("ts_ns", Op.NOT_NULL)),
        ("tz = '2020-01-01 00:00:00'", leaf("tz", Op.EQ, MICROS)),
        ("tz = '2020-01-01 01:00:00+01:00'", leaf("tz", Op.EQ, MICROS)),
        ("tz = TIMESTAMPTZ '2019-12-31 22:00:00 -02:00'", leaf("tz", Op.EQ, MICROS)),
        ("tz = TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00'", leaf("tz", Op.EQ, MICROS)),
        ("s > 'a'", leaf("s", Op.GT, "a")),
        ("s < ''", FALSE),
        ("s >= ''", leaf("s", Op.NOT_NULL)),
        ("s LIKE '%'", leaf("s", Op.NOT_NULL)),
        ("s NOT LIKE '%'", FALSE),
        ("s LIKE 'ab%'", leaf("s", Op.STARTS_WITH, "ab")),
        ("s NOT LIKE 'ab%'", leaf("s", Op.NOT_STARTS_WITH, "ab")),
        ("s LIKE 'ab'", leaf("s", Op.EQ, "ab")),
        ("s IN ('b', 'a', 'b')", leaf("s", Op.IN, "a", "b")),
        ("s IN ('b', NULL)", leaf("s", Op.EQ, "b")),
        ("s NOT IN ('b')", leaf("s", Op.NOT_EQ, "b")),
        ("s NOT IN ('b', NULL)", FALSE),
        ("NOT s IN (NULL)", FALSE),
        ("i IN (5.5, 3000000000)", FALSE),
        ("i NOT IN (5.5, 3000000000)", leaf("i", Op.NOT_NULL)),
        ("i NOT IN (5.5, 7)", leaf("i", Op.NOT_EQ, 7)),
        ("u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", leaf("u", Op.EQ, UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"))),
        ("b = X'00FF'", leaf("b", Op.EQ, b"\x00\xff")),
        ("b < X''", FALSE),
        ("b < X'0000'", leaf("b", Op.LT, b"\x00\x00")),
        ("fx = X'00'", FALSE),
        ("fx <= X'01'", leaf("fx", Op.LT, b"\x01\x00")),
        ("fx > X'01'", leaf("fx", Op.GT_EQ, b"\x01\x00")),
        ("fx < X'010203'", leaf("fx", Op.LT_EQ, b"\x01\x02")),
        ("fx >= X'010203'", leaf("fx", Op.GT, b"\x01\x02")),
        ("fx >= X'00'", leaf("fx", Op.NOT_NULL)),
        ("flag", leaf("flag", Op.EQ, True)),
        ("NOT flag", leaf("flag", Op.NOT_EQ, True)),
        ("flag IS NOT TRUE", BoundOr((leaf("flag", Op.IS_NULL), leaf("flag", Op.NOT_EQ, True)))),
        ("i = NULL", FALSE),
        ("NOT i = NULL", FALSE),
        ("i <=> NULL", leaf("i", Op.IS_NULL)),
        ("i IS DISTINCT FROM 1", BoundOr((leaf("i", Op.IS_NULL), leaf("i", Op.NOT_EQ, 1)))),
        ("NOT (i IS NULL)", leaf("i", Op.NOT_NULL)),
        ("x IS NAN", leaf("x", Op.IS_NAN)),
        ("NOT is_nan(x)", leaf("x", Op.NOT_NAN)),
        ("i BETWEEN 1 AND 2.5", BoundAnd((leaf("i", Op.GT_EQ, 1), leaf("i", Op.LT_EQ, 2)))),
        ("i NOT BETWEEN 1 AND 2", BoundOr((leaf("i", Op.LT, 1), leaf("i", Op.GT, 2)))),
        ("NOT (i < 1 OR i = 7)", BoundAnd((leaf("i", Op.GT_EQ, 1), leaf("i", Op.NOT_EQ, 7)))),
        ("NOT NOT i < 1", leaf("i", Op.LT, 1)),
        ("i < 1 AND NULL", FALSE),
        ("i < 1 OR NULL", leaf("i", Op.LT, 1)),
        ("NOT (i < 1 OR NULL)", FALSE),
        ("i < 1 AND TRUE", leaf("i", Op.LT, 1)),
        ("NOT (i < 1 AND TRUE)", leaf("i", Op.GT_EQ, 1)),
        ("bucket(16, i) = 3", leaf("i", Op.EQ, 3, transform="bucket[16]")),
        ("days(ts) < '2020-01-01'", leaf("ts", Op.LT, DAYS, transform="day")),
        ("v IS NULL", leaf("v", Op.IS_NULL)),
        # engines differ on NaN; no row that matches in one of them is lost
        ("x > 5", BoundOr((leaf("x", Op.GT, 5.0), leaf("x", Op.IS_NAN, maybe=True)))),
        ("NOT x < 5", BoundOr((leaf("x", Op.GT_EQ, 5.0), leaf("x", Op.IS_NAN)))),
        ("NOT x > 5", BoundOr((leaf("x", Op.LT_EQ, 5.0), leaf("x", Op.IS_NAN, maybe=True)))),
        ("x < 5", leaf("x", Op.LT, 5.0)),
        ("x > 1 AND x < 5", BoundAnd((leaf("x", Op.GT, 1.0), leaf("x", Op.LT, 5.0)))),
        (
            "x > 1 AND i = 1",
            BoundAnd((BoundOr((leaf("x", Op.GT, 1.0), leaf("x", Op.IS_NAN, maybe=True))), leaf("i", Op.EQ, 1))),
        ),
        (
            "x > 1 AND x != 5",
            BoundAnd((BoundOr((leaf("x", Op.GT, 1.0), leaf("x", Op.IS_NAN, maybe=True))), leaf("x", Op.NOT_EQ, 5.0))),
        ),
        ("x != 5", leaf("x", Op.NOT_EQ, 5.0)),
        ("x = 'NaN'::double", leaf("x", Op.IS_NAN, maybe=True)),
        ("x IN (1e0, CAST('NaN' AS DOUBLE))", BoundOr((leaf("x", Op.EQ, 1.0), leaf("x", Op.IS_NAN, maybe=True)))),
        ("NOT x > 'NaN'::double", leaf("x", Op.NOT_NULL)),
    ],
)  # fmt: skip
def test_comparisons_become_those_of_the_columns_type(text, expected):
    assert plain(bound(text)) == expected


def test_iceberg_lets_null_match_negations():
    assert plain(bound("i != 5", negations_match_null=True)) == leaf("i", Op.NOT_EQ, 5, nulls=True)
    assert plain(bound("NOT i IN (5, 6)", negations_match_null=True)) == leaf("i", Op.NOT_IN, 5, 6, nulls=True)
    assert bound("i != 5.5", negations_match_null=True) == TRUE
    assert plain(bound("s NOT LIKE '%'", negations_match_null=True)) == leaf("s", Op.IS_NULL)
    assert plain(bound("i < 5", negations_match_null=True)) == leaf("i", Op.LT, 5)
    assert matches(bound("i != 5", negations_match_null=True), {}) is True
    assert matches(bound("i != 5"), {}) is None


NUMBERS = (leaf("x", Op.NOT_NULL), leaf("x", Op.NOT_NAN))
IS_NAN = leaf("x", Op.IS_NAN)
MAYBE_NAN = leaf("x", Op.IS_NAN, maybe=True)


@pytest.mark.parametrize(
    ("text", "unordered", "greatest", "union", "none"),
    [
        ("x > 5", "GT", "GT|NAN", "GT|maybe", "GT"),
        ("x >= 5", "GT_EQ", "GT_EQ|NAN", "GT_EQ|maybe", "GT_EQ"),
        ("x < 5", "LT", "LT", "LT", "LT"),
        ("x <= 5", "LT_EQ", "LT_EQ", "LT_EQ", "LT_EQ"),
        ("x = 5", "EQ", "EQ", "EQ", "EQ"),
        ("x != 5", "NOT_EQ", "NOT_EQ", "NOT_EQ", "NOT_EQ"),
        ("NOT x > 5", "LT_EQ|NAN", "LT_EQ", "LT_EQ|maybe", "LT_EQ"),
        ("NOT x >= 5", "LT|NAN", "LT", "LT|maybe", "LT"),
        ("NOT x < 5", "GT_EQ|NAN", "GT_EQ|NAN", "GT_EQ|NAN", "GT_EQ"),
        ("NOT x <= 5", "GT|NAN", "GT|NAN", "GT|NAN", "GT"),
        ("NOT x = 5", "NOT_EQ", "NOT_EQ", "NOT_EQ", "NOT_EQ"),
        ("NOT NOT x > 5", "GT", "GT|NAN", "GT|maybe", "GT"),
    ],
)
def test_a_mode_fixes_what_a_comparison_says_of_nan_before_not_is_pushed_down(text, unordered, greatest, union, none):
    for mode, expected in (("unordered", unordered), ("greatest", greatest), ("any", union), ("none", none)):
        name, _, nan = expected.partition("|")
        main = leaf("x", Op[name], 5.0)
        whole = any_of((main, *([] if not nan else [IS_NAN if nan == "NAN" else MAYBE_NAN])))
        assert plain(bound(text, nan=mode)) == whole, mode


@pytest.mark.parametrize(
    ("text", "unordered", "greatest"),
    [
        ("x = nan", FALSE, IS_NAN),
        ("x != nan", leaf("x", Op.NOT_NULL), BoundAnd(NUMBERS)),
        ("x < nan", FALSE, BoundAnd(NUMBERS)),
        ("x <= nan", FALSE, leaf("x", Op.NOT_NULL)),
        ("x > nan", FALSE, FALSE),
        ("x >= nan", FALSE, IS_NAN),
        ("NOT x = nan", leaf("x", Op.NOT_NULL), BoundAnd(NUMBERS)),
        ("NOT x != nan", FALSE, IS_NAN),
        ("NOT x < nan", leaf("x", Op.NOT_NULL), IS_NAN),
        ("NOT x <= nan", leaf("x", Op.NOT_NULL), FALSE),
        ("NOT x > nan", leaf("x", Op.NOT_NULL), leaf("x", Op.NOT_NULL)),
        ("NOT x >= nan", leaf("x", Op.NOT_NULL), BoundAnd(NUMBERS)),
        ("x IN (1, nan)", leaf("x", Op.EQ, 1.0), BoundOr((leaf("x", Op.EQ, 1.0), IS_NAN))),
        (
            "x NOT IN (1, nan)",
            leaf("x", Op.NOT_EQ, 1.0),
            BoundAnd((leaf("x", Op.NOT_EQ, 1.0), leaf("x", Op.NOT_NAN))),
        ),
    ],
)
def test_nan_as_the_constant(text, unordered, greatest):
    written = text.replace("nan", "'NaN'::double")
    assert plain(bound(written, nan="unordered")) == unordered
    assert plain(bound(written, nan="greatest")) == greatest
    assert plain(bound(written, nan="none")) == greatest


@pytest.mark.parametrize("mode", ["any", "greatest", "unordered", "none"])
def test_is_nan_is_the_same_in_every_mode(mode):
    assert plain(bound("x IS NAN", nan=mode)) == IS_NAN
    assert plain(bound("NOT x IS NAN", nan=mode)) == leaf("x", Op.NOT_NAN)
    assert plain(bound("x = -0.0e0", nan=mode)) == leaf("x", Op.EQ, 0.0)


def test_four_byte_floats_are_compared_as_engines_may():
    tenth = struct.unpack("<f", struct.pack("<f", 0.1))[0]  # above 0.1
    seven = struct.unpack("<f", struct.pack("<f", 0.7))[0]  # below 0.7
    assert tenth > 0.1
    assert seven < 0.7
    assert plain(bound("f < 0.1")) == leaf("f", Op.LT, tenth, maybe=True)
    assert plain(bound("f < 0.7")) == leaf("f", Op.LT_EQ, seven, maybe=True)
    assert plain(bound("f = 0.7")) == leaf("f", Op.EQ, seven, maybe=True)
    assert plain(bound("f != 0.7")) == leaf("f", Op.NOT_NULL, maybe=True)
    assert plain(bound("f < 1e300")) == leaf("f", Op.LT, math.inf, maybe=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope = 1", "column 'nope' not found"),
        ("I = 1", "did you mean 'i'"),
        ("person.nam = 'x'", "did you mean 'person.name'"),
        ("name = 'x'", "did you mean 'person.name'"),
        ("abs(nope) = 1", "column 'nope' not found (character 5)"),
        ('s = "y"', "single quotes"),
        ("i = 'x'", "a value of type int cannot be compared with the string 'x' (character 5)"),
        ("i IN (1, 'x')", "constant 2 of the list"),
        ("s = 1", "a value of type string cannot be compared with the integer 1"),
        ("s LIKE 1", "LIKE takes a text"),
        ("i LIKE 'a%'", "have no prefix"),
        ("i", "cannot be compared with the boolean True"),
        ("flag = 1", "boolean cannot be compared"),
        ("day = '2020-02-30'", "not a day of the calendar"),
        ("day = 'yesterday'", "not a date such as"),
        ("day = 5", "cannot be compared"),
        ("ts = '2020-01-01 00:00:00Z'", "has a time zone"),
        ("ts = TIMESTAMPTZ '2020-01-01 00:00:00'", "has a time zone"),
        ("ts = TIMESTAMP '2020-01-01 00:00:00+01:00'", "has a time zone"),
        ("ts = '2020-01-01 25:00:00'", "not a time of day"),
        ("t = '2020-01-01'", "not a time of day"),
        ("u = 'x'", "not a uuid"),
        ("b = 'abc'", "cannot be compared with the string"),
        ("i IS NAN", "which has no NaN"),
        ("i = 'NaN'::double", "NaN is not a value"),
        ("person = 1", "is a struct and cannot be compared"),
        ("tags = 1", "is a list and cannot be compared"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, said):
    with pytest.raises(FilterInvalid) as raised:
        bound(text)
    assert said in raised.value.message
    assert raised.value.code == "filter_invalid"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tags.element.k = 'x'", "inside a list or a map"),
        ("m.value = 1", "inside a list or a map"),
        ("tags IS NULL", "are not recorded"),
        ("v = 1", "cannot be compared"),
        ("abs(i) = 1", "abs() cannot prune"),
        ("i + 1 > 2", "not a comparison of a column with a constant"),
        ("i = l", "compared with each other"),
        ("s LIKE '%x'", "LIKE prunes only by the pattern's prefix"),
        ("l = 9007199254740992e0", "more exact than the constant as a floating"),
        ("d < 1.10000000000000000001e0", "more exact than the constant as a floating"),
        ("i < 1e-999999999", "more exact than the constant as a floating"),
        ("big = 1.1e0", "more exact than the constant as a floating"),
        ("bucket(0, i) = 1", "unknown transform 'bucket[0]' of type int"),
    ],
)
def test_what_cannot_prune_is_kept_with_a_reason(text, reason):
    for filter_text in (text, f"NOT ({text})"):
        found = bound(filter_text)
        assert isinstance(found, Opaque)
        assert reason in found.reason
        assert found.text == filter_text


def test_names():
    assert references(bound("person.name = 'x' AND i > 1 OR abs(l) = 1")) == {51, IDS["i"]}
    assert references(bound("PERSON.AGE = 1 AND I = 1", case_sensitive=False)) == {52, IDS["i"]}
    assert references(bound('"dotted.name" = 1')) == {80}
    twins = Schema(0, (Field(1, "a", TYPES["i"]), Field(2, "A", TYPES["i"])))
    assert references(bind(parse_sql("A = 1"), twins)) == {2}
    with pytest.raises(FilterInvalid, match="several columns: 'a', 'A'"):
        bind(parse_sql("a = 1"), twins, case_sensitive=False)


def test_words_of_conjuncts_are_the_callers():
    found = bound("i BETWEEN 1 AND 5 AND NOT (s = 'x' AND l=2) AND  x >  5 and abs(i) = 1")
    assert [text_of(part) for part in conjuncts(found)] == [
        "i BETWEEN 1 AND 5", "i BETWEEN 1 AND 5", "NOT (s = 'x' AND l=2)", "x >  5", "abs(i) = 1",
    ]  # fmt: skip
    assert text_of(bind(Leaf(Op.IN, "i", (Literal(1, "untyped"), Literal(2, "untyped"))), SCHEMA)) == "i IN (1, 2)"
    assert text_of(all_of([leaf("i", Op.LT, 1, text="a"), any_of([leaf("i", Op.LT, 2, text="b"), TRUE])])) == "a"
    assert conjuncts(TRUE) == ()
    assert text_of(TRUE) == "TRUE"


@pytest.mark.parametrize(
    "text",
    [
        "i BETWEEN 1 AND 5",
        "i NOT BETWEEN 1 AND 5",
        "s NOT LIKE 'a%b'",
        "i IS NOT DISTINCT FROM 3",
        "NOT i BETWEEN 1 AND 5",
    ],
)
def test_each_part_of_a_comparison_has_the_words_of_the_whole(text):
    found = bind(parse_sql(text), SCHEMA)
    assert {part.text for part in found.children} == {text}


def test_parts_of_a_negated_conjunction_have_their_own_words():
    found = bind(parse_sql("NOT (i = 1 AND s = 'a')"), SCHEMA)
    assert [part.text for part in found.children] == ["NOT (i = 1)", "NOT (s = 'a')"]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("day", DAYS, DAYS),
        ("day", "2020-01-01", DAYS),
        ("ts", MICROS, MICROS),
        ("ts_ns", MICROS, MICROS * 1000),
        ("tz", "2020-01-01T00:00:00+00:00", MICROS),
        ("d", "1.2", Decimal("1.2")),
        ("d", 1.2, Decimal("1.2")),
        ("u", "f79c3e09-677c-4bbd-a479-3f349cb785e7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
        ("b", "00ff", b"\x00\xff"),
        ("flag", True, True),
        ("x", 5, 5.0),
        ("s", "x", "x"),
    ],
)
def test_constants_without_a_type_take_the_columns(name, value, expected):
    found = bind(Leaf(Op.EQ, name, (Literal(value, "untyped"),)), SCHEMA)
    assert plain(found) == leaf(name, Op.EQ, expected)


def test_numbers_too_large_for_microseconds_may_be_nanoseconds():
    found = bind(Leaf(Op.GT_EQ, "ts_ns", (Literal(MICROS * 1000, "untyped"),)), SCHEMA)
    assert isinstance(found, Opaque)
    assert "may mean nanoseconds" in found.reason


def test_limits():
    deep = Leaf(Op.EQ, "i", (Literal(1, "integer"),))
    tree = deep
    for level in range(31):
        tree = And((tree, deep)) if level % 2 else Or((tree, deep))
    bind(tree, SCHEMA)
    with pytest.raises(FilterInvalid, match="levels deep"):
        bind(Not(tree), SCHEMA)
    chain = deep
    for _ in range(900):
        chain = And((chain, deep))
    assert len(conjuncts(bind(chain, SCHEMA))) == 901
    with pytest.raises(FilterInvalid, match="at most 1000"):
        bind(And((deep,) * 1000), SCHEMA)
    values = tuple(Literal(number, "integer") for number in range(20_000))
    bind(Leaf(Op.IN, "i", values), SCHEMA)
    with pytest.raises(FilterInvalid, match="20000 values"):
        bind(And((Leaf(Op.IN, "i", values), Leaf(Op.IN, "i", values[:1]))), SCHEMA)
    nots = deep
    for _ in range(100_000):
        nots = Not(nots)

    def refused() -> None:
        with pytest.raises(FilterInvalid, match="levels deep"):
            bind(nots, SCHEMA)

    assert_takes_less(refused, 0.05)


REQUIRED = Schema(
    1,
    (
        Field(1, "i", TYPES["i"], required=True),
        Field(2, "tags", ListType(Field(3, "element", TYPES["i"])), required=True),
        Field(4, "place", StructType((Field(5, "lat", TYPES["x"], required=True),))),
    ),
)


@pytest.mark.parametrize("text", ["i IS NULL", "NOT (i IS NOT NULL)", "tags IS NULL", "i IS NULL AND place.lat > 1"])
def test_no_row_of_a_required_column_is_null(text):
    assert bind(parse_sql(text), REQUIRED, history=(REQUIRED,)) == FALSE


def test_a_required_member_of_an_optional_struct_may_be_null():
    found = bind(parse_sql("place.lat IS NULL"), REQUIRED, history=(REQUIRED,))
    assert isinstance(found, BoundLeaf)
    assert found.op is Op.IS_NULL


def test_a_column_that_was_optional_once_may_be_null():
    optional = Schema(0, (Field(1, "i", TYPES["i"]),))
    found = bind(parse_sql("i IS NULL"), REQUIRED, history=(REQUIRED, optional))
    assert isinstance(found, BoundLeaf)
    assert found.op is Op.IS_NULL
    assert bind(parse_sql("i IS NULL"), REQUIRED) != FALSE
