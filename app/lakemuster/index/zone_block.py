"""A segment's zones as bytes: between the last batch of its file and the footer, where readers of Arrow files see none.

The record batch's message and the schema's, padded to eight bytes, then a trailer: a magic word, the length of each,
and a checksum of both. Nothing else of a segment need be read for them.
"""

from __future__ import annotations

import os
import struct
import zlib
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

_MAGIC = b"MZONES1\0"
_TRAILER = struct.Struct("<8sqqI4x")
_END = b"ARROW1"
_END_BYTES = 10
"""Of the footer's length and the magic word that end an Arrow file."""

_EOS_BYTES = 8
_TAIL_BYTES = 1 << 15


def zone_block(zones: pa.RecordBatch) -> bytes:
    """The bytes of some zones: a multiple of eight."""
    batch, schema = bytes(zones.serialize()), bytes(zones.schema.serialize())
    body = batch + schema
    body += bytes(-len(body) % 8)
    return body + _TRAILER.pack(_MAGIC, len(batch), len(schema), zlib.crc32(body))


def read_zones(path: Path) -> pa.RecordBatch | None:
    """The zones at the end of a segment's file; None where there are none, or not whole.

    Raises:
        OSError: the file does not read.
    """
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(file).st_size
        tail = _read(file, size, _TAIL_BYTES)
        if len(tail) < _END_BYTES or not tail.endswith(_END):
            return None
        footer = int.from_bytes(tail[-_END_BYTES : -len(_END)], "little")
        after = _END_BYTES + footer + _EOS_BYTES
        if (trailer := _trailer(tail, after)) is None and len(tail) < after + _TRAILER.size:
            tail = _read(file, size, after + _TRAILER.size + _TAIL_BYTES)
            trailer = _trailer(tail, after)
        if trailer is None:
            return None
        batch, schema, checksum = trailer
        length = batch + schema + -(batch + schema) % 8
        after += _TRAILER.size
        if len(tail) < after + length:
            tail = _read(file, size, after + length)
        body = tail[len(tail) - after - length : len(tail) - after]
    finally:
        os.close(file)
    if len(body) != length or zlib.crc32(body) != checksum:
        return None
    return pa.ipc.read_record_batch(pa.py_buffer(body), _schema(body[batch : batch + schema]))


def _read(file: int, size: int, length: int) -> bytes:
    """The last bytes of a file."""
    start = max(0, size - length)
    os.lseek(file, start, os.SEEK_SET)
    return os.read(file, size - start)


def _trailer(tail: bytes, after: int) -> tuple[int, int, int] | None:
    """The lengths of batch and schema, and the checksum, from what ends so many bytes before the end of a file."""
    if len(tail) < after + _TRAILER.size:
        return None
    magic, batch, schema, checksum = _TRAILER.unpack_from(tail, len(tail) - after - _TRAILER.size)
    return (batch, schema, checksum) if magic == _MAGIC and batch >= 0 and schema >= 0 else None


@lru_cache(maxsize=256)
def _schema(message: bytes) -> pa.Schema:
    """Of zones; segments of one table mostly have the same one."""
    return pa.ipc.read_schema(pa.py_buffer(message))
