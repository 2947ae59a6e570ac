"""Convert a schema to the protocol's JSON: columns, keys and options, in the terms of Paimon's schema files. Pure.

Source: Paimon ``Schema``, ``DataField``, ``DataTypeJsonParser``.
"""

from __future__ import annotations

import re

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType, Type

Json = dict[str, object]

_LENGTH = re.compile(r", (\d+)>\Z")
_OF_THE_ANSWER = frozenset({"path"})
"""Options that do not belong to a schema: the response gives the table's location, which may have changed."""


def schema_json(schema: Schema) -> Json:
    """Convert a schema, without its id."""
    return {
        "fields": [_field(field) for field in schema.fields],
        "partitionKeys": list(schema.partition_keys),
        "primaryKeys": list(schema.primary_keys),
        "options": {name: value for name, value in schema.options if name not in _OF_THE_ANSWER},
        "comment": schema.comment,
    }


def _field(field: Field) -> Json:
    document: Json = {"id": field.field_id, "name": field.name, "type": _type(field.type, required=field.required)}
    if field.doc is not None:
        document["description"] = field.doc
    if field.write_default is not None:
        document["defaultValue"] = field.write_default
    return document


def _type(of: Type, *, required: bool) -> str | Json:
    null = " NOT NULL" if required else ""
    match of:
        case Primitive():
            return of.text + null
        case StructType(fields=fields):
            return {"type": f"ROW{null}", "fields": [_field(field) for field in fields]}
        case MapType(key=key, value=value):
            return {"type": f"MAP{null}", "key": _member(key), "value": _member(value)}
        case ListType(element=element, text=text):
            word = text.partition("<")[0]
            document: Json = {"type": word + null, "element": _member(element)}
            if word == "VECTOR" and (length := _LENGTH.search(text)) is not None:
                document["length"] = int(length[1])
            return document


def _member(field: Field) -> str | Json:
    return _type(field.type, required=field.required)
