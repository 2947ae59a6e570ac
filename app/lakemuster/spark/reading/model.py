"""Data classes that describe a table and a split to executors. They are pickled, so they hold no credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from lakemuster.client.model import Row


class NotReadable(Exception):
    """A table or file needs something that the data source does not support: it fails rather than return wrong rows.

    Attributes:
        table: its dotted name.
        reason: a human-readable phrase.
        file_path: the file with the problem; None when the problem is the table's.
    """

    def __init__(self, table: str, reason: str, file_path: str | None = None) -> None:
        where = "" if file_path is None else f" ({file_path})"
        super().__init__(f"{table} cannot be read: {reason}{where}")
        self.table = table
        self.reason = reason
        self.file_path = file_path

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.table, self.reason, self.file_path))


@dataclass(frozen=True, slots=True)
class TableToRead:
    """A table as of one snapshot.

    Attributes:
        name: the dotted name.
        format: its name in ``formats``.
        schema: the schema to read rows with, as in the server's ``schemas``.
        schemas: all schemas that files may have (a Paimon file records which).
        specs: the partition specs that files may have.
        properties: Iceberg's table properties, Paimon's options.
        rewrites: moved location prefixes as (old, new); delete files refer to data files by their old locations.
        columns: the top-level columns to read, in output order.
        metadata_columns: the metadata columns to read, which follow the columns.
    """

    name: str
    format: str
    schema: Row
    schemas: tuple[Row, ...]
    specs: tuple[Row, ...]
    properties: Mapping[str, str]
    rewrites: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    metadata_columns: tuple[str, ...] = ()


BYTE_RANGE = "byte_range"
"""Key in a split's file row: the byte range to read, as (start, end); end None is the file's end.

A row group of Parquet is read with the range that it starts in. Without this key, the whole file is read.
"""


@dataclass(frozen=True, slots=True)
class Split:
    """Files that are read in one task, as rows of the plan with typed values.

    Attributes:
        files: data files; their ``deletes`` are the rows of the delete files that apply. Files that must be read
            together (a merge group of Paimon) are in the same split.
    """

    files: tuple[Row, ...]


class Files(Protocol):
    """Access to objects of the lake."""

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        """Open an object for random access; giving its size saves a request."""
        ...

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        """Return an object's bytes, or a range of them."""
        ...
