"""Convert values of primitive types to and from Iceberg's JSON single-value form.

Numbers that JSON or its readers cannot hold exactly are written as text: integers beyond
2**53, NaN and the infinities. Years outside of 0000 to 9999 are written in the expanded form
of ISO 8601, with a sign. Timestamps with a zone are in UTC and end in ``+00:00``.

Source: Iceberg spec, appendix D, "JSON single-value serialization".
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal, InvalidOperation
from uuid import UUID

from lakemuster.metadata.types import Kind, Primitive, Unit

JSON = None | bool | int | float | str

SAFE_INTEGER = 2**53
"""JavaScript's numbers represent every integer up to this one."""

PER_SECOND: dict[Unit, int] = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_DIGITS: dict[Unit, int] = {"ms": 3, "us": 6, "ns": 9}
_BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.LONG: 64}
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

_DATE = re.compile(r"([+-]?\d{4,9})-(\d\d)-(\d\d)", re.ASCII)
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?", re.ASCII)
_ZONE = re.compile(r"(?:Z|([+-])(\d\d):(\d\d))$", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def json_value(of: Primitive, internal: object) -> JSON:
    """Return the JSON form of a value in its internal form (see ``types``); None stays None.

    Values of types without an internal form are bytes and become hex.

    Raises:
        TypeError: the value is not of the type's internal form.
    """
    match internal:
        case None:
            return None
        case bool():
            return internal
        case int():
            return _number_text(of, internal)
        case float():
            return _float(internal)
        case Decimal():
            return decimal_text(internal, of.scale)
        case str():
            return internal
        case UUID():
            return str(internal)
        case bytes():
            return str(UUID(bytes=internal)) if of.kind is Kind.UUID and len(internal) == 16 else internal.hex()
    raise TypeError(f"{type(internal).__name__} is not a value of {of.text}")


def from_json_value(of: Primitive, value: object) -> object:
    """Return the internal form of a JSON value; the inverse of :func:`json_value`.

    Integers are accepted as numbers or text, timestamps with a zone in any zone, decimals with
    fewer digits after the point than their type has.

    Raises:
        ValueError: not a value of that type, or out of its range.
    """
    if value is None:
        return None
    match of.kind:
        case Kind.BOOLEAN:
            parsed: object = value if isinstance(value, bool) else None
        case Kind.TINYINT | Kind.SMALLINT | Kind.INT | Kind.LONG:
            parsed = _parse_integer(value, _BITS[of.kind])
        case Kind.FLOAT | Kind.DOUBLE:
            parsed = _parse_float(value, single=of.kind is Kind.FLOAT)
        case Kind.STRING:
            parsed = value if isinstance(value, str) else None
        case _ if isinstance(value, str):
            parsed = _parse_text(of, value)
        case _:
            parsed = None
    if parsed is None:
        raise ValueError(f"{value!r:.100} is not a value of type {of.text}")
    return parsed


def _number_text(of: Primitive, number: int) -> int | str:
    match of.kind:
        case Kind.DATE:
            return date_text(number)
        case Kind.TIME:
            return time_text(number, of.unit)
        case Kind.TIMESTAMP:
            return timestamp_text(number, of.unit)
        case Kind.TIMESTAMPTZ:
            return timestamp_text(number, of.unit) + "+00:00"
    return number if -SAFE_INTEGER <= number <= SAFE_INTEGER else str(number)


def _float(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def nearest_single(number: float) -> float:
    """Return the nearest 4-byte float; an infinity beyond their range."""
    try:
        (nearest,) = struct.unpack("<f", struct.pack("<f", number))
    except OverflowError:
        return math.copysign(math.inf, number)
    return float(nearest)


def unscaled(value: Decimal, scale: int) -> int:
    """Return the integer that a decimal of ``scale`` is stored as.

    Raises:
        ValueError: the value has more digits after the point, or is not a number.
    """
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent + scale > 100:
        raise ValueError(f"{value} does not fit a decimal of scale {scale}")
    number = int("".join(map(str, digits)) or "0")
    shift = exponent + scale
    whole, rest = (number * 10**shift, 0) if shift >= 0 else divmod(number, 10**-shift)
    if rest:
        raise ValueError(f"{value} has more than {scale} digits after the point")
    return int(-whole if sign else whole)


def scaled(number: int, scale: int) -> Decimal:
    """Return the decimal of an unscaled integer, with exactly that scale, of any number of digits."""
    return Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale))


