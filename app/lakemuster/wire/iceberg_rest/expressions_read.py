"""Parse Iceberg JSON expressions into predicates."""

from __future__ import annotations

from collections.abc import Mapping

from lakemuster.predicates import FALSE, TRUE, UNARY, And, Leaf, Literal, Not, Op, Opaque, Or, Predicate
from lakemuster.wire.documents import dumps
from lakemuster.wire.iceberg_rest.expressions_nodes import FilterBudget, member, named, refused, under, words
from lakemuster.wire.iceberg_rest.expressions_values import ColumnTerm, OperandParser, Unusable, Value

_OPS = {op.value.replace("_", "-"): op for op in Op}
_SETS = (Op.IN, Op.NOT_IN)
_MIRRORED = {
    Op.EQ: Op.EQ,
    Op.NOT_EQ: Op.NOT_EQ,
    Op.LT: Op.GT,
    Op.GT: Op.LT,
    Op.LT_EQ: Op.GT_EQ,
    Op.GT_EQ: Op.LT_EQ,
}
_TEXT_SHOWN = 200


def parse_expression(document: object, names: Mapping[int, str] | None = None, root: str = "filter") -> Predicate:
    """Convert a JSON document to a predicate.

    Literals keep their JSON values: binding the predicate converts them to the column's type. Nulls
    match as in Iceberg: bind with ``negations_match_null``.

    Args:
        document: the parsed JSON.
        names: dotted names of columns by field id; without them, references by id are refused.
        root: the document's name in messages.

    Raises:
        FilterInvalid: not an expression, or beyond the limits of predicates; names the cause and position.
    """
    budget = FilterBudget()
    return _Reader(budget, OperandParser(budget, names or {})).predicate(document, root, 1)


class _Reader:
    def __init__(self, budget: FilterBudget, values: OperandParser) -> None:
        self._budget = budget
        self._values = values

    def predicate(self, document: object, where: str, depth: int) -> Predicate:
        """Convert one node and its children."""
        self._budget.node(depth)
        if isinstance(document, bool):
            return TRUE if document else FALSE
        if not isinstance(document, Mapping):
            raise refused(f"expected true, false or an object, not {words(document)}", where)
        match named(document, where):
            case "true":
                return TRUE
            case "false":
                return FALSE
            case "literal":
                return self._constant(document, where)
            case "not":
                child = self.predicate(member(document, "child", where), under(where, ".child"), depth + 1)
                return Not(child)
            case "and" | "or" as kind:
                children = self._chain(document, kind, where, depth)
                return And(children) if kind == "and" else Or(children)
            case kind if kind in _OPS:
                return self._leaf(_OPS[kind], document, where, depth)
            case kind:
                raise refused(f"{kind!r} is not an expression", under(where, ".type"))

    def _chain(self, node: Mapping[str, object], kind: str, where: str, depth: int) -> tuple[Predicate, ...]:
        """Return the operands of nested nodes of one kind; however deep the nesting, they are one level."""
        children: list[Predicate] = []
        waiting: list[tuple[object, str]] = [(node, where)]
        while waiting:
            document, at = waiting.pop()
            if isinstance(document, Mapping) and named(document, at) == kind:
                waiting.append((member(document, "right", at), under(at, ".right")))
                waiting.append((member(document, "left", at), under(at, ".left")))
                self._budget.expect(len(waiting))
            else:
                children.append(self.predicate(document, at, depth + 1))
        return tuple(children)

    def _constant(self, node: Mapping[str, object], where: str) -> Predicate:
        value = member(node, "value", where)
        if not isinstance(value, bool):
            raise refused(f"expected true or false, not {words(value)}", under(where, ".value"))
        return TRUE if value else FALSE

    def _leaf(self, op: Op, node: Mapping[str, object], where: str, depth: int) -> Predicate:
        if op in UNARY or op in _SETS:
            _without(node, where, op, "value", "left", "right", *(() if op in _SETS else ("values",)))
            operand = self._operand(node, "child", where, depth)
            literals: tuple[Literal, ...] = ()
            if op in _SETS:
                literals = self._values.literals(member(node, "values", where), under(where, ".values"))
            if isinstance(operand, Literal):
                raise refused(f"{_spelled(op)} takes a column, not a literal", under(where, ".child"))
            return _of_column(op, operand, literals, node)
        _without(node, where, op, "values", "child")
        left = self._operand(node, "left", where, depth)
        if "left" not in node:
            right: Value = self._values.literal(member(node, "value", where), under(where, ".value"))
        else:
            right = self._values.value(member(node, "right", where), under(where, ".right"), depth)
        if isinstance(left, Literal) and op in _MIRRORED:
            op, left, right = _MIRRORED[op], right, left
        if isinstance(left, Literal) or not isinstance(right, Literal):
            unknown = [value.reason for value in (left, right) if isinstance(value, Unusable)]
            return _opaque((unknown or ["it does not compare a column with a literal"])[0], (left, right), node)
        return _of_column(op, left, (right,), node)

    def _operand(self, node: Mapping[str, object], key: str, where: str, depth: int) -> Value:
        """Convert the newer grammar's member, or the older one's ``term``."""
        if key in node and "term" in node:
            raise refused(f"{key!r} and 'term' are mutually exclusive", where)
        if key in node:
            if "value" in node:
                raise refused(f"'value' requires 'term', not {key!r}", where)
            return self._values.value(node[key], under(where, "." + key), depth)
        if "term" not in node:
            raise refused(f"{key!r} or 'term' is missing", where)
        if "right" in node:
            raise refused("'right' requires 'left', not 'term'", where)
        return self._values.term(node["term"], under(where, ".term"), depth)


def _without(node: Mapping[str, object], where: str, op: Op, *keys: str) -> None:
    for key in keys:
        if key in node:
            raise refused(f"{_spelled(op)} has no {key!r}", where)


def _of_column(
    op: Op, operand: ColumnTerm | Unusable, literals: tuple[Literal, ...], node: Mapping[str, object]
) -> Predicate:
    if isinstance(operand, Unusable):
        return _opaque(operand.reason, (operand,), node)
    return Leaf(op, operand.name, literals, operand.transform, operand.where)


def _opaque(reason: str, values: tuple[Value, ...], node: Mapping[str, object]) -> Opaque:
    """Return a condition that cannot prune."""
    names: list[tuple[str, str]] = []
    for value in values:
        if isinstance(value, ColumnTerm):
            names.append((value.name, value.where))
        elif isinstance(value, Unusable):
            names += value.names
    text = dumps(node).decode()
    return Opaque(text if len(text) <= _TEXT_SHOWN else text[:_TEXT_SHOWN] + "…", reason, tuple(names))


def _spelled(op: Op) -> str:
    return op.value.replace("_", "-")
