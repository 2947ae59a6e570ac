"""Serialize columns to Paimon's JSON, the ``fields`` of a schema file.

Atomic types are text, nested types are objects, as ``formats.paimon.types`` parses them.

Source: Paimon ``DataField.serializeJson``, ``DataType.serializeJson``.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType, Type

Json = dict[str, object]


def fields_json(fields: Sequence[Field]) -> list[Json]:
    """Return the JSON of columns, or of the members of a ROW."""
    return [_field_json(field) for field in fields]


def spelled_type(field: Field) -> str:
    """Return a column's type as SQL text, such as ``BIGINT NOT NULL``."""
    return field.type.text + (" NOT NULL" if field.required else "")


def _field_json(field: Field) -> Json:
    document: Json = {"id": field.field_id, "name": field.name, "type": _type_json(field.type, field.required)}
    if field.doc is not None:
        document["description"] = field.doc
    if field.write_default is not None:
        document["defaultValue"] = field.write_default
    return document


def _type_json(of: Type, required: bool) -> str | Json:
    suffix = " NOT NULL" if required else ""
    match of:
        case Primitive(text=text):
            return text + suffix
        case StructType(fields=fields):
            return {"type": "ROW" + suffix, "fields": fields_json(fields)}
        case MapType(key=key, value=value):
            return {
                "type": "MAP" + suffix,
                "key": _type_json(key.type, key.required),
                "value": _type_json(value.type, value.required),
            }
        case ListType(element=element, text=text):
            word = text.split("<", 1)[0]
            document: Json = {"type": word + suffix, "element": _type_json(element.type, element.required)}
            if word == "VECTOR":
                document["length"] = int(text.removesuffix(">").rsplit(", ", 1)[1])
            return document
