"""Join two readings of one filter, of which either may be the caller's."""

from __future__ import annotations

from dataclasses import replace

from lakemuster.predicates.tree import TRUE, Bound, BoundAnd, BoundLeaf, BoundOr, Opaque, any_of


def either(one: Bound, other: Bound) -> Bound:
    """Return a predicate that holds for every row that one of two readings selects.

    Unless both are equal, it never proves a match.
    """
    if one == other:
        return one
    joined = any_of((_unproven(one), _unproven(other)))
    return Opaque("", "its columns have two meanings") if joined == TRUE else joined


def _unproven(bound: Bound) -> Bound:
    match bound:
        case BoundLeaf():
            return replace(bound, maybe=True)
        case BoundAnd(children=children) | BoundOr(children=children):
            return replace(bound, children=tuple(map(_unproven, children)))
    return bound
