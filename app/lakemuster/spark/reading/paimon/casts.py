"""Cast values as Paimon does after a column's type has changed.

Casts whose result depends on the reader's time zone, version or rounding are not supported: between floats and strings,
between timestamps with and without a zone, and to timestamps of fewer digits.

Source: Paimon's ``CastExecutors`` and its cast rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.spark.reading.paimon.schemas import spark_type

Cast = Callable[[Any], Any]

_INTEGERS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.LONG: 64}
_FLOATS = (Kind.FLOAT, Kind.DOUBLE)
_STRING = "STRING"
_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1).toordinal()
_INTEGER_TEXT = re.compile(r"[+-]?(?=.)([0-9]*)(?:\.[0-9]*)?")
_DECIMAL_TEXT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TRUTHS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0"), False),
}
_WIDE = Context(prec=100)


class NotCastable(Exception):
    """A value cannot be cast to the other type, or the result is not known here."""


def cast_primitive(values: pa.Array, source: Primitive, target: Primitive) -> pa.Array | None:
    """Return the values cast to another type; None for a pair of types that is not supported.

    Raises:
        NotCastable: a value cannot be cast; Paimon fails too, or its result is not known here.
    """
    form = spark_type(target)
    if source.kind in _INTEGERS and (target.kind in _INTEGERS or target.kind in _FLOATS):
        return values.cast(form, safe=False)
    if source.kind in _FLOATS and target.kind in _FLOATS:
        return values.cast(form, safe=False)
    if source.kind in _FLOATS and target.kind in _INTEGERS:
        return _saturated(values, target.kind, form)
    if source.kind is target.kind and target.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        return values if source.precision <= target.precision else None
    cast = _cast(source, target)
    if cast is None:
        return None
    stored = values.cast(_PLAIN_FORM[source.kind]) if source.kind in _PLAIN_FORM else values
    try:
        found = [None if value is None else cast(value) for value in stored.to_pylist()]
        return pa.array(found, _PLAIN_FORM.get(target.kind, form)).cast(form)
    except (pa.ArrowException, ValueError, OverflowError, ArithmeticError) as problem:
        raise NotCastable(f"a value of {source.text} does not conform to {target.text}") from problem


_PLAIN_FORM = {Kind.TIMESTAMP: pa.int64()}
"""Timestamps are cast as microseconds, since Python's datetime ends with the year 9999."""


def _cast(source: Primitive, target: Primitive) -> Cast | None:
    """Return the cast of a single value, which is never null; None if not supported."""
    match target.kind:
        case Kind.DECIMAL:
            return _to_decimal(source, target)
        case Kind.STRING:
            return _to_text(source, target)
        case Kind.BINARY if source.kind in (Kind.STRING, Kind.BINARY):
            return lambda value: _cut(value.encode() if isinstance(value, str) else value, target)
        case Kind.BOOLEAN if source.kind in _INTEGERS:
            return bool
        case Kind.BOOLEAN if source.kind is Kind.STRING:
            return _truth
        case Kind.DATE | Kind.TIME | Kind.TIMESTAMP:
            return _MOMENTS.get((source.kind, target.kind))
    return _to_number(source, target)


def _to_text(source: Primitive, target: Primitive) -> Cast | None:
    """Return the cast to a string type. Dates and timestamps are cast to STRING only, not to CHAR or VARCHAR."""
    cut = _text_of(target)
    match source.kind:
        case Kind.TINYINT | Kind.SMALLINT | Kind.INT | Kind.LONG:
            return lambda value: cut(str(value))
        case Kind.DECIMAL:
            return lambda value: cut(f"{value:f}")
        case Kind.BOOLEAN:
            return lambda value: cut("true" if value else "false")
        case Kind.STRING:
            return cut
        case Kind.BINARY:
            return bytes.decode
        case Kind.DATE if target.text == _STRING:
            return str
        case Kind.TIMESTAMP if target.text == _STRING and source.unit != "ns":
            return lambda value: _shown(value, source.precision)
    return None


def _to_number(source: Primitive, target: Primitive) -> Cast | None:
    if target.kind in _INTEGERS:
        wrap = _wrapped(_INTEGERS[target.kind])
        numbers: dict[Kind, Cast] = {
            Kind.BOOLEAN: int,
            Kind.DECIMAL: lambda value: wrap(int(value.to_integral_value(ROUND_DOWN))),
            Kind.STRING: _integer,
        }
        return numbers.get(source.kind)
    if target.kind in _FLOATS and source.kind is Kind.BOOLEAN:
        return float
    if target.kind in _FLOATS and source.kind is Kind.DECIMAL:
        return _decimal_to_float(source)
    if target.kind is Kind.DOUBLE and source.kind is Kind.STRING:
        return lambda value: float(_number_text(value))
    return None


