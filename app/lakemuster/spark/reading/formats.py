"""The port that each table format implements for the data source, and the registry of ports.

A driver registers a third format before it loads a table. Executors need not register it: the port is pickled
with the reader (:class:`lakemuster.spark.reader.Reader`), and only has to be importable there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.metadata.schema import Schema
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead


class RowFormat(ABC):
    """A reader of the rows of one format's tables. Stateless; its class must be importable by name.

    Attributes:
        has_metadata_columns: rows can have Iceberg's metadata columns.
        has_merge_groups: some files must be read together: the server divides plans into splits. If not, each file can
            be read apart from the others.
        has_branch_ids: snapshot ids are unique only within a branch.
    """

    name: ClassVar[str]
    has_metadata_columns: ClassVar[bool] = False
    has_merge_groups: ClassVar[bool] = False
    has_branch_ids: ClassVar[bool] = False

    def properties(self, table: Row, schema: Row) -> Mapping[str, str]:
        """Return the properties that reading depends on, of the server's rows of a table and of its schema."""
        return table.get("properties") or {}

    def changes_rows(self, table: TableToRead) -> str | None:
        """Return why writes to a table are not appends, so that no stream can follow it; None if they may be."""
        return None

    def snapshot_identity(self, snapshot: Row) -> str | None:
        """Return what no other snapshot has, of the server's row of one; None if its id is never used again."""
        del snapshot
        return None

    @abstractmethod
    def schema(self, table: TableToRead) -> Schema:
        """Return the schema to read rows with, to evaluate filters.

        Raises:
            NotReadable: it is invalid.
        """

    @abstractmethod
    def check(self, table: TableToRead) -> None:
        """Raise NotReadable if the table cannot be read."""

    @abstractmethod
    def read_schema(self, table: TableToRead) -> pa.Schema:
        """Return the columns to read, as Arrow types that Spark accepts."""

    @abstractmethod
    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split in that schema; rows that do not match all conditions may be omitted."""


# The packages are imported when they are used: a task reads one format, and the other's package has many imports.
# ruff: noqa: PLC0415


class _IcebergRows(RowFormat):
    name = "iceberg"
    has_metadata_columns = True

    def schema(self, table: TableToRead) -> Schema:
        from lakemuster.spark.reading.iceberg.schema import target_schema

        return target_schema(table)

    def check(self, table: TableToRead) -> None:
        from lakemuster.spark.reading import iceberg

        iceberg.check(table)

    def read_schema(self, table: TableToRead) -> pa.Schema:
        from lakemuster.spark.reading import iceberg

        return iceberg.read_schema(table)

    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        from lakemuster.spark.reading import iceberg

        return iceberg.read(table, split, files, conditions)


class _PaimonRows(RowFormat):
    name = "paimon"
    has_merge_groups = True
    has_branch_ids = True

    def properties(self, table: Row, schema: Row) -> Mapping[str, str]:
        return schema.get("options") or {}

    def changes_rows(self, table: TableToRead) -> str | None:
        return "it has a primary key: what is written to it changes rows" if table.schema.get("primary_keys") else None

    def snapshot_identity(self, snapshot: Row) -> str | None:
        # Ids count from 1: a table that is rolled back or created again has them again. The list's name is random.
        return snapshot.get("base_manifest_list")

    def schema(self, table: TableToRead) -> Schema:
        from lakemuster.spark.reading.paimon.schemas import fields_of

        return Schema(int(table.schema["schema_id"]), fields_of(table.schema["fields"]))

    def check(self, table: TableToRead) -> None:
        from lakemuster.spark.reading import paimon

        paimon.check(table)

    def read_schema(self, table: TableToRead) -> pa.Schema:
        from lakemuster.spark.reading import paimon

        return paimon.read_schema(table)

    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        from lakemuster.spark.reading import paimon

        return paimon.read(table, split, files, conditions)


_FORMATS: dict[str, RowFormat] = {port.name: port for port in (_IcebergRows(), _PaimonRows())}


def register(port: RowFormat) -> None:
    """Register how a format's rows are read; registering it again is not an error.

    Raises:
        ValueError: another format has this name.
    """
    known = _FORMATS.setdefault(port.name, port)
    if type(known) is not type(port):
        raise ValueError(f"a format of rows named {port.name} is already registered")


def row_format(table: str, format: str) -> RowFormat:
    """Return how the rows of a table are read.

    Args:
        table: its name, for messages.

    Raises:
        NotReadable: the format is not registered.
    """
    port = _FORMATS.get(format)
    if port is None:
        raise NotReadable(table, f"its format is {format}")
    return port


def format_reader(table: TableToRead) -> RowFormat:
    """Return how the rows of a table are read; see :func:`row_format`."""
    return row_format(table.name, table.format)
