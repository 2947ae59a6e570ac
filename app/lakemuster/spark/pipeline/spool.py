"""The manifests that a job will decode, spooled to a local file until all tables have been looked at.

A chunk is some manifests of one table, with what decoding them needs; a part is what one task decodes: neighbouring
chunks of one table or of several.
"""

from __future__ import annotations

import pickle
import tempfile
import threading
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from lakemuster.formats.protocol import FormatPort
from lakemuster.formats.registry import format_of
from lakemuster.ingest.engine import Manifest
from lakemuster.ingest.missing import Missing

SMALLEST_PART, LARGEST_PART = 512 * 2**10, 64 * 2**20
"""Encoded bytes; a lost task is repeated as a whole."""
MANIFESTS_PER_PART = 500
_CHUNK_MANIFESTS = 64
_UNKNOWN_LENGTH = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some manifests of one table.

    Attributes:
        port: the table's format, which executors register.
    """

    table_id: int
    missing: Missing
    port: FormatPort


@dataclass(frozen=True, slots=True)
class SpooledChunk:
    """A chunk in the spool's file.

    Attributes:
        size: encoded bytes of its manifests.
    """

    table_id: int
    offset: int
    length: int
    manifests: int
    size: int


Part = Sequence[SpooledChunk]


class Spool:
    """Chunks in a file that is removed when the spool is closed. Safe to use from many threads."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the spool
        self._end = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, table_id: int, missing: Missing) -> list[SpooledChunk]:
        """Write a table's manifests, in chunks."""
        return [self._write(table_id, replace(missing, manifests=some), size) for some, size in _cut(missing.manifests)]

    def read(self, chunk: SpooledChunk) -> Chunk:
        """Read a chunk back."""
        return unpacked(self._bytes(chunk))

    def packed(self, part: Part) -> bytes:
        """Encode a part for executors; see :func:`chunks_of`."""
        return pickle.dumps([self._bytes(chunk) for chunk in part])

    def _write(self, table_id: int, missing: Missing, size: int) -> SpooledChunk:
        chunk = Chunk(table_id, missing, format_of(missing.metadata.format))
        data = zlib.compress(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL), 1)
        with self._lock:
            offset, self._end = self._end, self._end + len(data)
            self._file.seek(offset)
            self._file.write(data)
        return SpooledChunk(table_id, offset, len(data), len(missing.manifests), size)

    def _bytes(self, chunk: SpooledChunk) -> bytes:
        with self._lock:
            self._file.seek(chunk.offset)
            return self._file.read(chunk.length)


def unpacked(data: bytes) -> Chunk:
    """Decode a chunk from its bytes, which must come from the driver."""
    chunk = pickle.loads(zlib.decompress(data))  # noqa: S301 - written by the driver
    assert isinstance(chunk, Chunk)
    return chunk


def chunks_of(part: bytes) -> list[Chunk]:
    """Decode the chunks of a part from its bytes, which must come from the driver."""
    return [unpacked(data) for data in pickle.loads(part)]  # noqa: S301 - written by the driver


def parts_of(chunks: Collection[SpooledChunk], number: int) -> Iterator[Part]:
    """Cut chunks, in order, into about ``number`` parts of about equal encoded size."""
    size = min(max(sum(chunk.size for chunk in chunks) // number, SMALLEST_PART), LARGEST_PART)
    part: list[SpooledChunk] = []
    held = manifests = 0
    for chunk in chunks:
        if part and (held + chunk.size > size or manifests + chunk.manifests > MANIFESTS_PER_PART):
            yield part
            part, held, manifests = [], 0, 0
        part.append(chunk)
        held += chunk.size
        manifests += chunk.manifests
    if part:
        yield part


def _cut(manifests: Sequence[Manifest]) -> Iterator[tuple[Sequence[Manifest], int]]:
    """Cut manifests, in order, into chunks; yield each with its encoded size."""
    some: list[Manifest] = []
    held = 0
    for one in manifests:
        size = _UNKNOWN_LENGTH if one.header.length is None else one.header.length
        if some and (held + size > SMALLEST_PART or len(some) == _CHUNK_MANIFESTS):
            yield some, held
            some, held = [], 0
        some.append(one)
        held += size
    if some:
        yield some, held
