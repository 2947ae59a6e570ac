"""The container of a data file's indexes: a head that says which columns have which, and their bytes.

``8 bytes magic | int version | int length of the head | int columns``, per column ``name | int indexes``, per index
``kind | int start | int length``; then some bytes for later versions, and the body. Numbers are big-endian, texts are
Java's modified UTF-8 behind two bytes of length, starts count from the container's. A start of -1 is an index of nulls
only.

Source: Paimon ``FileIndexFormat``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor

MAGIC = 1493475289347502
VERSION = 1
NULLS_ONLY = -1

_FIXED = 8 + 4 + 4
_HEADS = 1024
_MAX_COLUMNS = 100_000


@dataclass(frozen=True, slots=True)
class IndexRange:
    """Where one index is.

    Attributes:
        kind: as the container names it: ``bloom-filter``, ``bitmap``, ``bsi``, ``range-bitmap``, or another.
        start: in the container; ``NULLS_ONLY`` where every value is null and nothing is written.
        length: in bytes.
    """

    kind: str
    start: int
    length: int


def parse_container(data: bytes) -> dict[str, tuple[IndexRange, ...]]:
    """The indexes of each column, by its name in the schema that the file was written with.

    Indexes of one key of a map have the column's name and the key: ``tags[colour]``.

    Raises:
        MetadataCorrupt: no container, or an index outside it.
        FormatUnsupported: another version.
    """
    cursor = Cursor(data)
    if cursor.long() != MAGIC:
        raise MetadataCorrupt("not a file index")
    version, length = cursor.integer(), cursor.integer()
    if version != VERSION:
        raise FormatUnsupported("a file index of another version", version=version)
    if not _FIXED <= length <= len(data):
        raise MetadataCorrupt("the head of a file index is longer than the index")
    found, end = _head(data[_FIXED:length])
    if end > len(data):
        raise MetadataCorrupt("a file index is cut off")
    return found


def head_length(data: bytes) -> int:
    """Bytes of the head of a container that :func:`parse_container` reads."""
    return Cursor(data, 12).integer()


@lru_cache(maxsize=_HEADS)
def _head(head: bytes) -> tuple[dict[str, tuple[IndexRange, ...]], int]:
    """The indexes, and where the last one ends. Files of one table often have equal heads."""
    cursor = Cursor(head)
    found: dict[str, tuple[IndexRange, ...]] = {}
    end = 0
    for _ in range(cursor.count(_MAX_COLUMNS)):
        name = cursor.text()
        ranges = tuple(
            IndexRange(cursor.text(), cursor.integer(), cursor.integer()) for _ in range(cursor.count(_MAX_COLUMNS))
        )
        for one in ranges:
            if one.start != NULLS_ONLY and (one.start < _FIXED + len(head) or one.length < 0):
                raise MetadataCorrupt("an index is not in the body of its file index")
            end = max(end, one.start + one.length)
        if name in found:
            raise MetadataCorrupt("a file index names a column twice", column=name[:100])
        found[name] = ranges
    return found, end
