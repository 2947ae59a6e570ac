"""Partition transforms: their names, their source and result types, and the partition values of column values.

Source: Iceberg spec, "Partition Transforms" and appendix B.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

import mmh3

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND, civil, scaled, unscaled

_PARAMETER = re.compile(r"(bucket|truncate)\[(\d{1,10})\]", re.ASCII)
_TIMES = {"years": "year", "months": "month", "days": "day", "date": "day", "hours": "hour", "date_hour": "hour"}
_INT, _DATE = Primitive(Kind.INT, "int"), Primitive(Kind.DATE, "date")

INTEGER_BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.LONG: 64}
INSTANTS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
_BYTES = frozenset({Kind.BINARY, Kind.FIXED})
SEQUENCES = _BYTES | {Kind.STRING}
_HASHED = INTEGER_BITS.keys() | INSTANTS | SEQUENCES | {Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.UUID}
_TRUNCATED = INTEGER_BITS.keys() | SEQUENCES | {Kind.DECIMAL}
_DATED = INSTANTS | {Kind.DATE}

_SOURCES = {
    "bucket": _HASHED,
    "truncate": _TRUNCATED,
    "year": _DATED,
    "month": _DATED,
    "day": _DATED,
    "hour": INSTANTS,
}
"""The source kinds that a transform accepts; ``identity`` and ``void`` accept any."""
_NAMES = _SOURCES.keys() | {"identity", "void"}
_OWN_TYPES = {"bucket": _INT, "year": _INT, "month": _INT, "day": _DATE, "hour": _INT}
"""The result type of a transform, where that is not its source's type. ``day`` is a date in every writer."""


def parse_transform(text: str) -> tuple[str, int]:
    """Return name and parameter of a transform, 0 if it has none; ``days`` and ``date`` become ``day``, and so on."""
    match = _PARAMETER.fullmatch(text)
    if match is not None:
        return match[1], int(match[2])
    return _TIMES.get(text, text), 0


def canonical_transform(text: str) -> str:
    """Return a known transform in lower case, since writers and readers differ in the case; an unknown one unchanged.

    Source: Iceberg Java, ``Transforms.fromString``.
    """
    lowered = text.lower()
    return lowered if parse_transform(lowered)[0] in _NAMES else text


def own_type(transform: str) -> Primitive | None:
    """Return a transform's result type if every source type has the same; None for other and unknown transforms."""
    name, parameter = parse_transform(transform)
    return _OWN_TYPES.get(name) if _is_whole(name, parameter) else None


def keeps_type(transform: str) -> bool:
    """Return whether a transform's result has its source's type."""
    name, parameter = parse_transform(transform)
    return name in ("identity", "void", "truncate") and _is_whole(name, parameter)


def _is_whole(name: str, parameter: int) -> bool:
    return name not in ("bucket", "truncate") or 0 < parameter < 1 << 31


def transformed_type(transform: str, source: Primitive) -> Primitive | None:
    """Return the type of transformed values; None when the transform is unknown or does not accept the source."""
    name, _ = parse_transform(transform)
    if name in _SOURCES and source.kind not in _SOURCES[name]:
        return None
    return source if keeps_type(transform) else own_type(transform)


def apply(transform: str, source: Primitive, value: object) -> object:
    """Return the transformed value, both in internal form; null stays null.

    Truncated integers and decimals may be below the minimum of their type, where writers differ.

    Raises:
        ValueError: the transform is unknown or does not accept the source.
    """
    function = transform_function(transform, source)
    if function is None:
        raise ValueError(f"unknown transform {transform} of {source.text}")
    return None if value is None else function(value)


def transform_function(transform: str, source: Primitive) -> Callable[[object], object] | None:
    """Return the function that transforms values in internal form; None where ``transformed_type`` returns None."""
    name, parameter = parse_transform(transform)
    if transformed_type(transform, source) is None:
        return None
    match name:
        case "identity":
            return lambda value: value
        case "void":
            return lambda _: None
        case "bucket":
            return lambda value: _bucket(_hashed(source, value), parameter)
        case "truncate":
            return lambda value: _truncate(source, value, parameter)
    return lambda value: _time(name, source, value)


def other_bucket(transform: str, source: Primitive, value: object) -> int | None:
    """Return the bucket in which a writer may have put a value against the specification; None if none does.

    DuckDB up to 1.5.5 hashes UUIDs with their first bit inverted. Daft 0.7 hashes decimals as 16 bytes without leading
    zero bytes.

    Source: duckdb/duckdb-iceberg issue 1325; the functions ``iceberg_bucket`` of DuckDB and Daft.

    Args:
        transform: a bucket.
    """
    _, parameter = parse_transform(transform)
    match value:
        case UUID():
            return _bucket(UUID(int=value.int ^ 1 << 127).bytes, parameter)
        case Decimal():
            return _bucket(_signed(unscaled(value, source.scale), least=16).lstrip(b"\0"), parameter)
    return None


def _bucket(data: bytes, buckets: int) -> int:
    return (mmh3.hash(data) & 0x7FFFFFFF) % buckets


def _signed(number: int, least: int = 1) -> bytes:
    """Return a number in the fewest bytes of two's complement, but at least so many."""
    return number.to_bytes(max(least, (number if number >= 0 else ~number).bit_length() // 8 + 1), "big", signed=True)


def _hashed(source: Primitive, value: object) -> bytes:
    match value:
        case str():
            return value.encode()
        case bytes():
            return value
        case UUID():
            return value.bytes
        case Decimal():
            return _signed(unscaled(value, source.scale))
        case int():
            if source.kind in INSTANTS or source.kind is Kind.TIME:
                value = value * 10**6 // PER_SECOND[source.unit]
            return value.to_bytes(8, "little", signed=True)
    raise TypeError(f"{type(value).__name__} is not a value of {source.text}")


def _truncate(source: Primitive, value: object, width: int) -> object:
    match value:
        case str() | bytes():
            return value[:width]
        case Decimal():
            number = unscaled(value, source.scale)
            return scaled(number - number % width, source.scale)
        case int():
            return value - value % width
    raise TypeError(f"{type(value).__name__} is not a value of {source.text}")


def _time(name: str, source: Primitive, value: object) -> int:
    assert isinstance(value, int)
    if name == "hour":
        return value // (3600 * PER_SECOND[source.unit])
    days = value if source.kind is Kind.DATE else value // (86_400 * PER_SECOND[source.unit])
    if name == "day":
        return days
    year, month, _ = civil(days)
    return year - 1970 if name == "year" else (year - 1970) * 12 + month - 1
