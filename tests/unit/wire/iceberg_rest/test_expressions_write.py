"""Written residuals have the bound predicate's meaning, to this package's reader and to PyIceberg."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.expressions import BooleanExpression
from pyiceberg.expressions.visitors import expression_evaluator
from pyiceberg.schema import Schema as TheirSchema
from pyiceberg.typedef import Record

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.predicates import (
    FALSE,
    TRUE,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Leaf,
    Literal,
    Op,
    Opaque,
    all_of,
    any_of,
    bind,
    matches,
)
from lakemuster.wire.documents import dumps
from lakemuster.wire.iceberg_rest.expressions import emit_expression, parse_expression
from tests.examples import examples
from tests.unit.wire.iceberg_rest.predicates import COLUMNS, IDS, KNOWN, NAMES, SCHEMA, rows, trees

ORIGINAL = {"type": "eq", "term": "as", "value": "sent"}
X = Primitive(Kind.LONG, "long")
THEIRS = TheirSchema.model_validate(COLUMNS)
# PyIceberg has no literals from text for the excluded types, and does not evaluate transforms.
BOUND_BY_PYICEBERG = [
    name for of, name in NAMES.items() if of not in ("fixed[2]", "binary", "timestamp_ns", "timestamptz_ns")
]

MANY_FOR_PYICEBERG = st.lists(rows(BOUND_BY_PYICEBERG), min_size=1, max_size=20)


def bound(tree, nulls=True):
    return bind(tree, SCHEMA, negations_match_null=nulls, nan="none")


def read(document):
    return bound(parse_expression(json.loads(dumps(document))))


def unsayable(found):
    match found:
        case BoundAnd(children=children) | BoundOr(children=children):
            return any(map(unsayable, children))
        case BoundLeaf():
            return found.maybe
    return isinstance(found, Opaque)


@settings(max_examples=examples(400))
@given(trees(), st.booleans(), st.lists(rows(), min_size=1, max_size=20))
def test_what_is_written_and_read_again_matches_the_same_rows(tree, nulls, many):
    residual = bound(tree, nulls)
    written = emit_expression(residual, ORIGINAL)
    assert (written is ORIGINAL) == unsayable(residual)
    if written is not ORIGINAL:
        again = read(written)
        for row in many:
            assert bool(matches(again, row)) == bool(matches(residual, row))


@settings(max_examples=examples(400))
@given(
    trees(BOUND_BY_PYICEBERG, transforms=False),
    st.booleans(),
    st.lists(rows(BOUND_BY_PYICEBERG), min_size=1, max_size=20),
)
def test_pyiceberg_finds_the_same_rows_by_what_is_written(tree, nulls, many):
    residual = bound(tree, nulls)
    written = emit_expression(residual, ORIGINAL)
    if written is ORIGINAL:
        return
    theirs = BooleanExpression.model_validate(json.loads(dumps(written)))
    evaluate = expression_evaluator(THEIRS, theirs, case_sensitive=True)
    for row in many:
        values = [row.get(field.field_id) for field in THEIRS.fields]
        record = Record(*(value.bytes if isinstance(value, UUID) else value for value in values))
        assert evaluate(record) == bool(matches(residual, row))


@pytest.mark.parametrize("name", KNOWN)
def test_every_value_of_every_type_comes_back_itself(name):
    of = SCHEMA.primitive(IDS[name])
    for value in KNOWN[name]:
        if not (isinstance(value, float) and not math.isfinite(value)):
            leaf = BoundLeaf(Op.EQ, IDS[name], name, of, (value,))
            assert read(emit_expression(leaf, ORIGINAL)).values == (value,)


def test_sql_negations_do_not_match_null():
    leaf = BoundLeaf(Op.NOT_EQ, 1, "x", X, (5,))
    negation = {"type": "not-eq", "term": "x", "value": 5}
    assert emit_expression(BoundLeaf(Op.NOT_EQ, 1, "x", X, (5,), nulls=True), ORIGINAL) == negation
    assert emit_expression(leaf, ORIGINAL) == {
        "type": "and",
        "left": {"type": "not-null", "term": "x"},
        "right": negation,
    }


def test_constants_are_bare():
    assert emit_expression(TRUE, ORIGINAL) is True
    assert emit_expression(FALSE, ORIGINAL) is False


@pytest.mark.parametrize(
    "part",
    [
        Opaque("f(x) = 1", "unknown"),
        BoundLeaf(Op.LT_EQ, 1, "x", Primitive(Kind.FLOAT, "float"), (0.5,), maybe=True),
    ],
    ids=["opaque", "maybe"],
)
@pytest.mark.parametrize("joined", [all_of, any_of])
def test_what_cannot_be_said_brings_the_whole_filter_back(part, joined):
    assert emit_expression(joined([BoundLeaf(Op.EQ, 1, "x", X, (5,)), part]), ORIGINAL) is ORIGINAL


DOUBLE = Primitive(Kind.DOUBLE, "double")
UNREADABLE = {"type": "gt", "term": "x", "value": "-Infinity"}


@pytest.mark.parametrize(
    "original",
    [
        UNREADABLE,
        {"type": "not", "child": UNREADABLE},
        {"type": "and", "left": ORIGINAL, "right": {"type": "in", "term": "x", "values": [1.0, math.nan]}},
        {"type": "lt", "left": {"type": "reference", "name": "x"}, "right": {"type": "literal", "value": "inf"}},
    ],
)
def test_a_filter_that_clients_cannot_read_never_comes_back(original):
    maybe = BoundLeaf(Op.IS_NAN, 1, "x", DOUBLE, maybe=True)
    wider = {"type": "or", "left": {"type": "gt", "term": "x", "value": 5.0}, "right": {"type": "is-nan", "term": "x"}}
    assert emit_expression(any_of([BoundLeaf(Op.GT, 1, "x", DOUBLE, (5.0,)), maybe]), original) == wider
    opaque = all_of([BoundLeaf(Op.GT, 1, "x", DOUBLE, (5.0,)), Opaque("f(x) = 1", "unknown")])
    assert emit_expression(opaque, original) == {"type": "gt", "term": "x", "value": 5.0}


@pytest.mark.parametrize("of", ["float", "double"])
def test_infinities_are_written_as_the_largest_finite_values(of):
    name = NAMES[of]
    kind = SCHEMA.primitive(IDS[name])
    most = float.fromhex("0x1.fffffep127") if of == "float" else float.fromhex("0x1.fffffffffffffp1023")
    values = [-math.inf, -most, -1.0, 0.0, 1.0, most, math.inf, math.nan, None]
    for op in (Op.EQ, Op.NOT_EQ, Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.IN, Op.NOT_IN):
        lists = [(-math.inf, math.inf), (-math.inf, 1.0), (0.0, 1.0, math.inf)]
        for constants in lists if op in (Op.IN, Op.NOT_IN) else [(-math.inf,), (math.inf,)]:
            for nulls in (False, True) if op in (Op.NOT_EQ, Op.NOT_IN) else (False,):
                leaf = BoundLeaf(op, IDS[name], name, kind, constants, nulls=nulls)
                again = read(emit_expression(leaf, UNREADABLE))
                for value in values:
                    row = {IDS[name]: value}
                    for nan in ("ieee", "greatest"):
                        found = matches(again, row, nan=nan) is True
                        expected = matches(leaf, row) is True
                        assert found is expected, (leaf, value, nan)


@pytest.mark.parametrize("of", [Primitive(Kind.FLOAT, "float"), Primitive(Kind.DOUBLE, "double")])
@pytest.mark.parametrize("op", [Op.EQ, Op.IN, Op.LT, Op.LT_EQ, Op.GT_EQ])
def test_no_zero_that_matches_is_outside_of_what_is_written_in_javas_order(of, op):
    values = (0.0, 1.0) if op is Op.IN else (0.0,)
    written = emit_expression(BoundLeaf(op, 1, "x", of, values), ORIGINAL)

    def order(value):
        return value, math.copysign(1, value)

    tests = {
        "in": lambda value, node: any(order(value) == order(one) for one in node["values"]),
        "lt": lambda value, node: order(value) < order(node["value"]),
        "lt-eq": lambda value, node: order(value) <= order(node["value"]),
        "gt-eq": lambda value, node: order(value) >= order(node["value"]),
    }
    for value in (-1.0, -0.0, 0.0, 1.0):
        if matches(BoundLeaf(op, 1, "x", of, values), {1: value}):
            assert tests[written["type"]](value, written)


def test_a_limit_of_zero_that_nan_may_pass_too_is_written_as_negative_zero():
    tree = parse_expression({"type": "gt-eq", "term": "x", "value": 0})
    schema = Schema(0, (Field(1, "x", Primitive(Kind.DOUBLE, "double")),))
    limit = {"type": "gt-eq", "term": "x", "value": -0.0}
    written = emit_expression(bind(tree, schema, nan="any"), {"type": "gt-eq", "term": "x", "value": 0})
    assert dumps(written) == dumps({"type": "or", "left": limit, "right": {"type": "is-nan", "term": "x"}})


def test_integers_are_numbers_however_large():
    written = emit_expression(BoundLeaf(Op.IN, 1, "x", X, (-(2**63), 2**63 - 1)), ORIGINAL)
    assert json.loads(dumps(written))["values"] == [-(2**63), 2**63 - 1]


def test_transformed_values_are_of_the_transforms_type():
    of = Primitive(Kind.TIMESTAMP, "timestamp")
    day = BoundLeaf(Op.EQ, 1, "ts", of, (19218,), transform="day")
    assert emit_expression(day, ORIGINAL) == {
        "type": "eq",
        "term": {"type": "transform", "transform": "day", "term": "ts"},
        "value": "2022-08-14",
    }


def test_decimals_keep_the_scale_of_their_type():
    of = Primitive(Kind.DECIMAL, "decimal(9, 4)", precision=9, scale=4)
    assert emit_expression(BoundLeaf(Op.EQ, 1, "d", of, (Decimal("2.5000"),)), ORIGINAL)["value"] == "2.5000"


def test_long_conjunctions_are_not_deep():
    leaves = [BoundLeaf(Op.GT, number, f"c{number}", X, (number,)) for number in range(999)]
    document = emit_expression(BoundAnd(tuple(leaves)), ORIGINAL)

    def depth(node):
        return 1 + max(depth(node["left"]), depth(node["right"])) if "left" in node else 1

    assert depth(document) == 11
    assert BooleanExpression.model_validate(document) is not None
    assert len(parse_expression(document).children) == 999


def test_a_field_of_a_struct_has_its_dotted_name():
    leaf = bound(Leaf(Op.EQ, "point.x", (Literal(5, "untyped"),)))
    assert emit_expression(leaf, ORIGINAL)["term"] == "point.x"
