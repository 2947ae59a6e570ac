"""The oracle's model of a table: rows in memory, evolving schemas and specs, and each file's metadata."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lakemuster.metadata.files import DELETED, EQUALITY_DELETES
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Primitive, StructType
from tests.unit.planner.oracle.values import is_nan, promoted

Row = dict[int, Any]
PATH = 2147483546


@dataclass(frozen=True)
class Recorded:
    """One column's statistics in a file; None where not recorded.

    ``exact``: complete and tight. ``uncounted``: complete and tight except for the NaN count.
    """

    lower: Any = None
    upper: Any = None
    nulls: int | None = None
    nans: int | None = None
    values: int | None = None
    exact: bool = False
    uncounted: bool = False


@dataclass(frozen=True)
class DataFile:
    """A data file with the rows of one partition, written with a schema version and a spec."""

    path: str
    version: int
    spec: PartitionSpec
    partition: dict[int, Any]
    rows: list[Row]
    sequence: int
    record_count: int
    statistics: dict[int, Recorded]
    late: bool = False


@dataclass(frozen=True)
class DeleteFile:
    """A delete file: ``positions`` by path, or ``rows`` of the columns ``ids`` for equality deletes."""

    path: str
    version: int
    spec: PartitionSpec
    partition: dict[int, Any]
    sequence: int
    content: int
    statistics: dict[int, Recorded]
    positions: dict[str, frozenset[int]] = field(default_factory=dict)
    referenced: str | None = None
    is_vector: bool = False
    ids: tuple[int, ...] = ()
    rows: list[Row] = field(default_factory=list)

    @property
    def only_file(self) -> str | None:
        """The data file that it is known to reference, whatever its partition."""
        bounds = self.statistics.get(PATH)
        same = bounds is not None and bounds.lower == bounds.upper
        return self.referenced or (bounds.lower if bounds is not None and same else None)

    @property
    def record_count(self) -> int:
        """The number of listed positions or rows; a vector's cardinality."""
        return len(self.rows) + sum(map(len, self.positions.values()))


@dataclass(frozen=True)
class Manifest:
    """Entries of one spec with their statuses, written with a schema version.

    Attributes:
        sequence: the manifest's sequence number; added entries with this number omit theirs if ``inherits``.
        summaries: whether each field of the spec has a summary; None if the manifest has no summaries.
        inverted: whether the bounds of its summaries are recorded the wrong way around.
    """

    spec: PartitionSpec
    version: int
    entries: list[tuple[DataFile | DeleteFile, int]]
    sequence: int
    inherits: bool
    summaries: tuple[bool, ...] | None
    knows_nan: bool
    inverted: bool = False


@dataclass(frozen=True)
class Table:
    """The table at one snapshot of schema ``snapshot_version``; predicates refer to the newest schema.

    Attributes:
        defaults: values of a column in rows written before it was added.
        packed: how many neighbouring manifests of a spec share a segment, where their tables allow it.
    """

    format_version: int
    schemas: tuple[Schema, ...]
    snapshot_version: int
    specs: tuple[PartitionSpec, ...]
    data: list[Manifest]
    deletes: list[Manifest]
    defaults: dict[int, Any]
    packed: int = 1

    @property
    def schema(self) -> Schema:
        return self.schemas[-1]

    @cached_property
    def columns(self) -> dict[int, tuple[str, Primitive]]:
        """Path and type of the newest schema's leaves, by field id."""
        return {i: (path, of) for i, path, of in leaves(self.schema.fields)}

    @cached_property
    def files(self) -> list[DataFile]:
        """The live data files."""
        return [f for m in self.data for f, status in m.entries if status != DELETED and isinstance(f, DataFile)]

    @cached_property
    def delete_files(self) -> list[DeleteFile]:
        """The live delete files, in the order of their manifests."""
        return [f for m in self.deletes for f, status in m.entries if status != DELETED and isinstance(f, DeleteFile)]

    def rows_of(self, file: DataFile) -> list[Row]:
        """Return the file's rows in the newest schema."""
        return [self.read(row, self.schemas[file.version]) for row in file.rows]

    def read(self, row: Row, written: Schema) -> Row:
        found = {}
        for field_id, (_, of) in self.columns.items():
            old = written.primitive(field_id)
            found[field_id] = self.defaults.get(field_id) if old is None else promoted(row[field_id], old, of)
        return found


def leaves(fields: tuple[Field, ...], prefix: str = "") -> Iterator[tuple[int, str, Primitive]]:
    """Yield field id, path and type of primitive columns and members of structs."""
    for one in fields:
        if isinstance(one.type, Primitive):
            yield one.field_id, prefix + one.name, one.type
        elif isinstance(one.type, StructType):
            yield from leaves(one.type.fields, f"{prefix}{one.name}.")


def bits(value: Any) -> Any:
    """Return a key that is equal for equal partition values."""
    if isinstance(value, float):
        return "NaN" if is_nan(value) else struct.pack("<d", value)
    return value


def same_partition(one: DataFile | DeleteFile, other: DataFile | DeleteFile) -> bool:
    if one.spec.spec_id != other.spec.spec_id:
        return False
    ids = [own.field_id for own in one.spec.fields if own.transform != "void"]
    return all(bits(one.partition[i]) == bits(other.partition[i]) for i in ids)


def in_scope(delete: DeleteFile, file: DataFile) -> bool:
    """Return whether a delete file is in scope by "Scan Planning", except that vectors replace position deletes.

    The partition of a delete of one data file does not matter.
    """
    if delete.content == EQUALITY_DELETES:
        unpartitioned = all(own.transform == "void" for own in delete.spec.fields)
        return file.sequence < delete.sequence and (unpartitioned or same_partition(delete, file))
    if file.sequence > delete.sequence:
        return False
    if (only := delete.only_file) is not None:
        return only == file.path
    return same_partition(delete, file)


def deletes_of(table: Table, file: DataFile) -> list[int]:
    """Return the numbers of the delete files in scope of a data file."""
    scope = [n for n, delete in enumerate(table.delete_files) if in_scope(delete, file)]
    if any(table.delete_files[n].is_vector for n in scope):
        return [n for n in scope if table.delete_files[n].is_vector or table.delete_files[n].ids]
    return scope


def deleted_rows(table: Table, delete: DeleteFile, file: DataFile) -> frozenset[int]:
    """Return the positions of a data file's rows that a delete file in scope deletes."""
    if not delete.ids:
        return delete.positions.get(file.path, frozenset())
    written, old = table.schemas[file.version], table.schemas[delete.version]
    gone = {tuple(equal(table, delete, row, old, i) for i in delete.ids) for row in delete.rows}
    keys = [tuple(equal(table, file, row, written, i) for i in delete.ids) for row in file.rows]
    return frozenset(position for position, key in enumerate(keys) if key in gone)


def equal(table: Table, file: DataFile | DeleteFile, row: Row, written: Schema, field_id: int) -> Any:
    """Return a delete column's value as a key: null equals null, NaN equals NaN, 0.0 equals -0.0."""
    newest = next(schema for schema in reversed(table.schemas) if schema.primitive(field_id) is not None)
    old, new = written.primitive(field_id), newest.primitive(field_id)
    assert new is not None
    value = table.defaults.get(field_id) if old is None else promoted(row[field_id], old, new)
    return "NaN" if is_nan(value) else value
