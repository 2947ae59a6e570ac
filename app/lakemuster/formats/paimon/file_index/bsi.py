"""Parser of bit-sliced indexes: the rows of each number, separately for negative and other numbers.

First ``byte version | int rows``. Then, for numbers from 0 and for the absolute values of negative ones, ``boolean
any``; if any, ``byte version | long least | long greatest | bitmap of rows | int slices | a bitmap each``. Slices
hold the difference to the least number.

Source: Paimon ``BitSliceIndexBitmapFileIndex``, ``BitSliceIndexRoaringBitmap``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pyroaring import BitMap

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor
from lakemuster.formats.paimon.file_index.keys import INTEGERS, TEMPORAL, Key
from lakemuster.formats.paimon.file_index.roaring import read_bitmap
from lakemuster.formats.paimon.file_index.slices import NOTHING, ComparedRows, Slices
from lakemuster.metadata.types import Kind

VERSION = 1
KINDS = INTEGERS | TEMPORAL | {Kind.DECIMAL}
"""Kinds of types that support this index."""

_MOST_SLICES = 64


@dataclass(frozen=True, slots=True)
class _Amounts:
    slices: Slices
    least: int

    def split(self, amount: int) -> ComparedRows:
        return self.slices.split(amount - self.least)


@dataclass(frozen=True, slots=True)
class BitSlicedIndex:
    """The bit-sliced index of a column.

    Attributes:
        present: the rows that are not null.
    """

    present: BitMap
    _positive: _Amounts
    _negative: _Amounts

    @classmethod
    def parse(cls, data: bytes, start: int, length: int, rows: int) -> Self:
        """Parse an index.

        Raises:
            MetadataCorrupt: not such an index, or one with another number of rows than ``rows``.
            FormatUnsupported: another version.
        """
        cursor = Cursor(data, start, start + length)
        _check_version(cursor)
        if cursor.integer() != rows:
            raise MetadataCorrupt("an index has a different number of rows than its file")
        positive, negative = _amounts(cursor, rows), _amounts(cursor, rows)
        return cls(positive.slices.present | negative.slices.present, positive, negative)

    def split(self, key: Key) -> ComparedRows:
        """Split the rows by comparing their numbers with ``key``."""
        assert isinstance(key, int)
        positive, negative = self._positive, self._negative
        if key >= 0:
            found = positive.split(key)
            return ComparedRows(found.below | negative.slices.present, found.equal, found.above)
        found = negative.split(-key)
        return ComparedRows(found.above, found.equal, found.below | positive.slices.present)


def _amounts(cursor: Cursor, rows: int) -> _Amounts:
    if not cursor.byte():
        return _Amounts(NOTHING, 0)
    _check_version(cursor)
    least, _ = cursor.long(), cursor.long()
    if least < 0:
        raise MetadataCorrupt("an index has a negative magnitude")
    present = read_bitmap(cursor, rows)
    digits = [read_bitmap(cursor, rows) for _ in range(cursor.count(_MOST_SLICES))]
    return _Amounts(Slices(present, digits), least)


def _check_version(cursor: Cursor) -> None:
    if (version := cursor.byte()) != VERSION:
        raise FormatUnsupported("unsupported version of a bit-sliced index", version=version)
