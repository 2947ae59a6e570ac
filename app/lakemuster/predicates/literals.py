"""Convert comparisons with a constant to comparisons with a value of the column's type.

A constant need not be a value of the type: ``x < 1.5`` on integers is ``x <= 1``, ``ts <= '…00.0005'``
on milliseconds is ``ts <= '…00.000'``, ``x > 10000000000`` on 32 bits holds for no row. For types with a
smallest step the conversion is exact; for floating point types see :func:`_floating`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from uuid import UUID

from lakemuster.metadata.types import Kind, Primitive, Unit
from lakemuster.metadata.values import nearest_single, scaled
from lakemuster.predicates.instants import DAY, IncomparableTypesError, parse_date, parse_time, parse_timestamp
from lakemuster.predicates.outcomes import Comparison, Outcome, stepped, stepped_beyond
from lakemuster.predicates.tree import Literal, Op

BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.LONG: 64}
_PICOSECONDS: dict[Unit, int] = {"ms": 10**9, "us": 10**6, "ns": 10**3}
_BEYOND = 10**60  # outside of every type's range

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "+inf": math.inf, "+infinity": math.inf}
_NOT_FINITE |= {"-inf": -math.inf, "-infinity": -math.inf}
_MAX_DIGITS, _DECIMAL_DIGITS = 400, 38  # of a constant; of the widest decimal type of most engines


class UndecidedError(ValueError):
    """The constant can be compared with the type, but engines disagree on the result."""


def compare(op: Op, literal: Literal, of: Primitive) -> Outcome:
    """Convert ``op`` with the constant to a comparison with a value of the type.

    A NaN constant is returned as the value: the binder decides what it means.

    Raises:
        IncomparableTypesError: the constant cannot be compared with the type.
    """
    if op in (Op.STARTS_WITH, Op.NOT_STARTS_WITH):
        return _prefix(op, literal, of)
    return _RULES[of.kind](op, literal, of)


def members(literals: Sequence[Literal], of: Primitive) -> set[int] | set[str] | None:
    """Return the values of the type that equal one of the constants; None where :func:`compare` is needed.

    A fast path for lists of thousands of values, which are usually plain integers or strings.
    """
    if of.kind in BITS:
        half = 1 << BITS[of.kind] - 1
        if all(type(literal.value) is int and literal.kind in ("integer", "untyped") for literal in literals):
            numbers = {literal.value for literal in literals}
            return {value for value in numbers if isinstance(value, int) and -half <= value < half}
    elif of.kind is Kind.STRING and all(literal.kind in ("string", "untyped") for literal in literals):
        found = {literal.value for literal in literals}
        if all(isinstance(value, str) and value.isascii() for value in found):
            return found  # type: ignore[return-value]
    return None


def number(text: str) -> Decimal:
    """Parse a number exactly.

    Raises:
        IncomparableTypesError: not a number, or of more than 400 digits.
    """
    if len(text) > _MAX_DIGITS or not _NUMBER.fullmatch(text):
        raise IncomparableTypesError(f"{text[:60]!r} is not a number of at most {_MAX_DIGITS} digits")
    try:
        return Decimal(text)
    except InvalidOperation as cause:
        raise IncomparableTypesError(f"{text[:60]!r} is not a number") from cause


def _steps(exact_value: Decimal, scale: int) -> tuple[int, bool]:
    """Return the number of steps of 10**-scale in a value, rounded down, and whether that is exact."""
    if exact_value == 0:
        return 0, True
    negative, digits, exponent = exact_value.as_tuple()
    if not isinstance(exponent, int):
        return (-_BEYOND if negative else _BEYOND), True
    magnitude = exact_value.adjusted() + scale
    if magnitude >= 60:
        return (-_BEYOND if negative else _BEYOND), True
    if magnitude < 0:
        return (-1 if negative else 0), False
    whole = int("".join(map(str, digits)))
    whole = -whole if negative else whole
    shift = exponent + scale
    if shift >= 0:
        return whole * 10**shift, True
    floor, rest = divmod(whole, 10**-shift)
    return floor, not rest


def _numeric(literal: Literal, of: Primitive) -> Decimal:
    """Return the constant as a number, including NaN and the infinities."""
    match literal.kind, literal.value:
        case "integer" | "decimal" | "float" | "single" | "untyped", bool():
            pass
        case "integer" | "decimal" | "float" | "single" | "untyped", int() as whole:
            if abs(whole) >= 10**_MAX_DIGITS:
                raise IncomparableTypesError(f"the number has more than {_MAX_DIGITS} digits")
            return Decimal(whole)
        case "integer" | "decimal" | "float" | "single" | "untyped", Decimal() as exact:
            return exact
        case "float" | "single" | "decimal" | "untyped", float() as inexact:
            return Decimal(repr(inexact))
        case "integer" | "decimal" | "float" | "single" | "untyped", str() as text:
            special = _NOT_FINITE.get(text.lower())
            if special is not None and literal.kind in ("float", "single", "untyped"):
                return Decimal(special)
            return number(text)
    raise unlike(literal, of)


def _finite(literal: Literal, of: Primitive) -> Decimal:
    """Return the constant as a number to compare exact types with.

    With a floating point constant, engines compare as doubles, or as 4-byte values if the constant is one; some do
    so with a decimal too, if no decimal type holds it and the values. The result is the same if all values of the
    type near the constant have distinct values there.

    Raises:
        UndecidedError: they do not, or the constant is not such a value itself.
    """
    value = _numeric(literal, of)
    if value.is_nan():
        raise IncomparableTypesError(f"NaN is not a value of type {of.text}")
    is_single, is_wide = literal.kind == "single", literal.kind == "decimal" and _is_beyond_decimals(value, of)
    if value.is_finite() and (is_single or is_wide or literal.kind == "float"):
        nearest = nearest_single(float(value)) if is_single else float(value)
        digits, bits = (6, 24) if is_single else (15, 53)
        undecided = of.precision > digits if of.kind is Kind.DECIMAL else 1 << bits <= value.copy_abs() <= 1 << 64
        if is_wide:
            undecided |= _steps(Decimal(repr(nearest)), of.scale) != _steps(value, of.scale)
        elif math.isfinite(nearest):
            undecided |= Decimal(repr(nearest)) != value
        if undecided:
            raise UndecidedError(
                f"values of type {of.text} are more exact than the constant as a floating point number"
            )
    return value


def _is_beyond_decimals(value: Decimal, of: Primitive) -> bool:
    """Tell whether no decimal type holds the constant, with the scale it is written in, and the type's values."""
    exponent = value.as_tuple().exponent
    scale = -exponent if isinstance(exponent, int) else 0
    whole = len(str(1 << BITS[of.kind] - 1)) if of.kind in BITS else of.precision - of.scale
    return scale > 0 and max(whole, value.adjusted() + 1) + max(scale, of.scale) > _DECIMAL_DIGITS


