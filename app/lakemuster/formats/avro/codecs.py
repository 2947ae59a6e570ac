"""Inflate one block of an Avro file, never past a limit.

A decompression bomb is stopped while it inflates, not after: each codec's library gets the limit, or the
size that the block claims is compared with the limit before memory is allocated.

Source: Avro specification 1.12, "Required Codecs" and "Optional Codecs".
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol, cast

import cramjam
import zstandard
from isal import isal_zlib

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt

MAX_BLOCK_BYTES = 64 << 20

_XZ_MEMORY_BYTES = 128 << 20
_ZSTD_WINDOW_BYTES = 128 << 20
_ZSTD_SLICE_BYTES = 1 << 10


def inflate(codec: str, data: memoryview) -> bytes:
    """Return the plain bytes of a block compressed with ``codec``.

    Raises:
        MetadataCorrupt: the block does not inflate, or has bytes after its end.
        LimitExceeded: it inflates to more than ``MAX_BLOCK_BYTES``.
        FormatUnsupported: an unknown codec.
    """
    inflater = _CODECS.get(codec)
    if inflater is None:
        raise FormatUnsupported("an Avro codec that we do not read", codec=codec)
    plain = inflater(data)
    if len(plain) > MAX_BLOCK_BYTES:
        raise _too_large()
    return plain


# isal's type stub declares its exception class as an instance.
_ISAL_ERROR = cast("type[Exception]", isal_zlib.error)


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


def _plain(data: memoryview) -> bytes:
    if len(data) > MAX_BLOCK_BYTES:
        raise _too_large()
    return bytes(data)


def _deflate(data: memoryview) -> bytes:
    # Measured: isal takes half of zlib's time.
    inflater = isal_zlib.decompressobj(wbits=-isal_zlib.MAX_WBITS)
    try:
        plain = inflater.decompress(data, MAX_BLOCK_BYTES + 1)
    except _ISAL_ERROR as error:
        raise _damaged("deflate") from error
    rest = inflater.unused_data
    if rest and zlib.adler32(plain).to_bytes(4, "big").startswith(rest):
        # Python's writers strip zlib's header, but not all of its checksum.
        return plain
    return _whole("deflate", plain, inflater)


def _bzip2(data: memoryview) -> bytes:
    inflater = bz2.BZ2Decompressor()
    try:
        plain = inflater.decompress(data, MAX_BLOCK_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _damaged("bzip2") from error
    return _whole("bzip2", plain, inflater)


def _xz(data: memoryview) -> bytes:
    inflater = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    try:
        plain = inflater.decompress(data, MAX_BLOCK_BYTES + 1)
    except lzma.LZMAError as error:
        raise _damaged("xz") from error
    return _whole("xz", plain, inflater)


def _whole(codec: str, plain: bytes, inflater: _Inflater) -> bytes:
    if len(plain) > MAX_BLOCK_BYTES:
        raise _too_large()
    if not inflater.eof or inflater.unused_data:
        raise _damaged(codec)
    return plain


def _snappy(data: memoryview) -> bytes:
    """Inflate raw snappy, which four big-endian bytes follow: the CRC-32 of the plain bytes."""
    body, checksum = data[:-4], bytes(data[-4:])
    try:
        if cramjam.snappy.decompress_raw_len(body) > MAX_BLOCK_BYTES:
            raise _too_large()
        plain = bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise _damaged("snappy") from error
    if zlib.crc32(plain).to_bytes(4, "big") != checksum:
        raise MetadataCorrupt("a block whose checksum is off", codec="snappy")
    return plain


def _zstandard(data: memoryview) -> bytes:
    inflater = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES).decompressobj()
    parts: list[bytes] = []
    size = position = 0
    try:
        while position < len(data) and not inflater.eof:
            # The library cannot limit its output: these few bytes inflate to 32 MiB at most.
            parts.append(inflater.decompress(data[position : position + _ZSTD_SLICE_BYTES]))
            position += _ZSTD_SLICE_BYTES
            size += len(parts[-1])
            if size > MAX_BLOCK_BYTES:
                raise _too_large()
    except zstandard.ZstdError as error:
        raise _damaged("zstandard") from error
    if position < len(data):
        raise _damaged("zstandard")
    return _whole("zstandard", b"".join(parts), inflater)


def _damaged(codec: str) -> MetadataCorrupt:
    return MetadataCorrupt("a block that does not inflate", codec=codec)


def _too_large() -> LimitExceeded:
    return LimitExceeded("a block that inflates to more than the limit", limit=MAX_BLOCK_BYTES)


_CODECS: dict[str, Callable[[memoryview], bytes]] = {
    "null": _plain,
    "deflate": _deflate,
    "snappy": _snappy,
    "zstandard": _zstandard,
    "bzip2": _bzip2,
    "xz": _xz,
}
