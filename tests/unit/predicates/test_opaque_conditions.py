"""Accepted conditions that cannot prune, and the columns that they name, against sqlglot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import And, Leaf, Not, Opaque, Or, Predicate
from lakemuster.predicates.sql import parse_sql
from tests.examples import examples


def opaque_parts(node: Predicate) -> Iterator[Opaque]:
    """Yield the conditions of a filter that cannot prune."""
    if isinstance(node, Opaque):
        yield node
    elif isinstance(node, And | Or):
        for child in node.children:
            yield from opaque_parts(child)
    elif isinstance(node, Not):
        yield from opaque_parts(node.child)


def named(text: str) -> list[str]:
    """Return the columns in a filter's conditions that cannot prune."""
    return [name for part in opaque_parts(parse_sql(text)) for name, _ in part.names]


columns = st.sampled_from(["a", "b.c", '"d e"', "größe"])
constants = st.sampled_from(
    [
        *("1", "2.5", "1e3", "'x'", "'it''s'", "NULL", "TRUE", "current_date"),
        *("DATE '2020-01-01'", "INTERVAL '1' DAY", "interval 2 hours", "TIMESTAMP '2020-01-01 00:00:00'"),
    ]
)
TYPES = ["int", "varchar(3)", "decimal(9, 2)", "timestamp with time zone", "array<int>", "struct<x: int, y: text>"]
OPERATORS = ["+", "-", "*", "/", "%", "||", "&", "|"]