def _integer(op: Op, literal: Literal, of: Primitive) -> Outcome:
    if type(literal.value) is int and literal.kind in ("integer", "untyped"):
        floor, exact = literal.value, True
    else:
        floor, exact = _steps(_finite(literal, of), 0)
    half: int = 1 << BITS[of.kind] - 1
    return stepped(op, floor, exact, -half, half - 1, int)


def _decimal(op: Op, literal: Literal, of: Primitive) -> Outcome:
    floor, exact = _steps(_finite(literal, of), of.scale)
    high = 10**of.precision - 1
    return stepped(op, floor, exact, -high, high, lambda unscaled: scaled(unscaled, of.scale))


def _floating(op: Op, literal: Literal, of: Primitive) -> Outcome:
    """Convert a comparison of a floating point column.

    A double column is compared with the double nearest to the constant, as in every engine. Engines
    differ on 4-byte columns if the constant is not a 4-byte value: some compare with the nearest one,
    some compare as doubles. The returned comparison holds wherever either does, as it does for a
    constant that engines round to a 4-byte value.
    """
    exact = _numeric(literal, of)
    if exact.is_nan():
        return Comparison(op, math.nan)
    double = float(exact)
    is_single = of.kind is Kind.FLOAT or literal.kind == "single"
    nearest = (nearest_single(double) if is_single else double) + 0.0  # no negative zero
    if nearest == double and (math.isfinite(nearest) or exact.is_infinite()):
        return Comparison(op, nearest)
    if op is Op.NOT_EQ:
        return "perhaps"
    above = nearest > exact
    if (op is Op.LT and not above) or (op is Op.GT and above):
        op = Op.LT_EQ if op is Op.LT else Op.GT_EQ
    return Comparison(op, nearest, maybe=True)


