"""Checksums of the columns of a segment, batch by batch.

They are metadata of each batch's message: a CRC-32 of the schema, then one of each column: of its lengths, its null
counts and its buffers as they are in the file. A wrong offset is found as a wrong byte is. A column is checked when it
is read for the first time; columns that nobody reads cost nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from isal import isal_zlib
from numpy.typing import NDArray

KEY = b"lakemuster.crc32"
"""Of a batch's metadata; batches of older programs have none."""

_SHAPE = struct.Struct("<qq")

Sums = NDArray[np.uint32]


def schema_checksum(schema: pa.Schema) -> int:
    """The checksum of names, types and metadata."""
    return int(isal_zlib.crc32(schema.serialize()))


def column_checksum(column: pa.Array) -> int:
    """The checksum of a column as it was read from a file."""
    found = 0
    for shape in _shapes(column):
        found = isal_zlib.crc32(shape, found)
    for buffer in column.buffers():
        if buffer is not None:
            found = isal_zlib.crc32(buffer, found)
    return int(found)


def _shapes(column: pa.Array) -> Iterator[bytes]:
    """Length and null count of a column and of all that it is nested of."""
    yield _SHAPE.pack(len(column), column.null_count)
    if pa.types.is_struct(column.type):
        for place in range(column.type.num_fields):
            yield from _shapes(column.field(place))
    elif pa.types.is_nested(column.type):
        yield from _shapes(column.values)


def with_checksums(batch: pa.RecordBatch, schema: int) -> Mapping[bytes, bytes]:
    """The metadata to write a batch with.

    Args:
        schema: the checksum of the file's schema.
    """
    # Buffers of slices and of offsets are others in memory than in a file.
    stored = pa.ipc.read_record_batch(batch.serialize(), batch.schema)
    sums = [schema, *(column_checksum(column) for column in stored.columns)]
    return {KEY: np.array(sums, "<u4").tobytes()}


def read_checksums(metadata: Mapping[bytes, bytes] | None) -> Sums | None:
    """(1 + C,) the checksums that a batch was written with; None where it has none."""
    packed = None if metadata is None else metadata.get(KEY)
    return None if packed is None else np.frombuffer(packed, "<u4", len(packed) // 4)


def damaged(batch: pa.RecordBatch, sums: Sums, places: Iterable[int]) -> int | None:
    """The first of some columns that is not what was written; None when all are.

    Args:
        sums: of the batch.
        places: of columns.
    """
    for place in places:
        if column_checksum(batch.column(place)) != sums[1 + place]:
            return place
    return None
