"""What every kind of storage offers: a few operations on parsed locations, each of which ends in time."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from lakemuster.storage.locations import Location, shown


@dataclass(frozen=True, slots=True)
class Found:
    """An object or folder, by its name only. Sizes in bytes, times since the Unix epoch."""

    name: str
    size: int
    is_folder: bool
    modified_ms: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """One object to read, and how long it may be, in bytes."""

    location: Location
    expected_length: int | None
    max_bytes: int

    @property
    def where(self) -> str:
        """For messages."""
        return shown(self.location.text)


class Backend(Protocol):
    """One kind of storage. Safe to use from many threads; errors are ours only."""

    def check(self) -> None:
        """Find out what can be known of wrong options without a request to storage."""

    def read(self, wanted: Wanted) -> bytes:
        """The object, whole."""

    def start_read(self, wanted: Wanted) -> Future[bytes]:
        """The same, in the background; cancelling the future ends the transfer."""

    def stat(self, location: Location) -> Found | None:
        """The object or folder there; None when there is nothing."""

    def children(self, location: Location) -> list[Found]:
        """One level, every page of it, by name; empty when there is nothing."""

    def start_children(self, location: Location) -> Future[list[Found]]:
        """The same, in the background."""
