"""Expressions from clients: both grammars give the same predicate, with the meaning that PyIceberg evaluates."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg import expressions as theirs
from pyiceberg.catalog.rest.scan_planning import PlanTableScanRequest
from pyiceberg.expressions.visitors import expression_evaluator, rewrite_not
from pyiceberg.schema import Schema as TheirSchema
from pyiceberg.typedef import Record

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import (
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
    matches,
)
from lakemuster.wire.iceberg_rest.expressions import parse_expression
from tests.examples import examples
from tests.pace import assert_takes_less
from tests.unit.wire.iceberg_rest.predicates import COLUMNS, IDS, KNOWN, NAMES, SCHEMA, rows, trees

LEAF = {"type": "eq", "term": "c2", "value": 1}


def bound(document):
    return bind(parse_expression(document, SCHEMA.names), SCHEMA, negations_match_null=True, nan="none")


def spelled(op):
    return op.value.replace("_", "-")


def older(tree):
    match tree:
        case And(children=[only]) | Or(children=[only]):
            return older(only)
        case And(children=children) | Or(children=children):
            kind = "and" if isinstance(tree, And) else "or"
            return {"type": kind, "left": older(children[0]), "right": older(type(tree)(tuple(children[1:])))}
        case Not(child=child):
            return {"type": "not", "child": older(child)}
    term = tree.name
    if tree.transform:
        term = {"type": "transform", "transform": tree.transform, "term": {"type": "reference", "term": tree.name}}
    return {"type": spelled(tree.op), "term": term, **older_literals(tree)}


def older_literals(leaf):
    values = [literal.value for literal in leaf.literals]
    if leaf.op in (Op.IN, Op.NOT_IN):
        return {"values": values}
    return {"value": values[0]} if values else {}


def newer(tree):
    match tree:
        case And(children=[only]) | Or(children=[only]):
            return newer(only)
        case And(children=children) | Or(children=children):
            kind = "and" if isinstance(tree, And) else "or"
            return {"type": kind, "left": newer(type(tree)(tuple(children[:-1]))), "right": newer(children[-1])}
        case Not(child=child):
            return {"type": "not", "child": newer(child)}
    operand = {"type": "reference", "id": IDS[tree.name]}
    if tree.transform:
        name, _, width = tree.transform.rstrip("]").partition("[")
        arguments = [*([{"type": "literal", "value": int(width), "data-type": "int"}] if width else []), operand]
        function = {"catalog": "iceberg_functions", "identifier": [name]}
        operand = {"type": "apply", "function": function, "arguments": arguments}
    literals = [{"type": "literal", "value": literal.value} for literal in tree.literals]
    if tree.op in (Op.IN, Op.NOT_IN):
        return {"type": spelled(tree.op), "child": operand, "values": literals}
    if not literals:
        return {"type": spelled(tree.op), "child": operand}
    mirrored = {"lt": "gt", "gt": "lt", "lt-eq": "gt-eq", "gt-eq": "lt-eq", "eq": "eq", "not-eq": "not-eq"}
    if spelled(tree.op) in mirrored:
        return {"type": mirrored[spelled(tree.op)], "left": literals[0], "right": operand}
    return {"type": spelled(tree.op), "left": operand, "right": literals[0]}


def without_text(found):
    match found:
        case BoundAnd(children=children):
            return all_of(map(without_text, children))
        case BoundOr(children=children):
            return any_of(map(without_text, children))
        case BoundLeaf(text=text) if text:
            return without_text(
                BoundLeaf(*(getattr(found, name) if name != "text" else "" for name in found.__slots__))
            )
    return found


@settings(max_examples=examples(300))
@given(trees())
def test_both_grammars_say_the_same(tree):
    meant = without_text(bind(tree, SCHEMA, negations_match_null=True, nan="none"))
    assert without_text(bound(older(tree))) == meant
    assert without_text(bound(newer(tree))) == meant


ASKED = ["boolean", "int", "long", "decimal(9, 2)", "decimal(38, 10)", "date", "timestamp", "string", "uuid"]
ASKED_OF = [*(NAMES[of] for of in ASKED), NAMES["timestamptz"]]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
THEIR_VALUES = {
    NAMES["date"]: lambda days: EPOCH.date() + timedelta(days),
    NAMES["timestamp"]: lambda micros: EPOCH.replace(tzinfo=None) + timedelta(microseconds=micros),
    NAMES["timestamptz"]: lambda micros: EPOCH + timedelta(microseconds=micros),
}
THEIR_COMPARISONS = [
    theirs.EqualTo,
    theirs.NotEqualTo,
    theirs.LessThan,
    theirs.LessThanOrEqual,
    theirs.GreaterThan,
    theirs.GreaterThanOrEqual,
]


@st.composite
def their_leaves(draw):
    name = draw(st.sampled_from(ASKED_OF))
    value = st.sampled_from(KNOWN[name]).map(THEIR_VALUES.get(name, lambda value: value))
    kind = draw(st.sampled_from([*THEIR_COMPARISONS, theirs.In, theirs.NotIn, theirs.IsNull, theirs.NotNull]))
    if kind in (theirs.IsNull, theirs.NotNull):
        return kind(name)
    if kind in (theirs.In, theirs.NotIn):
        return kind(name, draw(st.lists(value, max_size=3)))
    return kind(name, draw(value))


THEIR_TREES = st.recursive(
    their_leaves(),
    lambda inner: (
        st.builds(theirs.And, inner, inner) | st.builds(theirs.Or, inner, inner) | st.builds(theirs.Not, inner)
    ),
    max_leaves=6,
)


@settings(max_examples=examples(300))
@given(THEIR_TREES, st.lists(rows(ASKED_OF), min_size=1, max_size=20))
def test_what_pyiceberg_sends_finds_the_rows_that_pyiceberg_finds(expression, many):
    sent = json.loads(PlanTableScanRequest(filter=expression).model_dump_json(by_alias=True, exclude_none=True))
    found = bound(sent["filter"])
    schema = TheirSchema.model_validate(COLUMNS)
    # PyIceberg rewrites NOT for plans; its evaluator would let null match the negation of any comparison.
    evaluate = expression_evaluator(schema, rewrite_not(expression), case_sensitive=True)
    for row in many:
        values = [row.get(field.field_id) for field in schema.fields]
        record = Record(*(value.bytes if isinstance(value, UUID) else value for value in values))
        assert bool(matches(found, row)) == evaluate(record)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"type": "in", "term": "c2", "values": [1] * 20_001}, "at most 20000 values"),
        ({"type": "in", "child": {"type": "reference", "id": 2}, "values": [LEAF] * 500_000}, "at most 20000 values"),
    ],
)
def test_long_lists_are_refused(document, says):
    refused_at_once(document, says)


def nested(levels, wrap, innermost=LEAF):
    document = innermost
    for _ in range(levels):
        document = wrap(document)
    return document


def compared(value):
    return {"type": "eq", "left": value, "right": 1}


TRANSFORM = {"type": "transform", "transform": "day"}
APPLY = {"type": "apply", "function": "f"}


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (nested(32, lambda inner: {"type": "not", "child": inner}), "at most 32 levels"),
        (nested(20_000, lambda inner: {"type": "not", "child": inner}), "at most 32 levels"),
        (nested(20_000, lambda inner: {"type": "and", "left": inner, "right": LEAF}), "at most 1000"),
        (nested(20_000, lambda inner: {"type": "or", "left": LEAF, "right": inner}), "at most 1000"),
        ({**LEAF, "term": nested(20_000, lambda inner: {**TRANSFORM, "term": inner}, "c2")}, "at most 32 levels"),
        (compared(nested(20_000, lambda inner: {**APPLY, "arguments": [inner]}, 1)), "at most 32 levels"),
        (compared({**APPLY, "arguments": nested(20_000, lambda inner: [inner], [])}), "at most 32 levels"),
        (compared({**APPLY, "arguments": [{"a": 1}] * 100_000}), "at most"),
        (compared({**APPLY, "arguments": [{str(key): 1 for key in range(100_000)}]}), "at most"),
        ({str(key): key for key in range(100_000)}, "'type' is missing"),
        ({"type": "x" * 10**6}, "is not an expression"),
        ({"type": "eq", "term": "c2", "value": "x" * 10**6}, "is not a number"),
        ({"type": "eq", "term": "x" * 10**6, "value": 1}, "not found"),
        ([LEAF] * 100_000, "not an array"),
    ],
    ids=["nots", "deep nots", "ands", "ors", "transforms", "functions", "lists", "arguments", "members", "keys", "type",
         "value", "name", "array"],
)  # fmt: skip
def test_what_is_too_large_is_refused_at_once(document, says):
    refused_at_once(document, says)


def refused_at_once(document, says):
    def refused():
        with pytest.raises(FilterInvalid):
            bound(document)

    assert_takes_less(refused, 0.05)
    with pytest.raises(FilterInvalid) as refusal:
        bound(document)
    assert says in refusal.value.message
    assert len(refusal.value.message) < 500


def test_a_filter_at_the_limits_is_read_in_time():
    wide = nested(998, lambda inner: {"type": "and", "left": inner, "right": LEAF})
    long = {"type": "in", "term": "c2", "values": list(range(20_000))}
    for document in (wide, long):
        assert_takes_less(lambda of=document: bound(of), 0.2)
    assert len(parse_expression(wide).children) == 999
    assert bound(nested(31, lambda inner: {"type": "not", "child": inner})).op is Op.NOT_EQ


def test_alternating_operators_are_levels():
    def wrap(inner):
        return {"type": "and", "left": {"type": "or", "left": inner, "right": LEAF}, "right": LEAF}

    parse_expression(nested(15, wrap))
    with pytest.raises(FilterInvalid, match="32 levels"):
        parse_expression(nested(16, wrap))


def test_the_place_of_something_deep_is_shortened():
    document = nested(900, lambda inner: {"type": "and", "left": inner, "right": True}, {"type": "eq", "term": 5})
    with pytest.raises(FilterInvalid) as refusal:
        parse_expression(document)
    assert "…" in refusal.value.context["position"]
    assert len(refusal.value.message) < 500


def test_a_function_that_is_not_known_names_its_columns():
    inner = {"type": "apply", "function": ["ns", "f"], "arguments": [{"type": "reference", "name": "c3"}, [5]]}
    found = parse_expression({"type": "lt", "left": inner, "right": {"type": "reference", "name": "c2"}})
    assert isinstance(found, Opaque)
    assert found.names == (("c3", "filter.left.arguments[0]"), ("c2", "filter.right"))
    assert found.reason == "function 'ns.f' is not known"


@pytest.mark.parametrize(
    "term",
    [
        {"type": "transform", "transform": "void", "term": "c2"},
        {"type": "transform", "transform": "bucket[0]", "term": "c2"},
        {"type": "transform", "transform": "year[4]", "term": "c8"},
        {"type": "transform", "transform": "year", "term": {"type": "transform", "transform": "day", "term": "c8"}},
        {"type": "apply", "function": "void", "arguments": [{"type": "reference", "name": "c2"}]},
        {"type": "apply", "function": "bucket", "arguments": [{"type": "reference", "name": "c2"}, 4]},
        {"type": "apply", "function": {"catalog": "other", "identifier": ["year"]}, "arguments": [
            {"type": "reference", "name": "c8"}]},
        {"type": "apply", "function": ["ns", "year"], "arguments": [{"type": "reference", "name": "c8"}]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("test", [{"type": "is-null"}, {"type": "eq", "value": 5}])
def test_what_is_no_transform_of_ours_prunes_nothing(term, test):
    assert isinstance(bound({**test, "term": term}), Opaque)


def test_a_float_literal_is_the_four_byte_float():
    leaf = parse_expression(
        {"type": "eq", "term": "c5", "value": {"type": "literal", "value": 0.1, "data-type": "float"}}
    )
    assert leaf.literals == (Literal(0.10000000149011612, "float", "filter.value.value"),)


def test_without_names_there_are_no_references_by_id():
    with pytest.raises(FilterInvalid, match="no column has the id 2"):
        parse_expression({"type": "is-null", "child": {"type": "reference", "id": 2}})


def test_a_document_may_be_called_something_else():
    with pytest.raises(FilterInvalid, match=r"\(residual-filter\)"):
        parse_expression(5, root="residual-filter")


def test_decimals_of_pyiceberg_keep_their_digits():
    sent = PlanTableScanRequest(filter=theirs.EqualTo("c6", Decimal("12.30"))).model_dump_json(by_alias=True)
    assert bound(json.loads(sent)["filter"]).values == (Decimal("12.30"),)


def test_leaves_carry_their_places():
    found = parse_expression({"type": "not", "child": {"type": "starts-with", "term": "c14", "value": "a"}})
    assert found == Not(
        Leaf(Op.STARTS_WITH, "c14", (Literal("a", "untyped", "filter.child.value"),), None, "filter.child.term")
    )
