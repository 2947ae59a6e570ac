"""A table's columns at one point of its life: fields by id, names by path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType


@dataclass(frozen=True)
class Schema:
    """One schema version.

    Attributes:
        schema_id: the format's id of this version.
        fields: top-level columns, in order.
        identifier_field_ids: Iceberg's identifier fields; Paimon's primary key.
        partition_keys, primary_keys, options, comment, created_at_ms: Paimon keeps
            these with each schema; empty for Iceberg.
    """

    schema_id: int
    fields: tuple[Field, ...]
    identifier_field_ids: tuple[int, ...] = ()
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    comment: str | None = None
    created_at_ms: int | None = None
    highest_field_id: int | None = None

    @cached_property
    def by_id(self) -> dict[int, Field]:
        """Every field, nested ones too, by id."""
        return {field.field_id: field for _, field in _walk(self.fields, "")}

    @cached_property
    def names(self) -> dict[int, str]:
        """The dotted path of every field by id (``a.b``, ``tags.element``, ``m.key``, ``m.value``)."""
        return {field.field_id: path for path, field in _walk(self.fields, "")}

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Every field by dotted path."""
        return dict(_walk(self.fields, ""))

    def primitive(self, field_id: int) -> Primitive | None:
        """The primitive type of a field; None when it is absent or nested."""
        field = self.by_id.get(field_id)
        return field.type if field is not None and isinstance(field.type, Primitive) else None


def _walk(fields: tuple[Field, ...], prefix: str) -> Iterator[tuple[str, Field]]:
    for field in fields:
        path = prefix + field.name
        yield path, field
        match field.type:
            case StructType(fields=inner):
                yield from _walk(inner, path + ".")
            case ListType(element=element):
                yield from _walk((element,), path + ".")
            case MapType(key=key, value=value):
                yield from _walk((key, value), path + ".")
