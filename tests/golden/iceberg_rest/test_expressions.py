"""Expressions that clients send, and the residuals that they receive."""

from __future__ import annotations

import json
import re

import pytest
from pyiceberg.expressions import BooleanExpression
from pyiceberg.expressions.visitors import bind as bind_theirs
from pyiceberg.schema import Schema as TheirSchema

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import bind
from lakemuster.wire.iceberg_rest.expressions import emit_expression, parse_expression
from tests.golden.iceberg_rest.vectors import COLUMNS, SCHEMA, vectors

VECTORS = vectors("expressions")
WHAT = {"argvalues": VECTORS["accepted"], "ids": lambda case: case["what"]}


NOT_BOUND = {"fixed", "bytes", "ns"}
"""Columns of types for which PyIceberg 0.12 has no literal from text. It never binds residuals."""


def pyiceberg_asks(case):
    """Return whether PyIceberg 0.12 supports an expression: it has neither transforms nor the newer grammar."""
    text = json.dumps(case["json"])
    return not any(word in text for word in ("transform", "reference", "apply"))


def bound(document):
    return bind(parse_expression(document, SCHEMA.names), SCHEMA, negations_match_null=True, nan="none")


@pytest.mark.parametrize("case", **WHAT)
def test_what_is_read_comes_back_in_the_older_form(case):
    assert emit_expression(bound(case["json"]), case["json"]) == case.get("means", case["json"])


@pytest.mark.parametrize("case", **WHAT)
def test_what_comes_back_is_read_again(case):
    once = emit_expression(bound(case["json"]), case["json"])
    assert emit_expression(bound(once), once) == once


@pytest.mark.parametrize(
    "case", [case for case in VECTORS["accepted"] if pyiceberg_asks(case)], ids=lambda c: c["what"]
)
def test_pyiceberg_reads_what_comes_back(case):
    written = emit_expression(bound(case["json"]), case["json"])
    theirs = BooleanExpression.model_validate(written)
    if not NOT_BOUND & set(re.findall(r"\w+", str(written))):
        bind_theirs(TheirSchema.model_validate(COLUMNS), theirs, case_sensitive=True)


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda case: case["what"])
def test_refusals_say_what_and_where(case):
    with pytest.raises(FilterInvalid) as refusal:
        bound(case["json"])
    assert case["says"] in refusal.value.message
    assert refusal.value.message.endswith(f"({case['where']})")
