"""Parse constants in SQL text: numbers, strings, typed literals and casts of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.instants import IncomparableTypesError
from lakemuster.predicates.literals import number
from lakemuster.predicates.sql_tokens import NUMBER, TYPED, Token, place, unquoted
from lakemuster.predicates.tree import Literal, LiteralKind

_KINDS: dict[str, LiteralKind] = {
    "DATE": "date",
    "TIME": "time",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp",
    "DATETIME": "timestamp",
    "TIMESTAMPTZ": "timestamptz",
    "TIMESTAMP_LTZ": "timestamptz",
    "UUID": "uuid",
    "DECIMAL": "decimal",
    "TIMESTAMP WITHOUT TIME ZONE": "timestamp",
}
_ZONED = frozenset({"TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH LOCAL TIME ZONE"})
_CASTS: dict[str, LiteralKind] = {
    **_KINDS,
    "NUMERIC": "decimal",
    "TINYINT": "integer",
    "SMALLINT": "integer",
    "INT": "integer",
    "INTEGER": "integer",
    "BIGINT": "integer",
    "LONG": "integer",
    "FLOAT": "float",
    "REAL": "float",
    "DOUBLE": "float",
    "DOUBLE PRECISION": "float",
    "STRING": "string",
    "TEXT": "string",
    "VARCHAR": "string",
    "BOOLEAN": "boolean",
}
_WORDS: dict[str, Literal] = {
    "NULL": Literal(None, "null"),
    "TRUE": Literal(True, "boolean"),
    "FALSE": Literal(False, "boolean"),
}
_ITEM = re.compile(
    rf"([-+]?)\s*+({NUMBER})|(?:({TYPED})\s*+)?('[^']*+(?:''[^']*+)*+')|([A-Z]+)", re.IGNORECASE | re.ASCII
)
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64, "LONG": 64}
_LEAST_SCALE = 3
"""The most fraction digits that every engine keeps of ``DECIMAL '…'``: DuckDB's DECIMAL is DECIMAL(18, 3)."""
_SUFFIX = re.compile(r"(?:[lsydf]|bd)$", re.IGNORECASE | re.ASCII)
_INTEGER = re.compile(r"[-+]?\d+", re.ASCII)


def numeric(text: str, where: int) -> Literal:
    """Parse a number with its sign and suffix.

    Raises:
        FilterInvalid: the number has too many digits.
    """
    digits = text[:-2] + _SUFFIX.sub("", text[-2:]) if len(text) > 2 else _SUFFIX.sub("", text)
    whole, floating = _INTEGER.fullmatch(digits), text[-1] in "dDfF" or "e" in digits[-12:].lower()
    inexact: LiteralKind = "single" if text[-1] in "fF" else "float"
    if whole and not floating and len(digits) <= 18:
        return Literal(int(digits), "integer", place(where))
    try:
        value = number(digits)
    except IncomparableTypesError as cause:
        raise FilterInvalid(f"{cause} ({place(where)})", position=place(where)) from cause
    if whole and not floating:
        return Literal(int(value), "integer", place(where))
    return Literal(value, inexact if floating else "decimal", place(where))


def word(text: str, where: int) -> Literal | None:
    """Return the constant NULL, TRUE or FALSE; None for any other word."""
    found = _WORDS.get(text)
    return None if found is None else Literal(found.value, found.kind, place(where))


def binary(token: Token) -> Literal:
    """Parse the bytes of ``X'…'``.

    Raises:
        FilterInvalid: not hexadecimal.
    """
    try:
        return Literal(bytes.fromhex(token.value), "binary", place(token.start))
    except ValueError as cause:
        raise FilterInvalid(f"not hexadecimal ({place(token.start)})", position=place(token.start)) from cause


def typed(name: str, text: str, where: int) -> Literal | None:
    """Return a typed literal such as ``DATE '…'``; None for an unknown type, or a number that some engine rounds."""
    kind = "timestamptz" if name in _ZONED else _KINDS.get(name)
    if kind is None or (kind == "decimal" and _scale(text) > _LEAST_SCALE):
        return None
    return Literal(text, kind, place(where))


def _scale(text: str) -> int:
    """Return the number of fraction digits of a number; 0 if it is not one."""
    try:
        exponent = number(text).as_tuple().exponent
    except IncomparableTypesError:
        return 0
    return -exponent if isinstance(exponent, int) else 0


def cast(literal: Literal, words: Sequence[str], *, parameters: bool) -> Literal | None:
    """Cast a constant to a type; None when the cast may change its value.

    Engines round, truncate and overflow in different ways, so only casts that do none of these are accepted.

    Args:
        literal: the constant.
        words: the words of the type's name, in upper case.
        parameters: whether the type has parameters (``DECIMAL(9, 2)``).
    """
    name = " ".join(words)
    kind = "timestamptz" if name in _ZONED else _CASTS.get(name)
    if kind is None or literal.kind == "null":
        return literal if kind is not None else None
    single = name in ("FLOAT", "REAL")
    match literal.kind, literal.value:
        case "integer", int() as whole if kind == "decimal" or (kind == "integer" and _fits(whole, _BITS[name])):
            return literal
        case _ if parameters:
            return None
        case "float", _ if kind == "float":
            return replace(literal, kind="single") if single else literal
        case own, _ if own == kind and kind not in ("integer", "decimal"):
            return literal
        case "string", str() as text if kind not in ("boolean", "integer", "decimal", "float"):
            if kind == "date" and len(text.strip()) > 13:  # longer than any date: the cast would truncate it
                return None
            return Literal(text, kind, literal.where)
        case "string" | "integer" | "decimal", (str() | int() | Decimal()) as value if kind == "float":
            return _floating(value, literal.where, single=single)
    return None


def _fits(whole: int, bits: int) -> bool:
    return -(1 << bits - 1) <= whole < 1 << bits - 1


def _floating(value: str | int | Decimal, where: str, *, single: bool) -> Literal | None:
    try:
        double = float(value)
    except (ValueError, OverflowError):
        return None
    return Literal(double, "single" if single else "float", where)


def listed(text: str, token: Token) -> tuple[Literal, ...] | None:
    """Parse the constants of a list token; None if one of them is not a constant of :func:`typed`."""
    found: list[Literal] = []
    for match in _ITEM.finditer(text, token.start + 1, token.end - 1):
        sign, digits, kind, quoted, other = match.groups()
        if digits is not None:
            if len(digits) <= 18 and digits.isdecimal():
                found.append(Literal(int(sign + digits), "integer"))
            else:
                found.append(numeric(sign + digits, match.start()))
        elif quoted is None:
            found.append(_WORDS[other.upper()])
        elif kind is None:
            found.append(Literal(unquoted(quoted), "string"))
        elif kind in "xX":
            found.append(binary(Token("binary", match.start(), match.end(), unquoted(quoted))))
        else:
            known = typed(kind.upper(), unquoted(quoted), match.start())
            if known is None:
                return None
            found.append(known)
    return tuple(found)
