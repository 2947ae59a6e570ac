"""The protocol of storage backends: a few operations on parsed locations, each within a deadline."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from lakemuster.storage.locations import Location, redacted


@dataclass(frozen=True, slots=True)
class StorageEntry:
    """An object or folder, named without its path. Sizes are in bytes, times in milliseconds since the Unix epoch."""

    name: str
    size: int
    is_folder: bool
    modified_ms: int | None


@dataclass(frozen=True, slots=True)
class AdmittedRead:
    """One object to read, with its expected and its maximum length in bytes."""

    location: Location
    expected_length: int | None
    max_bytes: int

    @property
    def where(self) -> str:
        """The location for messages."""
        return redacted(self.location.text)


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page of the objects below a folder.

    Attributes:
        entries: the objects, without folders; their names are paths below the folder.
        now_ms: storage's clock at the response, in milliseconds since the Unix epoch; None if it is not known.
        links: local symbolic links, as paths below the folder. They are not followed.
        unnamed: number of objects left out because their names cannot be decoded.
    """

    entries: list[StorageEntry]
    now_ms: int | None = None
    links: tuple[str, ...] = ()
    unnamed: int = 0


class Backend(Protocol):
    """One kind of storage. Thread-safe; raises only CatalogError."""

    def check(self) -> None:
        """Raise ConfigInvalid for wrong options, as far as they can be detected without a request to storage."""

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole object."""

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, in the background; cancelling the future stops the transfer."""

    def stat(self, location: Location) -> StorageEntry | None:
        """Return the object or folder at a location; None if there is neither."""

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level of a folder, all pages, sorted by name; empty if there is no such folder."""

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, in the background."""

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """Yield all objects below a folder, in no order, in pages; raise ObjectMissing if there is no such folder."""
