"""Schemas: one version of a table's columns, with lookup by field id and by dotted path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType


class Column(NamedTuple):
    """A field with its dotted path; ``repeated`` inside a list or a map."""

    field: Field
    path: str
    repeated: bool


@dataclass(frozen=True)
class Schema:
    """One schema version.

    Attributes:
        schema_id: the format's id of this version.
        fields: top-level columns, in order.
        identifier_field_ids: Iceberg's identifier fields; Paimon's primary key.
        partition_keys, primary_keys, options, comment, created_at_ms: Paimon stores
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
        return {column.field.field_id: column.field for column in self._columns}

    @cached_property
    def names(self) -> dict[int, str]:
        """The dotted path of every field by id (``a.b``, ``tags.element``, ``m.key``, ``m.value``)."""
        return {column.field.field_id: column.path for column in self._columns}

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Every field by dotted path."""
        return {column.path: column.field for column in self._columns}

    @cached_property
    def named(self) -> Mapping[str, Sequence[Column]]:
        """The fields of each dotted path: several fields may have the same path."""
        found: dict[str, list[Column]] = {}
        for column in self._columns:
            found.setdefault(column.path, []).append(column)
        return found

    @cached_property
    def named_in_any_case(self) -> Mapping[str, Sequence[Column]]:
        """Like :attr:`named`, by case-folded path."""
        found: dict[str, list[Column]] = {}
        for column in self._columns:
            found.setdefault(column.path.casefold(), []).append(column)
        return found

    @cached_property
    def _columns(self) -> tuple[Column, ...]:
        return tuple(_walk(self.fields, "", repeated=False))

    @cached_property
    def required(self) -> frozenset[int]:
        """The ids of required fields whose enclosing structs are all required; none inside a list or a map."""
        return frozenset(_required(self.fields))

    @cached_property
    def members(self) -> frozenset[int]:
        """The ids of fields in structs; none inside a list or a map."""
        inside = {column.field.field_id for column in self._columns if not column.repeated}
        return frozenset(inside - {field.field_id for field in self.fields})

    def primitive(self, field_id: int) -> Primitive | None:
        """Return the primitive type of a field; None when it is absent or nested."""
        field = self.by_id.get(field_id)
        return field.type if field is not None and isinstance(field.type, Primitive) else None


def repeated_ids(fields: Sequence[Field], *, elements: bool = True) -> list[int]:
    """Return the ids that several fields share, nested ones too: their statistics could not be distinguished.

    Args:
        elements: whether elements of lists, and keys and values of maps, have ids of their own (Iceberg). Paimon's are
            derived, and have no statistics.
    """
    counts: Counter[int] = Counter()
    waiting = [(field, True) for field in fields]
    while waiting:
        field, has_own_id = waiting.pop()
        counts[field.field_id] += has_own_id
        match field.type:
            case StructType(fields=inner):
                waiting += ((one, True) for one in inner)
            case ListType(element=element):
                waiting.append((element, elements))
            case MapType(key=key, value=value):
                waiting += ((key, elements), (value, elements))
    return sorted(field_id for field_id, count in counts.items() if count > 1)


def listed_ids(ids: Sequence[int]) -> str:
    """Return the first ten ids, for an error message."""
    return ", ".join(map(str, ids[:10])) + (", …" if len(ids) > 10 else "")


def never_null(field_id: int, schema: Schema, history: Sequence[Schema]) -> bool:
    """Return whether no file of a table can hold a null in a column.

    A file has the schema that it was written with. So each schema in ``history`` must require the column and its
    enclosing structs, or lack them where an initial default fills older rows.

    Args:
        schema: the schema of the column.
        history: all schemas that files may have been written with.
    """
    if field_id not in schema.required:
        return False
    path = _path(schema.fields, field_id)
    return all(
        field.field_id in old.required or (field.field_id not in old.by_id and field.initial_default is not None)
        for old in history
        for field in path
    )


def _required(fields: Sequence[Field]) -> Iterator[int]:
    for field in fields:
        if field.required:
            yield field.field_id
            if isinstance(field.type, StructType):
                yield from _required(field.type.fields)


def _path(fields: Sequence[Field], field_id: int) -> tuple[Field, ...]:
    """Return a field's enclosing structs from the top, then the field; empty if it is absent or in a list or map."""
    for field in fields:
        if field.field_id == field_id:
            return (field,)
        if isinstance(field.type, StructType) and (below := _path(field.type.fields, field_id)):
            return (field, *below)
    return ()


def _walk(fields: Sequence[Field], prefix: str, *, repeated: bool) -> Iterator[Column]:
    for field in fields:
        path = prefix + field.name
        yield Column(field, path, repeated)
        match field.type:
            case StructType(fields=inner):
                yield from _walk(inner, path + ".", repeated=repeated)
            case ListType(element=element):
                yield from _walk((element,), path + ".", repeated=True)
            case MapType(key=key, value=value):
                yield from _walk((key, value), path + ".", repeated=True)
