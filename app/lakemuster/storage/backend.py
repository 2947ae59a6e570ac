"""The protocol of storage backends: a few operations on parsed locations, each of which ends in time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from lakemuster.storage.locations import Location, redacted


@dataclass(frozen=True, slots=True)
class StorageEntry:
    """An object or folder, named without its path. Sizes in bytes, times since the Unix epoch."""

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
    """Some of the objects below a folder.

    Attributes:
        entries: their names are paths below the folder. No folders.
        now_ms: the time that storage told with them, since the Unix epoch; None if it tells none.
        links: local symbolic links, as paths below the folder. They are not followed.
        unnamed: objects whose names are no text, and that are left out.
    """

    entries: list[StorageEntry]
    now_ms: int | None = None
    links: tuple[str, ...] = ()
    unnamed: int = 0


class Backend(Protocol):
    """One kind of storage. Thread-safe; raises only our errors."""

    def check(self) -> None:
        """Find wrong options as far as possible without a request to storage."""

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole object."""

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, in the background; cancelling the future ends the transfer."""

    def stat(self, location: Location) -> StorageEntry | None:
        """The object or folder at a location; None when there is nothing."""

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level, all pages, by name; empty when there is nothing."""

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, in the background."""

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """List all objects below a folder, in no order, some at a time; ObjectMissing if there is no such folder."""
