"""Serialized zones of a segment, between the last batch of its file and the footer, where Arrow readers ignore them.

The block holds the messages of the record batch and of the schema, padded to eight bytes, then a trailer: a magic
number, the lengths of both and one checksum. The zones can be read without the rest of the segment.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pyarrow as pa
from isal import isal_zlib
from numpy.typing import NDArray

_MAGIC = b"MZONES1\0"
_TRAILER = struct.Struct("<8sqqI4x")
_END = b"ARROW1"
_END_BYTES = 10
"""Bytes at the end of an Arrow file: the footer's length and the magic number."""

_INT, _SHORT, _LONG, _PAIR = (struct.Struct(form) for form in ("<i", "<H", "<q", "<qq"))
_MOST_KNOWN = 256
_EOS_BYTES = 8
_TAIL_BYTES = 1 << 15

_known: dict[int, _Columns] = {}
"""Cache of decoded schemas by the CRC-32 of their message, which takes a tenth of the time of hashing it."""


def zone_block(zones: pa.RecordBatch) -> bytes:
    """Serialize zones; the length of the result is a multiple of eight."""
    batch, schema = bytes(zones.serialize()), bytes(zones.schema.serialize())
    body = batch + schema
    body += bytes(-len(body) % 8)
    return body + _TRAILER.pack(_MAGIC, len(batch), len(schema), isal_zlib.crc32(body))


class Zones:
    """The zones of a segment, read from bytes; a column is built only when it is requested.

    Attributes:
        schema: names and types of the columns.
        num_rows: number of zones.
    """

    def __init__(self, body: bytes, columns: _Columns) -> None:
        self.schema = columns.schema
        self._body, self._memory, self._columns = body, pa.py_buffer(body), columns
        # An Arrow IPC message: its length, a FlatBuffers table that contains the record batch's table (rows, nodes,
        # buffers), and the buffers.
        message = 8 + _INT.unpack_from(body, 8)[0]
        batch = _field(body, message, 2)
        batch += _INT.unpack_from(body, batch)[0]
        (self.num_rows,) = _LONG.unpack_from(body, _field(body, batch, 0))
        self._nodes, self._buffers = _list(body, _field(body, batch, 1)), _list(body, _field(body, batch, 2))
        self._begin = 8 + _INT.unpack_from(body, 4)[0]

    def column(self, place: int) -> pa.Array:
        """Return a column, by its position in the schema."""
        first, end = self._columns.buffers[place : place + 2]
        spans = [_PAIR.unpack_from(self._body, self._buffers + _PAIR.size * number) for number in range(first, end)]
        buffers = [self._memory.slice(self._begin + begin, size) for begin, size in spans]
        _, nulls = _PAIR.unpack_from(self._body, self._nodes + _PAIR.size * place)
        validity = buffers[0] if nulls else None
        return pa.Array.from_buffers(self._columns.types[place], self.num_rows, [validity, *buffers[1:]], nulls)

    def counts(self, place: int) -> NDArray[np.int64]:
        """Return a column of counts without nulls, by its position in the schema."""
        number = self._columns.buffers[place] + 1
        begin, _ = _PAIR.unpack_from(self._body, self._buffers + _PAIR.size * number)
        return np.frombuffer(self._body, np.int64, self.num_rows, self._begin + begin)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The decoded schema of zones.

    Attributes:
        message: the Arrow message of the schema.
        buffers: (C + 1,) the index of each column's first buffer.
    """

    message: bytes
    schema: pa.Schema
    types: tuple[pa.DataType, ...]
    buffers: tuple[int, ...]

    @classmethod
    def of(cls, message: bytes) -> _Columns:
        schema = pa.ipc.read_schema(pa.py_buffer(message))
        types = schema.types
        return cls(message, schema, tuple(types), tuple(accumulate((of.num_buffers for of in types), initial=0)))


def _field(body: bytes, table: int, number: int) -> int:
    """Return the offset of a field of a FlatBuffers table, which begins with the distance back to its vtable."""
    fields = table - _INT.unpack_from(body, table)[0]
    return int(table + _SHORT.unpack_from(body, fields + 4 + 2 * number)[0])


def _list(body: bytes, at: int) -> int:
    """Return the offset of the first item of a FlatBuffers vector of structs."""
    return int(at + _INT.unpack_from(body, at)[0] + 4)


def read_zones(path: str | os.PathLike[str]) -> Zones | None:
    """Read the zones at the end of a segment file; None if it has none, or they are damaged.

    Raises:
        OSError: the file cannot be read.
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
    if len(body) != length or isal_zlib.crc32(body) != checksum:
        return None
    return Zones(body, _columns(body[batch : batch + schema]))


def _read(file: int, size: int, length: int) -> bytes:
    """Read the last ``length`` bytes of a file."""
    start = max(0, size - length)
    os.lseek(file, start, os.SEEK_SET)
    return os.read(file, size - start)


def _trailer(tail: bytes, after: int) -> tuple[int, int, int] | None:
    """Parse the trailer that ends ``after`` bytes before the end of a file: lengths of batch and schema, checksum."""
    if len(tail) < after + _TRAILER.size:
        return None
    magic, batch, schema, checksum = _TRAILER.unpack_from(tail, len(tail) - after - _TRAILER.size)
    return (batch, schema, checksum) if magic == _MAGIC and batch >= 0 and schema >= 0 else None


def _columns(message: bytes) -> _Columns:
    """Return the decoded schema, cached because most segments of a table have the same one."""
    key = isal_zlib.crc32(message)
    known = _known.get(key)
    if known is None or known.message != message:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[key] = _Columns.of(message)
    return known
