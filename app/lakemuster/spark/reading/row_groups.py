"""Row groups of Parquet files, and their selection by byte range and statistics; other formats are one row range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.client.model import Row
from lakemuster.spark.reading.column_stats import ColumnStats, Condition
from lakemuster.spark.reading.model import BYTE_RANGE

BATCH_BYTES = 16 * 2**20
"""About the most bytes of stored values that are read into one batch."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Consecutive rows of a file that can be read separately: a row group, or the whole file.

    Attributes:
        number: its index among the file's row ranges.
        first_row: the position of its first row in the file.
        num_rows: None if unknown until the rows are read.
        first_byte: its byte offset in the file.
    """

    number: int
    first_row: int
    num_rows: int | None
    first_byte: int


def whole(num_rows: int | None) -> tuple[RowRange, ...]:
    """Return all rows of a file as one row range."""
    return (RowRange(0, 0, num_rows, 0),)


def row_groups(metadata: pq.FileMetaData) -> Iterator[RowRange]:
    """Yield the row groups of a file as row ranges."""
    first_row = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield RowRange(number, first_row, group.num_rows, _first_byte(group))
        first_row += group.num_rows


def row_group_stats(metadata: pq.FileMetaData, number: int, leaf: int, of: pa.DataType) -> ColumnStats | None:
    """Return a leaf column's statistics in a row group, from the footer; ``of`` is the Arrow type it is read as."""
    chunk = metadata.row_group(number).column(leaf)
    about = chunk.statistics
    if about is None:
        return None
    nulls = about.null_count if about.has_null_count else None
    if not about.has_min_max:
        return ColumnStats(of, chunk.num_values, nulls)
    return ColumnStats(of, chunk.num_values, nulls, about.min_raw, about.max_raw)


def batch_rows(metadata: pq.FileMetaData, number: int, leaves: Sequence[int], most: int) -> int:
    """Return the rows to read at a time from a row group: at most ``most``, and about 16 MiB of some leaves."""
    group = metadata.row_group(number)
    size = sum(int(group.column(leaf).total_uncompressed_size) for leaf in leaves)
    return max(1, min(most, BATCH_BYTES * int(group.num_rows) // max(size, 1)))


def matching_ranges(
    row_ranges: Sequence[RowRange],
    file: Row,
    conditions: Sequence[Condition],
    stats: Callable[[int, RowRange], ColumnStats | None],
) -> list[RowRange]:
    """Return the row ranges that start in the file row's byte range and may hold rows that match all conditions.

    Args:
        stats: returns the statistics of a field, by id, in a row range.
    """
    first, end = file.get(BYTE_RANGE) or (0, None)
    found = []
    for row_range in row_ranges:
        if row_range.first_byte < first or (end is not None and row_range.first_byte >= end):
            continue
        if all(one.may_hold(partial(_stats_in, stats, row_range)) for one in conditions):
            found.append(row_range)
    return found


def _stats_in(
    stats: Callable[[int, RowRange], ColumnStats | None], row_range: RowRange, field_id: int
) -> ColumnStats | None:
    return stats(field_id, row_range)


def _first_byte(group: pq.RowGroupMetaData) -> int:
    if not group.num_columns:
        return 0
    column = group.column(0)
    # Some writers record offset 0 for a missing dictionary page.
    return min(int(column.dictionary_page_offset or column.data_page_offset), int(column.data_page_offset))
