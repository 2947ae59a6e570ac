"""Parse the columns of Paimon tables from the server's JSON, and convert their types to Spark's, as Arrow types.

Source: Paimon's ``SparkTypeUtils``. TIME is an integer of milliseconds and MULTISET a map to counts; CHAR and VARCHAR
are strings as stored, and timestamps have microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type

COUNT = Primitive(Kind.INT, "INT")
"""The type of a multiset's counts."""

_PLAIN = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INT: pa.int32(),
    Kind.LONG: pa.int64(),
    Kind.FLOAT: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.int32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIMESTAMPTZ: pa.timestamp("us", "UTC"),
    Kind.STRING: pa.string(),
    Kind.BINARY: pa.binary(),
}


class NoSparkType(Exception):
    """A type without an equivalent in Spark; the message names it."""


def fields_of(rows: Sequence[Row]) -> tuple[Field, ...]:
    """Return the columns of a schema, or the members of a ROW, as the server lists them.

    Raises:
        MetadataCorrupt: a type is not one of Paimon's.
    """
    return tuple(_field(row["id"], row["name"], row["type"], required=bool(row["required"])) for row in rows)


def spark_type(of: Type) -> pa.DataType:
    """Return the Arrow type of a column in Spark.

    Raises:
        NoSparkType: there is none.
    """
    match of:
        case StructType(fields=fields):
            return pa.struct([spark_field(field) for field in fields])
        case MapType(key=key, value=value):
            return pa.map_(spark_type(key.type), spark_field(value))
        case ListType(element=element) if is_multiset(of):
            return pa.map_(spark_type(element.type), pa.field("value", pa.int32(), nullable=False))
        case ListType(element=element):
            return pa.list_(spark_field(element))
        case Primitive(kind=Kind.DECIMAL, precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case Primitive(text=text) if text != "BLOB" and of.kind in _PLAIN:
            return _PLAIN[of.kind]
    raise NoSparkType(of.text)


def spark_field(field: Field) -> pa.Field:
    """Return the Arrow field of a column, or of a nested field, in Spark.

    Raises:
        NoSparkType: its type, or a type nested in it, has no equivalent in Spark.
    """
    return pa.field(field.name, spark_type(field.type), nullable=not field.required)


def is_multiset(of: ListType) -> bool:
    """Return whether a list type is MULTISET, which files store as a map to counts."""
    return of.text.startswith("MULTISET")


def _field(field_id: int, name: str, type: str | Row, *, required: bool) -> Field:
    return Field(field_id, name, _type(type, field_id), required)


def _type(type: str | Row, field_id: int) -> Type:
    if isinstance(type, str):
        return parse_type(type, field_id)[0]
    text = type.get("text", type["type"])
    if type["type"] == "struct":
        return StructType(fields_of(type["fields"]), text)
    if type["type"] == "map":
        return MapType(
            _field(type["key-id"], "key", type["key"], required=True),
            _field(type["value-id"], "value", type["value"], required=bool(type["value-required"])),
            text,
        )
    element = _field(type["element-id"], "element", type["element"], required=bool(type["element-required"]))
    return ListType(element, text)
