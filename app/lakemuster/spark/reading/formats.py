"""Select the reader package of a table's format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

import pyarrow as pa

from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead


class FormatReader(Protocol):
    """The interface of a format's reader package."""

    def check(self, table: TableToRead) -> None:
        """Raise NotReadable if the table cannot be read."""

    def read_schema(self, table: TableToRead) -> pa.Schema:
        """The columns to read, as Arrow types that Spark accepts."""

    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a split in that schema; rows that do not match all conditions may be omitted."""


def format_reader(table: TableToRead) -> FormatReader:
    """The reader package for a table.

    Raises:
        NotReadable: the format is not supported.
    """
    if table.format not in ("iceberg", "paimon"):
        raise NotReadable(table.name, f"its format is {table.format}")
    # Deferred: the other format's package has many imports of its own.
    return cast("FormatReader", import_module(f"lakemuster.spark.reading.{table.format}"))
