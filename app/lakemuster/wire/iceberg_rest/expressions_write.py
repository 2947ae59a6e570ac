"""Write bound predicates as JSON, in the grammar that all clients can read.

Literals are written as Iceberg's JSON single values of their column's type; clients bind them to the column
themselves. The written residual is true for exactly the rows for which the caller's filter is true, or it is that
filter.

Infinity and NaN are not JSON numbers. As text, Java treats them as strings, which it cannot compare with numeric
columns, and PyIceberg does not parse NaN. A comparison with an infinity is written as one with the largest finite value
of the column's type: ``x < inf`` is ``x <= max``. If a filter has such a value and its residual has no exact form,
the residual is a wider one, true for more rows. That is correct because clients evaluate their own filter on the rows:
Spark, Flink, Trino and PyIceberg apply it after the scan. They use a residual to skip parts of files, or to count
a file whose residual is true without reading it, so a wider residual is never just true.

Iceberg Java orders -0.0 before 0.0 when it skips parts of files, and thus loses rows that engines find equal. So a
lower limit of zero is written as -0.0, and equality with zero as equality with one of both. If such a filter's residual
has no exact form, it is a wider one, too.

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
    leaves,
)
from lakemuster.wire.iceberg_rest.expressions_nodes import joined

_INTEGERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG})
_LARGEST = {Kind.FLOAT: (2 - 2**-23) * 2.0**127, Kind.DOUBLE: sys.float_info.max}
"""The largest finite value of each floating point type."""
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})


class _NotExpressible(Exception):
    """The predicate has no exact form in the protocol."""


def emit_expression(bound: Bound, original: object) -> object:
    """Convert a bound predicate to a JSON document for serialization.

    Args:
        bound: the residual.
        original: the caller's filter as a document. It replaces the whole residual if a part has no exact form:
            opaque conditions, and leaves that are true for more rows than the caller's condition (``maybe``). A filter
            with an infinity, NaN or zero does so only if no wider form exists either; see the module.
    """
    try:
        return _emit(bound, wider=False)
    except _NotExpressible:
        if not _is_unreadable(original) and not any(map(_has_other_zero, leaves(bound))):
            return original
        wide = _emit(bound, wider=True)
        return original if wide is True else wide


def _is_unreadable(original: object) -> bool:
    """Tell whether a document has an infinity or NaN as a value, in any of the callers' spellings."""
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
    """Convert a predicate to a document.

    Args:
        wider: whether it may be true for more rows.

    Raises:
        _NotExpressible: not ``wider``, and a part has no exact form.
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
            raise _NotExpressible
    if bound.maybe and not wider:
        raise _NotExpressible
    return _leaf(bound)


def _joined(kind: str, documents: Sequence[object]) -> object:
    """Join predicates; constants are left out, or decide the whole."""
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
    if leaf.op is Op.EQ and _has_other_zero(leaf):
        leaf = replace(leaf, op=Op.IN)
    document: dict[str, object] = {"type": leaf.op.value.replace("_", "-"), "term": term}
    if leaf.op in (Op.IN, Op.NOT_IN):
        document["values"] = [_literal(of, value) for value in _with_both_zeros(leaf)]
    elif leaf.op not in UNARY:
        document["value"] = _literal(of, _with_both_zeros(leaf)[0])
    if leaf.op in NEGATIVE and not leaf.nulls:
        # In Iceberg, null matches a negation.
        return _joined("and", [{"type": "not-null", "term": term}, document])
    return document


def _with_infinities(leaf: BoundLeaf, infinite: Sequence[float]) -> object:
    """Write a comparison with infinities as comparisons with the largest and smallest finite values, and NaN tests.

    Java's evaluators treat NaN as the greatest value, so a comparison with only a lower limit needs a not-NaN test.
    """
    if len(leaf.values) > 1:
        # A list: write each infinity separately.
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


def _has_other_zero(leaf: BoundLeaf) -> bool:
    """Tell whether -0.0 matches, though it is less than 0.0 in Java's order."""
    return leaf.type.kind in _LARGEST and leaf.op in (Op.EQ, Op.IN, Op.GT_EQ) and 0 in leaf.values


def _with_both_zeros(leaf: BoundLeaf) -> Sequence[object]:
    """Return the values to write, so that no zero that matches is outside of them in Java's order."""
    return [-0.0, *leaf.values] if _has_other_zero(leaf) else leaf.values


def _literal(of: Primitive, value: object) -> object:
    if of.kind in _INTEGERS:
        return value
    if isinstance(value, bytes):
        return value.hex().upper()
    return json_value(of, value)
