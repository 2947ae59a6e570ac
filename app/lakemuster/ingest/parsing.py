"""Parse metadata documents under limits: small ones in this process, larger ones in a decoder process.

Parsing a JSON document may take sixteen times its length in memory, and its contents are untrusted: anyone who can
write to the bucket controls them.
"""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, TypeVar, cast

from lakemuster.errors import LimitExceeded
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.ingest.decode import DecoderPool
from lakemuster.metadata.snapshot import ManifestListRef, Snapshot

T = TypeVar("T")

SMALL_BYTES = 256 * 2**10
"""Maximum inflated size of a document parsed in this process, which takes some milliseconds and megabytes at most."""
MAX_PARSED_BYTES = 96 * 2**20
"""Maximum pickled bytes of the objects that a decoder returns; unpickled, they take several times as much memory."""
MAX_WRITTEN_BYTES = 512 * 2**20
"""Maximum bytes of a rewritten document that a decoder returns."""


def _pickle_by_fields(of: type[Any]) -> None:
    """Pickle a dataclass as a call of it. The state that frozen dataclasses with slots define takes twice the time."""
    values = attrgetter(*(field.name for field in fields(of)))
    copyreg.pickle(of, lambda one: (of, values(one)))


# A document has up to 100,000 of these.
for _many in (Snapshot, ManifestListRef):
    _pickle_by_fields(_many)


@dataclass(frozen=True, slots=True)
class Parser:
    """Runs parsing functions.

    Attributes:
        pool: decoder processes for documents of more than ``SMALL_BYTES``.
    """

    pool: DecoderPool

    def parse(self, function: Callable[..., T], data: bytes, *arguments: object) -> T:
        """Return ``function(data, *arguments)``; the function must be importable by name.

        Raises:
            DecodeFailed: it needs more memory or time than a decoder has.
            LimitExceeded: the result is too large.
            CatalogError: raised by the function.
        """
        small = _small(data)
        if small is not None:
            return function(small, *arguments)
        packed = self.pool.submit(parse_packed, function, data, arguments).result()
        return cast("T", pickle.loads(packed))  # noqa: S301 - pickled by a decoder of this pool


def parse_packed(function: Callable[..., object], data: bytes, arguments: tuple[Any, ...]) -> bytes:
    """Parse a document in a decoder process, and return the pickled result.

    Raises:
        LimitExceeded: the result is larger than the server accepts.
    """
    found = function(data, *arguments)
    packed = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    limit = MAX_WRITTEN_BYTES if isinstance(found, bytes) else MAX_PARSED_BYTES
    if len(packed) > limit:
        raise LimitExceeded(
            f"a metadata document of {len(data)} bytes has more than {limit} bytes of values", limit=limit
        )
    return packed


def _small(data: bytes) -> bytes | None:
    """Return a document inflated; None if it is larger than ``SMALL_BYTES``."""
    if len(data) > SMALL_BYTES:
        return None
    if not is_gzip(data):
        return data
    try:
        return inflate(data, limit=SMALL_BYTES)
    except LimitExceeded:
        return None
