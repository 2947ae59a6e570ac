"""Parse the operands of comparisons in SQL text: columns and constants."""

from __future__ import annotations

import re
from typing import NamedTuple

from lakemuster.predicates import sql_constants as constants
from lakemuster.predicates.sql_cursor import Cursor
from lakemuster.predicates.sql_tokens import Token, place
from lakemuster.predicates.tree import Literal

_RESERVED = frozenset(("AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "AS", "ESCAPE", "CASE", "SELECT"))
_TRANSFORMS = {"YEARS": "year", "MONTHS": "month", "DAYS": "day", "HOURS": "hour"}
_WIDE = {"BUCKET": "bucket", "TRUNCATE": "truncate"}


class ColumnOperand(NamedTuple):
    """A column by its dotted name, with the partition transform applied to it, if any."""

    name: str
    where: str
    transform: str | None = None


class NotPrunable(Exception):
    """The text is not a comparison that can prune: it may still be an expression."""


def operand(cursor: Cursor) -> ColumnOperand | Literal:
    """Parse a column or a constant."""
    found = _plain_operand(cursor)
    while isinstance(found, Literal) and cursor.take_sign("::"):
        found = _cast(cursor, found)
    return found


def column(cursor: Cursor) -> ColumnOperand:
    """Parse an operand that must be a column."""
    return as_column(operand(cursor))


def as_column(found: ColumnOperand | Literal) -> ColumnOperand:
    """Return the operand if it is a column; otherwise raise :class:`NotPrunable`."""
    if isinstance(found, Literal):
        raise NotPrunable
    return found


def literal(cursor: Cursor) -> Literal:
    """Parse an operand that must be a constant."""
    found = operand(cursor)
    if isinstance(found, ColumnOperand):
        raise NotPrunable
    return found


def _plain_operand(cursor: Cursor) -> ColumnOperand | Literal:
    start = cursor.at
    token = cursor.tokens[start]
    following = cursor.tokens[start + 1] if token.kind != "end" else token
    cursor.at += 1
    match token.kind:
        case "number":
            return constants.numeric(token.value, token.start)
        case "string":
            return Literal(token.value, "string", place(token.start))
        case "binary":
            return constants.binary(token)
        case "quoted":
            return _path(cursor, start)
        case "sign" if token.value in "+-" and following.kind == "number":
            cursor.at += 1
            return constants.numeric(token.value + following.value, token.start)
        case "sign" if token.value == "(":
            found = operand(cursor)
            if cursor.at != cursor.closings[start]:
                raise NotPrunable
            cursor.at += 1
            return found
        case "name":
            return _named(cursor, start, token, following)
    raise NotPrunable


def _named(cursor: Cursor, start: int, token: Token, following: Token) -> ColumnOperand | Literal:
    word = constants.word(token.value, token.start)
    if word is not None:
        return word
    if following.kind == "string":
        typed = constants.typed(token.value, following.value, token.start)
        if typed is None:
            raise NotPrunable
        cursor.at += 1
        return typed
    if token.value == "TIMESTAMP" and following.value in ("WITH", "WITHOUT"):
        return _zoned(cursor, token)
    if token.value in ("CAST", "TRY_CAST") and following.value == "(":
        cursor.at += 1
        found = literal(cursor)
        if not cursor.take("AS"):
            raise NotPrunable
        found = _cast(cursor, found)
        if cursor.at != cursor.closings[start + 1]:
            raise NotPrunable
        cursor.at += 1
        return found
    if token.value in ("DATE", "TIMESTAMP") and following.value == "(":
        return _called(cursor, token)
    if token.value in _RESERVED:
        raise NotPrunable
    if following.kind == "sign" and following.value == "(":
        return _transform(cursor, token, start + 1)
    return _path(cursor, start)


def _called(cursor: Cursor, token: Token) -> Literal:
    """Parse ``DATE('…')`` or ``TIMESTAMP('…')``, which are casts."""
    opening = cursor.at
    cursor.at += 1
    found = constants.cast(literal(cursor), (token.value,), parameters=False)
    if found is None or found.kind == "null" or cursor.at != cursor.closings[opening]:
        raise NotPrunable
    cursor.at += 1
    return found


def _zoned(cursor: Cursor, token: Token) -> Literal:
    """Parse ``TIMESTAMP WITH TIME ZONE '…'`` or ``TIMESTAMP WITHOUT TIME ZONE '…'``."""
    words = ["TIMESTAMP"]
    while cursor.tokens[cursor.at].kind == "name":
        words.append(cursor.tokens[cursor.at].value)
        cursor.at += 1
    text = cursor.tokens[cursor.at]
    found = constants.typed(" ".join(words), text.value, token.start) if text.kind == "string" else None
    if found is None:
        raise NotPrunable
    cursor.at += 1
    return found


def _cast(cursor: Cursor, literal: Literal) -> Literal:
    words: list[str] = []
    while cursor.tokens[cursor.at].kind == "name" and cursor.tokens[cursor.at].value not in _RESERVED:
        words.append(cursor.tokens[cursor.at].value)
        cursor.at += 1
    parameters = cursor.is_sign(cursor.at, "(")
    if parameters:
        cursor.at = cursor.closings[cursor.at] + 1
    found = constants.cast(literal, words, parameters=parameters) if words else None
    if found is None:
        raise NotPrunable
    return found


def _transform(cursor: Cursor, token: Token, opening: int) -> ColumnOperand:
    """Parse a partition transform of a column: ``bucket(16, id)``, ``days(ts)``."""
    cursor.at = opening + 1
    if token.value in _WIDE:
        width = cursor.tokens[cursor.at]
        if width.kind != "number" or not re.fullmatch("[0-9]{1,9}", width.value):
            raise NotPrunable
        cursor.at += 1
        if not cursor.take_sign(","):
            raise NotPrunable
        transform = f"{_WIDE[token.value]}[{int(width.value)}]"
    elif token.value in _TRANSFORMS:
        transform = _TRANSFORMS[token.value]
    else:
        raise NotPrunable
    source = column(cursor)
    if source.transform is not None or cursor.at != cursor.closings[opening]:
        raise NotPrunable
    cursor.at += 1
    return source._replace(transform=transform)


def _path(cursor: Cursor, start: int) -> ColumnOperand:
    cursor.at = start
    parts: list[str] = []
    while True:
        token = cursor.tokens[cursor.at]
        if token.kind not in ("name", "quoted"):
            raise NotPrunable
        parts.append(token.value if token.kind == "quoted" else cursor.text[token.start : token.end])
        cursor.at += 1
        if not cursor.take_sign("."):
            break
    where = place(cursor.tokens[start].start)
    return ColumnOperand(".".join(parts), where)
