"""A cursor over the tokens of SQL text."""

from __future__ import annotations

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.sql_tokens import Token, closings, place, shortened, tokens_of

_GENERIC_TYPES = frozenset(("ARRAY", "MAP", "STRUCT", "LIST", "ROW"))
_TYPE_WORDS = frozenset(
    (
        *("PRECISION", "VARYING", "WITH", "WITHOUT", "LOCAL", "TIME", "ZONE", "SIGNED", "UNSIGNED"),
        *("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"),
    )
)
"""Words of a type's name after the first."""


class Cursor:
    """The tokens of a text, and the position of the next one.

    Attributes:
        text: the whole text.
        tokens: its tokens, then one of kind ``end``.
        closings: the index of the closing token by that of each opening parenthesis, bracket and brace.
        at: the index of the next token.
        listed: the number of values of the lists parsed so far.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.closings = closings(self.tokens)
        self.at = self.listed = 0

    def take(self, word: str) -> bool:
        """Consume a keyword, given in upper case, if it is next; return whether it was."""
        token = self.tokens[self.at]
        if token.kind == "name" and token.value == word:
            self.at += 1
            return True
        return False

    def take_sign(self, value: str) -> bool:
        """Consume a sign if it is next; return whether it was."""
        if self.is_sign(self.at, value):
            self.at += 1
            return True
        return False

    def is_sign(self, index: int, value: str) -> bool:
        """Tell whether a token is that sign."""
        return self.tokens[index].kind == "sign" and self.tokens[index].value == value

    def type_end(self, start: int, end: int) -> int:
        """Return the index after a type's name and parameters that start at a token; ``start`` if none does."""
        at, opened = start, 0
        while at < end:
            token = self.tokens[at]
            if token.kind == "name" and (opened or at == start or token.value in _TYPE_WORDS):
                at += 1
            elif token.kind != "sign" or at == start:
                break
            elif token.value == "(" or (token.value == "[" and self.closings[at] == at + 1):
                at = self.closings[at] + 1
            elif token.value == "<" and self.tokens[at - 1].value in _GENERIC_TYPES:
                opened += 1
                at += 1
            elif opened and token.value in (">", ",", ":"):
                opened -= token.value == ">"
                at += 1
            else:
                break
        return start if opened else at

    def is_boundary(self, index: int) -> bool:
        """Tell whether a condition ends before that token."""
        token = self.tokens[index]
        if token.kind == "name":
            return token.value in ("AND", "OR")
        return token.kind == "end" or (token.kind == "sign" and token.value in (")", ","))

    def text_since(self, start: int) -> str:
        """Return the text from a token up to the current position, in full."""
        return self.text[self.tokens[start].start : self.tokens[max(start, self.at - 1)].end]

    def shown_since(self, start: int) -> str:
        """Return the text from a token up to the current position, shortened for display."""
        return shortened(self.text_since(start))

    def unexpected(self, token: Token) -> FilterInvalid:
        """Return the error for an unexpected token."""
        if token.kind == "end":
            return FilterInvalid("the filter ends where a condition should follow", position=place(token.start))
        shown = self.text[token.start : token.end][:40]
        return FilterInvalid(f"{shown!r} is unexpected ({place(token.start)})", position=place(token.start))
