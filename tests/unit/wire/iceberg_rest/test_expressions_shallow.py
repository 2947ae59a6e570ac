"""Deep chains become shallow documents with the same meaning."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import Bound, bind
from lakemuster.wire.iceberg_rest.expressions import parse_expression, shallow
from lakemuster.wire.iceberg_rest.expressions_shallow import DEEPEST, SHALLOW
from tests.examples import examples
from tests.unit.wire.iceberg_rest.predicates import SCHEMA

Document = dict[str, Any]


def leaf(number: int) -> Document:
    return {"type": "eq", "term": "c2", "value": number}


def bound(document: object) -> Bound:
    return bind(parse_expression(document), SCHEMA)


def depth(document: object) -> int:
    if not isinstance(document, dict | list):
        return 0
    inside = document.values() if isinstance(document, dict) else document
    return 1 + max(map(depth, inside), default=0)


def nested(kinds: list[tuple[str, bool, int]]) -> Document:
    """Return nested chains, each given by its operator, whether it grows to the left, and its length."""
    found, number = leaf(0), 0
    for kind, left, length in kinds:
        for _ in range(length):
            number += 1
            pair = (found, leaf(number)) if left else (leaf(number), found)
            found = {"type": kind, "left": pair[0], "right": pair[1]}
    return found


chains = st.tuples(st.sampled_from(["and", "or", "AND", "Or"]), st.booleans(), st.sampled_from([1, 2, 40, 90]))


@settings(max_examples=examples(30))
@given(st.lists(chains, min_size=1, max_size=4))
def test_a_deep_document_means_the_same_and_can_be_written(kinds: list[tuple[str, bool, int]]) -> None:
    document = nested(kinds)
    found = shallow(document)
    assert bound(found) == bound(document)
    assert depth(found) <= SHALLOW
    orjson.dumps(found)


def test_shallow_documents_stay_as_they_are() -> None:
    document = nested([("and", True, SHALLOW - 2)])
    assert shallow(document) is document
    odds: list[object] = [None, True, 5, "x", [], {}, {"type": "and"}, {"type": ["and"], "left": 1, "right": 2}]
    for odd in odds:
        assert shallow(odd) is odd


def test_negations_and_what_is_no_expression_are_kept() -> None:
    inner = nested([("or", True, 200)])
    document = {"type": "not", "child": {"type": "and", "left": inner, "right": {"type": "and", "left": True}}}
    found: Any = shallow(document)
    assert found["type"] == "not"
    assert found["child"]["right"] == {"type": "and", "left": True}
    assert depth(found) < SHALLOW


@pytest.mark.parametrize("levels", [SHALLOW, DEEPEST, 900])
def test_what_is_deep_by_itself_is_refused(levels: int) -> None:
    document = leaf(0)
    for _ in range(levels):
        document = {"type": "not", "child": document}
    with pytest.raises(FilterInvalid, match="at most 32 levels deep"):
        shallow(document)


def test_deep_operands_and_long_chains_are_refused() -> None:
    operand: object = 1
    for _ in range(DEEPEST):
        operand = [operand]
    with pytest.raises(FilterInvalid, match="at most 32 levels deep"):
        shallow({"type": "eq", "left": operand, "right": 1})
    document: object = True
    for _ in range(1_001):
        document = {"type": "or", "left": document, "right": True}
    with pytest.raises(FilterInvalid, match="at most 1000 comparisons"):
        shallow(document)
