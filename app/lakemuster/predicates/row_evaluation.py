"""Evaluate predicates on single rows: the reference that pruning is checked against."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal as OneOf

from lakemuster.metadata.transforms import apply
from lakemuster.predicates.tree import (
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
)

NanReading = OneOf["ieee", "greatest"]
"""``ieee``: every ordered comparison with NaN is FALSE. ``greatest``: it equals itself and is above every number."""


def matches(bound: Bound, row: Mapping[int, object], *, nan: NanReading = "ieee") -> bool | None:
    """Evaluate a predicate on a row: True, False, or None for SQL's UNKNOWN.

    Args:
        bound: the predicate; opaque conditions are UNKNOWN.
        row: values in internal form by field id; an absent one is null.
        nan: how the leaves compare NaN.
    """
    match bound:
        case AlwaysTrue():
            return True
        case AlwaysFalse():
            return False
        case Opaque():
            return None
        case BoundAnd(children=children):
            answers = [matches(child, row, nan=nan) for child in children]
            return False if False in answers else None if None in answers else True
        case BoundOr(children=children):
            answers = [matches(child, row, nan=nan) for child in children]
            return True if True in answers else None if None in answers else False
    return _leaf(bound, row.get(bound.field_id), nan)


def _leaf(leaf: BoundLeaf, value: object, nan: NanReading) -> bool | None:
    if leaf.transform is not None:
        value = apply(leaf.transform, leaf.type, value)
    match leaf.op:
        case Op.IS_NULL:
            return value is None
        case Op.NOT_NULL:
            return value is not None
        case Op.IS_NAN:
            return _is_nan(value)
        case Op.NOT_NAN:
            return not _is_nan(value)
    if value is None:
        return True if leaf.nulls else None
    match leaf.op:
        case Op.EQ | Op.IN:
            return value in leaf.values
        case Op.NOT_EQ | Op.NOT_IN:
            return value not in leaf.values
        case Op.STARTS_WITH:
            return _starts(value, leaf.values[0])
        case Op.NOT_STARTS_WITH:
            return not _starts(value, leaf.values[0])
    return _ordered(leaf.op, value, leaf.values[0], nan)


def _ordered(op: Op, value: object, than: object, nan: NanReading) -> bool:
    if _is_nan(value):
        return nan == "greatest" and op in (Op.GT, Op.GT_EQ)
    if value == than:
        return op in (Op.LT_EQ, Op.GT_EQ)
    return (value < than) is (op in (Op.LT, Op.LT_EQ))  # type: ignore[operator]


def _starts(value: object, prefix: object) -> bool:
    assert isinstance(value, str | bytes)
    return value.startswith(prefix)  # type: ignore[arg-type]


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
