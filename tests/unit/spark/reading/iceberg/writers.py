"""Write data files of each format, with field ids, from Iceberg columns and rows, by Arrow and fastavro."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
from pyarrow import orc

from lakemuster.client.model import Row
from tests.unit.spark.reading.iceberg.lake import file_row, parquet_file

Columns = Sequence[Row]
_PLAIN = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
}


def write(format: str, path: Path, columns: Columns, rows: Sequence[Row], **options: Any) -> Row:
    """Write a data file of rows, given by column name; return its row of a plan."""
    if format == "parquet":
        return parquet_file(path, arrow(columns, rows, "PARQUET:field_id"), **options)
    if format == "orc":
        orc.write_table(arrow(columns, rows, "iceberg.id", is_orc=True), path, **options)
    else:
        schema = avro_type({"type": "struct", "fields": columns}, (f"r{number}" for number in count()))
        values = [{one["name"]: _avro(one["type"], row.get(one["name"])) for one in columns} for row in rows]
        with path.open("wb") as file:
            fastavro.writer(file, fastavro.parse_schema(schema), values, **options)
    return file_row(path, len(rows), file_format=format)


def arrow(columns: Columns, rows: Sequence[Row], key: str, *, is_orc: bool = False) -> pa.Table:
    """Return rows as a table, with field ids under a key of the fields' metadata."""

    def field(name: str, field_id: int, of: Any, required: bool) -> pa.Field:
        return pa.field(name, type_of(of), nullable=not required, metadata={key: str(field_id)})

    def type_of(of: Any) -> pa.DataType:
        if isinstance(of, str):
            kind, size = _sized(of)
            if kind == "decimal":
                return pa.decimal128(*size)
            if kind in {"fixed", "uuid"}:
                return pa.binary() if is_orc else pa.binary(*(size or (16,)))
            return _PLAIN[kind]
        if of["type"] == "struct":
            return pa.struct([field(one["name"], one["id"], one["type"], one["required"]) for one in of["fields"]])
        if of["type"] == "list":
            return pa.list_(field("element", of["element-id"], of["element"], of["element-required"]))
        return pa.map_(
            field("key", of["key-id"], of["key"], True),
            field("value", of["value-id"], of["value"], of["value-required"]),
        )

    fields = [field(one["name"], one["id"], one["type"], one["required"]) for one in columns]
    return pa.Table.from_pylist(
        [{one["name"]: row.get(one["name"]) for one in columns} for row in rows], pa.schema(fields)
    )


def avro_type(of: Any, names: Iterator[str]) -> Any:
    """Return the Avro type as Iceberg's Java writers do: a map for string keys, an array of pairs for others."""
    if isinstance(of, str):
        kind, size = _sized(of)
        if kind == "decimal":
            fixed = {"type": "fixed", "name": next(names), "size": 16}
            return {**fixed, "logicalType": "decimal", "precision": size[0], "scale": size[1]}
        if kind in {"fixed", "uuid"}:
            return {"type": "fixed", "name": next(names), "size": size[0] if size else 16}
        return {
            "binary": "bytes",
            "date": {"type": "int", "logicalType": "date"},
            "timestamp": {"type": "long", "logicalType": "local-timestamp-micros", "adjust-to-utc": False},
            "timestamptz": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
        }.get(kind, kind)
    if of["type"] == "struct":
        fields = [
            {
                "name": one["name"],
                "field-id": one["id"],
                "type": avro_type(one["type"], names) if one["required"] else ["null", avro_type(one["type"], names)],
            }
            for one in of["fields"]
        ]
        return {"type": "record", "name": next(names), "fields": fields}
    if of["type"] == "list":
        element = avro_type(of["element"], names)
        items = element if of["element-required"] else ["null", element]
        return {"type": "array", "items": items, "element-id": of["element-id"]}
    value = avro_type(of["value"], names)
    values = value if of["value-required"] else [value, "null"]
    if of["key"] == "string":
        return {"type": "map", "values": values, "key-id": of["key-id"], "value-id": of["value-id"]}
    fields = [
        {"name": "key", "type": avro_type(of["key"], names), "field-id": of["key-id"]},
        {"name": "value", "type": values, "field-id": of["value-id"]},
    ]
    pair = {"type": "record", "name": next(names), "fields": fields}
    return {"type": "array", "items": pair, "logicalType": "map"}


def _avro(of: Any, value: Any) -> Any:
    """Return a value with maps in fastavro's form."""
    if value is None or isinstance(of, str):
        return value
    if of["type"] == "struct":
        return {one["name"]: _avro(one["type"], value[one["name"]]) for one in of["fields"]}
    if of["type"] == "list":
        return [_avro(of["element"], one) for one in value]
    if of["key"] == "string":
        return {key: _avro(of["value"], one) for key, one in value}
    return [{"key": key, "value": _avro(of["value"], one)} for key, one in value]


def _sized(of: str) -> tuple[str, tuple[int, ...]]:
    kind, _, size = of.rstrip("])").replace("[", "(").partition("(")
    return kind, tuple(int(one) for one in size.split(",")) if size else ()
