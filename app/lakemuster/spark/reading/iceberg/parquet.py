"""Read Parquet data files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.iceberg.file_columns import FileColumn, file_columns
from lakemuster.spark.reading.iceberg.views import plain_batch, plain_schema
from lakemuster.spark.reading.int96 import open_parquet
from lakemuster.spark.reading.row_groups import RowRange, batch_rows, row_group_stats, row_groups

_FIELD_ID = b"PARQUET:field_id"
_BATCH_ROWS = 65_536


class ParquetRows:
    """The rows of a Parquet file.

    Attributes:
        columns: the file's columns.
        num_rows: the row count in the footer.
        row_ranges: the row groups.

    Raises:
        ArrowException, OSError: it is not a complete Parquet file, or cannot be fetched.
    """

    reads_whole_columns = False

    def __init__(self, source: pa.NativeFile) -> None:
        self._file = open_parquet(source)
        self.num_rows: int | None = self._file.metadata.num_rows
        self.columns: tuple[FileColumn, ...] = file_columns(plain_schema(self._file.schema_arrow), _field_id)
        self.row_ranges = tuple(row_groups(self._file.metadata))

    def batches(self, leaves: set[int], row_range: RowRange) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a row group in order, with the columns of ``prune(columns, leaves)``.

        Raises:
            ArrowException, OSError: as for the class.
        """
        indices = sorted(leaves)
        # One row group per call, so that the next ones are not prefetched.
        batches = self._file.reader.iter_batches(
            self._batch_rows(row_range.number, indices),
            row_groups=[row_range.number],
            column_indices=indices,
            use_threads=False,
        )
        yield from map(plain_batch, batches)

    def column_stats(self, column: FileColumn, row_range: RowRange) -> ColumnStats | None:
        """Return the statistics of a primitive column in a row group, from the footer; None if it has none."""
        return row_group_stats(self._file.metadata, row_range.number, column.leaf, column.type)

    def _batch_rows(self, group: int, indices: list[int]) -> int:
        return batch_rows(self._file.metadata, group, indices, _BATCH_ROWS)


def _field_id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_FIELD_ID)
    return None if text is None else int(text)
