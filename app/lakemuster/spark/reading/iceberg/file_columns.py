"""The columns of a data file as a tree with field ids and leaf indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

IdOf = Callable[[pa.Field], int | None]


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of a file, or a field nested in one.

    Attributes:
        field_id: None if the file has none for it.
        name: the name in the file.
        type: the Arrow type it is read as; :func:`prune` updates ``children``, but not the type.
        children: members of a struct; the element of a list; key and value of a map.
        leaf: the index of its first leaf among all leaves of the file.
    """

    field_id: int | None
    name: str
    type: pa.DataType
    children: tuple[FileColumn, ...]
    leaf: int

    @property
    def kind(self) -> str:
        """``struct``, ``list``, ``map`` or ``primitive``."""
        if pa.types.is_struct(self.type):
            return "struct"
        return "map" if pa.types.is_map(self.type) else "list" if is_list(self.type) else "primitive"

    @property
    def leaves(self) -> Iterator[int]:
        """The indices of its leaves."""
        if not self.children:
            yield self.leaf
        for child in self.children:
            yield from child.leaves


def file_columns(schema: pa.Schema, id_of: IdOf) -> tuple[FileColumn, ...]:
    """Return the columns of a file with the given schema."""
    leaf = 0
    columns = []
    for field in schema:
        column, leaf = _stored(field, id_of, leaf)
        columns.append(column)
    return tuple(columns)


def _stored(field: pa.Field, id_of: IdOf, leaf: int) -> tuple[FileColumn, int]:
    of = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    children = []
    at = leaf
    for inner in inner_fields(of):
        child, at = _stored(inner, id_of, at)
        children.append(child)
    return FileColumn(id_of(field), field.name, of, tuple(children), leaf), max(at, leaf + 1)


def inner_fields(of: pa.DataType) -> list[pa.Field]:
    """Return the fields within a nested type."""
    if pa.types.is_struct(of):
        return list(of)
    if pa.types.is_map(of):
        return [of.key_field, of.item_field]
    if is_list(of):
        return [of.value_field]
    return []


def is_list(of: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's list types."""
    types = pa.types
    return bool(types.is_list(of) or types.is_large_list(of) or types.is_fixed_size_list(of))


def prune(columns: Sequence[FileColumn], leaves: set[int]) -> tuple[FileColumn, ...]:
    """Return the columns pruned to the given leaves: columns and members without any of them are removed."""
    return tuple(
        replace(column, children=prune(column.children, leaves))
        for column in columns
        if not leaves.isdisjoint(column.leaves)
    )


def has_ids(columns: Sequence[FileColumn]) -> bool:
    """Return whether any column, or field nested in one, has a field id."""
    return any(column.field_id is not None or has_ids(column.children) for column in columns)