def _boolean(op: Op, literal: Literal, of: Primitive) -> Outcome:
    if literal.kind not in ("boolean", "untyped") or not isinstance(literal.value, bool):
        raise unlike(literal, of)
    return Comparison(op, literal.value)


def _string(op: Op, literal: Literal, of: Primitive) -> Outcome:
    text = _text(literal, of)
    if not text and op in (Op.LT, Op.GT_EQ):
        return "never" if op is Op.LT else "always"
    return Comparison(op, text)


def _text(literal: Literal, of: Primitive) -> str:
    if literal.kind not in ("string", "untyped") or not isinstance(literal.value, str):
        raise unlike(literal, of)
    if not literal.value.isascii() and re.search("[\ud800-\udfff]", literal.value):
        raise IncomparableTypesError("the text is not valid Unicode")
    return literal.value


def _prefix(op: Op, literal: Literal, of: Primitive) -> Outcome:
    if of.kind is Kind.STRING:
        prefix: str | bytes = _text(literal, of)
    elif of.kind in (Kind.BINARY, Kind.FIXED):
        prefix = _bytes(literal, of)
    else:
        raise IncomparableTypesError(f"values of type {of.text} have no prefix")
    if not prefix:
        return "always" if op is Op.STARTS_WITH else "never"
    return Comparison(op, prefix)


def _bytes(literal: Literal, of: Primitive) -> bytes:
    match literal.kind, literal.value:
        case "binary" | "untyped", bytes() as value:
            return value
        case "binary" | "untyped", str() as text:
            try:
                return bytes.fromhex(text)
            except ValueError as cause:
                raise IncomparableTypesError(f"{text[:60]!r} is not hexadecimal") from cause
    raise unlike(literal, of)


def _binary(op: Op, literal: Literal, of: Primitive) -> Outcome:
    value = _bytes(literal, of)
    if of.kind is Kind.FIXED and len(value) != of.length:
        if op in (Op.EQ, Op.NOT_EQ):
            return "never" if op is Op.EQ else "always"
        if len(value) < of.length:  # sorts before all values that begin with it
            op = {Op.LT_EQ: Op.LT, Op.GT: Op.GT_EQ}.get(op, op)
        else:  # sorts after the value that it begins with
            op = {Op.LT: Op.LT_EQ, Op.GT_EQ: Op.GT}.get(op, op)
        value = value.ljust(of.length, b"\0")[: of.length]
    least = b"" if of.kind is Kind.BINARY else bytes(of.length)
    if value == least and op in (Op.LT, Op.GT_EQ):
        return "never" if op is Op.LT else "always"
    return Comparison(op, value)


def _uuid(op: Op, literal: Literal, of: Primitive) -> Outcome:
    match literal.kind, literal.value:
        case "uuid" | "untyped", UUID() as value:
            return Comparison(op, value)
        case "uuid" | "string" | "untyped", str() as text:
            try:
                return Comparison(op, UUID(text))
            except ValueError as cause:
                raise IncomparableTypesError(f"{text[:60]!r} is not a uuid") from cause
    raise unlike(literal, of)


def _date(op: Op, literal: Literal, of: Primitive) -> Outcome:
    match literal.kind, literal.value:
        case "date" | "untyped", int() as days if not isinstance(days, bool):
            floor, exact = days, True
        case "date" | "string" | "untyped", str() as text:
            floor, exact = parse_date(text), True
        case "timestamp", _:
            picoseconds, zoned = _instant(literal, of)
            if zoned:
                raise IncomparableTypesError("the constant has a time zone, and dates have none")
            floor, rest = divmod(picoseconds, DAY)
            exact = not rest
        case _:
            raise unlike(literal, of)
    return stepped(op, floor, exact, -(1 << 31), (1 << 31) - 1, int)


