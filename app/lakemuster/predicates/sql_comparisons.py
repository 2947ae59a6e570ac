"""Parse comparisons of a column with constants in SQL text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import sql_constants as constants
from lakemuster.predicates.like_patterns import like
from lakemuster.predicates.sql_cursor import Cursor
from lakemuster.predicates.sql_operands import ColumnOperand, NotPrunable, as_column, column, literal, operand
from lakemuster.predicates.sql_tokens import MAX_LISTED, place
from lakemuster.predicates.tree import FALSE, TRUE, And, Leaf, Literal, Not, Op, Predicate, Unknown

_COMPARISONS = {
    "=": Op.EQ,
    "==": Op.EQ,
    "!=": Op.NOT_EQ,
    "<>": Op.NOT_EQ,
    "<": Op.LT,
    "<=": Op.LT_EQ,
    ">": Op.GT,
    ">=": Op.GT_EQ,
}
_MIRRORED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LT_EQ: Op.GT_EQ, Op.GT_EQ: Op.LT_EQ}
_ORDER: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: operator.eq,
    Op.NOT_EQ: operator.ne,
    Op.LT: operator.lt,
    Op.LT_EQ: operator.le,
    Op.GT: operator.gt,
    Op.GT_EQ: operator.ge,
}


def comparison(cursor: Cursor, start: int) -> Predicate:
    """Parse the comparison that starts at a token; the caller checks what follows it.

    Raises:
        NotPrunable: not a comparison that can prune.
        FilterInvalid: an invalid constant, or a constant alone.
    """
    boolean = _function_condition(cursor, start)
    if boolean is not None:
        return boolean
    left = operand(cursor)
    token = cursor.tokens[cursor.at]
    if cursor.is_boundary(cursor.at):
        return _bare(cursor, left, start)
    if token.kind == "sign" and token.value in _COMPARISONS:
        cursor.at += 1
        return _compared(cursor, left, _COMPARISONS[token.value], operand(cursor), start)
    if token.kind == "sign" and token.value == "<=>":
        cursor.at += 1
        return _same(cursor, left, operand(cursor), start)
    if cursor.take("IS"):
        return _is(cursor, left, start)
    negated = cursor.take("NOT")
    column = as_column(left)
    if cursor.take("IN"):
        found: Predicate = _in(cursor, column, start)
    elif cursor.take("BETWEEN"):
        found = _between(cursor, column, start)
    elif cursor.take("LIKE"):
        found = _like(cursor, column, start)
    else:
        raise NotPrunable
    return Not(found, cursor.shown_since(start)) if negated else found


def _function_condition(cursor: Cursor, start: int) -> Predicate | None:
    """Parse ``is_nan(column)`` or ``starts_with(column, 'text')``; None for anything else."""
    token = cursor.tokens[start]
    if token.kind != "name" or not cursor.is_sign(start + 1, "("):
        return None
    end = cursor.closings[start + 1]
    if token.value in ("IS_NAN", "ISNAN") or token.value in ("STARTS_WITH", "STARTSWITH"):
        cursor.at = start + 2
        subject = column(cursor)
        literals: tuple[Literal, ...] = ()
        op = Op.IS_NAN
        if token.value.startswith("START"):
            op = Op.STARTS_WITH
            if not cursor.take_sign(","):
                raise NotPrunable
            literals = (literal(cursor),)
        if cursor.at != end:
            raise NotPrunable
        cursor.at += 1
        return _leaf(cursor, op, subject, literals, start)
    return None


def _bare(cursor: Cursor, left: ColumnOperand | Literal, start: int) -> Predicate:
    if isinstance(left, ColumnOperand):
        return _leaf(cursor, Op.EQ, left, (Literal(True, "boolean", left.where),), start)
    if left.kind == "null":
        return Unknown()
    if left.kind == "boolean":
        return TRUE if left.value else FALSE
    raise FilterInvalid(f"a constant alone is not a condition ({left.where})", position=left.where)


def _compared(
    cursor: Cursor, left: ColumnOperand | Literal, op: Op, right: ColumnOperand | Literal, start: int
) -> Predicate:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return _of_constants(left, op, right)
    if isinstance(left, Literal):
        left, op, right = right, _MIRRORED.get(op, op), left
    if isinstance(left, ColumnOperand) and isinstance(right, Literal):
        return _leaf(cursor, op, left, (right,), start)
    raise NotPrunable


def _same(cursor: Cursor, left: ColumnOperand | Literal, right: ColumnOperand | Literal, start: int) -> Predicate:
    """Build null-safe equality, ``<=>``: TRUE or FALSE, for nulls too."""
    if isinstance(left, Literal):
        left, right = right, left
    if not isinstance(right, Literal) or not isinstance(left, ColumnOperand):
        raise NotPrunable
    if right.kind == "null":
        return _leaf(cursor, Op.IS_NULL, left, (), start)
    known = _leaf(cursor, Op.NOT_NULL, left, (), start)
    return And((known, _leaf(cursor, Op.EQ, left, (right,), start)), cursor.shown_since(start))


def _is(cursor: Cursor, left: ColumnOperand | Literal, start: int) -> Predicate:
    negated = cursor.take("NOT")
    column = as_column(left)
    token = cursor.tokens[cursor.at]
    if cursor.take("NULL") or cursor.take("UNKNOWN"):
        return _leaf(cursor, Op.NOT_NULL if negated else Op.IS_NULL, column, (), start)
    if cursor.take("NAN"):
        return _leaf(cursor, Op.NOT_NAN if negated else Op.IS_NAN, column, (), start)
    if cursor.take("TRUE") or cursor.take("FALSE"):
        value = Literal(token.value == "TRUE", "boolean", place(token.start))
        found = _same(cursor, column, value, start)
    elif cursor.take("DISTINCT"):
        if not cursor.take("FROM"):
            raise NotPrunable
        found, negated = _same(cursor, column, operand(cursor), start), not negated
    else:
        raise NotPrunable
    return Not(found, cursor.shown_since(start)) if negated else found


def _in(cursor: Cursor, column: ColumnOperand, start: int) -> Predicate:
    token = cursor.tokens[cursor.at]
    if token.kind == "list":
        cursor.at += 1
        constant = constants.listed(cursor.text, token)
        if constant is None:
            raise NotPrunable
        # The size of the whole predicate is checked too, but only once all lists are parsed.
        cursor.listed += len(constant)
        if cursor.listed > MAX_LISTED:
            raise FilterInvalid(f"the lists of a filter have at most {MAX_LISTED} values", limit=MAX_LISTED)
        return _leaf(cursor, Op.IN, column, constant, start)
    if token.value != "(":
        raise NotPrunable
    end = cursor.closings[cursor.at]
    if end == cursor.at + 1:
        raise FilterInvalid(f"IN takes at least one value ({place(token.start)})", position=place(token.start))
    found: list[Literal] = []
    while cursor.at < end:
        cursor.at += 1
        found.append(literal(cursor))
        if cursor.at != end and not cursor.is_sign(cursor.at, ","):
            raise NotPrunable
    cursor.at += 1
    return _leaf(cursor, Op.IN, column, tuple(found), start)


def _between(cursor: Cursor, column: ColumnOperand, start: int) -> Predicate:
    low = literal(cursor)
    if not cursor.take("AND"):
        raise NotPrunable
    high = literal(cursor)
    above = _leaf(cursor, Op.GT_EQ, column, (low,), start)
    return And((above, _leaf(cursor, Op.LT_EQ, column, (high,), start)), cursor.shown_since(start))


def _like(cursor: Cursor, column: ColumnOperand, start: int) -> Predicate:
    pattern = literal(cursor)
    escape = None
    if cursor.take("ESCAPE"):
        escape = literal(cursor)
    return like(_leaf(cursor, Op.EQ, column, (pattern,), start), escape)


def _leaf(cursor: Cursor, op: Op, column: ColumnOperand, literals: tuple[Literal, ...], start: int) -> Leaf:
    return Leaf(op, column.name, literals, column.transform, column.where, cursor.shown_since(start))


def _of_constants(left: Literal, op: Op, right: Literal) -> Predicate:
    if "null" in (left.kind, right.kind):
        return Unknown()
    for kinds in (("integer", "decimal"), ("string",), ("boolean",)):
        if left.kind in kinds and right.kind in kinds:
            return TRUE if _ORDER[op](left.value, right.value) else FALSE
    raise NotPrunable
