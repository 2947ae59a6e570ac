"""Parse SQL conditions into predicates.

Conditions that can prune (columns compared with constants, under AND, OR and NOT) are parsed here, with their
positions in the text. Every other expression becomes a condition that cannot prune, whose columns must still exist.
"""

from __future__ import annotations

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.binding import MAX_DEPTH, check_size
from lakemuster.predicates.opaque_conditions import opaque
from lakemuster.predicates.sql_comparisons import comparison
from lakemuster.predicates.sql_cursor import Cursor
from lakemuster.predicates.sql_operands import NotPrunable
from lakemuster.predicates.sql_tokens import MAX_NESTING, Token, place
from lakemuster.predicates.tree import And, Not, Or, Predicate

MAX_UNREAD = 600
"""The most words of the conditions of one filter that cannot prune."""


def parse_sql(text: str) -> Predicate:
    """Parse a SQL condition, as it may follow WHERE.

    Raises:
        FilterInvalid: not a condition, or beyond the limits; the message names the position.
    """
    if not text.strip():
        raise FilterInvalid("the filter is empty")
    predicate = _Parser(text).parse()
    check_size(predicate)
    return predicate


class _Parser:
    def __init__(self, text: str) -> None:
        self._cursor = Cursor(text)
        self._depth = 0
        self._unread = 0

    def parse(self) -> Predicate:
        cursor = self._cursor
        predicate = self._any()
        token = cursor.tokens[cursor.at]
        if token.kind != "end":
            raise cursor.unexpected(token)
        return predicate

    def _any(self) -> Predicate:
        return self._chain("OR", Or)

    def _every(self) -> Predicate:
        return self._chain("AND", And)

    def _chain(self, word: str, node: type[And | Or]) -> Predicate:
        cursor = self._cursor
        start = cursor.at
        read = self._every if node is Or else self._negation
        children = [read()]
        while cursor.take(word):
            children.append(read())
        return children[0] if len(children) == 1 else node(tuple(children), cursor.shown_since(start))

    def _negation(self) -> Predicate:
        cursor = self._cursor
        start = cursor.at
        if not cursor.take("NOT"):
            return self._condition()
        self._deeper(cursor.tokens[start])
        child = self._negation()
        self._depth -= 1
        return Not(child, cursor.shown_since(start))

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep ({place(token.start)})", limit=MAX_DEPTH)

    def _condition(self) -> Predicate:
        cursor = self._cursor
        start = cursor.at
        token = cursor.tokens[start]
        if token.value == "(" and token.kind == "sign" and cursor.is_boundary(cursor.closings[start] + 1):
            self._deeper(token)
            cursor.at += 1
            inner = self._any()
            self._depth -= 1
            if cursor.at != cursor.closings[start]:
                raise cursor.unexpected(cursor.tokens[cursor.at])
            cursor.at += 1
            return inner
        try:
            found = comparison(cursor, start)
            if cursor.is_boundary(cursor.at):
                return found
        except NotPrunable:
            pass
        cursor.at = start
        return self._other()

    def _other(self) -> Predicate:
        """Parse a condition that cannot prune: find its end and the columns that it names."""
        cursor = self._cursor
        start, depth, betweens = cursor.at, 0, 0
        while True:
            token = cursor.tokens[cursor.at]
            if token.kind == "end" or (token.kind == "sign" and token.value in ")]},"):
                break
            if token.kind == "sign" and token.value in "([{":
                cursor.at = cursor.closings[cursor.at]
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
            cursor.at += 1
        if cursor.at == start:
            raise cursor.unexpected(cursor.tokens[start])
        self._unread += sum(
            2 * cursor.text.count(",", token.start, token.end) + 1 for token in cursor.tokens[start : cursor.at]
        )
        if self._unread > MAX_UNREAD:
            raise FilterInvalid(
                f"the conditions that cannot prune have more than {MAX_UNREAD} words "
                f"({place(cursor.tokens[start].start)})",
                limit=MAX_UNREAD,
            )
        return opaque(cursor, start, cursor.at)
