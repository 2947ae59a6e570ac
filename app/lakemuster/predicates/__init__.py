"""Predicates: one tree for SQL text and Iceberg expressions, bound to the columns of a schema.

``tree`` is the tree, unbound and bound; ``sql`` parses text, and ``opaque_conditions`` its conditions that cannot
prune; ``binding`` resolves columns and ``literals`` converts constants to their types; ``projection`` gives predicates
on partitions; ``nan`` defines comparisons with NaN; ``readings`` joins two meanings of a filter; ``row_evaluation``
evaluates a predicate on one row.
"""

from lakemuster.predicates.binding import MAX_DEPTH, MAX_NODES, MAX_VALUES, bind, check_size
from lakemuster.predicates.nan import NAN_MODES, NanMode
from lakemuster.predicates.readings import either
from lakemuster.predicates.row_evaluation import matches
from lakemuster.predicates.tree import (
    FALSE,
    NEGATED,
    NEGATIVE,
    SYMBOLS,
    TRUE,
    UNARY,
    AlwaysFalse,
    AlwaysTrue,
    And,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Leaf,
    Literal,
    LiteralKind,
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    Unknown,
    all_of,
    any_of,
    conjuncts,
    leaves,
    references,
    text_of,
)

__all__ = [
    "FALSE",
    "MAX_DEPTH",
    "MAX_NODES",
    "MAX_VALUES",
    "NAN_MODES",
    "NEGATED",
    "NEGATIVE",
    "SYMBOLS",
    "TRUE",
    "UNARY",
    "AlwaysFalse",
    "AlwaysTrue",
    "And",
    "Bound",
    "BoundAnd",
    "BoundLeaf",
    "BoundOr",
    "Leaf",
    "Literal",
    "LiteralKind",
    "NanMode",
    "Not",
    "Op",
    "Opaque",
    "Or",
    "Predicate",
    "Unknown",
    "all_of",
    "any_of",
    "bind",
    "check_size",
    "conjuncts",
    "either",
    "leaves",
    "matches",
    "references",
    "text_of",
]
