"""Parquet data files, a row group at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.spark.reading.iceberg.stored import Only, Stored, stored_columns

_FIELD_ID = b"PARQUET:field_id"
_BATCH_BYTES = 16 * 2**20
_BATCH_ROWS = 65_536


class ParquetRows:
    """The rows of a Parquet file.

    Attributes:
        columns: what it holds.
        num_rows: what its footer says.

    Raises:
        ArrowException, OSError: it is not a whole Parquet file, or cannot be fetched.
    """

    reads_whole_columns = False

    def __init__(self, source: pa.NativeFile) -> None:
        self._file = pq.ParquetFile(source, coerce_int96_timestamp_unit="us")
        self.num_rows: int | None = self._file.metadata.num_rows
        self.columns: tuple[Stored, ...] = stored_columns(self._file.schema_arrow, _field_id)

    def batches(self, leaves: set[int], only: Only | None = None) -> Iterator[pa.RecordBatch]:
        """All rows in order, with the columns of ``stored.prune(columns, leaves)``.

        Raises:
            ArrowException, OSError: as of the class.
        """
        indices = sorted(leaves)
        for group in range(self._file.metadata.num_row_groups):
            if only is not None and not self._can_hold(group, only):
                continue
            # One row group at a time, so that no more is fetched ahead.
            yield from self._file.reader.iter_batches(
                self._batch_rows(group, indices), row_groups=[group], column_indices=indices, use_threads=False
            )

    def _can_hold(self, group: int, only: Only) -> bool:
        about = self._file.metadata.row_group(group).column(only.leaf).statistics
        if about is None or not about.has_min_max:
            return True
        low, high = _as_bytes(about.min), _as_bytes(about.max)
        return low is None or high is None or any(low <= text <= high for text in only.texts)

    def _batch_rows(self, group: int, indices: list[int]) -> int:
        about = self._file.metadata.row_group(group)
        size = sum(int(about.column(index).total_uncompressed_size) for index in indices)
        fitting = _BATCH_BYTES * int(about.num_rows) // max(size, 1)
        return max(1, min(_BATCH_ROWS, fitting))


def _as_bytes(bound: object) -> bytes | None:
    """In the order of Parquet's texts."""
    return bound.encode() if isinstance(bound, str) else bound if isinstance(bound, bytes) else None


def _field_id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_FIELD_ID)
    return None if text is None else int(text)
