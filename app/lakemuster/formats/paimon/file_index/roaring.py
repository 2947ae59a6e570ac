"""Reader of portable Roaring bitmaps that are embedded in other bytes: only the bitmap itself gives its length.

Source: Roaring format specification ("RoaringFormatSpec").
"""

from __future__ import annotations

import struct
from itertools import pairwise

from pyroaring import BitMap

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor

_PLAIN, _WITH_RUNS = 12346, 12347
_NO_OFFSETS = 4
_ARRAY = 4096
_BITS = 8192


def read_bitmap(cursor: Cursor, rows: int) -> BitMap:
    """Read a bitmap of row positions.

    Args:
        rows: number of rows in the file.

    Raises:
        MetadataCorrupt: not a bitmap, or one with other rows.
    """
    start = cursor.at
    _pass(cursor)
    try:
        found = BitMap.deserialize(cursor.data[start : cursor.at])
    except (ValueError, IndexError, OverflowError, MemoryError) as error:
        raise MetadataCorrupt("a bitmap of an index is unreadable") from error
    if found and found.max() >= rows:
        raise MetadataCorrupt("an index refers to rows that the file does not have")
    return found


def _pass(cursor: Cursor) -> None:
    """Move the cursor past a bitmap; raise MetadataCorrupt if its keys are not in order."""
    (cookie,) = struct.unpack("<I", cursor.take(4))
    runs = b""
    if cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        runs = cursor.take((count + 7) // 8)
    elif cookie == _PLAIN:
        (count,) = struct.unpack("<I", cursor.take(4))
        if count > 1 << 16:
            raise MetadataCorrupt("a bitmap of an index has too many parts")
    else:
        raise MetadataCorrupt("a bitmap of an index has an unknown cookie")
    described = struct.unpack(f"<{2 * count}H", cursor.take(4 * count))
    keys = described[::2]
    if any(low >= high for low, high in pairwise(keys)):
        raise MetadataCorrupt("the parts of an index's bitmap are not in order")
    if not runs or count >= _NO_OFFSETS:
        cursor.take(4 * count)
    for number, less_one in enumerate(described[1::2]):
        if runs and runs[number // 8] >> number % 8 & 1:
            (pairs,) = struct.unpack("<H", cursor.take(2))
            cursor.take(4 * pairs)
        else:
            cursor.take(2 * (less_one + 1) if less_one < _ARRAY else _BITS)
