"""Open data and delete files of any format, with columns by field id, and check their row counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.iceberg.avro import AvroRows
from lakemuster.spark.reading.iceberg.field_ids import (
    NAME_MAPPING,
    MappedField,
    mapping_of,
    parse_name_mapping,
    with_mapped_ids,
    with_position_ids,
)
from lakemuster.spark.reading.iceberg.file_columns import FileColumn, has_ids, prune
from lakemuster.spark.reading.iceberg.orc import OrcRows
from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from lakemuster.spark.reading.iceberg.projection import NotProjectedError
from lakemuster.spark.reading.iceberg.schema import target_schema
from lakemuster.spark.reading.model import Files, NotReadable, TableToRead
from lakemuster.spark.reading.row_groups import RowRange


class FormatRows(Protocol):
    """The rows of an open file; each format has an implementation."""

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """The file's columns; their field ids are None if the file has none."""
        ...

    @property
    def num_rows(self) -> int | None:
        """The row count in the footer; None for formats without one."""
        ...

    @property
    def reads_whole_columns(self) -> bool:
        """Whether a nested column is always read with all its members."""
        ...

    @property
    def row_ranges(self) -> tuple[RowRange, ...]:
        """The parts that can be read separately."""
        ...

    def batches(self, leaves: set[int], row_range: RowRange) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a row range in order, with the columns of the given leaves."""
        ...

    def column_stats(self, column: FileColumn, row_range: RowRange) -> ColumnStats | None:
        """Return the statistics of a primitive column outside lists and maps, in a row range; None if unknown."""
        ...


_FORMATS: dict[str, Callable[[pa.NativeFile], FormatRows]] = {"parquet": ParquetRows, "orc": OrcRows, "avro": AvroRows}


class OpenRows:
    """An open file, whose columns have field ids: the file's own, or those assigned by Iceberg's rules.

    Args:
        file: its row in a plan.
        mapping: the name mapping for a file without field ids; None for the table's rules.

    Raises:
        NotReadable: it is encrypted, of an unknown format, or its row count is not the recorded one.
        ArrowException, OSError: as for its format.
    """

    def __init__(
        self, table: TableToRead, file: Row, files: Files, mapping: tuple[MappedField, ...] | None = None
    ) -> None:
        path = file["file_path"]
        self._table, self._path, self._recorded = table, path, file.get("record_count")
        if file.get("key_metadata") is not None:
            raise NotReadable(table.name, "it is encrypted", path)
        kind = _FORMATS.get(file["file_format"])
        if kind is None:
            raise NotReadable(table.name, f"its format is {file['file_format']}", path)
        self._rows: FormatRows = kind(files.open(path, file.get("file_size_in_bytes")))
        if self._rows.num_rows is not None:
            self._count(self._rows.num_rows)
            if self._rows.num_rows != sum(row_range.num_rows or 0 for row_range in self._rows.row_ranges):
                raise NotReadable(table.name, "its row ranges do not add up to its row count", path)
        self.columns = self._rows.columns
        if not has_ids(self.columns):
            self.columns = self._identified(kind is ParquetRows, mapping)

    def read_columns(self, leaves: set[int]) -> tuple[FileColumn, ...]:
        """Return the columns in the batches for the given leaves."""
        if self._rows.reads_whole_columns:
            touched = [column for column in self.columns if not leaves.isdisjoint(column.leaves)]
            leaves = {leaf for column in touched for leaf in column.leaves}
        return prune(self.columns, leaves)

    @property
    def row_ranges(self) -> tuple[RowRange, ...]:
        """The parts that can be read separately, in order."""
        return self._rows.row_ranges

    def column_stats(self, field_id: int, row_range: RowRange) -> ColumnStats | None:
        """Return the statistics of a primitive column or struct member in a row range; None if unknown."""
        column = _primitive(self.columns, field_id)
        return None if column is None else self._rows.column_stats(column, row_range)

    def batches(self, leaves: set[int], row_ranges: Sequence[RowRange]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the batches of some row ranges in order, each with the position of its first row in the file.

        The columns are those of :meth:`read_columns`.

        Raises:
            NotReadable: at the end of a row range, if its row count is not the recorded one.
            ArrowException, OSError: as for its format.
        """
        for row_range in row_ranges:
            at = row_range.first_row
            for batch in self._rows.batches(leaves, row_range):
                yield at, batch
                at += batch.num_rows
            count = at - row_range.first_row
            if row_range.num_rows is None:
                self._count(count)
            elif count != row_range.num_rows:
                raise NotReadable(self._table.name, f"it gave {count} rows, not {row_range.num_rows}", self._path)

    def _count(self, found: int) -> None:
        if self._recorded is not None and self._recorded >= 0 and found != self._recorded:
            reason = f"it holds {found} rows, not {self._recorded} as recorded"
            raise NotReadable(self._table.name, reason, self._path)

    def _identified(self, is_parquet: bool, mapping: tuple[MappedField, ...] | None) -> tuple[FileColumn, ...]:
        if mapping is None:
            mapping = name_mapping(self._table)
        if mapping is None and not is_parquet:
            mapping = mapping_of(target_schema(self._table).fields)
        if mapping is not None:
            return with_mapped_ids(self._rows.columns, mapping)
        return with_position_ids(self._rows.columns)


def _primitive(columns: Sequence[FileColumn], field_id: int) -> FileColumn | None:
    """Return the primitive column with a field id, at the top level or in structs; None if there is none."""
    for column in columns:
        if column.kind == "primitive" and column.field_id == field_id:
            return column
        if column.kind == "struct" and (found := _primitive(column.children, field_id)) is not None:
            return found
    return None


def name_mapping(table: TableToRead) -> tuple[MappedField, ...] | None:
    """Return the table's name mapping; None when it has none.

    Raises:
        NotReadable: it is invalid.
    """
    text = table.properties.get(NAME_MAPPING)
    if text is None:
        return None
    try:
        return parse_name_mapping(text)
    except ValueError as cause:
        raise NotReadable(table.name, f"its {NAME_MAPPING} cannot be parsed: {cause}") from cause


@contextmanager
def naming(table: TableToRead, path: str) -> Iterator[None]:
    """Turn errors of Arrow, the projection and truncated reads into NotReadable, which names the table and the file."""
    try:
        yield
    except NotProjectedError as cause:
        raise NotReadable(table.name, str(cause), path) from cause
    except pa.ArrowException as cause:
        raise NotReadable(table.name, f"its bytes cannot be parsed: {cause}", path) from cause
    except OSError as cause:
        if cause.filename is not None or type(cause) is not OSError:
            raise  # a storage error
        raise NotReadable(table.name, f"it cannot be read to its end: {cause}", path) from cause
