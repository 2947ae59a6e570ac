"""Parse Iceberg schemas and types from their JSON form.

An unknown type becomes ``Kind.OTHER``, never an error: its columns have no typed bounds.

Source: Iceberg spec, appendix C, "Schemas"; reserved field ids: "Reserved Field IDs"; Iceberg Java, ``Types``, which
reads names of types in any case.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.document import (
    MAX_DEPTH,
    Object,
    as_int32,
    as_list,
    as_object,
    as_text,
    optional_int32,
    optional_list,
    optional_text,
    stored_unread,
    wrong,
)
from lakemuster.metadata.schema import Schema, listed_ids, repeated_ids
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type

_DECIMAL = re.compile(r"decimal\(\s*(\d{1,2})\s*,\s*(-?\d{1,2})\s*\)", re.ASCII)
_FIXED = re.compile(r"fixed\[\s*(\d{1,9})\s*\]", re.ASCII)
_MAX_PRECISION = 38
_NANOSECONDS = {"timestamp_ns": Kind.TIMESTAMP, "timestamptz_ns": Kind.TIMESTAMPTZ}
_PLAIN = frozenset(
    {
        Kind.BOOLEAN,
        Kind.INT,
        Kind.LONG,
        Kind.FLOAT,
        Kind.DOUBLE,
        Kind.DATE,
        Kind.TIME,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.STRING,
        Kind.BINARY,
        Kind.UUID,
        Kind.UNKNOWN,
        Kind.VARIANT,
    }
)


@lru_cache(4096)
def parse_primitive(text: str) -> Primitive:
    """Return a primitive type given its name, in any case; ``Kind.OTHER`` for unknown names and invalid sizes."""
    lowered = text.lower()
    if lowered in _PLAIN:
        return Primitive(Kind(lowered), lowered)
    if lowered in _NANOSECONDS:
        return Primitive(_NANOSECONDS[lowered], lowered, unit="ns")
    if match := _DECIMAL.fullmatch(lowered):
        precision, scale = int(match[1]), int(match[2])
        if 1 <= precision <= _MAX_PRECISION and abs(scale) <= _MAX_PRECISION:
            return Primitive(Kind.DECIMAL, lowered, precision=precision, scale=scale)
    elif match := _FIXED.fullmatch(lowered):
        return Primitive(Kind.FIXED, lowered, length=int(match[1])) if int(match[1]) else Primitive(Kind.OTHER, text)
    elif (name := lowered.split("(", 1)[0].rstrip()) in ("geometry", "geography"):
        return Primitive(Kind(name), text)  # names of coordinate systems keep their case
    return Primitive(Kind.OTHER, text)


RESERVED: dict[int, Primitive] = {
    2147483646: parse_primitive("string"),  # _file
    2147483645: parse_primitive("long"),  # _pos
    2147483644: parse_primitive("boolean"),  # _deleted
    2147483643: parse_primitive("int"),  # _spec_id
    2147483546: parse_primitive("string"),  # file_path of position deletes
    2147483545: parse_primitive("long"),  # pos of position deletes
    2147483543: parse_primitive("string"),  # _change_type
    2147483542: parse_primitive("int"),  # _change_ordinal
    2147483541: parse_primitive("long"),  # _commit_snapshot_id
    2147483540: parse_primitive("long"),  # _row_id
    2147483539: parse_primitive("long"),  # _last_updated_sequence_number
}
"""Types of the metadata columns that files may hold and schemas do not list."""


def parse_schema(value: object, path: str, default_id: int = 0) -> Schema:
    """Parse one schema.

    Args:
        value: the parsed JSON.
        path: its path in the document, for errors.
        default_id: its id if v1 metadata omits it.

    Raises:
        MetadataCorrupt: it breaks the specification.
        LimitExceeded: it is nested too deep.
    """
    node = as_object(value, path)
    schema_id = optional_int32(node, "schema-id", path + ".")
    fields = _fields(node, path, 0)
    if repeated := repeated_ids(fields):
        raise MetadataCorrupt(f"{path} has several fields of one id: {listed_ids(repeated)}", path=path)
    identifiers = optional_list(node, "identifier-field-ids", path + ".")
    return Schema(
        schema_id=default_id if schema_id is None else schema_id,
        fields=fields,
        identifier_field_ids=tuple(as_int32(i, f"{path}.identifier-field-ids") for i in identifiers),
    )


def _fields(node: Object, path: str, depth: int) -> tuple[Field, ...]:
    found = []
    for position, value in enumerate(as_list(node.get("fields"), f"{path}.fields")):
        where = f"{path}.fields[{position}]"
        member = as_object(value, where)
        found.append(
            Field(
                field_id=as_int32(member.get("id"), f"{where}.id"),
                name=as_text(member.get("name"), f"{where}.name"),
                type=_type(member.get("type"), f"{where}.type", depth + 1),
                required=_flag(member, "required", where),
                doc=optional_text(member, "doc", where + "."),
                initial_default=stored_unread(member.get("initial-default"), f"{where}.initial-default"),
                write_default=stored_unread(member.get("write-default"), f"{where}.write-default"),
            )
        )
    return tuple(found)


def _type(value: object, path: str, depth: int) -> Type:
    if isinstance(value, str):
        return parse_primitive(value)
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"a type is nested more than {MAX_DEPTH} levels deep", path=path[:200])
    node = as_object(value, path)
    match node.get("type"):
        case "struct":
            return StructType(_fields(node, path, depth))
        case "list":
            return ListType(_inner(node, "element", path, depth))
        case "map":
            return MapType(_inner(node, "key", path, depth), _inner(node, "value", path, depth))
        case str() as text:
            return parse_primitive(text)
    raise wrong(f"{path}.type", "the name of a type", node.get("type"))


def _inner(node: Object, name: str, path: str, depth: int) -> Field:
    return Field(
        field_id=as_int32(node.get(f"{name}-id"), f"{path}.{name}-id"),
        name=name,
        type=_type(node.get(name), f"{path}.{name}", depth + 1),
        required=True if name == "key" else _flag(node, f"{name}-required", path),
    )


def _flag(node: Object, key: str, path: str) -> bool:
    value = node.get(key, False)
    if isinstance(value, bool):
        return value
    raise wrong(f"{path}.{key}", "a boolean", value)