def decimal_text(value: Decimal, scale: int) -> str:
    """Write a decimal with exactly ``scale`` digits after the point; in E notation if the scale is negative."""
    number = unscaled(value, scale)
    if scale <= 0:
        return f"{number}E+{-scale}" if scale else str(number)
    digits = str(abs(number)).rjust(scale + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def date_text(days: int) -> str:
    """Write days since 1970-01-01 as an ISO 8601 date."""
    year, month, day = civil(days)
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):04d}"
    return f"{shown}-{month:02d}-{day:02d}"


def time_text(count: int, unit: Unit) -> str:
    """Write units since midnight as an ISO 8601 time, every digit of the unit written."""
    seconds, fraction = divmod(count, PER_SECOND[unit])
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}.{fraction:0{_DIGITS[unit]}d}"


def timestamp_text(count: int, unit: Unit) -> str:
    """Write units since 1970-01-01T00:00:00 as an ISO 8601 timestamp without a zone."""
    days, rest = divmod(count, 86_400 * PER_SECOND[unit])
    return f"{date_text(days)}T{time_text(rest, unit)}"


def civil(days: int) -> tuple[int, int, int]:
    """Convert days since 1970-01-01 to year, month and day, in the proleptic Gregorian calendar with a year 0.

    Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    """
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def days_of(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01; the inverse of :func:`civil`.

    Raises:
        ValueError: no such day.
    """
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        raise ValueError(f"no month {month} or day {day}")
    era, year_of_era = divmod(year - (month <= 2), 400)
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    days = era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + of_year - 719_468
    if civil(days) != (year, month, day):
        raise ValueError(f"month {month} of {year} has no day {day}")
    return days


def _parse_integer(value: object, bits: int) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,20}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return _within(value, bits)


def _within(number: int, bits: int) -> int:
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f"{number} does not fit {bits} bits")
    return number


def _parse_float(value: object, *, single: bool) -> float | None:
    if isinstance(value, str):
        return _NOT_FINITE.get(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = nearest_single(float(value)) if single else float(value)
    except OverflowError as cause:
        raise ValueError(f"{value!r:.100} is out of the type's range") from cause
    if math.isinf(number):
        raise ValueError(f"{value!r:.100} is out of the type's range")
    return number


def _parse_text(of: Primitive, text: str) -> object:
    match of.kind:
        case Kind.DECIMAL:
            return _parse_decimal(of, text)
        case Kind.DATE:
            return _within(_parse_date(text), 32)
        case Kind.TIME:
            return _parse_clock(text, of.unit)
        case Kind.TIMESTAMP:
            return _within(_parse_timestamp(text, of.unit), 64)
        case Kind.TIMESTAMPTZ:
            return _within(_parse_zoned(text, of.unit), 64)
        case Kind.UUID:
            return UUID(text)
        case Kind.FIXED:
            value = bytes.fromhex(text)
            return value if len(value) == of.length else None
        case _:
            return bytes.fromhex(text)


def _parse_decimal(of: Primitive, text: str) -> Decimal | None:
    if not _DECIMAL.fullmatch(text) or len(text) > 100:
        return None
    try:
        number = unscaled(Decimal(text), of.scale)
    except InvalidOperation:
        return None
    if abs(number) >= 10**of.precision:
        raise ValueError(f"{text} has more than {of.precision} digits")
    return scaled(number, of.scale)


def _parse_date(text: str) -> int:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.100} is not a date")
    return days_of(int(match[1]), int(match[2]), int(match[3]))


def _parse_clock(text: str, unit: Unit) -> int:
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.100} is not a time")
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"{text!r:.100} is not a time of day")
    digits = (match[4] or "").ljust(_DIGITS[unit], "0")
    if digits[_DIGITS[unit] :].strip("0"):
        raise ValueError(f"{text!r:.100} is finer than the type's unit")
    return ((hour * 60 + minute) * 60 + second) * PER_SECOND[unit] + int(digits[: _DIGITS[unit]])


def _parse_timestamp(text: str, unit: Unit) -> int:
    date, t, clock = text.partition("T")
    if not t:
        raise ValueError(f"{text!r:.100} is not a timestamp")
    return _parse_date(date) * 86_400 * PER_SECOND[unit] + _parse_clock(clock, unit)


def _parse_zoned(text: str, unit: Unit) -> int:
    zone = _ZONE.search(text)
    if zone is None:
        raise ValueError(f"{text!r:.100} has no zone")
    local = _parse_timestamp(text[: zone.start()], unit)
    minutes = int(zone[2] or 0) * 60 + int(zone[3] or 0)
    return local - (minutes if zone[1] == "+" else -minutes) * 60 * PER_SECOND[unit]