def joined(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy of a format string's texts, filled from parts."""
    return st.tuples(*parts).map(lambda found: form.format(*found))


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy of expressions made of smaller ones."""
    return st.one_of(
        joined("{} {} {}", inner, st.sampled_from(OPERATORS), inner),
        joined("({})", inner),
        joined("-({})", inner),
        joined("{}({})", st.sampled_from(["f", "lower", "abs", "trim", "year"]), inner),
        joined("coalesce({}, {})", inner, inner),
        joined("CAST({} AS {})", inner, st.sampled_from(TYPES)),
        joined("({})::{}", inner, st.sampled_from(TYPES[:-1])),
        joined("CASE WHEN {} > 1 AND {} THEN {} ELSE {} END", inner, columns, inner, inner),
        joined("CASE {} WHEN {} THEN {} END", inner, inner, inner),
        joined("a[{}]", inner),
        joined("ARRAY[{}, {}]", inner, inner),
        joined("extract(month FROM {})", inner),
        joined("substring({} FROM 1 FOR 2)", inner),
        joined("trim(BOTH 'x' FROM {})", inner),
        joined("f(x -> x + {}, {})", inner, inner),
        joined("f((x, y) -> x + y, {})", inner),
        joined("sum({}) OVER (PARTITION BY a ORDER BY {})", inner, inner),
        joined("count(DISTINCT {})", inner),
        joined("({} AT TIME ZONE 'UTC')", columns),
    )


expressions = st.recursive(columns | constants, larger, max_leaves=8)
FORMS = [
    *("{} = {}", "{} <> {}", "{} >= {}", "{} BETWEEN {} AND 5", "{} NOT BETWEEN 1 AND {}", "{} IN ({}, 1)"),
    *("{} NOT IN ({})", "({}, {}) = (1, 2)", "{} ILIKE {}", "{} RLIKE {}", "{} SIMILAR TO {}"),
    *("{} IS DISTINCT FROM {}", "NOT {} < {}", "{} IS NULL OR {} IS NOT TRUE"),
]
conditions = st.one_of(*(joined(form, expressions, expressions) for form in FORMS))


@given(conditions)
@settings(max_examples=examples(150), deadline=None)
def test_what_sqlglot_reads_is_accepted_and_names_the_same_columns(text: str) -> None:
    for part in opaque_parts(parse_sql(text)):
        tree = sqlglot.parse_one(part.text, into=exp.Condition)
        expected = [".".join(one.name for one in column.parts) for column in tree.find_all(exp.Column)]
        assert sorted(name for name, _ in part.names) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("lower(a) = 'x'", "lower() cannot prune"),
        ("lower(abs(a) + f(b)) = 'x'", "lower() cannot prune"),
        ("abs(a) RLIKE 'x'", "regexp_like() cannot prune"),
        ("a > DATE '2020-01-01' + interval '1' day", "cast() cannot prune"),
        ("a > current_date", "current_date() cannot prune"),
        ("a -> 'x' = 1", "json_extract() cannot prune"),
        ("CASE WHEN a THEN 1 END = 1", "case() cannot prune"),
        ("m['k'] = 1", "elements of lists and maps have no statistics"),
        ("a = b", "columns are compared with each other"),
        ("a = -b", "columns are compared with each other"),
        ("a + 1 > 2", "it is not a comparison of a column with a constant"),
        (
            "a >= 2024-05-09",
            "it is not a comparison of a column with a constant: write DATE '2024-05-09'",
        ),
        ("a + '2024-05-09' > 1", "it is not a comparison of a column with a constant"),
        ("1 + 1 = 2", "it names no column"),
        ("year(day) = 2024", "year() cannot prune"),
        ("a IN (SELECT b FROM t WHERE c = 1)", "subqueries cannot prune"),
        ("EXISTS (SELECT 1)", "subqueries cannot prune"),
        ("a = ANY (ARRAY[1])", "array() cannot prune"),
    ],
)
def test_the_reason_names_what_keeps_a_condition_from_pruning(text: str, reason: str) -> None:
    [part] = opaque_parts(parse_sql(text))
    assert part.reason == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x -> x + a, x) > 1", ["a", "x"]),
        ("dateadd(day, 1, a) > 1", ["a"]),
        ("day + 1 > 2", ["day"]),
        ("f(k => a) > 1", ["a"]),
        ("a.b.c(d) > 1", ["d"]),
        ("(a).b[1:2] = f(c).d", ["a", "c"]),
        ("{'a': b}['a'] = 1", ["b"]),
        ("f(a::map<text, array<int>>, b) = 1", ["a", "b"]),
        ("a NOT LIKE ALL ('x', b)", ["a", "b"]),
        ("f(a ORDER BY b DESC NULLS LAST) > 1", ["a", "b"]),
        ("a COLLATE nocase = b", ["a", "b"]),
        ("sum(a) FILTER (WHERE b > 1) > 1", ["a", "b"]),
        ("end + 1 > 2", ["end"]),
        ("a << 2 > 'x' 'y'", ["a"]),
    ],
)
def test_words_of_the_language_are_no_columns(text: str, expected: list[str]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("a +", "+ = a", "a + b c", "f(a b) > 1", "f(, a) > 1", "f(a,) + 1 > 2", "() = a", "a NOT + 1"),
        *(
            "CASE a END = 1 + 1",
            "CASE WHEN a END",
            "CASE a THEN 1 END",
            "CASE WHEN a b END",
            "CASE WHEN a THEN b",
            "CAST(a AS) + 1 > 2",
            "a::",
            "a:: + 1",
        ),
        *(
            "a + 1 AS b",
            "f(a::int b) = 1",
            "a::text NULL IS NULL",
            "a BETWEEN 1",
            "f(a BETWEEN b) = 1",
            "a IS DISTINCT b + 1",
            "a ESCAPE 'x'b",
            "b = then + 1",
            "IS NOT NULL",
            "a AT TIME 'x'",
        ),
        *("a = 1 ORDER BY b", "f(a) DESC", "(a + 1 > 2) AND f(b) PARTITION BY a"),
        *("TIMESTAMP WITH a AND 'x'", "a . = 1", "a[1 = 2", "NOT IN (a)", "a = CASE 'WHEN' b"),
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(FilterInvalid):
        parse_sql(text)


def test_a_pattern_is_told_unless_it_has_escapes() -> None:
    for text, pattern in (("a LIKE '%x'", "%x"), (r"a LIKE '%\x'", None), ("a LIKE '%x' ESCAPE '!'", None)):
        [part] = opaque_parts(parse_sql(text))
        assert part.pattern == pattern
    assert isinstance(parse_sql("a LIKE 'x%'"), Leaf)
