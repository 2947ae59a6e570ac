"""Rows as the Spark data source's executors read them, and Java's text values converted for comparison."""

from __future__ import annotations

import datetime as dt
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from lakemuster import Client
from lakemuster.spark.reading import paimon
from lakemuster.spark.reading.model import Split, TableToRead


class LocalFiles:
    """Access to a lake's objects as local files."""

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        return pa.OSFile(location)

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        data = Path(location).read_bytes()[offset:]
        if length is not None and len(data) < length:
            raise OSError(f"{location} is too short")
        return data[:length]


def table_to_read(
    client: Client, name: str, schema_id: int | None = None, columns: Sequence[str] | None = None, branch: str = "main"
) -> TableToRead:
    """Return a table with one of its schemas, by default the current one."""
    table = client.table(name)
    schemas = list(table.schemas())
    own_schemas = [row for row in schemas if row["branch"] == branch]
    schema = next(
        row for row in own_schemas if (row["current"] if schema_id is None else row["schema_id"] == schema_id)
    )
    own = tuple(field["name"] for field in schema["fields"])
    return TableToRead(
        name=name,
        format="paimon",
        schema=schema,
        schemas=tuple(schemas),
        specs=tuple(table.specs()),
        properties=schema["options"],
        rewrites=(),
        columns=own if columns is None else tuple(columns),
    )


def splits_of(client: Client, name: str, **choice: Any) -> list[Split]:
    """Return the splits of a plan."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for row in client.table(name).plan(splits=True, **choice).to_arrow().to_pylist():
        found.setdefault(row["split"], []).append({**row, "deletes": []})
    return [Split(tuple(files)) for files in found.values()]


def rows_read(client: Client, to_read: TableToRead, **choice: Any) -> pa.Table:
    """Return all rows of a table."""
    paimon.check(to_read)
    schema = paimon.read_schema(to_read)
    splits = splits_of(client, to_read.name, **choice)
    batches = [batch for split in splits for batch in paimon.read(to_read, split, LocalFiles())]
    return pa.Table.from_batches(batches, schema)


def counted(rows: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return the rows as comparable values, with the number of times that each occurs."""
    columns = [[_comparable(value) for value in column.to_pylist()] for column in rows.columns]
    return Counter(zip(*columns, strict=True))


def counted_of_java(rows: Sequence[Sequence[Any]], fields: Sequence[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Return Java's rows in the form of :func:`counted`.

    Args:
        fields: the columns, as the server lists them.
    """
    return Counter(tuple(map(_comparable, row)) for row in values_of_java(rows, fields))


def values_of_java(rows: Sequence[Sequence[Any]], fields: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Convert Java's rows to values for Arrow; the arguments are those of :func:`counted_of_java`."""
    kinds = [field["type"] for field in fields]
    return [[_value(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]


def _comparable(value: Any) -> Any:
    """Return a value for which NaN equals NaN, 0.0 differs from -0.0, and the order of a map does not count."""
    if isinstance(value, float | Decimal):
        return str(value)
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return tuple(sorted(((_comparable(key), _comparable(one)) for key, one in value), key=str))
    if isinstance(value, list):
        return tuple(_comparable(one) for one in value)
    if isinstance(value, dict):
        return tuple(_comparable(one) for one in value.values())
    return value


def _value(value: Any, kind: str | Mapping[str, Any]) -> Any:
    if value is None:
        return None
    if isinstance(kind, str):
        return _atom(value, kind)
    if kind["type"] == "struct":
        return [_value(one, field["type"]) for one, field in zip(value, kind["fields"], strict=True)]
    if kind["type"] == "map":
        keys, items = value
        return [(_value(key, kind["key"]), _value(item, kind["value"])) for key, item in zip(keys, items, strict=True)]
    return [_value(one, kind["element"]) for one in value]


def _atom(text: str, kind: str) -> Any:
    if kind.startswith("TIMESTAMP"):
        zone = dt.UTC if kind.endswith("ZONE") else None
        return dt.datetime.fromisoformat(text).replace(tzinfo=zone)
    match kind.split("(", maxsplit=1)[0]:
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT" | "TIME":
            return int(text)
        case "FLOAT":
            return struct.unpack("f", struct.pack("f", float(text)))[0]
        case "DOUBLE":
            return float(text)
        case "DECIMAL":
            return Decimal(text)
        case "DATE":
            return dt.date.fromisoformat(text)
        case "BOOLEAN":
            return text == "true"
        case "BYTES" | "VARBINARY" | "BINARY":
            return bytes.fromhex(text)
    return text
