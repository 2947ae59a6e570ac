"""Read the rows of one data file, with the table's current columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.errors import CatalogError
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.spark.reading.column_stats import ColumnStats, Condition
from lakemuster.spark.reading.model import Files, NotReadable
from lakemuster.spark.reading.paimon.arrays import NotOfType, of_metadata, stored, without_padding
from lakemuster.spark.reading.paimon.casts import NotCastable
from lakemuster.spark.reading.paimon.data_files import DataFile, UnknownContainer, open_data_file
from lakemuster.spark.reading.paimon.evolution import NoCast, check_evolution, evolved
from lakemuster.spark.reading.paimon.schemas import NoSparkType, spark_field
from lakemuster.spark.reading.paimon.tables import PaimonTable
from lakemuster.spark.reading.row_groups import RowRange, matching_ranges

SEQUENCE = Field(2**31 - 2, "_SEQUENCE_NUMBER", Primitive(Kind.LONG, "BIGINT"), required=True)
ROW_KIND = Field(2**31 - 3, "_VALUE_KIND", Primitive(Kind.TINYINT, "TINYINT"), required=True)
"""System columns in files of primary-key tables. Row kinds: 0 insert, 1 update before, 2 update after, 3 delete."""

_LOCAL_INSTANTS = "orc.timestamp-ltz.legacy.type"
_OWN = {field.field_id: field for field in (SEQUENCE, ROW_KIND)}


def rows_of_file(table: PaimonTable, file: Row, fields: Sequence[Field], files: Files) -> Iterator[pa.RecordBatch]:
    """Yield all rows of a data file in order, deleted ones included.

    Args:
        file: its row of the plan.
        fields: the columns to read, of the table's schema, or system columns of a primary-key table.

    Raises:
        NotReadable: the file is of an unsupported format, damaged, or its row count is not the recorded one.
    """
    with open_rows(table, file, fields, files) as rows:
        yield from rows.batches()


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The rows of an open file.

    Attributes:
        row_ranges: the row ranges to read.
    """

    row_ranges: tuple[RowRange, ...]
    _opened: DataFile
    _columns: _Columns
    _recorded: int

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the row ranges in order.

        Raises:
            NotReadable: their count is not the recorded one.
        """
        if not self.row_ranges:
            return
        read, counts = 0, [row_range.num_rows for row_range in self.row_ranges]
        expected = self._recorded if self.row_ranges == self._opened.row_ranges else sum(count or 0 for count in counts)
        for batch in self._opened.batches(self._columns.names(self._opened), self.row_ranges):
            read += batch.num_rows
            yield self._columns.of(batch)
        if read != expected:
            raise self._columns.refused(f"it gave {read} rows, not {expected} as recorded")


@contextmanager
def open_rows(
    table: PaimonTable, file: Row, fields: Sequence[Field], files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[OpenRows]:
    """Open a data file to read its rows, deleted ones included; arguments and errors as for :func:`rows_of_file`.

    Args:
        conditions: rows that do not match all of them may be omitted.
    """
    columns = _Columns(table, file, fields)
    recorded = file["record_count"]
    source = files.open(file["file_path"], file["file_size_in_bytes"])
    with source, columns.refusing():
        local = table.options.get(_LOCAL_INSTANTS, "").strip().lower() != "false"
        opened = open_data_file(file["file_format"], source, orc_instants_are_local=local)
        if opened.row_count not in (None, recorded):
            raise columns.refused(f"it holds {opened.row_count} rows, not {recorded} as recorded")
        row_ranges = matching_ranges(opened.row_ranges, file, conditions, partial(columns.column_stats, opened))
        yield OpenRows(tuple(row_ranges), opened, columns, recorded)


class _Columns:
    """Maps a file's columns to the requested ones.

    Raises:
        NotReadable: the file's schema is unknown, or a column's type cannot be cast or has no Spark type.
    """

    def __init__(self, table: PaimonTable, file: Row, fields: Sequence[Field]) -> None:
        self._table, self._file, self._fields = table, file, fields
        schema = table.schemas.get(file["schema_id"])
        if schema is None:
            raise self.refused(f"its schema {file['schema_id']} is not known")
        self._known = {field.field_id: field for field in schema if field.name not in table.partition_keys}
        known = self._known | _OWN
        self._source = {field.field_id: known[field.field_id] for field in fields if field.field_id in known}
        self._partition = {field.field_id for field in fields if field.name in table.partition_keys}
        try:
            self._schema = pa.schema([spark_field(field).with_nullable(True) for field in fields])
            for field in fields:
                if (own := self._source.get(field.field_id)) is not None:
                    check_evolution(own.type, field.type)
        except NoCast as problem:
            raise self.refused(f"a column of it would have to be cast from {problem}") from problem
        except NoSparkType as problem:
            raise self.refused(f"a column of it is of type {problem}, which Spark cannot be given") from problem

    def refused(self, reason: str) -> NotReadable:
        """Return the error for a file that cannot be read."""
        return NotReadable(self._table.name, reason, self._file["file_path"])

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn errors of the block into NotReadable, which names the file."""
        try:
            yield
        except UnknownContainer as problem:
            raise self.refused(str(problem)) from problem
        except NotOfType as problem:
            raise self.refused(f"it is not what its metadata says: {problem}") from problem
        except NotCastable as problem:
            raise self.refused(f"a column's type has changed, and {problem}") from problem
        except (pa.ArrowException, OSError, CatalogError) as problem:
            raise self.refused(f"it cannot be decoded: {problem}") from problem

    def column_stats(self, opened: DataFile, field_id: int, row_range: RowRange) -> ColumnStats | None:
        """Return the statistics of a column in a row range; None if unknown, or if the column's type has changed."""
        now = next((field for field in self._table.fields if field.field_id == field_id), None)
        own = self._known.get(field_id)
        if now is None or own is None or own.type.text != now.type.text or now.name in self._table.partition_keys:
            return None
        return opened.column_stats(own.name, row_range)

    def names(self, opened: DataFile) -> list[str]:
        """Return the names of the columns to read from the file."""
        held = opened.names
        for field_id in _OWN.keys() & self._source.keys():
            if _OWN[field_id].name not in held:
                raise NotOfType(f"no column {_OWN[field_id].name}")
        return sorted({field.name for field in self._source.values()} & held)

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the requested columns of a batch."""
        if not self._fields:
            return batch.select([])
        return pa.RecordBatch.from_arrays([self._column(batch, field) for field in self._fields], schema=self._schema)

    def _column(self, batch: pa.RecordBatch, field: Field) -> pa.Array:
        form = self._schema.field(field.name).type
        if field.field_id in self._partition:
            value = of_metadata(self._file["partition"][field.name], field.type)
            return pa.repeat(value[0], batch.num_rows)
        own = self._source.get(field.field_id)
        if own is None or own.name not in batch.schema.names:
            return pa.nulls(batch.num_rows, form)
        values = stored(batch.column(own.name), own.type)
        if self._file["file_format"] == "orc":
            values = without_padding(values, own.type)
        return evolved(values, own.type, field.type)
