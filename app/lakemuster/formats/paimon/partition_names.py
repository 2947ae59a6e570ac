"""Paimon's spelling of partition values in directory names.

Legacy names (the default, and the only ones before 1.0) are Java's ``toString()`` of the internal value: days for a
DATE, milliseconds for a TIME, ISO text for a timestamp. Newer names are the value cast to a string. In both, null and
blank text become the table's default name, and characters that paths cannot hold become ``%XX``.

Source: Paimon ``InternalRowPartitionComputer``, ``PartitionPathUtils``.
"""

from __future__ import annotations

from decimal import Decimal
from math import isinf, isnan

import numpy as np
import pyarrow as pa

from lakemuster.errors import FormatUnsupported
from lakemuster.metadata.types import Kind, Primitive

DEFAULT_NAME = "__DEFAULT_PARTITION__"

_ESCAPED = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(0x20)), *"\"#%'*/:=?\\\x7f{}[]^"]}
_NOT_BLANK_TO_JAVA = frozenset("\x85\u00a0\u2007\u202f")
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def directory(key: str, of: Primitive, value: pa.Scalar, *, legacy: bool, default: str) -> str:
    """Return the directory name ``key=value`` of one partition value, escaped.

    Raises:
        FormatUnsupported: the writer's spelling is not determined by the value.
    """
    text = partition_text(of, value, legacy=legacy, default=default)
    return f"{key.translate(_ESCAPED)}={text.translate(_ESCAPED)}"


def partition_text(of: Primitive, value: pa.Scalar, *, legacy: bool, default: str) -> str:
    """Return one partition value as text, not escaped; the default name for null and blank text.

    Raises:
        FormatUnsupported: the writer's spelling is not determined by the value.
    """
    text = spelling(of, value, legacy=legacy) if value.is_valid else ""
    return default if all(char.isspace() and char not in _NOT_BLANK_TO_JAVA for char in text) else text


def spelling(of: Primitive, value: pa.Scalar, *, legacy: bool) -> str:
    """Return a non-null value as text, not escaped."""
    match of.kind:
        case Kind.BOOLEAN:
            return "true" if value.as_py() else "false"
        case Kind.FLOAT | Kind.DOUBLE:
            return _java_float(value.as_py(), single=of.kind is Kind.FLOAT)
        case Kind.DECIMAL:
            return f"{value.as_py():f}"
        case Kind.DATE:
            return str(value.value) if legacy else _day(value.value)
        case Kind.TIME:
            return str(value.value) if legacy else _time(value.value, of.precision)
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return _timestamp(of, value.value, legacy=legacy)
        case Kind.BINARY if legacy:
            raise FormatUnsupported("a binary partition value has no directory name of its own", type=of.text)
        case Kind.BINARY:
            return bytes(value.as_py()).decode("utf-8", "replace")
        case _:
            return str(value.as_py())


def _java_float(value: float, *, single: bool) -> str:
    """Write like Java's ``Float`` and ``Double.toString``: shortest digits, E notation below 1e-3 and from 1e7."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if not single and 1e-3 <= abs(value) < 1e7:
        return repr(value)  # the same digits, and the same form in this range
    kind = np.float32 if single else np.float64
    exact = Decimal(np.format_float_scientific(kind(value), unique=True))
    sign, digits, exponent = exact.normalize().as_tuple()
    assert isinstance(exponent, int)
    minus = "-" if sign else ""
    if exact == 0:
        return f"{minus}0.0"
    first = len(digits) + exponent - 1
    text = "".join(map(str, digits))
    if not -3 <= first < 7:
        return f"{minus}{text[0]}.{text[1:] or '0'}E{first}"
    if first < 0:
        return f"{minus}0.{'0' * (-first - 1)}{text}"
    text = text.ljust(first + 1, "0")
    return f"{minus}{text[: first + 1]}.{text[first + 1 :] or '0'}"


def _day(days: int) -> str:
    """Return the ISO text of a day; years beyond 9999 have a plus sign, as in Java."""
    text = str(np.datetime64(days, "D"))
    return f"+{text}" if len(text) > 10 and text[0] != "-" else text


def _time(millis: int, precision: int) -> str:
    seconds, rest = divmod(millis, 1000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if precision == 0:
        return text
    # Emit digits until only zeros remain: 101 ms are ".10" at precision 2, and 0 ms are ".0".
    digits = ""
    while len(digits) < precision and (rest or not digits):
        digits += str(rest // 100)
        rest = rest % 100 * 10
    return f"{text}.{digits}"


def _timestamp(of: Primitive, value: int, *, legacy: bool) -> str:
    per_second = _PER_SECOND[of.unit]
    seconds, rest = divmod(value, per_second)
    day, second = divmod(seconds, 86_400)
    nanos = rest * (10**9 // per_second)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}"
    if legacy:
        if second % 60 or nanos:
            clock += f":{second % 60:02}"
        if nanos:
            digits = f"{nanos:09}"
            clock += "." + (digits[:3] if nanos % 10**6 == 0 else digits[:6] if nanos % 10**3 == 0 else digits)
        return f"{_day(day)}T{clock}"
    fraction = f"{nanos:09}"
    while len(fraction) > of.precision and fraction.endswith("0"):
        fraction = fraction[:-1]
    return f"{_day(day)} {clock}:{second % 60:02}" + (f".{fraction}" if fraction else "")
