"""The complement of a predicate: what holds for every row that the predicate does not certainly select.

If statistics prove that no row of a file satisfies the complement, every row of the file matches the predicate. Pruning
by the complement thus proves matches, with the rules by which pruning by the predicate proves their absence.

A row matches when the predicate is TRUE. Rows that leave it UNKNOWN satisfy the complement: a null value does, unless
the leaf matches null. ``maybe`` leaves and opaque conditions prove nothing: every row satisfies their complement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakemuster.predicates.binding import without_nan
from lakemuster.predicates.comparison_binding import FLOATS
from lakemuster.predicates.tree import (
    FALSE,
    NEGATED,
    NEGATIVE,
    TRUE,
    UNARY,
    AlwaysFalse,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    all_of,
    any_of,
)

_ORDERED = (Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ)


def complement(bound: Bound, never_null: Callable[[int], bool] = lambda _: False) -> Bound:
    """Return a predicate that holds for every row that ``bound`` does not certainly select.

    Args:
        never_null: tells whether no file can hold a null in a column, by its field id.
    """
    match bound:
        case BoundLeaf(maybe=False):
            return _of_leaf(bound, never_null)
        case BoundAnd(children=children):
            return any_of((complement(child, never_null) for child in children), bound.text)
        case BoundOr(children=children):
            return all_of(without_nan([complement(child, never_null) for child in children]), bound.text)
        case AlwaysFalse() | BoundLeaf():
            return TRUE
    return FALSE if bound == TRUE else TRUE


def _of_leaf(leaf: BoundLeaf, never_null: Callable[[int], bool]) -> Bound:
    opposite = replace(leaf, op=NEGATED[leaf.op], nulls=False)
    null = replace(leaf, op=Op.IS_NULL, values=(), nulls=False)
    if leaf.op in UNARY:
        return opposite
    if opposite.op in NEGATIVE:  # matches NaN, and null by its mark
        return replace(opposite, nulls=True)
    left: list[Bound] = [opposite]
    if not leaf.nulls and (leaf.transform is not None or not never_null(leaf.field_id)):
        left.append(null)
    if leaf.op in _ORDERED and leaf.type.kind in FLOATS:
        left.append(replace(null, op=Op.IS_NAN))
    return any_of(left, leaf.text)


def excludes_null(bound: Bound, field_id: int) -> bool:
    """Tell whether no row with a null in a column satisfies a predicate, whatever its other values."""
    return _excludes(bound, lambda leaf: leaf.field_id == field_id and not _takes_null(leaf))


def excludes_nan(bound: Bound, field_id: int) -> bool:
    """Tell whether no row with NaN in a column satisfies a predicate, whatever its other values."""
    return _excludes(bound, lambda leaf: leaf.field_id == field_id and leaf.op not in _TAKES_NAN)


_TAKES_NAN = NEGATIVE | {Op.IS_NAN, Op.NOT_NULL}


def _takes_null(leaf: BoundLeaf) -> bool:
    return leaf.nulls or leaf.op in (Op.IS_NULL, Op.NOT_NAN)


def _excludes(bound: Bound, leaf: Callable[[BoundLeaf], bool]) -> bool:
    match bound:
        case BoundLeaf():
            return bound.transform is None and leaf(bound)
        case BoundAnd(children=children):
            return any(_excludes(child, leaf) for child in children)
        case BoundOr(children=children):
            return all(_excludes(child, leaf) for child in children)
    return isinstance(bound, AlwaysFalse)