def _time(op: Op, literal: Literal, of: Primitive) -> Outcome:
    match literal.kind, literal.value:
        case "time" | "untyped", int() as micros if not isinstance(micros, bool):
            picoseconds = micros * 10**6
        case "time" | "string" | "untyped", str() as text:
            picoseconds = parse_time(text)
        case _:
            raise unlike(literal, of)
    return _clocked(op, picoseconds, of, 0, DAY // _PICOSECONDS[of.unit] - 1)


def _timestamp(op: Op, literal: Literal, of: Primitive) -> Outcome:
    picoseconds, zoned = _instant(literal, of)
    if zoned and of.kind is Kind.TIMESTAMP:
        raise IncomparableTypesError(f"the constant has a time zone, and values of type {of.text} have none")
    low, high = -(1 << 63), (1 << 63) - 1
    is_number = literal.kind == "untyped" and isinstance(literal.value, int)
    if of.unit == "ns" and is_number and not low <= picoseconds // _PICOSECONDS["ns"] <= high:
        # Iceberg Java writes its constants of nanoseconds as plain numbers too.
        raise UndecidedError("the constant is too large for microseconds, and may mean nanoseconds")
    if of.unit == "ns" and of.precision:  # of Paimon, which holds milliseconds and nanoseconds apart
        floor, rest = divmod(picoseconds, _PICOSECONDS["ns"])
        return stepped_beyond(op, floor, not rest, low, high)
    return _clocked(op, picoseconds, of, low, high)


def _clocked(op: Op, picoseconds: int, of: Primitive, low: int, high: int) -> Outcome:
    """Compare times: exactly in nanoseconds, else so that the result also holds for a constant cut to microseconds."""
    step = _PICOSECONDS[of.unit]
    floor, rest = divmod(picoseconds, step)
    exact = stepped(op, floor, not rest, low, high, int)
    finer = picoseconds % _PICOSECONDS["us"]
    if not finer or of.unit == "ns":
        return exact
    cut = stepped(op, floor, rest == finer, low, high, int)
    if cut == exact:
        return exact
    wider = cut if op in (Op.EQ, Op.GT_EQ) else exact
    return replace(wider, maybe=True) if isinstance(wider, Comparison) else "perhaps"


def _instant(literal: Literal, of: Primitive) -> tuple[int, bool]:
    """Return picoseconds since 1970, in UTC when the constant has a zone, and whether it has one."""
    match literal.kind, literal.value:
        case ("timestamp" | "timestamptz" | "untyped") as kind, int() as micros if not isinstance(micros, bool):
            return micros * 10**6, kind == "timestamptz"
        case "date", int() as days if not isinstance(days, bool):
            return days * DAY, False
        case "date", str() as text:
            return parse_date(text) * DAY, False
        case ("timestamp" | "timestamptz" | "untyped" | "string") as kind, str() as text:
            picoseconds, zoned = parse_timestamp(text)
            return picoseconds, zoned or kind == "timestamptz"
    raise unlike(literal, of)


def unlike(literal: Literal, of: Primitive) -> IncomparableTypesError:
    """Return the error for a constant whose kind cannot be compared with the type."""
    kind = {"untyped": "constant", "single": "float"}.get(literal.kind, literal.kind)
    shown = literal.value.hex() if isinstance(literal.value, bytes) else literal.value
    return IncomparableTypesError(f"a value of type {of.text} cannot be compared with the {kind} {shown!r:.60}")


_RULES: dict[Kind, Callable[[Op, Literal, Primitive], Outcome]] = {
    Kind.BOOLEAN: _boolean,
    Kind.TINYINT: _integer,
    Kind.SMALLINT: _integer,
    Kind.INT: _integer,
    Kind.LONG: _integer,
    Kind.FLOAT: _floating,
    Kind.DOUBLE: _floating,
    Kind.DECIMAL: _decimal,
    Kind.DATE: _date,
    Kind.TIME: _time,
    Kind.TIMESTAMP: _timestamp,
    Kind.TIMESTAMPTZ: _timestamp,
    Kind.STRING: _string,
    Kind.BINARY: _binary,
    Kind.FIXED: _binary,
    Kind.UUID: _uuid,
}
COMPARABLE = frozenset(_RULES)
"""The kinds of type that can be compared with constants."""
