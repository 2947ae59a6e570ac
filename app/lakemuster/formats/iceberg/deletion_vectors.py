"""Parse deletion vectors: the blobs of Puffin files that list the deleted rows of one data file.

Source: Iceberg Puffin spec, "deletion-vector-v1 blob type".
"""

from __future__ import annotations

import zlib

from pyroaring import BitMap64

from lakemuster.errors import MetadataCorrupt

MAGIC = b"\xd1\xd3\x39\x64"
_AROUND = 8
"""Bytes that the recorded size leaves out: the four of the size, and the four of the checksum."""


def parse_deletion_vector(blob: bytes, cardinality: int | None = None) -> BitMap64:
    """Return the positions of deleted rows, from 0.

    Args:
        blob: ``content_size_in_bytes`` of the Puffin file at ``content_offset``.
        cardinality: rows that the manifest counts; None when not known.

    Raises:
        MetadataCorrupt: not a vector, of another size or count than recorded, or with a wrong checksum.
    """
    size = int.from_bytes(blob[:4], "big")
    if len(blob) < _AROUND + len(MAGIC) or size != len(blob) - _AROUND:
        raise MetadataCorrupt("a deletion vector does not have its recorded size", bytes=len(blob), recorded=size)
    body, checksum = blob[4:-4], blob[-4:]
    if not body.startswith(MAGIC):
        raise MetadataCorrupt("a deletion vector has the wrong magic number", magic=body[:4].hex())
    if zlib.crc32(body) != int.from_bytes(checksum, "big"):
        raise MetadataCorrupt("a deletion vector does not match its checksum")
    try:
        bits = BitMap64.deserialize(body[len(MAGIC) :])
    except (ValueError, IndexError, OverflowError, MemoryError) as cause:
        raise MetadataCorrupt("a deletion vector is not a bitmap") from cause
    if cardinality is not None and len(bits) != cardinality:
        raise MetadataCorrupt("a deletion vector marks a different number of rows than recorded", rows=len(bits))
    return bits
