"""The reading part of each format, by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

import pyarrow as pa

from lakemuster.spark.reading.bounds import Condition
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead


class Reading(Protocol):
    """What a format's folder offers."""

    def check(self, table: TableToRead) -> None:
        """Nothing, for a table that can be read; NotReadable otherwise."""

    def read_schema(self, table: TableToRead) -> pa.Schema:
        """The wanted columns in types that Spark takes."""

    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a split in that schema; those that do not match all of the conditions may be left out."""


def reading_of(table: TableToRead) -> Reading:
    """The reading part for a table.

    Raises:
        NotReadable: its format has none.
    """
    if table.format not in ("iceberg", "paimon"):
        raise NotReadable(table.name, f"its format is {table.format}")
    # The other format's needs much that is not needed here.
    return cast("Reading", import_module(f"lakemuster.spark.reading.{table.format}"))
