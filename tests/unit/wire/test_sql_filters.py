"""Residuals as SQL parse back to the same meaning; truncated text and residuals without values are not written."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.pruning.residual import residuals
from lakemuster.predicates import (
    TRUE,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
    all_of,
    any_of,
    bind,
    matches,
)
from lakemuster.predicates.sql import parse_sql
from lakemuster.wire.sql_filters import sql_of
from tests.examples import examples
from tests.unit.planner.pruning.test_residual import ATOMS, ROWS, SCHEMA, SPECS, partitions
from tests.unit.wire.iceberg_rest import predicates

ORIGINAL = "the whole filter"
ODD = Schema(
    0, (Field(1, 'a "quoted" name', Primitive(Kind.LONG, "long")), Field(2, "not", Primitive(Kind.DATE, "date")))
)
LONG_ATOMS = [
    "a between 2 and 7", "a not between 2 and 7", "s not like 'a%b'", "a is distinct from 3",
    "not (a = 1 and s = 'ab')",
    "t between timestamp '1970-01-01 00:00:00' and timestamp '1970-01-01 12:00:00'",
    f"a in ({','.join(map(str, range(-500, 10)))})", f"s not in ({','.join(repr('a' * n) for n in range(2, 60))})",
]  # fmt: skip


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda a, op, b: f"({a} {op} {b})", parts, st.sampled_from(["and", "or"]), parts)


ALL = [*(atom for atom in ATOMS if "length" not in atom), *LONG_ATOMS]
TEXTS = st.recursive(st.sampled_from(ALL), _joined, max_leaves=5)


@settings(max_examples=examples(400))
@given(TEXTS, SPECS, ROWS)
def test_a_residual_asks_of_the_rows_of_its_partition_what_the_filter_does(
    text: str, spec: PartitionSpec, rows: list[dict[int, Any]]
) -> None:
    bound = bind(parse_sql(text), SCHEMA)
    left = residuals(bound, partitions(spec, rows), PartitionPredicates(spec, (SCHEMA,)))
    for row, number in zip(rows, left.of_file.tolist(), strict=True):
        written = sql_of(left.distinct[number], text)
        again = TRUE if written is None else bind(parse_sql(written), SCHEMA)
        assert (matches(again, row) is True) == (matches(bound, row) is True), written


def without_words(bound: Bound) -> Bound:
    match bound:
        case BoundAnd(children=children):
            return all_of(map(without_words, children))
        case BoundOr(children=children):
            return any_of(map(without_words, children))
        case BoundLeaf():
            return replace(bound, text="")
    return bound


@settings(max_examples=examples(400))
@given(predicates.trees(), st.booleans(), st.lists(predicates.rows(), min_size=1, max_size=20))
def test_what_is_made_of_values_matches_the_same_rows(tree: Any, nulls: bool, rows: list[dict[int, Any]]) -> None:
    bound = without_words(bind(tree, predicates.SCHEMA, negations_match_null=nulls))
    written = sql_of(bound, ORIGINAL)
    if written != ORIGINAL:
        again = TRUE if written is None else bind(parse_sql(written), predicates.SCHEMA)
        for row in rows:
            assert (matches(again, row) is True) == (matches(bound, row) is True), written


@pytest.mark.parametrize("of", predicates.NAMES)
def test_values_of_every_type_can_be_said(of: str) -> None:
    name = predicates.NAMES[of]
    primitive = predicates.SCHEMA.primitive(predicates.IDS[name])
    assert primitive is not None
    for value in predicates.VALUES[of]:
        if isinstance(value, float) and not math.isfinite(value):
            continue
        leaf = BoundLeaf(Op.EQ, predicates.IDS[name], name, primitive, (value,))
        written = sql_of(leaf, ORIGINAL)
        assert written is not None
        assert without_words(bind(parse_sql(written), predicates.SCHEMA)) == leaf, written


def test_the_callers_words_are_kept() -> None:
    for text in ["a BETWEEN 1 AND 2", "a = 1 or s = 'b' -- why not", "length(s) > 2", "x > 1", "t = '1970-01-01'"]:
        assert sql_of(bind(parse_sql(text), SCHEMA), text) == text.partition(" --")[0]


def test_alternatives_among_conjuncts_stand_in_parentheses() -> None:
    either, one = bind(parse_sql("a = 1 or s = 'b'"), SCHEMA), bind(parse_sql("x = 2"), SCHEMA)
    assert sql_of(all_of([one, either]), ORIGINAL) == "x = 2 AND (a = 1 or s = 'b')"
    assert sql_of(any_of([one, all_of([either, one])]), ORIGINAL) == "x = 2 OR ((a = 1 or s = 'b') AND x = 2)"


def test_names_are_quoted_where_values_are_written() -> None:
    for name, of in ((field.name, field.type) for field in ODD.fields):
        assert isinstance(of, Primitive)
        leaf = BoundLeaf(Op.IN, ODD.by_name[name].field_id, name, of, tuple(range(300)))
        written = sql_of(leaf, ORIGINAL)
        assert written is not None
        assert without_words(bind(parse_sql(written), ODD)) == leaf


def test_a_list_whose_words_were_cut_is_written_from_its_values() -> None:
    text = f"s = 'a' and a in ({', '.join(map(str, range(1000)))})"
    bound = bind(parse_sql(text), SCHEMA)
    assert isinstance(bound, BoundAnd)
    written = sql_of(bound.children[1], text)
    assert written is not None
    assert written.startswith('"a" IN (0, 1, 2, 3')
    assert "…" not in written
    assert without_words(bind(parse_sql(written), SCHEMA)) == without_words(bound.children[1])


@pytest.mark.parametrize(
    "part",
    [
        Opaque("length(s) = '" + "x" * 2000 + "…", "length() cannot prune"),
        BoundLeaf(Op.GT, 1, "a", Primitive(Kind.LONG, "long"), (1,), text="", maybe=True),
        BoundLeaf(Op.EQ, 3, "x", Primitive(Kind.DOUBLE, "double"), (float("inf"),)),
        BoundLeaf(Op.EQ, 1, "a", Primitive(Kind.INT, "int"), (1,), transform="bucket[4]"),
    ],
)
def test_what_cannot_be_said_is_the_whole_filter(part: Bound) -> None:
    leaf = BoundLeaf(Op.EQ, 1, "a", Primitive(Kind.LONG, "long"), (1,))
    assert sql_of(all_of([leaf, part]), ORIGINAL) == ORIGINAL
