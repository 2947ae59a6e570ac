"""Split SQL text into tokens with their positions; a limit on the number of tokens bounds the time.

A list of plain constants after IN is one token of any length: lists have thousands of values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal as OneOf
from typing import NamedTuple

from lakemuster.errors import FilterInvalid

MAX_CHARACTERS, MAX_TOKENS, MAX_NESTING, MAX_LISTED = 1 << 20, 8_000, 64, 20_000
_MAX_SHOWN = 1_000

TokenKind = OneOf["name", "quoted", "string", "binary", "number", "list", "sign", "end"]


class Token(NamedTuple):
    """A token of the text, from ``start`` to ``end``.

    ``value`` is a name in upper case, a quoted name or a string without its quotes and doublings, the
    digits of a binary, or the token's own text.
    """

    kind: TokenKind
    start: int
    end: int
    value: str


# Some engines nest comments and others do not, so a comment inside a comment is not skipped.
_SKIPPED = re.compile(r"(?:\s++|--[^\n]*+|/\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/)*+")
_STRING = r"'[^']*+(?:''[^']*+)*+'"
NUMBER = r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_TOKEN = re.compile(
    rf"""(?P<binary>[xX]{_STRING})
    |(?P<string>{_STRING})
    |(?P<quoted>"[^"]*+(?:""[^"]*+)*+"|`[^`]*+(?:``[^`]*+)*+`)
    |(?P<number>{NUMBER})(?:(?P<suffix>[lL]|[sS]|[yY]|[dD]|[fF]|[bB][dD])(?!\w)|(?!\w))
    |(?P<name>[^\W\d][\w$]*+)
    |(?P<sign><=>|<>|!=|<=|>=|==|::|\|\||->>|->|=>|[-+*/%=<>().,\[\]:?@&|^~{{}}])""",
    re.VERBOSE | re.ASCII,
)
_WORD = re.compile(r"[^\W\d][\w$]*+")
TYPED = r"DATE|TIMESTAMP|TIMESTAMPTZ|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIME|UUID|DECIMAL|X"
_ITEM = rf"(?:[-+]?\s*+{NUMBER}(?![\w.])|(?:(?:{TYPED})\s*+)?{_STRING}|(?:NULL|TRUE|FALSE)(?!\w))"
_LIST = re.compile(
    rf"\(\s*+(?:{_ITEM}\s*+,\s*+){{0,{MAX_LISTED - 1}}}+{_ITEM}\s*+(?:(\))|(,)\s*+{_ITEM})", re.IGNORECASE | re.ASCII
)


def tokens_of(text: str) -> list[Token]:
    """Return all tokens, then one of kind ``end``.

    Raises:
        FilterInvalid: longer than a MiB, too many tokens or list values, or a character that starts no token.
    """
    if len(text) > MAX_CHARACTERS:
        raise FilterInvalid(f"a filter has at most {MAX_CHARACTERS} characters, not {len(text)}")
    found: list[Token] = []
    at = _skip(text, 0)
    while at < len(text):
        if len(found) >= MAX_TOKENS:
            raise FilterInvalid(f"a filter has at most {MAX_TOKENS} words and signs", limit=MAX_TOKENS)
        found.append(_next(text, at, bool(found) and found[-1].kind == "name" and found[-1].value == "IN"))
        at = _skip(text, found[-1].end)
    found.append(Token("end", len(text), len(text), ""))
    return found


def closings(tokens: Sequence[Token]) -> dict[int, int]:
    """Map the index of each opening parenthesis, bracket and brace to that of its closing token.

    Raises:
        FilterInvalid: one is left open or closed twice, or they are nested too deep.
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.value in "([{":
            opened.append(index)
            if len(opened) > MAX_NESTING:
                raise FilterInvalid(f"a filter is nested at most {MAX_NESTING} deep ({place(token.start)})")
        elif token.value in ")]}":
            if not opened or "([{".index(tokens[opened[-1]].value) != ")]}".index(token.value):
                raise FilterInvalid(f"{token.value!r} closes nothing ({place(token.start)})")
            found[opened.pop()] = index
    if opened:
        at = tokens[opened[-1]]
        raise FilterInvalid(f"{at.value!r} is never closed ({place(at.start)})")
    return found


def place(offset: int) -> str:
    """Describe a position in the text, for messages."""
    return f"character {offset + 1}"


def shortened(text: str) -> str:
    """Shorten a text for display."""
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def _skip(text: str, at: int) -> int:
    match = _SKIPPED.match(text, at)
    return match.end() if match else at


def _next(text: str, at: int, after_in: bool) -> Token:
    if after_in and text[at] == "(":
        whole = _LIST.match(text, at)
        if whole is not None and whole[1]:
            return Token("list", at, whole.end(), "")
        if whole is not None and whole[2]:
            raise FilterInvalid(f"a list has at most {MAX_LISTED} values ({place(at)})", limit=MAX_LISTED)
    match = _TOKEN.match(text, at)
    if match is None:
        match = _WORD.match(text, at)
        if match is not None:
            return Token("name", at, match.end(), match[0].upper())
        wrong = "a quote is never closed" if text[at] in "'\"`" else f"{text[at]!r} is unexpected"
        raise FilterInvalid(f"{wrong} ({place(at)})", position=place(at))
    value, end = match[0], match.end()
    match match.lastgroup:
        case "name":
            following = _WORD.match(text, at)  # letters beyond ASCII
            end = following.end() if following else end
            return Token("name", at, end, text[at:end].upper())
        case "string":
            return Token("string", at, end, unquoted(value))
        case "quoted":
            return Token("quoted", at, end, unquoted(value))
        case "binary":
            return Token("binary", at, end, unquoted(value[1:]))
        case "number" | "suffix":
            return Token("number", at, end, value)
    return Token("sign", at, end, value)


def unquoted(text: str) -> str:
    """Return a quoted text without its quotes, doubled ones made single."""
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)
