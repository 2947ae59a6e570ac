"""A place in the tokens of SQL text."""

from __future__ import annotations

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.sql_tokens import Token, closings, place, shortened, tokens_of


class Cursor:
    """The tokens of a text, and the one that is read next.

    Attributes:
        text: all of it.
        tokens: its tokens, then one of kind ``end``.
        closings: where each opening parenthesis and bracket is closed, by index.
        at: the index of the next token.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.closings = closings(self.tokens)
        self.at = 0

    def take(self, word: str) -> bool:
        """Read a word of the language, given in upper case, if it is next."""
        token = self.tokens[self.at]
        if token.kind == "name" and token.value == word:
            self.at += 1
            return True
        return False

    def take_sign(self, value: str) -> bool:
        """Read a sign if it is next."""
        if self.is_sign(self.at, value):
            self.at += 1
            return True
        return False

    def is_sign(self, index: int, value: str) -> bool:
        """Whether a token is that sign."""
        return self.tokens[index].kind == "sign" and self.tokens[index].value == value

    def is_boundary(self, index: int) -> bool:
        """Whether a condition ends before that token."""
        token = self.tokens[index]
        if token.kind == "name":
            return token.value in ("AND", "OR")
        return token.kind == "end" or (token.kind == "sign" and token.value in (")", ","))

    def since(self, start: int) -> str:
        """The text from a token up to where we are, all of it."""
        return self.text[self.tokens[start].start : self.tokens[max(start, self.at - 1)].end]

    def said(self, start: int) -> str:
        """The text from a token up to where we are, to be shown."""
        return shortened(self.since(start))

    def wrong(self, token: Token) -> FilterInvalid:
        """The refusal of a token."""
        if token.kind == "end":
            return FilterInvalid("the filter ends where a condition should follow", position=place(token.start))
        shown = self.text[token.start : token.end][:40]
        return FilterInvalid(f"{shown!r} is unexpected ({place(token.start)})", position=place(token.start))
