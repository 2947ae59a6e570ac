"""Rewrite an OR of equalities on one column as IN: ``a = 1 or a = 2`` is evaluated as ``a in (1, 2)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from lakemuster.metadata.types import Primitive
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.predicates import Bound, BoundAnd, BoundLeaf, BoundOr, Op, any_of


def or_to_in(bound: Bound, projection: PartitionPredicates) -> Bound:
    """Merge the alternatives for each column into one IN.

    Columns with a projection on partitions are left alone: their values may project to different partitions.
    """
    match bound:
        case BoundAnd(children=children):
            merged = tuple([or_to_in(child, projection) for child in children])
            # The unchanged tree has its hash already.
            return bound if all(map(is_, merged, children)) else replace(bound, children=merged)
        case BoundOr(children=children):
            by_column: dict[tuple[int, Primitive], list[BoundLeaf]] = {}
            rest: list[Bound] = []
            for child in children:
                match child:
                    case BoundLeaf(op=Op.EQ | Op.IN, transform=None) if projection.inclusive(child) is None:
                        by_column.setdefault((child.field_id, child.type), []).append(child)
                    case _:
                        rest.append(or_to_in(child, projection))
            return any_of([*map(_any_value, by_column.values()), *rest], bound.text)
    return bound


def _any_value(leaves: Sequence[BoundLeaf]) -> BoundLeaf:
    if len(leaves) == 1:
        return leaves[0]
    values = sorted({value for leaf in leaves for value in leaf.values})  # type: ignore[type-var]
    return replace(leaves[0], op=Op.IN if len(values) > 1 else Op.EQ, values=tuple(values))
