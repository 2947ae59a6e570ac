"""Evaluation of bound predicates on rows, against SQL evaluation of the unbound tree."""

import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.predicates import (
    FALSE,
    And,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Leaf,
    Literal,
    Not,
    Op,
    Or,
    Unknown,
    all_of,
    any_of,
    bind,
    matches,
)
from tests.examples import examples

TYPES = {
    "i": Primitive(Kind.INT, "int"),
    "d": Primitive(Kind.DECIMAL, "decimal(4,1)", precision=4, scale=1),
    "x": Primitive(Kind.DOUBLE, "double"),
    "s": Primitive(Kind.STRING, "string"),
}
IDS = {name: number for number, name in enumerate(TYPES, 1)}
SCHEMA = Schema(0, tuple(Field(IDS[name], name, of) for name, of in TYPES.items()))


def sql_truth(node, row, nan):
    """Return an unbound predicate's truth value in SQL's three-valued logic, by exact arithmetic."""
    match node:
        case Unknown():
            return None
        case Not(child=child):
            found = sql_truth(child, row, nan)
            return None if found is None else not found
        case And(children=children):
            found = [sql_truth(child, row, nan) for child in children]
            return False if False in found else None if None in found else True
        case Or(children=children):
            found = [sql_truth(child, row, nan) for child in children]
            return True if True in found else None if None in found else False
    value = row[node.name]
    match node.op:
        case Op.IS_NULL:
            return value is None
        case Op.IS_NAN:
            return isinstance(value, float) and math.isnan(value)
        case Op.IN:
            found = [compared(Op.EQ, value, literal, nan) for literal in node.literals]
            return True if True in found else None if None in found else False
        case Op.STARTS_WITH:
            return None if value is None else value.startswith(node.literals[0].value)
    return compared(node.op, value, node.literals[0], nan)


def compared(op, value, literal, nan):
    if value is None or literal.value is None:
        return None
    left, right = rank(value, nan), rank(literal.value, nan)
    if left is None or right is None:  # NaN under IEEE 754
        return op is Op.NOT_EQ
    return {
        Op.EQ: left == right, Op.NOT_EQ: left != right, Op.LT: left < right,
        Op.LT_EQ: left <= right, Op.GT: left > right, Op.GT_EQ: left >= right,
    }[op]  # fmt: skip


def rank(value, nan):
    """Return an exact sort key of a value; None for NaN under IEEE 754."""
    if isinstance(value, float) and math.isnan(value):
        return (2, 0) if nan == "greatest" else None
    if isinstance(value, float) and math.isinf(value):
        return (1 if value > 0 else -1, 0)
    return (0, Fraction(value)) if isinstance(value, int | float | Decimal) else (0, value)


ROWS = {
    "i": st.sampled_from([None, -(2**31), -2, -1, 0, 1, 2, 3, 2**31 - 1]),
    "d": st.sampled_from([None, *(Decimal(n).scaleb(-1) for n in (-9999, -12, -1, 0, 1, 9, 10, 11, 9999))]),
    "x": st.sampled_from([None, math.nan, -math.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf]),
    "s": st.sampled_from([None, "", "a", "ab", "abc", "b", "é"]),
}
NUMBERS = st.sampled_from([-(2**31) - 1, -(2**31), -1, 0, 1, 2, 2**31 - 1, 2**31])
FRACTIONS = st.sampled_from([Decimal(n).scaleb(-2) for n in (-99999, -110, -5, 0, 5, 100, 105, 110, 99999)])


def constants(name):
    if name == "s":
        return st.sampled_from(["", "a", "ab", "b"]).map(lambda value: Literal(value, "string"))
    exact = NUMBERS.map(lambda value: Literal(value, "integer")) | FRACTIONS.map(
        lambda value: Literal(value, "decimal")
    )
    floats = st.sampled_from([math.nan, math.inf, -math.inf, 0.5, -0.0]).map(lambda value: Literal(value, "float"))
    return floats | NUMBERS.map(lambda value: Literal(value, "integer")) if name == "x" else exact


@st.composite
def comparisons(draw, names=("i", "d", "x", "s")):
    name = draw(st.sampled_from(names))
    ops = [Op.EQ, Op.NOT_EQ, Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.IN, Op.IS_NULL]
    op = draw(st.sampled_from([*ops, *((Op.STARTS_WITH,) if name == "s" else (Op.IS_NAN,) if name == "x" else ())]))
    if op in (Op.IS_NULL, Op.IS_NAN):
        return Leaf(op, name)
    literals = draw(st.lists(constants(name), min_size=1, max_size=3 if op is Op.IN else 1))
    if op is not Op.STARTS_WITH and draw(st.integers(0, 9)) == 0:
        literals[0] = Literal(None, "null")
    return Leaf(op, name, tuple(literals))


def trees(names=("i", "d", "x", "s")):
    return st.recursive(
        comparisons(names) | st.just(Unknown()),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=3).map(lambda found: And(tuple(found)))
            | st.lists(inner, min_size=1, max_size=3).map(lambda found: Or(tuple(found)))
            | inner.map(Not)
        ),
        max_leaves=8,
    )


def certain(found):
    """Return the bound predicate with conditions that only may match replaced by FALSE."""
    match found:
        case BoundAnd(children=children):
            return all_of(map(certain, children))
        case BoundOr(children=children):
            return any_of(map(certain, children))
        case BoundLeaf(maybe=True):
            return FALSE
    return found


def by_id(row):
    return {IDS[name]: value for name, value in row.items()}


@given(trees(), st.fixed_dictionaries(ROWS))
@settings(max_examples=examples(400), deadline=None)
def test_no_row_is_lost_and_none_is_proven_wrongly(tree, row):
    truths = {nan: sql_truth(tree, row, nan) for nan in ("ieee", "greatest")}
    found = bind(tree, SCHEMA)
    if True in truths.values():
        assert matches(found, by_id(row)) is True, (found, truths)
    if matches(certain(found), by_id(row)) is True:
        assert set(truths.values()) == {True}, (found, truths)


@given(trees(("i", "d", "s")), st.fixed_dictionaries(ROWS))
@settings(max_examples=examples(300), deadline=None)
def test_without_floating_point_a_row_matches_exactly_when_sql_says_so(tree, row):
    assert (matches(bind(tree, SCHEMA), by_id(row)) is True) is (sql_truth(tree, row, "ieee") is True)


@given(comparisons(("x",)), st.booleans(), ROWS["x"])
@settings(max_examples=examples(200), deadline=None)
def test_a_number_matches_a_single_comparison_exactly_when_sql_says_so(tree, negated, value):
    tree, row = Not(tree) if negated else tree, {"x": value}
    if any(isinstance(c.value, float) and math.isnan(c.value) for c in (tree.child if negated else tree).literals):
        return
    expected = any(sql_truth(tree, row, nan) is True for nan in ("ieee", "greatest"))
    assert (matches(bind(tree, SCHEMA), by_id(row)) is True) is expected
