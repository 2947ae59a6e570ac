"""Streams of an Avro file's bytes with a replaced header, and with zstandard blocks decompressed by Arrow.

The Avro decoder has no zstandard here.

Source: Avro specification 1.12, "Object Container Files".
"""

from __future__ import annotations

import io

import pyarrow as pa


class Chained(io.RawIOBase):
    """A stream of given bytes followed by the rest of a file."""

    def __init__(self, head: bytes, rest: pa.NativeFile) -> None:
        self._head, self._rest = io.BytesIO(head), rest
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the number of bytes read so far."""
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, fewer only at the end."""
        if size is None or size < 0:
            found = self._head.read() + bytes(self._rest.read())
        else:
            found = self._head.read(size)
            found += self._more(size - len(found)) if len(found) < size else b""
        self._at += len(found)
        return found

    def _more(self, size: int) -> bytes:
        return bytes(self._rest.read(size))


class Inflated(Chained):
    """A :class:`Chained` stream that decompresses zstandard blocks."""

    def _more(self, size: int) -> bytes:
        found = b""
        while len(found) < size and self._next_block():
            found += self._head.read(size - len(found))
        return found

    def _next_block(self) -> bool:
        first = bytes(self._rest.read(1))
        if not first:
            return False
        count, length = self._long(first), self._long(bytes(self._rest.read(1)))
        packed = bytes(self._rest.read(max(length, 0)))
        if not 0 <= length == len(packed):
            raise EOFError("a block ends before its length")
        data = pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read()
        self._head = io.BytesIO(_long_bytes(count) + _long_bytes(len(data)) + data + bytes(self._rest.read(16)))
        return True

    def _long(self, byte: bytes) -> int:
        number = shift = 0
        while byte and byte[0] & 0x80:
            number |= (byte[0] & 0x7F) << shift
            shift += 7
            byte = bytes(self._rest.read(1))
        if not byte or shift > 63:
            raise EOFError("a block has no length")
        number |= byte[0] << shift
        return number >> 1 ^ -(number & 1)


def _long_bytes(number: int) -> bytes:
    left = number << 1 ^ number >> 63
    found = bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes(found) + bytes([left])
