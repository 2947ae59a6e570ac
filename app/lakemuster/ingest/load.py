"""Read and parse the metadata that a table's pointer names: everything but manifest lists and manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lakemuster.errors import CatalogError, MetadataCorrupt, ObjectMissing
from lakemuster.formats.protocol import FileInfo, Known, Pointer
from lakemuster.formats.registry import format_of
from lakemuster.ingest.parsing import Parser
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.storage.locations import redacted
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore

T = TypeVar("T")


def load_metadata(store: ObjectStore, pointer: Pointer, known: Known, parser: Parser) -> TableMetadata:
    """Read and parse the metadata that a pointer names.

    Args:
        known: snapshots already read, by (branch, id); their Paimon snapshot files are not read again.

    Raises:
        MetadataCorrupt, FormatUnsupported: it violates its specification, or its version is not supported.
        LimitExceeded, DecodeFailed: it is too large, or parsing it takes too much memory or time.
        StorageError: it cannot be read.
    """
    try:
        return format_of(pointer.format).load(_StoredDocuments(store, parser), pointer, known)
    except MetadataCorrupt as error:
        place = redacted(pointer.metadata_location)
        if place in error.message:
            raise
        raise type(error)(f"{error} (read from {place})", **error.context) from error


@dataclass(frozen=True, slots=True)
class _StoredDocuments:
    """Metadata files in an object store; implements ``formats.protocol.Documents``."""

    store: ObjectStore
    parser: Parser

    def read(self, location: str, *, max_bytes: int) -> bytes:
        return self.store.read(location, max_bytes=max_bytes)

    def read_listed(self, files: Sequence[FileInfo], *, max_bytes: int) -> Iterator[tuple[FileInfo, bytes]]:
        absent: list[str] = []
        by_location = {file.location: file for file in files}
        requests = [ReadRequest(file.location, None) for file in files]
        for request, outcome in self.store.read_many(requests, max_bytes=max_bytes):
            if isinstance(outcome, ObjectMissing):
                absent.append(request.location)
            elif isinstance(outcome, CatalogError):
                raise outcome
            else:
                yield by_location[request.location], outcome
        self._check_deleted(absent)

    def _check_deleted(self, absent: Sequence[str]) -> None:
        """Check that files that storage did not find are no longer listed.

        Raises:
            ObjectMissing: one is still listed: without it, an older snapshot would seem to be the newest.
        """
        for folder in sorted({location.rpartition("/")[0] for location in absent}):
            listed = {file.location for file in self.store.list(folder)}
            for location in absent:
                if location in listed:
                    message = f"storage lists {redacted(location)}, but does not find it"
                    raise ObjectMissing(message, location=location)

    def parse(self, function: Callable[..., T], data: bytes, *arguments: object) -> T:
        return self.parser.parse(function, data, *arguments)
