"""Apply deletion vectors to the rows of a data file.

Source: Paimon ``DeletionVector``, ``BitmapDeletionVector``, ``Bitmap64DeletionVector``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.client.model import Row
from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.indexes import VERSION, VectorRange, parse_deletion_vectors
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.model import Files, NotReadable
from lakemuster.spark.reading.paimon.file_rows import open_rows
from lakemuster.spark.reading.paimon.tables import PaimonTable
from lakemuster.spark.reading.row_groups import RowRange

_AROUND = 8
"""Bytes before and after a 32-bit vector that its recorded length does not include."""


def live_rows(
    table: PaimonTable, file: Row, fields: Sequence[Field], files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a data file that are not deleted, in order; arguments and errors as for :func:`open_rows`.

    Raises:
        NotReadable: also if the deletion vector is damaged, or marks rows that the file does not have.
    """
    deleted = None if file["deletion_vector"] is None else deleted_positions(table, file, files)
    with open_rows(table, file, fields, files, conditions) as rows:
        if deleted is None:
            yield from rows.batches()
        else:
            yield from without_positions(_among(deleted, rows.row_ranges), rows.batches())


def _among(deleted: NDArray[np.uint64], row_ranges: Sequence[RowRange]) -> NDArray[np.uint64]:
    """Convert positions of deleted rows in the file to positions in the concatenated rows of some row ranges."""
    found, start = [np.empty(0, np.uint64)], 0
    for row_range in row_ranges:
        if row_range.num_rows is None:
            return deleted
        first, last = np.searchsorted(deleted, [row_range.first_row, row_range.first_row + row_range.num_rows])
        found.append(deleted[first:last] - np.uint64(row_range.first_row) + np.uint64(start))
        start += row_range.num_rows
    return np.concatenate(found)


def deleted_positions(table: PaimonTable, file: Row, files: Files) -> NDArray[np.uint64]:
    """Return the positions of a file's deleted rows, ascending; the file must have a deletion vector.

    Raises:
        NotReadable: the vector is damaged, or marks rows that the file does not have.
    """
    vector = file["deletion_vector"]
    path, offset, length = vector["file_path"], vector["offset"], vector["length"]
    size = int.from_bytes(files.read(path, offset, 4), "big", signed=True)
    if size not in (length, length - _AROUND):
        raise NotReadable(
            table.name, f"the deletion vector of {file['file_path']} does not have its recorded length", path
        )
    found = bytes([VERSION]) + files.read(path, offset, size + _AROUND)
    where = VectorRange(file["file_path"], 1, length, vector["cardinality"])
    try:
        bits = parse_deletion_vectors(found, [where])[where.data_file]
    except (MetadataCorrupt, FormatUnsupported) as problem:
        raise NotReadable(table.name, f"{problem.message}, that of {file['file_path']}", path) from problem
    if bits and bits.max() >= file["record_count"]:
        raise NotReadable(table.name, f"the deletion vector of {file['file_path']} marks more rows than it has", path)
    return np.fromiter(bits, np.uint64, len(bits))


def without_positions(deleted: NDArray[np.uint64], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the batches without the rows at the deleted positions, which are ascending."""
    start = 0
    for batch in batches:
        first, last = np.searchsorted(deleted, [start, start + batch.num_rows])
        if first == last:
            yield batch
        else:
            keep = np.ones(batch.num_rows, np.bool_)
            keep[(deleted[first:last] - np.uint64(start)).astype(np.int64)] = False
            yield batch.take(pa.array(np.flatnonzero(keep)))
        start += batch.num_rows
