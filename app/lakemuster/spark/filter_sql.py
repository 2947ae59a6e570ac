"""Translate Spark's pushed filters to SQL for the server, which drops files that hold no matching row.

Omitting a filter only keeps more files, so every filter is omitted whose meaning in SQL is not surely the same. The
server evaluates comparisons so that it loses no row that any engine matches (NaN, rounding of 4-byte floats), and Spark
evaluates all filters on the rows again.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Any

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Kind, Primitive, StructType, Type


def filters_to_sql(filters: Iterable[Any], rounded: Collection[str] = ()) -> str | None:
    """Return a condition implied by all the filters together; None if none of them can be translated.

    Args:
        rounded: as for :func:`filter_to_sql`.
    """
    found = [text for one in filters if (text := filter_to_sql(one, rounded)) is not None]
    return " AND ".join(found) or None


def filter_to_sql(filter: Any, rounded: Collection[str] = ()) -> str | None:
    """Return a filter (``pyspark.sql.datasource.Filter``) as SQL; None if its meaning is not certainly the same.

    Args:
        rounded: the columns whose nanoseconds are rounded down to microseconds for Spark. A comparison with a
            microsecond becomes one with all of its nanoseconds.
    """
    kind = type(filter).__name__
    if kind == "Not":
        # _simple drops null from IN; NOT IN with null matches no row and is not translated.
        has_null = type(filter.child).__name__ == "In" and None in filter.child.value
        inner = None if has_null else _simple(filter.child, rounded)
        return None if inner is None else f"NOT ({inner})"
    return _simple(filter, rounded)


def rounded_columns(schema: Schema) -> frozenset[str]:
    """Return the names of the columns with nanoseconds, which Spark's timestamps do not have."""
    return frozenset(field.name for field in schema.fields if _has_nanoseconds(field.type))


def _has_nanoseconds(of: Type) -> bool:
    if isinstance(of, StructType):
        return any(_has_nanoseconds(field.type) for field in of.fields)
    return isinstance(of, Primitive) and of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and of.unit == "ns"


_ORDER = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
}


def _simple(filter: Any, rounded: Collection[str]) -> str | None:
    kind = type(filter).__name__
    path: Sequence[str] = getattr(filter, "attribute", ())
    column = _column(path)
    if column is None:
        return None
    is_rounded = path[0] in rounded
    match kind:
        case "IsNull":
            return f"{column} IS NULL"
        case "IsNotNull":
            return f"{column} IS NOT NULL"
        case "StringStartsWith":
            prefix = _literal(filter.value)
            return None if prefix is None else f"starts_with({column}, {prefix})"
        case "In":
            asked = [value for value in filter.value if value is not None]
            if is_rounded and any(isinstance(value, dt.datetime) for value in asked):
                return _any_of([_of_microsecond(column, "EqualTo", value) for value in asked])
            values = [_literal(value) for value in asked]
            known = [value for value in values if value is not None]
            return f"{column} IN ({', '.join(known)})" if known and len(known) == len(values) else None
    if kind not in _ORDER:
        return None
    value = getattr(filter, "value", None)
    if is_rounded and isinstance(value, dt.datetime):
        return _of_microsecond(column, kind, value)
    literal = _literal(value)
    return None if literal is None else f"{column} {_ORDER[kind]} {literal}"


def _of_microsecond(column: str, kind: str, value: dt.datetime) -> str | None:
    """Return a comparison of values rounded down to microseconds, as one of the values themselves."""
    try:
        following = _moment(value + dt.timedelta(microseconds=1))
    except OverflowError:
        return None
    match kind:
        case "LessThan" | "GreaterThanOrEqual":
            return f"{column} {_ORDER[kind]} {_moment(value)}"
        case "LessThanOrEqual":
            return f"{column} < {following}"
        case "GreaterThan":
            return f"{column} >= {following}"
    same = f"{column} >= {_moment(value)} AND {column} < {following}"
    return f"({column} IS NOT NULL AND {same})" if kind == "EqualNullSafe" else f"({same})"


def _any_of(conditions: Sequence[str | None]) -> str | None:
    known = [one for one in conditions if one is not None]
    return f"({' OR '.join(known)})" if len(known) == len(conditions) else None


def _column(path: Sequence[str]) -> str | None:
    # The server parses dotted paths: a dot in a name could make it another column's path.
    if not path or any("." in part or not part for part in path):
        return None
    return ".".join('"' + part.replace('"', '""') + '"' for part in path)


def _literal(value: Any) -> str | None:
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case float():
            return _float(value)
        case Decimal():
            return f"{value:f}" if value.is_finite() else None
        case str():
            return _quoted(value)
        case bytes() | bytearray():
            return f"X'{bytes(value).hex()}'"
        case dt.datetime():
            return _moment(value)
        case dt.date():
            return f"DATE '{value.isoformat()}'"
    return None


def _float(value: float) -> str | None:
    if math.isnan(value):
        return "CAST('NaN' AS DOUBLE)"
    if math.isinf(value):
        return f"CAST('{'-' if value < 0 else ''}Infinity' AS DOUBLE)"
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _moment(value: dt.datetime) -> str:
    if value.tzinfo is None:
        return f"TIMESTAMP '{value.isoformat()}'"
    return f"TIMESTAMPTZ '{value.astimezone(dt.UTC).isoformat()}'"


def _quoted(text: str) -> str | None:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        return None
    return "'" + text.replace("'", "''") + "'"
