"""Parse documents of a table's metadata within bounds: small ones here, the others in a decoder's process.

A JSON document may take sixteen times its length of memory while it is parsed, and anyone who writes to a bucket
decides what it holds.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from lakemuster.errors import LimitExceeded
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.ingest.decode import DecoderPool

T = TypeVar("T")

SMALL_BYTES = 256 * 2**10
"""Inflated bytes that are parsed in this process: some milliseconds and megabytes at most."""
MAX_PARSED_BYTES = 96 * 2**20
"""Of the objects that a decoder gives back, pickled; they take some times as much memory."""
MAX_WRITTEN_BYTES = 512 * 2**20
"""Of a document that a decoder has written anew."""


@dataclass(frozen=True, slots=True)
class Parser:
    """Calls parsing functions.

    Attributes:
        pool: of the processes for what is not small.
    """

    pool: DecoderPool

    def parse(self, function: Callable[..., T], data: bytes, *arguments: object) -> T:
        """``function(data, *arguments)``, of a function that can be imported by name.

        Raises:
            DecodeFailed: it needs more memory or time than a decoder has.
            LimitExceeded: the document says too much to be held.
            CatalogError: the function's own.
        """
        small = _small(data)
        if small is not None:
            return function(small, *arguments)
        packed = self.pool.submit(parse_packed, function, data, arguments).result()
        return cast("T", pickle.loads(packed))  # noqa: S301 - by our own process


def parse_packed(function: Callable[..., object], data: bytes, arguments: tuple[Any, ...]) -> bytes:
    """What a decoder does: parse, and give back no more than the server can hold.

    Raises:
        LimitExceeded: it would be more.
    """
    found = function(data, *arguments)
    packed = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    limit = MAX_WRITTEN_BYTES if isinstance(found, bytes) else MAX_PARSED_BYTES
    if len(packed) > limit:
        raise LimitExceeded(f"a metadata document of {len(data)} bytes says more than {limit} bytes", limit=limit)
    return packed


def _small(data: bytes) -> bytes | None:
    """A small document, inflated; None for any other."""
    if len(data) > SMALL_BYTES:
        return None
    if not is_gzip(data):
        return data
    try:
        return inflate(data, limit=SMALL_BYTES)
    except LimitExceeded:
        return None
