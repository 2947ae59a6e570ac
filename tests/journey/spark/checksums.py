"""A row count and a checksum in SQL that every Spark version computes alike, whatever the order of the rows.

Each row is written as an unambiguous text; the checksum is the sum of the texts' hashes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Type = str | Mapping[str, Any]
"""A type in the JSON form of ``DataFrame.schema``."""


def checksum(
    relation: str, schema: Mapping[str, Any], columns: Sequence[str] | None = None, where: str = "true"
) -> str:
    """Return a query for the number of rows and their checksum over ``columns``, by default over all."""
    types = {field["name"]: field["type"] for field in schema["fields"]}
    texts = [_text(f"`{name}`", types[name], 0) for name in (types if columns is None else columns)]
    row = f"concat_ws('|', {', '.join(texts)})"
    return f"SELECT count(*), sum(CAST(xxhash64({row}) AS decimal(38, 0))) FROM {relation} WHERE {where}"


def _text(value: str, of: Type, depth: int) -> str:
    """Return an expression whose text identifies a value of its type; null has a text too."""
    return f"coalesce({_of_known(value, of, depth)}, '~')"


def _of_known(value: str, of: Type, depth: int) -> str:
    if isinstance(of, str):
        match of:
            case "string":
                return f"concat(length({value}), ':', {value})"
            case "binary":
                return f"hex({value})"
            case "timestamp" | "timestamp_ntz":  # in UTC; Spark versions format timestamps differently
                return f"CAST(unix_micros(CAST({value} AS timestamp)) AS string)"
            case "date":
                return f"CAST(unix_date({value}) AS string)"
        return f"CAST({value} AS string)"
    one = f"x{depth}"
    if of["type"] == "array":
        return _joined(f"transform({value}, {one} -> {_text(one, of['elementType'], depth + 1)})", "[]")
    if of["type"] == "map":
        key, item = (_text(f"{one}.{part}", of[f"{part}Type"], depth + 1) for part in ("key", "value"))
        entries = f"transform(map_entries({value}), {one} -> concat({key}, '=', {item}))"
        return _joined(f"array_sort({entries})", "{}")
    members = [_text(f"{value}.`{field['name']}`", field["type"], depth) for field in of["fields"]]
    return f"if({value} IS NULL, NULL, concat('(', {', '.join(members)}, ')'))"


def _joined(texts: str, around: str) -> str:
    return f"concat('{around[0]}', array_join({texts}, ','), '{around[1]}')"
