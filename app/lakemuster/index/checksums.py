"""CRC-32 checksums of a segment's columns, for each batch.

They are stored in the metadata of each batch's message: the checksum of the schema, then one for each column over its
lengths, null counts and buffers as they are in the file. This detects wrong offsets as well as wrong bytes. A column is
verified when it is first read; columns that are never read cost nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from isal import isal_zlib
from numpy.typing import NDArray

KEY = b"lakemuster.crc32"
"""Metadata key of a batch's checksums; batches written by older versions lack it."""

_SHAPE = struct.Struct("<qq")

Sums = NDArray[np.uint32]


def schema_checksum(schema: pa.Schema) -> int:
    """Return the checksum of a schema's names, types and metadata."""
    return int(isal_zlib.crc32(schema.serialize()))


def column_checksum(column: pa.Array) -> int:
    """Return the checksum of a column, as read from a file."""
    found = isal_zlib.crc32(_SHAPE.pack(len(column), column.null_count))
    if column.type.num_fields:
        for shape in _inner_shapes(column):
            found = isal_zlib.crc32(shape, found)
    for buffer in column.buffers():
        if buffer is not None:
            found = isal_zlib.crc32(buffer, found)
    return int(found)


def _inner_shapes(column: pa.Array) -> Iterator[bytes]:
    """Yield the length and null count of each column nested in a column."""
    if pa.types.is_struct(column.type):
        inner = [column.field(place) for place in range(column.type.num_fields)]
    else:
        inner = [column.values] if pa.types.is_nested(column.type) else []
    for one in inner:
        yield _SHAPE.pack(len(one), one.null_count)
        yield from _inner_shapes(one)


def with_checksums(batch: pa.RecordBatch, schema: int) -> Mapping[bytes, bytes]:
    """Return the metadata, with checksums, for writing a batch.

    Args:
        schema: the checksum of the file's schema.
    """
    # Buffers of slices and offset buffers differ between memory and file: checksum the serialized form.
    stored = pa.ipc.read_record_batch(batch.serialize(), batch.schema)
    sums = [schema, *(column_checksum(column) for column in stored.columns)]
    return {KEY: np.array(sums, "<u4").tobytes()}


def read_checksums(metadata: Mapping[bytes, bytes] | None) -> Sums | None:
    """Return the checksums stored in a batch's metadata, of shape (1 + C,); None if it has none."""
    packed = None if metadata is None else metadata.get(KEY)
    return None if packed is None else np.frombuffer(packed, "<u4", len(packed) // 4)


def damaged(batch: pa.RecordBatch, sums: Sums, places: Iterable[int]) -> int | None:
    """Return the position of the first column that differs from its checksum; None if all match.

    Args:
        sums: checksums of the batch.
        places: positions of the columns to check.
    """
    for place in places:
        if column_checksum(batch.column(place)) != sums[1 + place]:
            return place
    return None
