"""SQL text to predicates.

What can prune (columns compared with constants, under AND, OR and NOT) is read here, with its places in the
text. Everything else is given to sqlglot: if that can read it, it is a condition that cannot prune; its columns
must exist all the same.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from lakemuster.errors import FilterInvalid
from lakemuster.metadata import predicate_constants as constants
from lakemuster.metadata.predicate_binding import MAX_DEPTH, MAX_VALUES, check_size
from lakemuster.metadata.predicate_patterns import like
from lakemuster.metadata.predicate_tokens import MAX_NESTING, Token, closings, place, tokens_of
from lakemuster.metadata.predicate_tree import (
    FALSE,
    TRUE,
    And,
    Leaf,
    Literal,
    Not,
    Op,
    Or,
    Predicate,
    Unknown,
)
from lakemuster.metadata.predicate_unread import opaque

MAX_UNREAD = 600
"""Tokens that sqlglot gets of one filter: it takes some 20 µs for each."""

_COMPARISONS = {
    "=": Op.EQ,
    "==": Op.EQ,
    "!=": Op.NOT_EQ,
    "<>": Op.NOT_EQ,
    "<": Op.LT,
    "<=": Op.LT_EQ,
    ">": Op.GT,
    ">=": Op.GT_EQ,
}
_MIRRORED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LT_EQ: Op.GT_EQ, Op.GT_EQ: Op.LT_EQ}
_ORDER: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: operator.eq,
    Op.NOT_EQ: operator.ne,
    Op.LT: operator.lt,
    Op.LT_EQ: operator.le,
    Op.GT: operator.gt,
    Op.GT_EQ: operator.ge,
}
_RESERVED = frozenset(
    [
        "AND",
        "OR",
        "NOT",
        "IS",
        "IN",
        "BETWEEN",
        "LIKE",
        "ILIKE",
        "RLIKE",
        "REGEXP",
        "SIMILAR",
        "ESCAPE",
        "NULL",
        "TRUE",
        "FALSE",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "SELECT",
        "FROM",
        "WHERE",
        "EXISTS",
        "CAST",
        "TRY_CAST",
        "INTERVAL",
        "DISTINCT",
        "UNION",
        "GROUP",
        "HAVING",
        "ORDER",
        "LIMIT",
    ]
)
_TRANSFORMS = {"YEARS": "year", "MONTHS": "month", "DAYS": "day", "HOURS": "hour"}
_WIDE = {"BUCKET": "bucket", "TRUNCATE": "truncate"}


class _Column(NamedTuple):
    name: str
    where: str
    transform: str | None = None
    quoted: bool = False


class _Unread(Exception):
    """Nothing that can prune starts here."""


def parse_sql(text: str) -> Predicate:
    """The predicate of a SQL condition, such as stands after WHERE.

    Raises:
        FilterInvalid: no condition, or beyond the limits; says where.
    """
    if not text.strip():
        raise FilterInvalid("the filter is empty")
    predicate = _Parser(text).parse()
    check_size(predicate)
    return predicate


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._closings = closings(self._tokens)
        self._at = 0
        self._depth = 0
        self._unread = 0

    def parse(self) -> Predicate:
        predicate = self._any()
        token = self._tokens[self._at]
        if token.kind != "end":
            raise self._wrong(token)
        return predicate

    # Connectives

    def _any(self) -> Predicate:
        return self._chain("OR", Or)

    def _chain(self, word: str, node: type[And | Or]) -> Predicate:
        start = self._at
        read = self._every if node is Or else self._negation
        children = [read()]
        while self._take(word):
            children.append(read())
        return children[0] if len(children) == 1 else node(tuple(children), self._since(start))

    def _every(self) -> Predicate:
        return self._chain("AND", And)

    def _negation(self) -> Predicate:
        start = self._at
        if not self._take("NOT"):
            return self._condition()
        self._deeper(self._tokens[start])
        child = self._negation()
        self._depth -= 1
        return Not(child, self._since(start))

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep ({place(token.start)})", limit=MAX_DEPTH)

    def _condition(self) -> Predicate:
        start = self._at
        token = self._tokens[start]
        if token.value == "(" and token.kind == "sign" and self._is_boundary(self._closings[start] + 1):
            self._deeper(token)
            self._at += 1
            inner = self._any()
            self._depth -= 1
            if self._at != self._closings[start]:
                raise self._wrong(self._tokens[self._at])
            self._at += 1
            return inner
        try:
            found = self._comparison(start)
            if self._is_boundary(self._at):
                return found
        except _Unread:
            pass
        self._at = start
        return self._other()

    # Comparisons

    def _comparison(self, start: int) -> Predicate:
        boolean = self._function_condition(start)
        if boolean is not None:
            return boolean
        left = self._operand()
        token = self._tokens[self._at]
        if self._is_boundary(self._at):
            return self._bare(left, start)
        if token.kind == "sign" and token.value in _COMPARISONS:
            self._at += 1
            return self._compared(left, _COMPARISONS[token.value], self._operand(), start)
        if token.kind == "sign" and token.value == "<=>":
            self._at += 1
            return self._same(left, self._operand(), start)
        if self._take("IS"):
            return self._is(left, start)
        negated = self._take("NOT")
        column = self._column_of(left)
        if self._take("IN"):
            found: Predicate = self._in(column, start)
        elif self._take("BETWEEN"):
            found = self._between(column, start)
        elif self._take("LIKE"):
            found = self._like(column, start)
        else:
            raise _Unread
        return Not(found, self._since(start)) if negated else found

    def _bare(self, left: _Column | Literal, start: int) -> Predicate:
        if isinstance(left, _Column):
            return self._leaf(Op.EQ, left, (Literal(True, "boolean", left.where),), start)
        if left.kind == "null":
            return Unknown()
        if left.kind == "boolean":
            return TRUE if left.value else FALSE
        raise FilterInvalid(f"a constant alone is no condition ({left.where})", position=left.where)

    def _compared(self, left: _Column | Literal, op: Op, right: _Column | Literal, start: int) -> Predicate:
        if isinstance(left, Literal) and isinstance(right, Literal):
            return _of_constants(left, op, right)
        if isinstance(left, Literal):
            left, op, right = right, _MIRRORED.get(op, op), left
        if isinstance(left, _Column) and isinstance(right, Literal):
            return self._leaf(op, left, (right,), start)
        raise _Unread

    def _same(self, left: _Column | Literal, right: _Column | Literal, start: int) -> Predicate:
        """``<=>``: TRUE or FALSE, for nulls too."""
        if isinstance(left, Literal):
            left, right = right, left
        if not isinstance(right, Literal) or not isinstance(left, _Column):
            raise _Unread
        if right.kind == "null":
            return self._leaf(Op.IS_NULL, left, (), start)
        known = self._leaf(Op.NOT_NULL, left, (), start)
        return And((known, self._leaf(Op.EQ, left, (right,), start)), self._since(start))

    def _is(self, left: _Column | Literal, start: int) -> Predicate:
        negated = self._take("NOT")
        column = self._column_of(left)
        token = self._tokens[self._at]
        if self._take("NULL"):
            return self._leaf(Op.NOT_NULL if negated else Op.IS_NULL, column, (), start)
        if self._take("NAN"):
            return self._leaf(Op.NOT_NAN if negated else Op.IS_NAN, column, (), start)
        if self._take("TRUE") or self._take("FALSE"):
            value = Literal(token.value == "TRUE", "boolean", place(token.start))
            found = self._same(column, value, start)
        elif self._take("DISTINCT"):
            if not self._take("FROM"):
                raise _Unread
            found, negated = self._same(column, self._operand(), start), not negated
        else:
            raise _Unread
        return Not(found, self._since(start)) if negated else found

    def _in(self, column: _Column, start: int) -> Predicate:
        token = self._tokens[self._at]
        if token.kind == "list":
            self._at += 1
            return self._leaf(Op.IN, column, constants.listed(self._text, token, MAX_VALUES), start)
        if token.value != "(":
            raise _Unread
        end = self._closings[self._at]
        if end == self._at + 1:
            raise FilterInvalid(f"IN takes at least one value ({place(token.start)})", position=place(token.start))
        found: list[Literal] = []
        while self._at < end:
            self._at += 1
            found.append(self._literal_of(self._operand()))
            if self._at != end and not self._is_sign(self._at, ","):
                raise _Unread
        self._at += 1
        return self._leaf(Op.IN, column, tuple(found), start)

    def _between(self, column: _Column, start: int) -> Predicate:
        low = self._literal_of(self._operand())
        if not self._take("AND"):
            raise _Unread
        high = self._literal_of(self._operand())
        above = self._leaf(Op.GT_EQ, column, (low,), start)
        return And((above, self._leaf(Op.LT_EQ, column, (high,), start)), self._since(start))

    def _like(self, column: _Column, start: int) -> Predicate:
        pattern = self._literal_of(self._operand())
        escape = None
        if self._take("ESCAPE"):
            escape = self._literal_of(self._operand())
        return like(self._leaf(Op.EQ, column, (pattern,), start), escape)

    def _function_condition(self, start: int) -> Predicate | None:
        """``is_nan(column)`` and ``starts_with(column, 'text')``."""
        token = self._tokens[start]
        if token.kind != "name" or not self._is_sign(start + 1, "("):
            return None
        end = self._closings[start + 1]
        if token.value in ("IS_NAN", "ISNAN") or token.value in ("STARTS_WITH", "STARTSWITH"):
            self._at = start + 2
            column = self._column_of(self._operand())
            literals: tuple[Literal, ...] = ()
            op = Op.IS_NAN
            if token.value.startswith("START"):
                op = Op.STARTS_WITH
                if not self._take_sign(","):
                    raise _Unread
                literals = (self._literal_of(self._operand()),)
            if self._at != end:
                raise _Unread
            self._at += 1
            return self._leaf(op, column, literals, start)
        return None

    # Operands

    def _operand(self) -> _Column | Literal:
        found = self._plain_operand()
        while isinstance(found, Literal) and self._take_sign("::"):
            found = self._cast(found)
        return found

    def _plain_operand(self) -> _Column | Literal:
        start = self._at
        token = self._tokens[start]
        following = self._tokens[start + 1] if token.kind != "end" else token
        self._at += 1
        match token.kind:
            case "number":
                return constants.numeric(token.value, token.start)
            case "string":
                return Literal(token.value, "string", place(token.start))
            case "binary":
                return constants.binary(token)
            case "quoted":
                return self._path(start)
            case "sign" if token.value in "+-" and following.kind == "number":
                self._at += 1
                return constants.numeric(token.value + following.value, token.start)
            case "sign" if token.value == "(":
                found = self._operand()
                if self._at != self._closings[start]:
                    raise _Unread
                self._at += 1
                return found
            case "name":
                return self._named(start, token, following)
        raise _Unread

    def _named(self, start: int, token: Token, following: Token) -> _Column | Literal:
        word = constants.word(token.value, token.start)
        if word is not None:
            return word
        if following.kind == "string":
            typed = constants.typed(token.value, following.value, token.start)
            if typed is None:
                raise _Unread
            self._at += 1
            return typed
        if token.value == "TIMESTAMP" and following.value in ("WITH", "WITHOUT"):
            return self._zoned(token)
        if token.value in ("CAST", "TRY_CAST") and following.value == "(":
            self._at += 1
            found = self._literal_of(self._operand())
            if not self._take("AS"):
                raise _Unread
            found = self._cast(found)
            if self._at != self._closings[start + 1]:
                raise _Unread
            self._at += 1
            return found
        if token.value in _RESERVED:
            raise _Unread
        if following.kind == "sign" and following.value == "(":
            return self._transform(token, start + 1)
        return self._path(start)

    def _zoned(self, token: Token) -> Literal:
        """``TIMESTAMP WITH TIME ZONE '…'``."""
        words = ["TIMESTAMP"]
        while self._tokens[self._at].kind == "name":
            words.append(self._tokens[self._at].value)
            self._at += 1
        text = self._tokens[self._at]
        found = constants.typed(" ".join(words), text.value, token.start) if text.kind == "string" else None
        if found is None:
            raise _Unread
        self._at += 1
        return found

    def _cast(self, literal: Literal) -> Literal:
        words: list[str] = []
        while self._tokens[self._at].kind == "name" and self._tokens[self._at].value not in _RESERVED:
            words.append(self._tokens[self._at].value)
            self._at += 1
        parameters = self._is_sign(self._at, "(")
        if parameters:
            self._at = self._closings[self._at] + 1
        found = constants.cast(literal, words, parameters=parameters) if words else None
        if found is None:
            raise _Unread
        return found

    def _transform(self, token: Token, opening: int) -> _Column:
        """A partition transform of a column: ``bucket(16, id)``, ``days(ts)``."""
        self._at = opening + 1
        if token.value in _WIDE:
            width = self._tokens[self._at]
            if width.kind != "number" or not re.fullmatch("[0-9]{1,9}", width.value):
                raise _Unread
            self._at += 1
            if not self._take_sign(","):
                raise _Unread
            transform = f"{_WIDE[token.value]}[{int(width.value)}]"
        elif token.value in _TRANSFORMS:
            transform = _TRANSFORMS[token.value]
        else:
            raise _Unread
        column = self._column_of(self._operand())
        if column.transform is not None or self._at != self._closings[opening]:
            raise _Unread
        self._at += 1
        return column._replace(transform=transform)

    def _path(self, start: int) -> _Column:
        self._at = start
        parts: list[str] = []
        while True:
            token = self._tokens[self._at]
            if token.kind not in ("name", "quoted"):
                raise _Unread
            parts.append(token.value if token.kind == "quoted" else self._text[token.start : token.end])
            self._at += 1
            if not self._take_sign("."):
                break
        where = place(self._tokens[start].start)
        return _Column(".".join(parts), where, quoted=self._tokens[start].kind == "quoted")

    # Everything else

    def _other(self) -> Predicate:
        """A condition that cannot prune: its text, once sqlglot has read it."""
        start, depth, betweens = self._at, 0, 0
        while True:
            token = self._tokens[self._at]
            if token.kind == "end" or (token.kind == "sign" and token.value in ")]},"):
                break
            if token.kind == "sign" and token.value in "([{":
                self._at = self._closings[self._at]
            elif token.kind == "name" and token.value == "CASE":
                depth += 1
            elif token.kind == "name" and token.value == "END":
                depth -= 1
            elif token.kind == "name" and depth <= 0:
                if token.value == "BETWEEN":
                    betweens += 1
                elif token.value == "AND" and betweens:
                    betweens -= 1
                elif token.value in ("AND", "OR"):
                    break
            self._at += 1
        if self._at == start:
            raise self._wrong(self._tokens[start])
        self._unread += self._at - start
        if self._unread > MAX_UNREAD:
            raise FilterInvalid(
                f"the conditions that cannot prune have more than {MAX_UNREAD} words "
                f"({place(self._tokens[start].start)})",
                limit=MAX_UNREAD,
            )
        return opaque(self._since(start), self._tokens[start].start)

    # Tokens

    def _leaf(self, op: Op, column: _Column, literals: tuple[Literal, ...], start: int) -> Leaf:
        return Leaf(op, column.name, literals, column.transform, column.where, self._since(start))

    def _column_of(self, operand: _Column | Literal) -> _Column:
        if isinstance(operand, Literal):
            raise _Unread
        return operand

    def _literal_of(self, operand: _Column | Literal) -> Literal:
        if isinstance(operand, _Column):
            raise _Unread
        return operand

    def _is_boundary(self, index: int) -> bool:
        token = self._tokens[index]
        if token.kind == "name":
            return token.value in ("AND", "OR")
        return token.kind == "end" or (token.kind == "sign" and token.value in (")", ","))

    def _is_sign(self, index: int, value: str) -> bool:
        return self._tokens[index].kind == "sign" and self._tokens[index].value == value

    def _take(self, word: str) -> bool:
        token = self._tokens[self._at]
        if token.kind == "name" and token.value == word:
            self._at += 1
            return True
        return False

    def _take_sign(self, value: str) -> bool:
        if self._is_sign(self._at, value):
            self._at += 1
            return True
        return False

    def _since(self, start: int) -> str:
        """The text from a token up to where we are."""
        return self._text[self._tokens[start].start : self._tokens[max(start, self._at - 1)].end]

    def _wrong(self, token: Token) -> FilterInvalid:
        if token.kind == "end":
            return FilterInvalid("the filter ends where a condition should follow", position=place(token.start))
        shown = self._text[token.start : token.end][:40]
        return FilterInvalid(f"{shown!r} is unexpected ({place(token.start)})", position=place(token.start))


def _of_constants(left: Literal, op: Op, right: Literal) -> Predicate:
    if "null" in (left.kind, right.kind):
        return Unknown()
    for kinds in (("integer", "decimal"), ("string",), ("boolean",)):
        if left.kind in kinds and right.kind in kinds:
            return TRUE if _ORDER[op](left.value, right.value) else FALSE
    raise _Unread
