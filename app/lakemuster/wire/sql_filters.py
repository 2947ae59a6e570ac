"""Write residuals as SQL text, for callers whose filter was SQL.

The text is the caller's own if it was not truncated; else it is built from values, and :func:`parse_sql` parses it to
the same predicate. The text is true for exactly those rows of the file for which the caller's filter is true, or it is
that filter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import json_value
from lakemuster.predicates import (
    NEGATIVE,
    SYMBOLS,
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

_CUT = 1_000
"""Longer texts may have been truncated; they then contain an ellipsis."""

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_TYPED = {
    Kind.DATE: "DATE",
    Kind.TIME: "TIME",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMPTZ: "TIMESTAMPTZ",
    Kind.UUID: "UUID",
}
_NUMBERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG, Kind.DECIMAL})


class _NotExpressible(Exception):
    """Neither the caller's text nor values can express the predicate."""


def sql_of(bound: Bound, original: str) -> str | None:
    """Return a bound predicate as SQL text; None if every row matches.

    Args:
        bound: the residual of a filter that was SQL text.
        original: that text. It replaces the whole residual if a part cannot be expressed: truncated text
            without values, or whose values match more rows (``maybe``).
    """
    if isinstance(bound, AlwaysTrue):
        return None
    try:
        return _text(bound)
    except _NotExpressible:
        return original


def _text(bound: Bound) -> str:
    match bound:
        case AlwaysTrue():
            return "TRUE"
        case AlwaysFalse():
            return "FALSE"
        case BoundAnd(children=children) | BoundOr(children=children):
            if _is_whole(bound.text):
                return bound.text
            return _joined(" AND " if isinstance(bound, BoundAnd) else " OR ", children)
        case Opaque() | BoundLeaf():
            if _is_whole(bound.text):
                return bound.text
    if isinstance(bound, Opaque):
        raise _NotExpressible
    return _leaf(bound)


def _joined(word: str, children: Iterable[Bound]) -> str:
    # Both ends of a BETWEEN have the same text.
    return word.join(dict.fromkeys(_inner(child) for child in children))


def _inner(bound: Bound) -> str:
    text = _text(bound)
    return f"({text})" if isinstance(bound, BoundAnd | BoundOr) and (len(text) > _CUT or _OR.search(text)) else text


def _is_whole(words: str) -> bool:
    return bool(words) and (len(words) <= _CUT or "…" not in words)


def _leaf(leaf: BoundLeaf) -> str:
    if leaf.maybe or leaf.transform is not None or leaf.op in (Op.STARTS_WITH, Op.NOT_STARTS_WITH):
        raise _NotExpressible
    name = '"' + leaf.name.replace('"', '""') + '"'
    if leaf.op in UNARY:
        return f"{name} {SYMBOLS[leaf.op]}"
    values = [_literal(leaf.type, value) for value in leaf.values]
    right = f"({', '.join(values)})" if leaf.op in (Op.IN, Op.NOT_IN) else values[0]
    text = f"{name} {SYMBOLS[leaf.op]} {right}"
    return f"({text} OR {name} IS NULL)" if leaf.op in NEGATIVE and leaf.nulls else text


def _literal(of: Primitive, value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NotExpressible
        text = repr(value)
        return text if "e" in text else text + "e0"
    if isinstance(value, bytes) and of.kind is not Kind.UUID:
        return f"X'{value.hex()}'"
    text = str(json_value(of, value))
    if of.kind in _NUMBERS:
        return text
    quoted = "'" + text.replace("'", "''") + "'"
    return f"{_TYPED[of.kind]} {quoted}" if of.kind in _TYPED else quoted
