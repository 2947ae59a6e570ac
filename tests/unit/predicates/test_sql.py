"""SQL text to predicates: parsed, opaque, and refused conditions, in bounded time."""

import logging
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import FALSE, TRUE, And, Leaf, Literal, Not, Opaque, Or, Unknown, sql_constants
from lakemuster.predicates.sql import parse_sql
from tests.examples import examples
from tests.pace import assert_takes_less


def shape(node):
    """Return a tree without source positions and text."""
    match node:
        case And(children=children):
            return ("and", *map(shape, children))
        case Or(children=children):
            return ("or", *map(shape, children))
        case Not(child=child):
            return ("not", shape(child))
        case Leaf():
            name = node.name if node.transform is None else f"{node.transform}:{node.name}"
            return (node.op.value, name, *(literal.value for literal in node.literals))
        case Opaque():
            return ("opaque", *(name for name, _ in node.names))
    return node


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", ("eq", "a", 1)),
        ("a == 1", ("eq", "a", 1)),
        ("a <> 1", ("not_eq", "a", 1)),
        ("a!=1", ("not_eq", "a", 1)),
        ("1 < a", ("gt", "a", 1)),
        ("1 >= a", ("lt_eq", "a", 1)),
        ("'x' = a", ("eq", "a", "x")),
        ("a = -1.5", ("eq", "a", Decimal("-1.5"))),
        ("a = + 2", ("eq", "a", 2)),
        ("a = .5", ("eq", "a", Decimal("0.5"))),
        ("a = 7L", ("eq", "a", 7)),
        ("a = 1.5D", ("eq", "a", Decimal("1.5"))),
        ("a = 'it''s'", ("eq", "a", "it's")),
        (r"a = 'c:\dir'", ("eq", "a", r"c:\dir")),
        ("a = X'0aFF'", ("eq", "a", b"\x0a\xff")),
        ("a = TRUE", ("eq", "a", True)),
        ("a in (1, -2, 'x', NULL, DATE '2020-01-01')", ("in", "a", 1, -2, "x", None, "2020-01-01")),
        ("a NOT IN (CAST('1' AS VARCHAR))", ("not", ("in", "a", "1"))),
        ("a BETWEEN 1 AND 2 AND b", ("and", ("and", ("gt_eq", "a", 1), ("lt_eq", "a", 2)), ("eq", "b", True))),
        ("a NOT BETWEEN 1 AND 2", ("not", ("and", ("gt_eq", "a", 1), ("lt_eq", "a", 2)))),
        ("a IS NULL", ("is_null", "a")),
        ("a IS NOT NULL", ("not_null", "a")),
        ("a is nan", ("is_nan", "a")),
        ("a IS NOT NAN", ("not_nan", "a")),
        ("is_nan(a)", ("is_nan", "a")),
        ("isnan(a.b)", ("is_nan", "a.b")),
        ("a IS TRUE", ("and", ("not_null", "a"), ("eq", "a", True))),
        ("a IS UNKNOWN", ("is_null", "a")),
        ("a IS NOT DISTINCT FROM 1", ("and", ("not_null", "a"), ("eq", "a", 1))),
        ("a LIKE 'x%'", ("starts_with", "a", "x")),
        ("a LIKE 'x%%'", ("starts_with", "a", "x")),
        ("a LIKE 'x'", ("eq", "a", "x")),
        ("a LIKE '10!%%' ESCAPE '!'", ("starts_with", "a", "10%")),
        ("a LIKE 'x!_' ESCAPE '!'", ("eq", "a", "x_")),
        ("a NOT LIKE 'x%'", ("not", ("starts_with", "a", "x"))),
        ("a LIKE 'x%y'", ("and", ("starts_with", "a", "x"), ("opaque", "a"))),
        (r"a LIKE 'x\%%'", ("and", ("starts_with", "a", "x"), ("opaque", "a"))),
        ("a LIKE '%x'", ("opaque", "a")),
        ("a LIKE NULL", Unknown()),
        ("starts_with(a, 'x')", ("starts_with", "a", "x")),
        ("NOT startswith(a, 'x')", ("not", ("starts_with", "a", "x"))),
        ("a AND NOT b OR c", ("or", ("and", ("eq", "a", True), ("not", ("eq", "b", True))), ("eq", "c", True))),
        ("a AND (b OR c)", ("and", ("eq", "a", True), ("or", ("eq", "b", True), ("eq", "c", True)))),
        ("NOT a = 1", ("not", ("eq", "a", 1))),
        ("((a)) = ((1))", ("eq", "a", 1)),
        ("TRUE", TRUE),
        ("1 = 2", FALSE),
        ("'a' < 'b'", TRUE),
        ("NULL", Unknown()),
        ("1 = NULL", Unknown()),
        ("DATE '2020-01-01' <= d", ("gt_eq", "d", "2020-01-01")),
        ("d = CAST('2020-01-01' AS DATE)", ("eq", "d", "2020-01-01")),
        ("d = '2020-01-01'::date", ("eq", "d", "2020-01-01")),
        ("d = '2020-01-01 10:00:00'::date", ("opaque", "d")),
        ("a = CAST(1.25 AS DECIMAL(9,1))", ("opaque", "a")),
        ("a = CAST(0.5 AS FLOAT)", ("eq", "a", 0.5)),
        ("a = CAST(127 AS TINYINT)", ("eq", "a", 127)),
        ("a = 128::TINYINT", ("opaque", "a")),
        ("a = CAST(-3000000000 AS INT)", ("opaque", "a")),
        ("a = CAST(12 AS DECIMAL)", ("eq", "a", 12)),
        ("a = CAST(1.5 AS DECIMAL)", ("opaque", "a")),
        ("a = DECIMAL '1.234'", ("eq", "a", "1.234")),
        ("a = DECIMAL '1.2345'", ("opaque", "a")),
        ("a IN (1, DECIMAL '1e-4')", ("opaque", "a")),
        ("abs(a) = DOUBLE '1.5'", ("opaque", "a")),
        ("a = 'abc'::VARCHAR(2)", ("opaque", "a")),
        ('"a b"."c""d" = 1', ("eq", 'a b.c"d', 1)),
        ("`a.b`.`c``d` = 1", ("eq", "a.b.c`d", 1)),
        ("a.b.c.d.e.f = 1", ("eq", "a.b.c.d.e.f", 1)),
        ("date = 1 AND timestamp = 2", ("and", ("eq", "date", 1), ("eq", "timestamp", 2))),
        ("end = 3 AND order = 4", ("and", ("eq", "end", 3), ("eq", "order", 4))),
        ("größe = 1", ("eq", "größe", 1)),
        ("a = 1 -- and b\n AND /* not * */ c = 2", ("and", ("eq", "a", 1), ("eq", "c", 2))),
        ("bucket(16, a) = 3", ("eq", "bucket[16]:a", 3)),
        ("truncate(4, a) = 'abcd'", ("eq", "truncate[4]:a", "abcd")),
        ("days(a) = 3", ("eq", "day:a", 3)),
        ("a + 1 > 2", ("opaque", "a")),
        ("abs(a.b) > 2 AND c = 1", ("and", ("opaque", "a.b"), ("eq", "c", 1))),
        ("CASE WHEN a AND b THEN c END AND d", ("and", ("opaque", "a", "b", "c"), ("eq", "d", True))),
        ("a BETWEEN b AND 3 AND c", ("and", ("opaque", "a", "b"), ("eq", "c", True))),
        ("a IN (SELECT x FROM t)", ("opaque",)),
        ("a IN (b, 1)", ("opaque", "a", "b")),
        ("m['k'] = 1", ("opaque", "m")),
        ("gap(day, a, b) > 1", ("opaque", "a", "b")),
        ("a ILIKE 'x%'", ("opaque", "a")),
        ("year(ts) = 2020", ("opaque", "ts")),
    ],
)  # fmt: skip
def test_text_becomes_a_tree(text, expected):
    assert shape(parse_sql(text)) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", "integer"),
        ("1.0", "decimal"),
        ("1e0", "float"),
        ("1D", "float"),
        ("1F", "single"),
        ("1::REAL", "single"),
        ("'x'", "string"),
        ("FALSE", "boolean"),
        ("X''", "binary"),
        ("DATE '2020-01-01'", "date"),
        ("TIME '10:00'", "time"),
        ("TIMESTAMP '2020-01-01'", "timestamp"),
        ("TIMESTAMP_NTZ '2020-01-01'", "timestamp"),
        ("TIMESTAMPTZ '2020-01-01'", "timestamptz"),
        ("TIMESTAMP WITH TIME ZONE '2020-01-01'", "timestamptz"),
        ("'x'::timestamp with time zone", "timestamptz"),
        ("UUID 'x'", "uuid"),
        ("DECIMAL '1.0'", "decimal"),
        ("'NaN'::double precision", "float"),
        ("NULL", "null"),
        ("NULL::int", "null"),
        ("5::double", "float"),
        ("99999999999999999999999999", "integer"),
    ],
)
def test_constants_have_kinds(text, kind):
    found = parse_sql(f"a = {text}")
    assert isinstance(found, Leaf)
    assert found.literals[0].kind == kind
    assert found.literals[0].where == "character 5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("  -- nothing", "ends where"),
        ("a = ", "'a =' cannot be read as a condition (character 1)"),
        ("a = 1 AND", "ends where a condition should follow"),
        ("a = 1 AND AND b", "'AND' is unexpected (character 11)"),
        ("a = 1 b = 2", "cannot be read"),
        ("a = 1; drop table t", "';' is unexpected (character 6)"),
        ("a = 'x", "a quote is never closed (character 5)"),
        ('a = "x', "a quote is never closed"),
        ("(a = 1", "'(' is never closed (character 1)"),
        ("a = 1)", "')' closes nothing (character 6)"),
        ("(a = 1]", "']' closes nothing"),
        ("a = 1 /* b /* c */ AND d = 2 -- */", "cannot be read as a condition"),
        ("a = X'0g'", "not hexadecimal (character 5)"),
        ("a IN ()", "IN takes at least one value (character 6)"),
        ("a = ?", "parameters, stars and statements are not allowed"),
        ("a = :x", "parameters, stars and statements are not allowed"),
        ("5", "a constant alone is not a condition"),
        ("'x' AND a", "a constant alone is not a condition"),
        ("select 1", "cannot be read"),
        ("a as b", "cannot be read"),
        ("a, b", "',' is unexpected"),
        ("a = 1" + "0" * 500, "at most 400 digits"),
        ("a LIKE 'x!y' ESCAPE '!'", "escapes neither"),
        ("a LIKE 'x' ESCAPE 'ab'", "one character"),
        ("count(*) > 1", "stars"),
    ],
)
def test_what_is_no_condition_is_refused_with_its_place(text, said):
    with pytest.raises(FilterInvalid) as raised:
        parse_sql(text)
    assert said in raised.value.message


