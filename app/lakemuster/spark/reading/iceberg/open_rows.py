"""Files of rows, data and deletes alike: opened by their format, their columns by field id, their count held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.iceberg.avro import AvroRows
from lakemuster.spark.reading.iceberg.ids import (
    NAME_MAPPING,
    Mapped,
    mapping_of,
    parse_name_mapping,
    with_mapped_ids,
    with_position_ids,
)
from lakemuster.spark.reading.iceberg.orc import OrcRows
from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from lakemuster.spark.reading.iceberg.projection import NotProjectedError
from lakemuster.spark.reading.iceberg.schema import target_schema
from lakemuster.spark.reading.iceberg.stored import Only, Stored, has_ids, prune
from lakemuster.spark.reading.model import Files, NotReadable, TableToRead


class Rows(Protocol):
    """The rows of a file."""

    @property
    def columns(self) -> tuple[Stored, ...]:
        """What it holds; without ids where the file does not say them."""
        ...

    @property
    def num_rows(self) -> int | None:
        """What its footer says; None where it has none."""
        ...

    @property
    def reads_whole_columns(self) -> bool:
        """Whether a column is read with all that is within it."""
        ...

    def batches(self, leaves: set[int], only: Only | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in order, with the columns of those leaves: all of them, or at least those that are wanted."""
        ...


_FORMATS: dict[str, Callable[[pa.NativeFile], Rows]] = {"parquet": ParquetRows, "orc": OrcRows, "avro": AvroRows}


class OpenRows:
    """An open file, whose columns have the field ids that the format's rules give them.

    Args:
        file: its row in a plan.
        mapping: field ids by name for a file that does not say its own; None for the table's rules.

    Raises:
        NotReadable: it is encrypted, of an unknown format, or of another number of rows than recorded.
        ArrowException, OSError: as of its format.
    """

    def __init__(self, table: TableToRead, file: Row, files: Files, mapping: tuple[Mapped, ...] | None = None) -> None:
        path = file["file_path"]
        self._table, self._path, self._recorded = table, path, file.get("record_count")
        if file.get("key_metadata") is not None:
            raise NotReadable(table.name, "it is encrypted", path)
        kind = _FORMATS.get(file["file_format"])
        if kind is None:
            raise NotReadable(table.name, f"its format is {file['file_format']}", path)
        self._rows: Rows = kind(files.open(path, file.get("file_size_in_bytes")))
        if self._rows.num_rows is not None:
            self._count(self._rows.num_rows)
        self.columns = self._rows.columns
        if not has_ids(self.columns):
            self.columns = self._identified(kind is ParquetRows, mapping)

    def read_columns(self, leaves: set[int]) -> tuple[Stored, ...]:
        """What the batches for those leaves hold."""
        if self._rows.reads_whole_columns:
            touched = [column for column in self.columns if not leaves.isdisjoint(column.leaves)]
            leaves = {leaf for column in touched for leaf in column.leaves}
        return prune(self.columns, leaves)

    def batches(self, leaves: set[int], only: Only | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in order, with the columns that :meth:`read_columns` says: all, or at least those that are wanted.

        Raises:
            NotReadable: at the end, when they were not as many as recorded.
            ArrowException, OSError: as of its format.
        """
        count = 0
        for batch in self._rows.batches(leaves, only):
            count += batch.num_rows
            yield batch
        if only is not None and self._rows.num_rows is not None:
            return  # counted by the footer
        if self._rows.num_rows not in {None, count}:
            raise NotReadable(self._table.name, f"it gave {count} rows, not {self._rows.num_rows}", self._path)
        self._count(count)

    def _count(self, found: int) -> None:
        if self._recorded is not None and self._recorded >= 0 and found != self._recorded:
            reason = f"it holds {found} rows, not {self._recorded} as recorded"
            raise NotReadable(self._table.name, reason, self._path)

    def _identified(self, is_parquet: bool, mapping: tuple[Mapped, ...] | None) -> tuple[Stored, ...]:
        if mapping is None:
            mapping = name_mapping(self._table)
        if mapping is None and not is_parquet:
            mapping = mapping_of(target_schema(self._table).fields)
        if mapping is not None:
            return with_mapped_ids(self._rows.columns, mapping)
        return with_position_ids(self._rows.columns)


def name_mapping(table: TableToRead) -> tuple[Mapped, ...] | None:
    """The table's name mapping; None when it has none.

    Raises:
        NotReadable: it is not one.
    """
    text = table.properties.get(NAME_MAPPING)
    if text is None:
        return None
    try:
        return parse_name_mapping(text)
    except ValueError as cause:
        raise NotReadable(table.name, f"its {NAME_MAPPING} cannot be understood: {cause}") from cause


@contextmanager
def naming(table: TableToRead, path: str) -> Iterator[None]:
    """Name the table and the file in what Arrow, storage and the projection say."""
    try:
        yield
    except NotProjectedError as cause:
        raise NotReadable(table.name, str(cause), path) from cause
    except pa.ArrowException as cause:
        raise NotReadable(table.name, f"its bytes cannot be understood: {cause}", path) from cause
    except OSError as cause:
        if cause.filename is not None or type(cause) is not OSError:
            raise  # the storage's own
        raise NotReadable(table.name, f"it cannot be read to its end: {cause}", path) from cause
