"""Bound predicates as SQL text: what is left to ask of a file's rows, in the caller's language.

The caller's own words where they are whole; else text made from values, which :func:`parse_sql` reads as the same
predicate. What is written holds for exactly the rows of the file that the caller's filter holds for, or it is that
filter.
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
"""Words of more characters may have been cut; they end in an ellipsis then."""

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_TYPED = {
    Kind.DATE: "DATE",
    Kind.TIME: "TIME",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMPTZ: "TIMESTAMPTZ",
    Kind.UUID: "UUID",
}
_NUMBERS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG, Kind.DECIMAL})


class _Unsayable(Exception):
    """Neither words nor values can say it."""


def sql_of(bound: Bound, original: str) -> str | None:
    """A bound predicate as SQL text; None for one that every row matches.

    Args:
        bound: the residual of a filter that was SQL text.
        original: that text. It stands for the whole where a part cannot be said: words that were cut and
            have no values, or whose values hold for more rows (``maybe``).
    """
    if isinstance(bound, AlwaysTrue):
        return None
    try:
        return _text(bound)
    except _Unsayable:
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
        raise _Unsayable
    return _leaf(bound)


def _joined(word: str, children: Iterable[Bound]) -> str:
    # Both ends of a BETWEEN have the same words.
    return word.join(dict.fromkeys(_inner(child) for child in children))


def _inner(bound: Bound) -> str:
    text = _text(bound)
    return f"({text})" if isinstance(bound, BoundAnd | BoundOr) and (len(text) > _CUT or _OR.search(text)) else text


def _is_whole(words: str) -> bool:
    return bool(words) and (len(words) <= _CUT or "…" not in words)


def _leaf(leaf: BoundLeaf) -> str:
    if leaf.maybe or leaf.transform is not None or leaf.op in (Op.STARTS_WITH, Op.NOT_STARTS_WITH):
        raise _Unsayable
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
            raise _Unsayable
        text = repr(value)
        return text if "e" in text else text + "e0"
    if isinstance(value, bytes) and of.kind is not Kind.UUID:
        return f"X'{value.hex()}'"
    text = str(json_value(of, value))
    if of.kind in _NUMBERS:
        return text
    quoted = "'" + text.replace("'", "''") + "'"
    return f"{_TYPED[of.kind]} {quoted}" if of.kind in _TYPED else quoted
