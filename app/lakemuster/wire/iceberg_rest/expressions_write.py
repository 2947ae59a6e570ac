"""From bound predicates to JSON, in the grammar that every client reads.

Literals are written as Iceberg's JSON single values of their column's type; clients bind them to the column
themselves. What is written holds for exactly the rows that the caller's filter holds for, or it is that filter.

Infinity and NaN are no JSON numbers. As text, Java takes them for strings, with which it compares no column of numbers,
and PyIceberg does not read NaN. A comparison with an infinity is written as one with the largest finite value of the
column's type: ``x < inf`` is ``x <= max``. A filter that has such a value, and whose residual cannot be said exactly,
is answered with one that holds for more rows. That is right because clients ask their own filter of the rows: Spark,
Flink and Trino apply it after the scan, and PyIceberg too; they use a residual to leave out parts of files, or to count
a file whose residual is true without reading it, which is why a wider one is never just true.

Source: Iceberg spec, appendix D; the ``StringLiteral`` and ``LongLiteral`` conversions of Java and PyIceberg; Java's
``ExpressionParser``, ``FileScanTaskParser``; PyIceberg's ``DataScan.count`` and ``ArrowScan``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lakemuster.metadata.transforms import transformed_type
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import json_value
from lakemuster.predicates import (
    NEGATIVE,
    UNARY,
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
)
from lakemuster.wire.iceberg_rest.expressions_nodes import joined

_INTEGERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG})
_LARGEST = {Kind.FLOAT: (2 - 2**-23) * 2.0**127, Kind.DOUBLE: sys.float_info.max}
"""The largest finite value of each floating point type."""
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})


class _Unsayable(Exception):
    """The protocol has no words for it."""


def emit_expression(bound: Bound, original: object) -> object:
    """A bound predicate as a JSON document, to be serialised.

    Args:
        bound: the residual.
        original: the caller's filter as a document. It stands for the whole where a part cannot be said:
            what is opaque, leaves that hold for more than the caller's words (``maybe``). One with an
            infinity or NaN only does where nothing at all can be said, see the module.
    """
    try:
        return _emit(bound, wider=False)
    except _Unsayable:
        if not _is_unreadable(original):
            return original
        wide = _emit(bound, wider=True)
        return original if wide is True else wide


def _is_unreadable(original: object) -> bool:
    """Whether a document compares anything with an infinity or NaN, in whatever spelling callers have for them."""
    waiting = [original]
    while waiting:
        match waiting.pop():
            case float() as number if not math.isfinite(number):
                return True
            case str() as text if text.strip("+-").lower() in _NOT_FINITE:
                return True
            case Mapping() as node:
                waiting.extend(node.values())
            case list() as items:
                waiting.extend(items)
    return False


def _emit(bound: Bound, *, wider: bool) -> object:
    """A predicate as a document.

    Args:
        wider: whether it may hold for more rows.

    Raises:
        _Unsayable: it would.
    """
    match bound:
        case AlwaysTrue():
            return True
        case AlwaysFalse():
            return False
        case BoundAnd(children=children):
            return _joined("and", [_emit(child, wider=wider) for child in children])
        case BoundOr(children=children):
            return _joined("or", [_emit(child, wider=wider) for child in children])
        case Opaque():
            if wider:
                return True
            raise _Unsayable
    if bound.maybe and not wider:
        raise _Unsayable
    return _leaf(bound)


def _joined(kind: str, documents: Sequence[object]) -> object:
    """Predicates joined; constants are left out, or decide."""
    neutral = kind == "and"
    rest = [document for document in documents if document is not neutral]
    if any(isinstance(document, bool) for document in rest):
        return not neutral
    return joined(kind, rest) if rest else neutral


def _leaf(leaf: BoundLeaf) -> object:
    term: object = leaf.name
    of = leaf.type
    if leaf.transform is not None:
        term = {"type": "transform", "transform": leaf.transform, "term": leaf.name}
        of = transformed_type(leaf.transform, leaf.type) or leaf.type
    infinite = [value for value in leaf.values if isinstance(value, float) and math.isinf(value)]
    if infinite:
        return _with_infinities(leaf, infinite)
    document: dict[str, object] = {"type": leaf.op.value.replace("_", "-"), "term": term}
    if leaf.op in (Op.IN, Op.NOT_IN):
        document["values"] = [_literal(of, value) for value in leaf.values]
    elif leaf.op not in UNARY:
        document["value"] = _literal(of, leaf.values[0])
    if leaf.op in NEGATIVE and not leaf.nulls:
        # Iceberg lets null match a negation.
        return _joined("and", [{"type": "not-null", "term": term}, document])
    return document


def _with_infinities(leaf: BoundLeaf, infinite: Sequence[float]) -> object:
    """A comparison with infinities as comparisons with the largest and the least finite value, and with NaN.

    Java's evaluators take NaN for the greatest value, so that it is left out where only one side is bounded below.
    """
    if len(leaf.values) > 1:
        # A list: each infinity by itself.
        positive = leaf.op is Op.IN
        single, several = (Op.EQ, Op.IN) if positive else (Op.NOT_EQ, Op.NOT_IN)
        finite = tuple(value for value in leaf.values if value not in infinite)
        parts = [replace(leaf, op=single, values=(value,)) for value in infinite]
        if finite:
            parts.append(replace(leaf, op=single if len(finite) == 1 else several, values=finite))
        return _joined("or" if positive else "and", [_leaf(part) for part in parts])
    most = _LARGEST[leaf.type.kind]
    above = infinite[0] > 0

    def finite_leaf(op: Op, value: float) -> object:
        return _leaf(replace(leaf, op=op, values=(value,), nulls=False))

    def unary(op: Op) -> object:
        return _leaf(replace(leaf, op=op, values=(), nulls=False))

    is_infinite = finite_leaf(Op.GT, most) if above else finite_leaf(Op.LT, -most)
    match leaf.op:
        case Op.LT if above:
            return finite_leaf(Op.LT_EQ, most)
        case Op.GT if not above:
            return _joined("and", [finite_leaf(Op.GT_EQ, -most), unary(Op.NOT_NAN)])
        case Op.LT | Op.GT:
            return False
        case Op.EQ | Op.GT_EQ if above:
            return _joined("and", [is_infinite, unary(Op.NOT_NAN)])
        case Op.EQ | Op.LT_EQ if not above:
            return is_infinite
        case Op.LT_EQ | Op.GT_EQ:
            return _joined("and", [unary(Op.NOT_NULL), unary(Op.NOT_NAN)])
    other = finite_leaf(Op.LT_EQ, most) if above else finite_leaf(Op.GT_EQ, -most)
    return _joined("or", [other, unary(Op.IS_NAN), *([unary(Op.IS_NULL)] if leaf.nulls else [])])


def _literal(of: Primitive, value: object) -> object:
    if of.kind in _INTEGERS:
        return value
    if isinstance(value, bytes):
        return value.hex().upper()
    return json_value(of, value)
