"""Read equality delete files, which delete rows by the values of some columns.

A member of a null struct compares as null.

Source: Iceberg spec, "Equality Delete Files".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import Budget, Cache, nbytes
from lakemuster.client.model import Row
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive, StructType
from lakemuster.spark.reading.iceberg.file_columns import FileColumn
from lakemuster.spark.reading.iceberg.keys import KeySet, comparable
from lakemuster.spark.reading.iceberg.open_rows import OpenRows, naming
from lakemuster.spark.reading.iceberg.projection import leaves_of, projection
from lakemuster.spark.reading.iceberg.schema import arrow_type, known_schemas
from lakemuster.spark.reading.model import Files, NotReadable, TableToRead

_MAX_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One compared field of equality deletes, as a top-level field pruned to it.

    Attributes:
        field: the top-level field; structs around the compared field have one member each.
        depth: the number of structs around the compared field.
        field_id: the compared field's id.
    """

    field: Field
    depth: int
    field_id: int

    def values(self, column: pa.Array) -> pa.Array:
        """Return the compared field's values, in the form of :func:`comparable`."""
        for _ in range(self.depth):
            column = pc.struct_field(column, [0])
        return comparable(column)


@dataclass(frozen=True)
class KeyGroup:
    """The equality delete files that apply to a data file and have the same equality ids."""

    columns: tuple[KeyColumn, ...]
    deletes: tuple[Row, ...]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields to read from the data file."""
        return tuple(column.field for column in self.columns)


class EqualityDeletes:
    """The equality deletes of a split's data files. The contents of delete files are cached, with a limit in bytes."""

    def __init__(self, table: TableToRead, files: Files) -> None:
        self._table, self._files = table, files
        budget = Budget(_MAX_BYTES)
        self._columns: Cache[Hashable, tuple[pa.Array, ...]] = Cache(
            "equality deletes", lambda _, arrays: nbytes(arrays), budget
        )
        self._keys: Cache[Hashable, KeySet] = Cache("equality deletes", lambda _, keys: keys.nbytes, budget)

    @cached_property
    def _schemas(self) -> tuple[Schema, ...]:
        return known_schemas(self._table)

    def of(self, file: Row) -> tuple[KeyGroup, ...]:
        """Return the equality delete files of a data file, grouped by equality ids.

        Raises:
            NotReadable: a delete file has no equality ids, or they are unknown or not comparable.
        """
        groups: dict[tuple[int, ...], list[Row]] = {}
        for delete in file["deletes"]:
            if delete["content"] != "equality-deletes":
                continue
            ids = tuple(sorted(set(delete.get("equality_ids") or ())))
            if not ids:
                raise NotReadable(self._table.name, "its equality columns are not recorded", delete["file_path"])
            groups.setdefault(ids, []).append(delete)
        return tuple(
            KeyGroup(tuple(self._column(field_id, deletes[0]) for field_id in ids), tuple(deletes))
            for ids, deletes in groups.items()
        )

    def keys(self, group: KeyGroup) -> KeySet:
        """Return the keys of all delete files of a group.

        Raises:
            NotReadable: a delete file cannot be applied.
        """
        paths = tuple(delete["file_path"] for delete in group.deletes)

        def make() -> KeySet:
            parts = [self._rows(delete, group.columns) for delete in group.deletes]
            columns = [pa.concat_arrays([part[place] for part in parts]) for place in range(len(group.columns))]
            return KeySet(columns)

        return self._keys.get_or_make((paths, _ids(group.columns)), make)

    def _column(self, field_id: int, delete: Row) -> KeyColumn:
        for schema in self._schemas:
            for field in schema.fields:
                if (found := _narrowed_to(field, field_id)) is not None:
                    return KeyColumn(found[0], found[1], field_id)
        reason = f"it deletes by field {field_id}, which is unknown or cannot be compared"
        raise NotReadable(self._table.name, reason, delete["file_path"])

    def _rows(self, delete: Row, columns: tuple[KeyColumn, ...]) -> tuple[pa.Array, ...]:
        key = delete["file_path"], _ids(columns)
        return self._columns.get_or_make(key, lambda: self._read(delete, columns))

    def _read(self, delete: Row, columns: tuple[KeyColumn, ...]) -> tuple[pa.Array, ...]:
        fields = [column.field for column in columns]
        with naming(self._table, delete["file_path"]):
            rows = OpenRows(self._table, delete, self._files)
            for column in columns:
                if not _holds(rows.columns, column.field_id):
                    reason = f"it deletes by field {column.field_id}, which it does not hold"
                    raise NotReadable(self._table.name, reason, delete["file_path"])
            leaves = leaves_of(fields, rows.columns)
            make = projection(fields, rows.read_columns(leaves), {})
            parts = [
                [column.values(one(batch)) for column, one in zip(columns, make, strict=True)]
                for _, batch in rows.batches(leaves, rows.row_ranges)
            ]
        empty = [column.values(pa.array([], arrow_type(column.field.type))) for column in columns]
        return tuple(pa.concat_arrays(each) for each in zip(empty, *parts, strict=True))


def _ids(columns: Sequence[KeyColumn]) -> tuple[int, ...]:
    return tuple(column.field_id for column in columns)


def _narrowed_to(field: Field, field_id: int) -> tuple[Field, int] | None:
    """Return a field pruned to that id and made optional, and its depth; None if not found or not comparable."""
    if field.field_id == field_id:
        has_equality = isinstance(field.type, Primitive) and field.type.kind is not Kind.VARIANT
        return (replace(field, required=False), 0) if has_equality else None
    if isinstance(field.type, StructType):
        for member in field.type.fields:
            if (found := _narrowed_to(member, field_id)) is not None:
                return replace(field, required=False, type=StructType((found[0],))), found[1] + 1
    return None


def _holds(columns: Sequence[FileColumn], field_id: int) -> bool:
    return any(column.field_id == field_id or _holds(column.children, field_id) for column in columns)
