"""Translate Spark's pushed filters to SQL for the server, which drops files that hold no matching row.

Omitting a filter only keeps more files, so every filter is omitted whose meaning in SQL is not surely the same. The
server evaluates comparisons so that it loses no row that any engine matches (NaN, rounding of 4-byte floats), and Spark
evaluates all filters on the rows again.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any


def filters_to_sql(filters: Iterable[Any]) -> str | None:
    """Return a condition implied by all the filters together; None if none of them can be translated."""
    found = [text for one in filters if (text := filter_to_sql(one)) is not None]
    return " AND ".join(found) or None


def filter_to_sql(filter: Any) -> str | None:
    """Return a filter (``pyspark.sql.datasource.Filter``) as SQL; None if its meaning is not certainly the same."""
    kind = type(filter).__name__
    if kind == "Not":
        # _simple drops null from IN; NOT IN with null matches no row and is not translated.
        has_null = type(filter.child).__name__ == "In" and None in filter.child.value
        inner = None if has_null else _simple(filter.child)
        return None if inner is None else f"NOT ({inner})"
    return _simple(filter)


_ORDER = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
}


def _simple(filter: Any) -> str | None:
    kind = type(filter).__name__
    column = _column(getattr(filter, "attribute", ()))
    if column is None:
        return None
    match kind:
        case "IsNull":
            return f"{column} IS NULL"
        case "IsNotNull":
            return f"{column} IS NOT NULL"
        case "StringStartsWith":
            prefix = _literal(filter.value)
            return None if prefix is None else f"starts_with({column}, {prefix})"
        case "In":
            values = [_literal(value) for value in filter.value if value is not None]
            known = [value for value in values if value is not None]
            return f"{column} IN ({', '.join(known)})" if known and len(known) == len(values) else None
    value = _literal(getattr(filter, "value", None)) if kind in _ORDER else None
    return None if value is None else f"{column} {_ORDER[kind]} {value}"


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
