"""Rows of a data file without those that its deletion vector marks.

Source: shared format notes, section 8.
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
from lakemuster.spark.reading.model import Files, NotReadable
from lakemuster.spark.reading.paimon.file_rows import rows_of_file
from lakemuster.spark.reading.paimon.tables import PaimonTable

_AROUND = 8
"""Bytes before and after a 32-bit vector, which its recorded length leaves out."""


def live_rows(table: PaimonTable, file: Row, fields: Sequence[Field], files: Files) -> Iterator[pa.RecordBatch]:
    """The rows of a data file that are not deleted, in their order; arguments and errors are of :func:`rows_of_file`.

    Raises:
        NotReadable: also where the deletion vector is damaged, or marks rows that the file does not have.
    """
    batches = rows_of_file(table, file, fields, files)
    if file["deletion_vector"] is None:
        return batches
    return without_positions(deleted_positions(table, file, files), batches)


def deleted_positions(table: PaimonTable, file: Row, files: Files) -> NDArray[np.uint64]:
    """The positions of a file's deleted rows, ascending; it has a deletion vector.

    Raises:
        NotReadable: the vector is damaged, or marks rows that the file does not have.
    """
    vector = file["deletion_vector"]
    path, offset, length = vector["file_path"], vector["offset"], vector["length"]
    size = int.from_bytes(files.read(path, offset, 4), "big", signed=True)
    if size not in (length, length - _AROUND):
        raise NotReadable(table.name, f"the deletion vector of {file['file_path']} is not of its recorded length", path)
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
    """Rows but for those at some positions, which ascend."""
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
