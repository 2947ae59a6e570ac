"""From bound predicates to JSON, in the grammar that every client reads.

Literals are written as Iceberg's JSON single values of their column's type; clients bind them to the column
themselves. What is written holds for exactly the rows that the caller's filter holds for, or it is that filter.

Source: Iceberg spec, appendix D; the ``StringLiteral`` and ``LongLiteral`` conversions of Java and PyIceberg.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lakemuster.metadata.predicate import (
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
from lakemuster.metadata.transforms import transformed_type
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import json_value

_INTEGERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG})


class _Unsayable(Exception):
    """The protocol has no words for it."""


def emit_expression(bound: Bound, original: object) -> object:
    """A bound predicate as a JSON document, to be serialised.

    Args:
        bound: the residual.
        original: the caller's filter as a document. It stands for the whole where a part cannot be said:
            what is opaque, leaves that hold for more than the caller's words (``maybe``), infinite
            literals, which JSON numbers cannot be.
    """
    try:
        return _emit(bound)
    except _Unsayable:
        return original


def _emit(bound: Bound) -> object:
    match bound:
        case AlwaysTrue():
            return True
        case AlwaysFalse():
            return False
        case BoundAnd(children=children):
            return _joined("and", [_emit(child) for child in children])
        case BoundOr(children=children):
            return _joined("or", [_emit(child) for child in children])
        case Opaque():
            raise _Unsayable
    return _leaf(bound)


def _joined(kind: str, documents: Sequence[object]) -> object:
    """Two by two, no deeper than needed: readers descend by recursion."""
    if len(documents) == 1:
        return documents[0]
    half = len(documents) // 2
    return {"type": kind, "left": _joined(kind, documents[:half]), "right": _joined(kind, documents[half:])}


def _leaf(leaf: BoundLeaf) -> object:
    if leaf.maybe:
        raise _Unsayable
    term: object = leaf.name
    of = leaf.type
    if leaf.transform is not None:
        term = {"type": "transform", "transform": leaf.transform, "term": leaf.name}
        of = transformed_type(leaf.transform, leaf.type) or leaf.type
    document: dict[str, object] = {"type": leaf.op.value.replace("_", "-"), "term": term}
    if leaf.op in (Op.IN, Op.NOT_IN):
        document["values"] = [_literal(of, value) for value in leaf.values]
    elif leaf.op not in UNARY:
        document["value"] = _literal(of, leaf.values[0])
    if leaf.op in NEGATIVE and not leaf.nulls:
        # Iceberg lets null match a negation.
        return _joined("and", [{"type": "not-null", "term": term}, document])
    return document


def _literal(of: Primitive, value: object) -> object:
    if of.kind in _INTEGERS:
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unsayable
    if isinstance(value, bytes):
        return value.hex().upper()
    return json_value(of, value)
