"""Comparisons of Paimon's timestamps with nine digits, whose years reach beyond those of 64 bits of nanoseconds."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.paimon.types import parse_field
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.values import timestamp_text
from lakemuster.predicates import FALSE, Bound, BoundLeaf, BoundOr, bind
from lakemuster.predicates.row_evaluation import matches
from lakemuster.predicates.sql import parse_sql

SCHEMA = Schema(0, (parse_field({"id": 0, "name": "at", "type": "TIMESTAMP(9)"}),))
LIMIT = 2**63
DAYS = 4 * LIMIT
NEAR = [edge + step for edge in (-LIMIT, 0, LIMIT) for step in (-2, -1, 0, 1)]
INSTANTS = st.sampled_from(NEAR) | st.integers(-DAYS, DAYS)
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def bound(text: str) -> Bound:
    return bind(parse_sql(text), SCHEMA)


def said(nanoseconds: int) -> str:
    return f"TIMESTAMP '{timestamp_text(nanoseconds, 'ns')}'"


@given(st.sampled_from(sorted(COMPARISONS)), INSTANTS, INSTANTS)
def test_a_comparison_holds_for_every_matching_instant(word: str, instant: int, constant: int) -> None:
    predicate = bound(f"at {word} {said(constant)}")
    found = matches(predicate, {0: instant})
    if COMPARISONS[word](instant, constant):
        assert found
    elif isinstance(predicate, BoundLeaf) and not predicate.maybe:
        assert not found


@given(st.lists(INSTANTS, min_size=1, max_size=3), INSTANTS)
def test_a_list_holds_for_every_matching_instant(constants: list[int], instant: int) -> None:
    listed = ", ".join(map(said, constants))
    if instant in constants:
        assert matches(bound(f"at IN ({listed})"), {0: instant})
    else:
        assert matches(bound(f"at NOT IN ({listed})"), {0: instant})


@pytest.mark.parametrize("text", ["at = '9999-12-31'", "at > '9999-12-31'", "at < '0001-01-02'", "at IN ('3000-01-1')"])
def test_years_beyond_1677_and_2262_match_some_row(text: str) -> None:
    assert bound(text) != FALSE


def test_a_list_with_such_a_year_excludes_files_of_other_years() -> None:
    found = bound("at IN (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '9999-12-31 00:00:00')")
    assert isinstance(found, BoundOr)
    assert not matches(found, {0: 0})
