"""Convert Iceberg schemas to Arrow schemas that Spark accepts.

The types are those of Spark's own Iceberg reader: uuid is string, fixed is binary, unknown is null; time, nanosecond
and geometry types are refused. Equality deletes may use columns of types that Spark does not have: these have an Arrow
type here too, and only :func:`read_schema` refuses them.

Source: Iceberg spec, "Schemas and Data Types"; ``TypeToSparkType`` of Iceberg 1.11.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakemuster.errors import CatalogError
from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type
from lakemuster.metadata.types import arrow_type as plain_arrow_type
from lakemuster.spark.reading.iceberg.metadata_columns import metadata_fields
from lakemuster.spark.reading.model import NotReadable, TableToRead
from lakemuster.spark.reading.variants import VARIANT

_IN_SPARK = {Kind.UUID: pa.string(), Kind.FIXED: pa.binary(), Kind.UNKNOWN: pa.null(), Kind.VARIANT: VARIANT}
_NOT_IN_SPARK = frozenset({Kind.TIME, Kind.GEOMETRY, Kind.GEOGRAPHY, Kind.OTHER})


class UnknownTypeError(Exception):
    """A type without an Arrow type; the message is the type's text."""


def target_schema(table: TableToRead) -> Schema:
    """Return the schema to read rows with.

    Raises:
        NotReadable: it is invalid.
    """
    return _parse(table, table.schema)


def known_schemas(table: TableToRead) -> tuple[Schema, ...]:
    """Return the target schema, then all schemas of the table, newest first; the older ones define dropped columns."""
    others = sorted((_parse(table, row) for row in table.schemas), key=lambda schema: -schema.schema_id)
    return (target_schema(table), *others)


def _parse(table: TableToRead, row: object) -> Schema:
    try:
        assert isinstance(row, dict)
        return parse_schema({"schema-id": row["schema_id"], "fields": row["fields"]}, "schema")
    except (CatalogError, AssertionError, KeyError) as cause:
        raise NotReadable(table.name, f"its schema is invalid: {cause}") from cause


def wanted_fields(table: TableToRead) -> tuple[Field, ...]:
    """Return the fields of ``table.columns``, in that order.

    Raises:
        NotReadable: one is not a column of the table.
    """
    by_name = {field.name: field for field in target_schema(table).fields}
    missing = next((name for name in table.columns if name not in by_name), None)
    if missing is not None:
        raise NotReadable(table.name, f"it has no column {missing}")
    return tuple(by_name[name] for name in table.columns)


def read_schema(table: TableToRead) -> pa.Schema:
    """Return the columns to read as Arrow fields, then the metadata columns.

    Raises:
        NotReadable: Spark's Iceberg reader does not read a column's type, or a metadata column is not supported.
    """
    fields = wanted_fields(table)
    for field in fields:
        for path, of in _primitives(field.type, field.name):
            if of.kind in _NOT_IN_SPARK or of.unit == "ns":
                raise NotReadable(table.name, f"column {path} is {of.text}, for which Spark has no type")
    return pa.schema([*(arrow_field(field) for field in fields), *metadata_fields(table)])


def _primitives(of: Type, path: str) -> Iterator[tuple[str, Primitive]]:
    match of:
        case Primitive():
            yield path, of
        case StructType(fields=fields):
            for field in fields:
                yield from _primitives(field.type, f"{path}.{field.name}")
        case ListType(element=element):
            yield from _primitives(element.type, f"{path}.element")
        case MapType(key=key, value=value):
            yield from _primitives(key.type, f"{path}.key")
            yield from _primitives(value.type, f"{path}.value")


def arrow_field(field: Field) -> pa.Field:
    """Return the Arrow field of a field.

    Raises:
        UnknownTypeError: its type has no Arrow type.
    """
    return pa.field(field.name, arrow_type(field.type), nullable=not field.required)


def arrow_type(of: Type) -> pa.DataType:
    """Return the Arrow type of a type.

    Raises:
        UnknownTypeError: there is none.
    """
    match of:
        case StructType(fields=fields):
            return pa.struct([arrow_field(field) for field in fields])
        case ListType(element=element):
            return pa.list_(arrow_field(element))
        case MapType(key=key, value=value):
            return pa.map_(arrow_field(key), arrow_field(value))
        case Primitive(kind=kind):
            found = _IN_SPARK.get(kind) or plain_arrow_type(of)
            if found is None:
                raise UnknownTypeError(of.text)
            return found
