"""Conditions that cannot prune: sqlglot checks that they are SQL and finds the columns that they name."""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.sql_tokens import place, shortened
from lakemuster.predicates.tree import Opaque

_UNITS = frozenset(
    (
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
        *("MILLISECOND", "MICROSECOND", "NANOSECOND", "EPOCH", "DOW", "DOY", "NAN"),
    )
)
_SHOWN = 60

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # its warnings quote callers' filters


def opaque(text: str, start: int) -> Opaque:
    """A condition that cannot prune, and so selects every file.

    Args:
        text: the condition.
        start: its offset in the whole filter.

    Raises:
        FilterInvalid: not SQL, or with parameters.
    """
    try:
        tree = sqlglot.parse_one(text, into=exp.Condition)
    except (SqlglotError, RecursionError) as cause:
        raise FilterInvalid(
            f"{text[:_SHOWN]!r} cannot be read as a condition ({place(start)})", position=place(start)
        ) from cause
    if tree.find(exp.Placeholder, exp.Parameter, exp.Star, exp.Command) is not None:
        raise FilterInvalid(
            f"a filter takes no parameters, stars and statements ({place(start)})", position=place(start)
        )
    text = shortened(text)
    if tree.find(exp.Query) is not None:
        return Opaque(text, "subqueries are not looked into")
    names = tuple(_name(column, start) for column in tree.find_all(exp.Column) if not _is_word(column))
    return Opaque(text, _reason(tree, len(names)), names)


def _name(column: exp.Column, start: int) -> tuple[str, str]:
    parts = [part.name for part in column.parts]
    node: exp.Expr = column
    while isinstance(node.parent, exp.Dot) and node.parent.this is node:
        node = node.parent
        parts.append(node.expression.name)
    first = column.parts[0]
    where = place(start + int(first.meta.get("start", 0)))
    if first.args.get("quoted") and len(parts) == 1:
        where += "; constants stand in single quotes"
    return ".".join(parts), where


def _is_word(column: exp.Column) -> bool:
    """Whether sqlglot took a keyword for a column."""
    return column.name.upper() in _UNITS and isinstance(column.parent, exp.Func | exp.Is | exp.Anonymous)


def _reason(tree: exp.Expr, columns: int) -> str:
    if columns == 0:
        return "it names no column"
    function = tree.find(exp.Func)
    if function is not None and not isinstance(function, exp.Connector):
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        return f"{name.lower():.40} is not looked through"
    if tree.find(exp.Bracket) is not None:
        return "elements of lists and maps have no statistics"
    if columns > 1:
        return "columns are compared with each other"
    return "it is no comparison of a column with a constant"
