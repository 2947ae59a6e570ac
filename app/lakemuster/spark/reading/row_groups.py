"""Parts of files that are read by themselves, and what footers say of them: Parquet's row groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.client.model import Row
from lakemuster.spark.reading.bounds import Bounds, Condition
from lakemuster.spark.reading.model import BYTE_RANGE


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a file that follow one another and are stored apart from its others.

    Attributes:
        number: among those of the file.
        first_row: its place in the file.
        num_rows: None where they are counted when they are read.
        first_byte: where in the file it starts.
    """

    number: int
    first_row: int
    num_rows: int | None
    first_byte: int


def whole(num_rows: int | None) -> tuple[Piece, ...]:
    """All rows of a file as one."""
    return (Piece(0, 0, num_rows, 0),)


def row_groups(metadata: pq.FileMetaData) -> Iterator[Piece]:
    """The row groups of a file."""
    first_row = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield Piece(number, first_row, group.num_rows, _first_byte(group))
        first_row += group.num_rows


def row_group_bounds(metadata: pq.FileMetaData, number: int, leaf: int, of: pa.DataType) -> Bounds | None:
    """What the footer says of a leaf's values in a row group; ``of`` is what Arrow reads them as."""
    chunk = metadata.row_group(number).column(leaf)
    about = chunk.statistics
    if about is None:
        return None
    nulls = about.null_count if about.has_null_count else None
    if not about.has_min_max:
        return Bounds(of, chunk.num_values, nulls)
    return Bounds(of, chunk.num_values, nulls, about.min_raw, about.max_raw)


def wanted_pieces(
    pieces: Sequence[Piece],
    file: Row,
    conditions: Sequence[Condition],
    bounds: Callable[[int, Piece], Bounds | None],
) -> list[Piece]:
    """The pieces that start in the range of a file's row, and may hold rows that match all conditions.

    Args:
        bounds: of a field, by its id, in a piece.
    """
    first, end = file.get(BYTE_RANGE) or (0, None)
    found = []
    for piece in pieces:
        if piece.first_byte < first or (end is not None and piece.first_byte >= end):
            continue
        if all(one.may_hold(partial(_bounds, bounds, piece)) for one in conditions):
            found.append(piece)
    return found


def _bounds(bounds: Callable[[int, Piece], Bounds | None], piece: Piece, field_id: int) -> Bounds | None:
    return bounds(field_id, piece)


def _first_byte(group: pq.RowGroupMetaData) -> int:
    if not group.num_columns:
        return 0
    column = group.column(0)
    # Some writers put 0 for a dictionary that is not there.
    return min(int(column.dictionary_page_offset or column.data_page_offset), int(column.data_page_offset))
