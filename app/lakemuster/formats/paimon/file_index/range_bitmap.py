"""Parser of range bitmap indexes: a sorted dictionary of values, and bit slices of the rank of each row's value.

Every part begins with ``int length of its head | byte version``:

* the head ``int rows | int values | least | greatest | int length of the dictionary``, then dictionary and slices
* the dictionary ``int chunks | int length of starts | int length of heads``, then per chunk an integer, the start of
  its head, then the heads, and the keys of all chunks
* the head of a chunk, which has no length, ``first value | int its rank | int start of its keys | int more keys`` and
  ``int length of keys | int length of one``; for texts ``int length of starts | int length of keys``, with the start
  of each key as an integer before the keys
* slices ``byte slices | int length of the rows | int length of places``, per slice ``int place | int length``; then the
  bitmap of rows that are not null, and the slices'

Source: Paimon ``RangeBitmap``, ``ChunkedDictionary``, ``BitSliceIndexBitmap``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from pyroaring import BitMap

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor
from lakemuster.formats.paimon.file_index.keys import INTEGERS, TEMPORAL, Key, Keys
from lakemuster.formats.paimon.file_index.roaring import read_bitmap
from lakemuster.formats.paimon.file_index.slices import NOTHING, ComparedRows, Slices
from lakemuster.metadata.types import Kind

VERSION = 1
KINDS = INTEGERS | TEMPORAL | {Kind.BOOLEAN, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL, Kind.STRING}
"""Kinds of types that support this index."""


@dataclass(frozen=True)
class _Chunk:
    """A chunk of consecutive values of the dictionary.

    Attributes:
        first: the first value; the others are ``count`` keys in the dictionary.
        number: rank of the first value among all values.
        key: returns one of the others, given its position among them.
    """

    first: Key
    number: int
    count: int
    key: Callable[[int], Key]


@dataclass(frozen=True)
class RangeBitmap:
    """The range bitmap index of a column.

    Attributes:
        rows: number of rows in the file.
        values: number of distinct values.
    """

    data: bytes
    keys: Keys
    rows: int
    values: int
    _least: Key
    _greatest: Key
    _dictionary: Cursor
    _slices: Cursor

    @classmethod
    def parse(cls, data: bytes, start: int, length: int, keys: Keys, rows: int) -> Self:
        """Parse the head of an index.

        Raises:
            MetadataCorrupt: not such an index, or one with another number of rows than ``rows``.
            FormatUnsupported: another version.
        """
        whole = Cursor(data, start, start + length)
        head = _headed(whole)
        if head.integer() != rows:
            raise MetadataCorrupt("an index has a different number of rows than its file")
        values = head.count(rows)
        least, greatest = (keys.read(head), keys.read(head)) if values else (0, 0)
        size = head.integer()
        dictionary = Cursor(data, whole.skip(size), whole.at)
        return cls(data, keys, rows, values, least, greatest, dictionary, Cursor(data, whole.at, whole.end))

    @cached_property
    def slices(self) -> Slices:
        """The bit slices of the ranks of all rows' values."""
        if not self.values:
            return NOTHING
        cursor = Cursor(self.data, self._slices.at, self._slices.end)
        head = _headed(cursor)
        count, size = head.byte(), head.integer()
        places = Cursor(self.data, *_part(head, head.integer()))
        present = read_bitmap(Cursor(self.data, *_part(cursor, size)), self.rows)
        digits = []
        for _ in range(count):
            at, length = cursor.at + places.integer(), places.integer()
            digits.append(read_bitmap(Cursor(self.data, at, min(at + length, cursor.end)), self.rows))
        return Slices(present, digits)

    @property
    def present(self) -> BitMap:
        """The rows that are not null."""
        return self.slices.present

    def split(self, key: Key) -> ComparedRows:
        """Split the rows by comparing their values with ``key``."""
        if not self.values:
            return ComparedRows(BitMap(), BitMap(), BitMap())
        if key < self._least:  # type: ignore[operator]
            return ComparedRows(BitMap(), BitMap(), self.present)
        if key > self._greatest:  # type: ignore[operator]
            return ComparedRows(self.present, BitMap(), BitMap())
        number, is_there = self._find(key)
        found = self.slices.split(number)
        return found if is_there else ComparedRows(found.below, BitMap(), found.equal | found.above)

    def _find(self, key: Key) -> tuple[int, bool]:
        """Return the rank of a value, and whether it exists; if not, the rank of the next greater value."""
        chunk_of = self._chunks
        after = bisect_right(range(len(chunk_of)), key, key=lambda number: chunk_of[number].first)
        if not after:
            return 0, False
        chunk = chunk_of[after - 1]
        if chunk.first == key:
            return chunk.number, True
        place = bisect_left(range(chunk.count), key, key=chunk.key)
        return chunk.number + 1 + place, place < chunk.count and chunk.key(place) == key

    @cached_property
    def _chunks(self) -> list[_Chunk]:
        cursor = Cursor(self.data, self._dictionary.at, self._dictionary.end)
        head = _headed(cursor)
        count, places_size, heads_size = head.count(self.values), head.integer(), head.integer()
        places = Cursor(self.data, *_part(cursor, places_size))
        heads = Cursor(self.data, *_part(cursor, heads_size))
        first, keys = heads.at, cursor.at
        return [self._chunk(Cursor(self.data, first + places.integer(), heads.end), keys) for _ in range(count)]

    def _chunk(self, head: Cursor, keys: int) -> _Chunk:
        _check_version(head)
        first, number, place = self.keys.read(head), head.integer(), head.integer()
        count = head.count(self.values)
        body = Cursor(self.data, keys + place, self._dictionary.end)
        if self.keys.of.kind is Kind.STRING:
            places, base = body.skip(head.integer()), body.skip(head.integer())

            def key(at: int) -> Key:
                offset = Cursor(self.data, places + 4 * at, body.at).integer()
                return self.keys.read(Cursor(self.data, base + offset, body.at))
        else:
            base, size = body.skip(head.integer()), head.integer()

            def key(at: int) -> Key:
                return self.keys.read(Cursor(self.data, base + at * size, body.at))

        return _Chunk(first, number, count, key)


def _headed(cursor: Cursor) -> Cursor:
    """Read a head with its length and version."""
    head = Cursor(cursor.data, *_part(cursor, cursor.integer()))
    _check_version(head)
    return head


def _part(cursor: Cursor, size: int) -> tuple[int, int]:
    """Skip ``size`` bytes and return where they begin and end."""
    return cursor.skip(size), cursor.at


def _check_version(cursor: Cursor) -> None:
    if (version := cursor.byte()) != VERSION:
        raise FormatUnsupported("unsupported version of a range bitmap", version=version)
