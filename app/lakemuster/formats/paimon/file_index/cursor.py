"""Bytes read in order, as Java's ``DataInput`` does: big-endian, never beyond their end."""

from __future__ import annotations

import struct

from lakemuster.errors import MetadataCorrupt

_BYTE, _SHORT, _INT, _LONG = struct.Struct(">b"), struct.Struct(">H"), struct.Struct(">i"), struct.Struct(">q")


class Cursor:
    """A place in bytes. Every read moves it, and raises MetadataCorrupt where there is too little left.

    Attributes:
        data: the bytes.
        at: the next one's position.
        end: no read goes beyond it.
    """

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data, self.at = data, at
        self.end = len(data) if end is None else end
        if not 0 <= at <= self.end <= len(data):
            raise MetadataCorrupt("an index is not inside its bytes")

    def byte(self) -> int:
        """A signed byte."""
        return self.number(_BYTE)

    def integer(self) -> int:
        """A signed integer of four bytes."""
        return self.number(_INT)

    def long(self) -> int:
        """A signed integer of eight bytes."""
        return self.number(_LONG)

    def count(self, limit: int) -> int:
        """A count, of at most ``limit``."""
        count = self.integer()
        if not 0 <= count <= limit:
            raise MetadataCorrupt("an index counts more than it can hold")
        return count

    def number(self, form: struct.Struct) -> int:
        """A number of a struct of one."""
        start = self.skip(form.size)
        (value,) = form.unpack_from(self.data, start)
        found: int = value
        return found

    def text(self) -> str:
        """A text in modified UTF-8 behind two bytes of its length."""
        raw = self.take(self.number(_SHORT)).replace(b"\xc0\x80", b"\0")
        try:
            units = raw.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
            return units.decode("utf-16-le", "surrogatepass")
        except UnicodeError as error:
            raise MetadataCorrupt("a name in an index is not text") from error

    def sized(self) -> bytes:
        """Bytes behind four bytes of their number."""
        return self.take(self.count(self.end))

    def take(self, count: int) -> bytes:
        """So many bytes."""
        start = self.skip(count)
        return self.data[start : self.at]

    def skip(self, count: int) -> int:
        """Pass so many bytes; where they began."""
        start = self.at
        if count < 0 or start + count > self.end:
            raise MetadataCorrupt("an index is cut off")
        self.at = start + count
        return start
