"""What executors are told: the table, and the files of a split. Pickled, so there are no credentials in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from lakemuster.client.model import Row


class NotReadable(Exception):
    """Something of a table, or of a file, that the data source cannot apply: it reads nothing rather than wrong rows.

    Attributes:
        table: its dotted name.
        reason: what stands against it, one phrase for people.
        file_path: the file that it holds for; None when it holds for the table.
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
        name: dotted.
        format: ``iceberg`` or ``paimon``.
        schema: the one that rows are read with, as the server's ``schemas`` list it.
        schemas: all that files may be of (Paimon's say which).
        specs: the partition specs that files may be of.
        properties: Iceberg's table properties, Paimon's options.
        rewrites: locations that were moved, old to new: delete files name data files by their old locations.
        columns: the top-level columns that are wanted, in the order of the answer.
        metadata_columns: what is wanted after them of where a row is stored.
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
"""Of a row of a split: the first byte, and the one after the last, of what is read of the file; None is its end.

What is stored apart (Parquet's row groups) is read with the range that it starts in; without a range, all is read.
"""


@dataclass(frozen=True, slots=True)
class Split:
    """Files that one task reads, as rows of the plan with typed values.

    Attributes:
        files: data files; their ``deletes`` are the rows of the delete files that apply. Files that must be read
            together (Paimon's sections) are all in one split.
    """

    files: tuple[Row, ...]


class Files(Protocol):
    """Objects of the lake."""

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        """An object for reading at any place; its size spares a request."""
        ...

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        """An object's bytes, or a range of them."""
        ...
