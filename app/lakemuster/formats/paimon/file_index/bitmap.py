"""Parser of bitmap indexes: the rows of each value.

First ``byte version | int rows | int values | boolean has nulls``; if it has nulls, ``int place`` of their bitmap, with
``int length`` in version 2. Then the values:

* version 1: for each ``value | int place``
* version 2: in order, in blocks: ``int blocks``, for each ``first value | int start``, ``int length of all``; in a
  block ``int values``, for each ``value | int place | int length``

Then the bitmaps. A negative place means a single row: it is -1 minus the row.

Source: Paimon ``BitmapFileIndex``, ``BitmapFileIndexMeta``, ``BitmapFileIndexMetaV2``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from pyroaring import BitMap

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor
from lakemuster.formats.paimon.file_index.keys import INTEGERS, TEMPORAL, Key, Keys
from lakemuster.formats.paimon.file_index.roaring import read_bitmap
from lakemuster.metadata.types import Kind

KINDS = INTEGERS | TEMPORAL | {Kind.BOOLEAN, Kind.FLOAT, Kind.DOUBLE, Kind.STRING}
"""Kinds of types that support this index."""


@dataclass(frozen=True, slots=True)
class BitmapIndex:
    """The bitmap index of a column.

    Attributes:
        rows: number of rows in the file.
        values: number of distinct values, without null.
    """

    data: bytes
    keys: Keys
    rows: int
    values: int
    _nulls: int | None
    _body: int
    _end: int
    _places: dict[Key, int] | None
    _blocks: tuple[list[Key], list[Cursor]]

    @classmethod
    def parse(cls, data: bytes, start: int, length: int, keys: Keys, rows: int) -> Self:
        """Parse the head of an index.

        Raises:
            MetadataCorrupt: not such an index, or one with another number of rows than ``rows``.
            FormatUnsupported: another version.
        """
        cursor = Cursor(data, start, start + length)
        version = cursor.byte()
        if version not in (1, 2):
            raise FormatUnsupported("unsupported version of a bitmap index", version=version)
        if cursor.integer() != rows:
            raise MetadataCorrupt("an index has a different number of rows than its file")
        values = cursor.count(rows)
        nulls = cursor.integer() if cursor.byte() else None
        places: dict[Key, int] | None = None
        blocks: tuple[list[Key], list[Cursor]] = ([], [])
        if version == 1:
            places = {keys.read(cursor): cursor.integer() for _ in range(values)}
        else:
            if nulls is not None:
                cursor.integer()
            blocks = _blocks(cursor, keys, values)
        return cls(data, keys, rows, values, nulls, cursor.at, cursor.end, places, blocks)

    @property
    def nulls(self) -> BitMap:
        """The rows that are null."""
        return BitMap() if self._nulls is None else self._bitmap(self._nulls)

    def of(self, keys: Iterable[Key]) -> BitMap:
        """Return the rows that have any of the values."""
        found = BitMap()
        for key in keys:
            place = self._places.get(key) if self._places is not None else self._place(key)
            if place is not None:
                found |= self._bitmap(place)
        return found

    def _bitmap(self, place: int) -> BitMap:
        if place < 0:
            if -1 - place >= self.rows:
                raise MetadataCorrupt("an index refers to rows that the file does not have")
            return BitMap([-1 - place])
        return read_bitmap(Cursor(self.data, self._body + place, self._end), self.rows)

    def _place(self, key: Key) -> int | None:
        firsts, blocks = self._blocks
        number = bisect_right(firsts, key) - 1
        if number < 0:
            return None
        return next((place for known, place in self._entries(blocks[number]) if known == key), None)

    def _entries(self, block: Cursor) -> Iterator[tuple[Key, int]]:
        cursor = Cursor(block.data, block.at, block.end)
        for _ in range(cursor.count(self.values)):
            yield self.keys.read(cursor), cursor.integer()
            cursor.integer()


def _blocks(cursor: Cursor, keys: Keys, values: int) -> tuple[list[Key], list[Cursor]]:
    """Read the blocks of version 2: their first values, and a cursor for each block."""
    firsts, places = [], []
    for _ in range(cursor.count(values)):
        firsts.append(keys.read(cursor))
        places.append(cursor.integer())
    size = cursor.integer()
    start = cursor.skip(size)
    return firsts, [Cursor(cursor.data, start + place, cursor.at) for place in places]