def _saturated(values: pa.Array, kind: Kind, form: pa.DataType) -> pa.Array:
    """Cast floats to integers as Java does: NaN is 0, values saturate at int or long, then narrower types wrap."""
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    numbers = np.nan_to_num(values.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False), nan=0.0)
    bits = 64 if kind is Kind.LONG else 32
    inside = np.clip(np.trunc(numbers), -(2.0 ** (bits - 1)), np.nextafter(2.0 ** (bits - 1), 0)).astype(np.int64)
    whole = np.where(numbers >= 2.0 ** (bits - 1), 2 ** (bits - 1) - 1, inside)
    return pa.array(whole, pa.int64(), mask=~valid).cast(form, safe=False)


def _wrapped(bits: int) -> Callable[[int], int]:
    half = 1 << (bits - 1)
    return lambda value: (value + half) % (2 * half) - half


def _to_decimal(source: Primitive, target: Primitive) -> Cast | None:
    known = source.kind in _INTEGERS or source.kind in (Kind.DECIMAL, Kind.BOOLEAN, Kind.STRING)
    if not known:
        return None
    step, limit = Decimal(1).scaleb(-target.scale), Decimal(10) ** (target.precision - target.scale)

    def cast(value: Any) -> Decimal | None:
        number = Decimal(_number_text(value)) if isinstance(value, str) else Decimal(value)
        rounded = number.quantize(step, ROUND_HALF_UP, _WIDE)
        # A number with too many digits becomes null.
        return rounded if abs(rounded) < limit else None

    return cast


def _decimal_to_float(source: Primitive) -> Cast:
    if source.precision > 18:
        return float
    scale = 10.0**source.scale
    return lambda value: float(int(value.scaleb(source.scale, _WIDE))) / scale


def _text_of(target: Primitive) -> Callable[[str], str]:
    if target.text.startswith("CHAR("):
        return lambda value: value[: target.length].ljust(target.length)
    return lambda value: value[: target.length]


def _cut(value: bytes, target: Primitive) -> bytes:
    cut = value[: target.length]
    return cut.ljust(target.length, b"\0") if target.text.startswith("BINARY(") else cut


def _truth(text: str) -> bool:
    if (found := _TRUTHS.get(text.lower())) is None:
        raise NotCastable("a text is not a BOOLEAN")
    return found


def _number_text(text: str) -> str:
    if not _DECIMAL_TEXT.fullmatch(text):
        raise NotCastable("a text is not a number")
    return text


def _integer(text: str) -> int:
    """Return the integer part of a decimal text; like Java, blanks are not accepted."""
    found = _INTEGER_TEXT.fullmatch(text)
    if found is None:
        raise NotCastable("a text is not a number")
    digits = int(found[1] or "0")
    return -digits if text[0] == "-" else digits


def _date(text: str) -> date:
    if not _DATE_TEXT.fullmatch(text):
        raise NotCastable("a text is not a date, or incomplete")
    return date.fromisoformat(text)


def _shown(value: int, precision: int) -> str:
    """Return a timestamp as text: fraction digits by the type's precision, and more if further digits are not zero."""
    seconds, micros = divmod(value, 1_000_000)
    fraction = f"{micros:06}000"
    while len(fraction) > precision and fraction.endswith("0"):
        fraction = fraction[:-1]
    moment = str(np.datetime64(seconds, "s")).replace("T", " ")
    return f"{moment}.{fraction}" if fraction else moment


def _since_epoch(value: int) -> int:
    if value < 0:
        raise NotCastable("versions of Paimon differ in the day of a TIMESTAMP before 1970")
    return value


_MOMENTS: Mapping[tuple[Kind, Kind], Cast] = {
    (Kind.STRING, Kind.DATE): _date,
    (Kind.DATE, Kind.TIMESTAMP): lambda value: (value.toordinal() - _EPOCH) * _DAY,
    (Kind.TIMESTAMP, Kind.DATE): lambda value: _since_epoch(value) // _DAY,
    (Kind.TIMESTAMP, Kind.TIME): lambda value: _since_epoch(value) % _DAY // 1000,
    (Kind.TIME, Kind.TIMESTAMP): lambda value: value * 1000,
}
