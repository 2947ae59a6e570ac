"""Inflate gzip files up to a limit: a small file must not become a large process.

Source: RFC 1952; a file may hold several members, one after the other.
"""

from __future__ import annotations

import zlib

from lakemuster.errors import LimitExceeded, MetadataCorrupt

MAX_INFLATED = 2**30
"""Bytes that one file may inflate to."""

MAX_RATIO = 256
"""The largest ratio of inflated to compressed size, beyond ``SMALL`` bytes; JSON metadata stays far below."""

SMALL = 64 * 2**20

_MAGIC = b"\x1f\x8b"
_STEP = 2**16
"""Compressed bytes that are inflated at a time; deflate expands at most 1,032 times."""

_GZIP = 31


def is_gzip(data: bytes) -> bool:
    """Return whether a file begins with gzip's magic bytes."""
    return data.startswith(_MAGIC)


def inflate(data: bytes, *, limit: int = MAX_INFLATED) -> bytes:
    """Inflate a whole gzip file.

    Raises:
        LimitExceeded: it inflates to more than ``limit`` bytes, or beyond ``MAX_RATIO``.
        MetadataCorrupt: it is damaged or cut short.
    """
    limit = min(limit, max(SMALL, len(data) * MAX_RATIO))
    parts: list[bytes] = []
    total, position = 0, 0
    member = zlib.decompressobj(_GZIP)
    while position < len(data):
        piece = data[position : position + _STEP]
        position += len(piece)
        try:
            parts.append(member.decompress(piece))
        except zlib.error as cause:
            raise MetadataCorrupt(f"a damaged gzip file: {cause}") from cause
        total += len(parts[-1])
        if total > limit:
            raise LimitExceeded(f"a gzip file of {len(data)} bytes inflates to more than {limit}", limit=limit)
        if member.eof:
            position -= len(member.unused_data)
            while data[position : position + 1] == b"\0":  # padding
                position += 1
            member = zlib.decompressobj(_GZIP) if position < len(data) else member
    if not member.eof:
        raise MetadataCorrupt("a truncated gzip file")
    return b"".join(parts)
