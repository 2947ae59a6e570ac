"""Parser of the file index container: a head that lists each column's indexes, and a body with their bytes.

``8 bytes magic | int version | int length of the head | int columns``, per column ``name | int indexes``, per index
``kind | int start | int length``; then bytes reserved for later versions, and the body. Numbers are big-endian, texts
are Java's modified UTF-8 after two bytes of length, starts are relative to the container's. A start of -1 means that
all values are null.

Source: Paimon ``FileIndexFormat``.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.caching import cached
from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor

MAGIC = 1493475289347502
VERSION = 1
NULLS_ONLY = -1

_FIXED = 8 + 4 + 4
_MAX_COLUMNS = 100_000


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The kind and range of one index.

    Attributes:
        kind: its name in the container: ``bloom-filter``, ``bitmap``, ``bsi``, ``range-bitmap``, or another.
        start: offset in the container; ``NULLS_ONLY`` when every value is null and nothing is written.
        length: in bytes.
    """

    kind: str
    start: int
    length: int


def parse_container(data: bytes) -> dict[str, tuple[IndexRange, ...]]:
    """Return the indexes of each column, by the column's name in the schema of the file.

    Indexes of one key of a map have the column's name and the key: ``tags[colour]``.

    Raises:
        MetadataCorrupt: not a container, or an index is outside of it.
        FormatUnsupported: another version.
    """
    cursor = Cursor(data)
    if cursor.long() != MAGIC:
        raise MetadataCorrupt("not a file index")
    version, length = cursor.integer(), cursor.integer()
    if version != VERSION:
        raise FormatUnsupported("unsupported version of a file index", version=version)
    if not _FIXED <= length <= len(data):
        raise MetadataCorrupt("the head of a file index is longer than the index")
    found, end = _head(data[_FIXED:length])
    if end > len(data):
        raise MetadataCorrupt("a file index is truncated")
    return found


def head_length(data: bytes) -> int:
    """Return the length in bytes of a container's head, for :func:`parse_container`."""
    return Cursor(data, 12).integer()


@cached("index heads", lambda found: 1000 + 600 * sum(map(len, found[0].values())))
def _head(head: bytes) -> tuple[dict[str, tuple[IndexRange, ...]], int]:
    """Return the indexes, and the end of the last one; cached, since files of one table often have equal heads."""
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
                raise MetadataCorrupt("an index is outside the body of its file index")
            end = max(end, one.start + one.length)
        if name in found:
            raise MetadataCorrupt("a file index names a column twice", column=name[:100])
        found[name] = ranges
    return found, end
