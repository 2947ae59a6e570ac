"""Assign field ids to the columns of files without field ids, by name mapping or by position.

Without a name mapping, Iceberg's Java library numbers the columns of Parquet files by position, and resolves those of
ORC and Avro files by the table's column names.

Source: Iceberg spec, "Column Projection", "Name Mapping Serialization"; ``ParquetSchemaUtil``, ``OrcIterable`` and
``ProjectionDatumReader`` of Iceberg 1.11.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lakemuster.metadata.types import Field, ListType, MapType, StructType, Type
from lakemuster.spark.reading.iceberg.file_columns import FileColumn

NAME_MAPPING = "schema.name-mapping.default"
_UNMAPPED = -1
"""The field id of columns that a name mapping omits. No field has it: the table does not have these columns."""


@dataclass(frozen=True, slots=True)
class MappedField:
    """A field of a name mapping: the names for it in files; ``field_id`` is None if the table does not have it."""

    field_id: int | None
    names: tuple[str, ...]
    fields: tuple[MappedField, ...]


def parse_name_mapping(text: str) -> tuple[MappedField, ...]:
    """Parse the table property.

    Raises:
        ValueError: the text is not a name mapping.
    """
    try:
        return _mapped(json.loads(text))
    except (TypeError, KeyError, AttributeError, RecursionError) as cause:
        raise ValueError("it is not a list of fields with names") from cause


def _mapped(fields: object) -> tuple[MappedField, ...]:
    if not isinstance(fields, list):
        raise TypeError
    return tuple(
        MappedField(field.get("field-id"), tuple(field["names"]), _mapped(field.get("fields") or []))
        for field in fields
    )


def mapping_of(fields: Sequence[Field]) -> tuple[MappedField, ...]:
    """Return the mapping of a schema's own names."""
    return tuple(MappedField(field.field_id, (field.name,), _within(field.type)) for field in fields)


def _within(of: Type) -> tuple[MappedField, ...]:
    match of:
        case StructType(fields=fields):
            return mapping_of(fields)
        case ListType(element=element):
            return mapping_of([element])
        case MapType(key=key, value=value):
            return mapping_of([key, value])
    return ()


def with_mapped_ids(columns: Sequence[FileColumn], mapping: Sequence[MappedField]) -> tuple[FileColumn, ...]:
    """Assign field ids to columns by name, a negative one where the mapping does not contain a column.

    Members of a struct that is mapped without its members get none: nothing says which fields they are.
    """
    return tuple(_with_mapped_id(column, column.name, mapping) for column in columns)


def _with_mapped_id(column: FileColumn, name: str, mapping: Sequence[MappedField]) -> FileColumn:
    found = next((mapped for mapped in mapping if name in mapped.names), MappedField(None, (), ()))
    field_id = _UNMAPPED if mapping and found.field_id is None else found.field_id
    inner = found.fields
    names = _INNER.get(column.kind) or [child.name for child in column.children]
    children = (_with_mapped_id(child, name, inner) for child, name in zip(column.children, names, strict=True))
    return replace(column, field_id=field_id, children=tuple(children))


_INNER = {"list": ["element"], "map": ["key", "value"]}


def with_position_ids(columns: Sequence[FileColumn]) -> tuple[FileColumn, ...]:
    """Assign positions, from 1, as field ids to top-level columns; nested fields get none."""
    return tuple(replace(column, field_id=place) for place, column in enumerate(columns, 1))