def refusal(text):
    """Return the error message for a text, or None if it is a predicate."""
    try:
        parse_sql(text)
    except FilterInvalid as error:
        return error.message
    return None


HOSTILE = {
    "words": "a " * 500_000,
    "words beyond ASCII": "ä " * 400_000,
    "open parentheses": "(" * 1_000_000,
    "nested parentheses": "(" * 500 + "a = 1" + ")" * 500,
    "nots": "NOT " * 250_000 + "a",
    "quotes": "'" * 1_000_001,
    "comments": "/*" * 500_000,
    "digits": "a = " + "1" * 1_000_000,
    "exponent": "a = 1e" + "9" * 1_000_000,
    "calls": "f(" * 60 + "a" + ")" * 60 + " > 1",
    "sum": "a + " * 250_000 + "a > 1",
    "sum within limits": "a + " * 290 + "a > 1",
    "minus": "a = " + "- " * 500 + "b",
    "comparisons": "a < " * 290 + "a",
    "types": "array<" * 200 + "a",
    "casts": "a" + "::int" * 250 + " = 1",
    "cases": "case when " * 60 + "a" + " then 1 end" * 60,
    "brackets": "a" + "[" * 60 + "1" + "]" * 60 + " = 1",
    "lambdas": "f(" + "x -> " * 200 + "x)",
    "subqueries": "a in " + "(select " * 60 + "1" + ")" * 60,
    "lists in lists": "a IN (1, " * 60 + "1" + ")" * 60,
    "an open list": "a IN (" + "1," * 500_000,
    "open lists": "a IN (1,2,3 " * 8_000,
    "a long list": "a IN (1" + ",1" * 20_000 + ")",
    "a long list in a function": "abs(a) IN (1" + ",1" * 19_000 + ")",
    "ands": "a = 1 AND " * 100_000 + "a",
    "intervals": "interval " * 290 + "1 > a",
    "dates": "date " * 290,
    "one string": "a = '" + "x" * 1_000_000 + "'",
    "too long": "a" * (1 << 20) + "a",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_at_once(name):
    parse_sql("abs(a) = 1")
    said = refusal(HOSTILE[name])
    assert said is None or 0 < len(said) < 300
    assert_takes_less(lambda: refusal(HOSTILE[name]), 0.05)


def test_nine_hundred_terms_and_twenty_thousand_values_are_fine():
    found = parse_sql(" AND ".join(f"a{number} = {number}" for number in range(900)))
    assert isinstance(found, And)
    assert len(found.children) == 900
    values = parse_sql("a IN (" + ", ".join(f"'v{number}'" for number in range(20_000)) + ")")
    assert isinstance(values, Leaf)
    assert len(values.literals) == 20_000
    assert values.literals[19_999] == Literal("v19999", "string")
    assert len(values.text) < 2_000
    with pytest.raises(FilterInvalid, match="at most 20000 values"):
        parse_sql("a IN (1) AND a IN (" + ",".join(["1"] * 20_000) + ")")


def test_lists_beyond_the_limit_are_not_parsed(monkeypatch):
    parsed, listed = [], sql_constants.listed
    monkeypatch.setattr(sql_constants, "listed", lambda *token: parsed.append(listed(*token)) or parsed[-1])
    with pytest.raises(FilterInvalid, match="at most 20000 values"):
        parse_sql(" AND ".join(["a IN (" + ",".join(["1"] * 15_000) + ")"] * 30))
    assert len(parsed) == 2


def test_words_and_places_are_those_of_the_text():
    found = parse_sql("  x=1 and  not ( y  > 2 )")
    assert isinstance(found, And)
    first, second = found.children
    assert isinstance(first, Leaf)
    assert (first.text, first.where) == ("x=1", "character 3")
    assert isinstance(second, Not)
    assert second.text == "not ( y  > 2 )"
    assert found.text == "x=1 and  not ( y  > 2 )"


def test_callers_words_do_not_reach_the_log(caplog):
    with caplog.at_level(logging.WARNING), pytest.raises(FilterInvalid):
        parse_sql("if if if")
    assert not caplog.records


@given(st.text(alphabet="ab1.,()'\"`=<>!-+*/ \nANDORNOTIXÄ%[]{}:?;", max_size=40))
@settings(max_examples=examples(400), deadline=None)
def test_any_text_is_a_predicate_or_refused(text):
    assert refusal(text) != ""


WORDS = [
    *("a", "b.c", "1", "'x'", "NOT", "AND", "OR", "(", ")", "=", "<", "IN", "BETWEEN", "LIKE", "IS", "NULL", "CASE"),
    *("END", "WHEN", "THEN", "DATE", "CAST", "AS", ",", "::", "abs", "NAN", "TRUE", "-", "INT", "ESCAPE"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=14))
@settings(max_examples=examples(400), deadline=None)
def test_any_words_are_a_predicate_or_refused(words):
    assert refusal(" ".join(words)) != ""
