"""A cursor over bytes in the format of Java's ``DataInput``: big-endian, with bounds checks."""

from __future__ import annotations

import struct

from lakemuster.errors import MetadataCorrupt

_BYTE, _SHORT, _INT, _LONG = struct.Struct(">b"), struct.Struct(">H"), struct.Struct(">i"), struct.Struct(">q")


class Cursor:
    """A read position in bytes. Every read advances it, and raises MetadataCorrupt when too few bytes are left.

    Attributes:
        data: the bytes.
        at: position of the next byte.
        end: limit of all reads.
    """

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data, self.at = data, at
        self.end = len(data) if end is None else end
        if not 0 <= at <= self.end <= len(data):
            raise MetadataCorrupt("an index is outside its bytes")

    def byte(self) -> int:
        """Read a signed byte."""
        return self.number(_BYTE)

    def integer(self) -> int:
        """Read a signed 4-byte integer."""
        return self.number(_INT)

    def long(self) -> int:
        """Read a signed 8-byte integer."""
        return self.number(_LONG)

    def count(self, limit: int) -> int:
        """Read a count, which is at most ``limit``."""
        count = self.integer()
        if not 0 <= count <= limit:
            raise MetadataCorrupt("a count of an index exceeds its limit")
        return count

    def number(self, form: struct.Struct) -> int:
        """Read the one number of a struct."""
        start = self.skip(form.size)
        (value,) = form.unpack_from(self.data, start)
        found: int = value
        return found

    def text(self) -> str:
        """Read a text: two bytes of length, then modified UTF-8."""
        raw = self.take(self.number(_SHORT)).replace(b"\xc0\x80", b"\0")
        try:
            units = raw.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
            return units.decode("utf-16-le", "surrogatepass")
        except UnicodeError as error:
            raise MetadataCorrupt("a name in an index is not text") from error

    def sized(self) -> bytes:
        """Read bytes that follow their 4-byte length."""
        return self.take(self.count(self.end))

    def take(self, count: int) -> bytes:
        """Read ``count`` bytes."""
        start = self.skip(count)
        return self.data[start : self.at]

    def skip(self, count: int) -> int:
        """Skip ``count`` bytes and return the position where they began."""
        start = self.at
        if count < 0 or start + count > self.end:
            raise MetadataCorrupt("an index is truncated")
        self.at = start + count
        return start
