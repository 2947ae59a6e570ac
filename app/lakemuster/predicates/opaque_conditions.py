"""Conditions that cannot prune: check that they are expressions, and find the columns that they name.

Operands and operators must alternate, and parentheses and CASE must close. Functions, types and the grammar of keywords
are the engine's: a dialect's own syntax is accepted as long as it keeps to this form. Subqueries are not examined.
One pass over the tokens, without recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal as OneOf

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import sql_keywords as words
from lakemuster.predicates.sql_cursor import Cursor
from lakemuster.predicates.sql_tokens import Token, place, shortened
from lakemuster.predicates.tree import Opaque

_SHOWN = 60


def opaque(cursor: Cursor, start: int, end: int) -> Opaque:
    """Return a condition that cannot prune, and so selects every file: the tokens from ``start`` up to ``end``.

    Raises:
        FilterInvalid: not an expression, or with parameters.
    """
    text, where = cursor.text[cursor.tokens[start].start : cursor.tokens[end - 1].end], cursor.tokens[start].start
    scan = _Scan(cursor, start, end)
    try:
        scan.run()
    except _Malformed as cause:
        raise FilterInvalid(
            f"{text[:_SHOWN]!r} cannot be read as a condition ({place(where)})", position=place(where)
        ) from cause
    if scan.parameters:
        raise FilterInvalid(
            f"parameters, stars and statements are not allowed in a filter ({place(where)})", position=place(where)
        )
    text = shortened(text)
    if scan.queries:
        return Opaque(text, "subqueries cannot prune")
    return Opaque(text, _reason(scan, text), tuple(scan.columns))


class _Malformed(Exception):
    """The tokens are not an expression."""


_FrameKind = OneOf["whole", "group", "call", "items", "subscript", "case"]


@dataclass(slots=True)
class _Frame:
    """An open construct: parentheses, brackets, braces or a CASE.

    Attributes:
        closing: the index of the token that closes it; of a CASE, the end of the frame around.
        bound: the parameters of the lambda that is the current argument.
        interval: whether units of time may follow operands.
        betweens: how many BETWEEN still need their AND.
        branched: whether the last WHEN of a CASE has its THEN; None before the first.
    """

    kind: _FrameKind
    closing: int
    bound: frozenset[str] = frozenset()
    interval: bool = False
    betweens: int = 0
    branched: bool | None = None


@dataclass(slots=True)
class _Scan:
    """One pass over the tokens of a condition.

    Attributes:
        columns: their dotted names, each with its place.
        function: the outermost function, after the number of frames around it.
    """

    cursor: Cursor
    at: int
    end: int
    columns: list[tuple[str, str]] = field(default_factory=list)
    function: tuple[int, str] | None = None
    parameters: bool = False
    queries: bool = False
    subscripts: bool = False
    _frames: list[_Frame] = field(default_factory=list)

    def run(self) -> None:
        """Read all tokens.

        Raises:
            _Malformed: operands and operators do not alternate, or something is left open.
        """
        self._frames.append(_Frame("whole", self.end))
        wants_operand = True
        while self.at < self.end:
            token = self.cursor.tokens[self.at]
            self.at += 1
            wants_operand = self._operand(token) if wants_operand else self._operator(token)
        if wants_operand or len(self._frames) > 1 or self.at != self.end or self._frames[0].betweens:
            raise _Malformed

    def _operand(self, token: Token) -> bool:
        """Read a token where an operand is due; return whether one is still due."""
        match token.kind:
            case "number" | "string" | "binary":
                return False
            case "quoted":
                return self._path(token)
            case "name":
                return self._word(token)
        if token.kind != "sign":
            raise _Malformed
        if token.value in "([{":
            return self._open(token)
        if token.value in ")]}":
            frame = self._frames[-1]
            if frame.kind not in ("call", "items") or self.cursor.closings.get(self.at - 2) != frame.closing:
                raise _Malformed
            return self._close()
        if token.value in "+-~":
            return True
        if token.value in "*?:@":
            self.parameters = True
            self.at += token.value in ":@"
            return False
        raise _Malformed

    def _open(self, token: Token) -> bool:
        closing = self.cursor.closings[self.at - 1]
        if token.value != "(":
            self._called("array" if token.value == "[" else "struct")
            self._frames.append(_Frame("items", closing))
        elif self._frames[-1].kind == "call" and self.cursor.is_sign(closing + 1, "->"):
            names = self.cursor.tokens[self.at : closing]
            self._frames[-1].bound |= {name.value for name in names if name.kind == "name"}
            self.at = closing + 2
        elif self._query(closing):
            return False
        else:
            self._frames.append(_Frame("group", closing))
        return True

    def _query(self, closing: int) -> bool:
        """Skip a subquery up to its closing parenthesis, if one begins here; return whether one did."""
        token = self.cursor.tokens[self.at]
        found = token.kind == "name" and token.value in words.QUERIES and self.at + 1 < closing
        if found:
            self.queries = True
            self.at = closing + 1
        return found

    def _close(self) -> bool:
        frame = self._frames.pop()
        if frame.closing != self.at - 1 or frame.betweens:
            raise _Malformed
        return False

    def _word(self, token: Token) -> bool:
        following, frame = self.cursor.tokens[self.at], self._frames[-1]
        opens, word = following.kind == "sign" and following.value == "(", token.value
        if word in words.CONSTANTS:
            return False
        if word == "NOT" or (
            word in words.BEFORE_OPERANDS and frame.kind in ("call", "group") and not _ends(following)
        ):
            return True
        if word in ("PARTITION", "ORDER") and _is_word(following, "BY") and frame.kind == "group":
            self.at += 1
            return True
        if word in words.QUANTIFIERS and opens:
            return True
        if word == "CASE" and (following.kind != "sign" or following.value in "([-+"):
            self._called("case")
            starts = _is_word(following, "WHEN")
            self._frames.append(_Frame("case", frame.closing, frame.bound, branched=False if starts else None))
            self.at += starts
            return True
        if word == "INTERVAL" and (following.kind in ("string", "number") or opens or following.value == "-"):
            frame.interval = True
            return True
        if following.kind == "string" and word in words.TYPED:
            self._called("cast")
            self.at += 1
            return False
        if word == "TIMESTAMP" and _is_word(following, "WITH", "WITHOUT"):
            return self._zoned()
        if word in words.NILADIC and not opens:
            self._called(word.lower())
            return False
        if word in words.LITERALS and following.kind == "sign" and following.value in "[{":
            self._called(words.LITERALS[word])
            self._frames.append(_Frame("items", self.cursor.closings[self.at]))
            self.at += 1
            return True
        if frame.kind == "call" and following.kind == "sign" and following.value in ("->", "=>"):
            frame.bound |= {word} if following.value == "->" else set()
            self.at += 1
            return True
        if frame.kind == "call" and _is_word(following, "FROM") and word in words.UNITS:
            return False
        if word in words.NO_OPERANDS:
            raise _Malformed
        return self._path(token)

    def _zoned(self) -> bool:
        """Read ``TIMESTAMP WITH TIME ZONE '…'``."""
        while self.cursor.tokens[self.at].kind == "name":
            self.at += 1
        if self.cursor.tokens[self.at].kind != "string":
            raise _Malformed
        self._called("cast")
        self.at += 1
        return False

    def _path(self, first: Token) -> bool:
        """Read a column or a call."""
        tokens, parts, last = self.cursor.tokens, [self._name(first)], first
        while self.cursor.is_sign(self.at, ".") and tokens[self.at + 1].kind in ("name", "quoted"):
            last = tokens[self.at + 1]
            parts.append(self._name(last))
            self.at += 2
        if self.cursor.is_sign(self.at, "("):
            return self._call(parts[-1])
        if self.cursor.is_sign(self.at, ".") and self.cursor.is_sign(self.at + 1, "*"):
            self.parameters = True
            self.at += 2
        frame = self._frames[-1]
        is_bound = first.kind == "name" and any(first.value in frame.bound for frame in self._frames)
        if not is_bound and not (frame.kind == "call" and parts[-1].upper() in words.UNITS):
            where = place(first.start)
            if first.kind == "quoted" and len(parts) == 1:
                where += "; string constants need single quotes"
            self.columns.append((".".join(parts), where))
        return False

    def _name(self, token: Token) -> str:
        return token.value if token.kind == "quoted" else self.cursor.text[token.start : token.end]

    def _call(self, name: str) -> bool:
        closing = self.cursor.closings[self.at]
        self._called(name.lower())
        self.at += 1
        if self._query(closing):
            return False
        self._frames.append(_Frame("call", closing))
        return True

    def _called(self, name: str, *, above: bool = False) -> None:
        depth = len(self._frames) - above
        if self.function is None or depth < self.function[0]:
            self.function = depth, name

    def _operator(self, token: Token) -> bool:
        """Read a token where an operator is due; return whether an operand is due next."""
        if token.kind == "name":
            return self._keyword(token)
        previous = self.cursor.tokens[self.at - 2]
        if token.kind == "string" and previous.kind == "string":  # adjacent strings are one
            return False
        if token.kind != "sign":
            raise _Malformed
        frame = self._frames[-1]
        if token.value in words.OPERATORS or token.value in words.JSON or token.value == "||":
            if token.value in words.JSON:
                self._called(words.JSON[token.value])
            if token.value in "<>":  # shifts are two signs
                self.at += self.cursor.is_sign(self.at, token.value)
            return True
        match token.value:
            case ")" | "]" | "}":
                return self._close()
            case "," if frame.kind not in ("whole", "case"):
                frame.bound = frozenset()
                return not self.cursor.is_sign(self.at, ")") or frame.kind == "call"
            case ":" if frame.kind in ("items", "subscript"):
                return self.at < frame.closing
            case "::":
                self._called("cast")
                return self._type()
            case "[":
                self.subscripts = True
                self._frames.append(_Frame("subscript", self.cursor.closings[self.at - 1]))
                self.at += (is_slice := self.cursor.is_sign(self.at, ":"))
                return not is_slice or self.at < self._frames[-1].closing
            case "." if (member := self.cursor.tokens[self.at]).kind in ("name", "quoted"):
                self.at += 1
                return self.cursor.is_sign(self.at, "(") and self._call(self._name(member))
        raise _Malformed

    def _keyword(self, token: Token) -> bool:
        word, frame, following = token.value, self._frames[-1], self.cursor.tokens[self.at]
        if word in words.INFIX:
            if word == "IN" and following.kind == "list":
                self.at += 1
                return False
            if word == "ESCAPE" and following.kind != "string":
                raise _Malformed
            frame.betweens += (word == "BETWEEN") - (word == "AND" and frame.betweens > 0)
            return True
        if word in words.MATCHES:
            self._called("regexp_like", above=True)
            return True
        if word == "IS":
            return self._is()
        if word == "NOT":
            if not _is_word(following, "SIMILAR", *words.INFIX, *words.MATCHES):
                raise _Malformed
            return False
        if frame.kind == "case" and (word in words.IN_CASE or word == "END"):
            return self._branch(word, frame)
        if frame.kind == "call" and word in words.IN_CALLS:
            return True
        if frame.kind == "call" and word == "AS":
            return self._type()
        if word in (words.AFTER_OPERANDS if frame.kind == "whole" else words.AFTER_INNER_OPERANDS) or (
            frame.interval and (word == "TO" or word in words.UNITS or word[:-1] in words.UNITS)
        ):
            return False
        return self._phrase(word, following)

    def _branch(self, word: str, frame: _Frame) -> bool:
        """Read WHEN, THEN, ELSE or END of a CASE."""
        expected = {"WHEN": (None, True), "THEN": (False,)}.get(word, (True,))
        if frame.betweens or frame.branched not in expected:
            raise _Malformed
        frame.branched = word != "WHEN"
        if word == "END":
            self._frames.pop()
        return word != "END"

    def _phrase(self, word: str, following: Token) -> bool:
        """Read a keyword of several words."""
        tokens = self.cursor.tokens
        match word, following.value:
            case ("SIMILAR", "TO") | ("ORDER" | "PARTITION", "BY") if word == "SIMILAR" or len(self._frames) > 1:
                self.at += 1
                return True
            case "AT", "TIME" if tokens[self.at + 1].value == "ZONE":
                self.at += 2
                return True
            case "COLLATE", _ if following.kind in ("name", "quoted", "string"):
                self._called("collate")
                self.at += 1
                return False
            case (("OVER" | "FILTER"), "(") if following.kind == "sign":
                closing = self.cursor.closings[self.at]
                self.at += 1
                if self.at == closing:
                    self.at += 1
                    return False
                self._frames.append(_Frame("group", closing))
                return True
            case (("ROWS" | "RANGE" | "GROUPS"), _) if self._frames[-1].kind == "group":
                self.at = self._frames[-1].closing  # a window's frame names no column
                return False
        raise _Malformed

    def _is(self) -> bool:
        tokens = self.cursor.tokens
        self.at += _is_word(tokens[self.at], "NOT")
        if _is_word(tokens[self.at], "DISTINCT") and _is_word(tokens[self.at + 1], "FROM"):
            self.at += 2
        is_test = _is_word(tokens[self.at], *words.TESTS)
        self.at += is_test
        return not is_test

    def _type(self) -> bool:
        """Skip the name of a type with its parameters."""
        start, self.at = self.at, self.cursor.type_end(self.at, self.end)
        if self.at == start:
            raise _Malformed
        return False


def _is_word(token: Token, *keywords: str) -> bool:
    return token.kind == "name" and token.value in keywords


def _ends(token: Token) -> bool:
    return token.kind == "end" or (token.kind == "sign" and token.value not in ("(", "-", "+", "*", "[", "{"))


def _reason(scan: _Scan, text: str) -> str:
    # Checked first: within a call, a column that is named like a unit of time is not collected.
    if scan.function is not None:
        return f"{scan.function[1]:.40}() cannot prune"
    if not scan.columns:
        return "it names no column"
    if scan.subscripts:
        return "elements of lists and maps have no statistics"
    if len(scan.columns) > 1:
        return "columns are compared with each other"
    date = re.search(r"(?<![\w'])\d{4}-\d\d-\d\d(?![\w'])", text)
    return "it is not a comparison of a column with a constant" + (f": write DATE '{date[0]}'" if date else "")
