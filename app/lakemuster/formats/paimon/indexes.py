"""Parser of Paimon's index files of deletion vectors.

A deletion vector file is a version byte and concatenated vectors; the index manifest records the range of each data
file's vector. There are two kinds of bitmaps, and the range's length differs: for a 32-bit vector it is the payload,
for a 64-bit one the payload and the 8 bytes around it. Every vector is verified against its checksum, and against the
recorded cardinality if there is one.

Source: Paimon ``IndexManifestEntry``, ``IndexFileMeta``, ``DeletionVectorMeta``.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from pyroaring import BitMap, BitMap64

from lakemuster.errors import FormatUnsupported, MetadataCorrupt

VERSION = 1
_MAGIC_32 = struct.pack(">i", 1581511376)
_MAGIC_64 = struct.pack("<i", 1681511377)
_AROUND = 8
"""Bytes before and after a payload: its size and its checksum."""


@dataclass(frozen=True, slots=True)
class VectorRange:
    """The range of one data file's vector in an index file: a member of ``deletion_vectors``.

    ``offset`` is that of the size field, in bytes; ``cardinality`` is None when not recorded.
    """

    data_file: str
    offset: int
    length: int
    cardinality: int | None = None


def parse_deletion_vectors(data: bytes, ranges: Iterable[VectorRange]) -> dict[str, BitMap | BitMap64]:
    """Read the deleted row positions of each data file.

    Args:
        data: a whole ``DELETION_VECTORS`` index file.
        ranges: the vectors to read.

    Returns:
        By data file name, the positions of deleted rows, from 0.

    Raises:
        MetadataCorrupt: a vector is not at its range, or does not match its checksum or cardinality.
        FormatUnsupported: an index file or a bitmap of another version.
    """
    if data[:1] != bytes([VERSION]):
        raise FormatUnsupported("unsupported version of a deletion vector file", version=data[:1].hex())
    return {one.data_file: _vector(data, one) for one in ranges}


def _vector(data: bytes, where: VectorRange) -> BitMap | BitMap64:
    def corrupt(message: str) -> MetadataCorrupt:
        return MetadataCorrupt(message, data_file=where.data_file, offset=where.offset, length=where.length)

    if where.offset < 1 or where.length < 4 or where.offset + 4 > len(data):
        raise corrupt("a deletion vector is outside its file")
    size = int.from_bytes(data[where.offset : where.offset + 4], "big", signed=True)
    start = where.offset + 4
    if size < 4 or start + size + 4 > len(data):
        raise corrupt("a deletion vector is outside its file")
    payload = data[start : start + size]
    is_wide = payload[:4] == _MAGIC_64
    if not is_wide and payload[:4] != _MAGIC_32:
        raise FormatUnsupported("unknown kind of deletion vector", magic=payload[:4].hex())
    if where.length != size + (_AROUND if is_wide else 0):
        raise corrupt("a deletion vector does not have its recorded length")
    if zlib.crc32(payload) != int.from_bytes(data[start + size : start + size + 4], "big"):
        raise corrupt("a deletion vector does not match its checksum")
    bits = _bitmap(BitMap64 if is_wide else BitMap, payload[4:], corrupt("a deletion vector is not a bitmap"))
    if where.cardinality is not None and len(bits) != where.cardinality:
        raise corrupt("a deletion vector marks a different number of rows than recorded")
    return bits


def _bitmap(kind: type[BitMap | BitMap64], portable: bytes, corrupt: MetadataCorrupt) -> BitMap | BitMap64:
    try:
        bits = kind.deserialize(portable)
    except (ValueError, IndexError, OverflowError, MemoryError) as error:
        raise corrupt from error
    return bits
