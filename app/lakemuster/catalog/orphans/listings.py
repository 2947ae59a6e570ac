"""List the objects below a location page by page, with the time of the listing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from lakemuster.storage.backend import ListedPage
from lakemuster.storage.store import ObjectStore


class Listing(Protocol):
    """Objects below a location, and the time that their ages are relative to.

    Attributes:
        clock: the source of that time; see ``OrphanReport``.
    """

    clock: str

    def now_ms(self) -> int:
        """Return the time, in milliseconds since the Unix epoch; every older object is listed."""
        ...

    def pages(self) -> Iterator[ListedPage]:
        """Yield all objects, named by their paths below the location; raise an error if some cannot be listed."""
        ...


@dataclass(slots=True)
class StoreListing:
    """The listing of storage now. Its time is that of the first response if storage reports one, else the host's."""

    store: ObjectStore
    location: str
    clock: str = "store"
    _began_ms: int = field(init=False)
    _rest: Iterator[ListedPage] = field(init=False)
    _first: ListedPage = field(init=False)

    def __post_init__(self) -> None:
        self._began_ms = int(time.time() * 1000)
        self._rest = self.store.pages_below(self.location)
        self._first = next(self._rest)
        if self._first.now_ms is None:
            self.clock = "host"

    def now_ms(self) -> int:
        """Return the time of the listing."""
        return self._began_ms if self._first.now_ms is None else self._first.now_ms

    def pages(self) -> Iterator[ListedPage]:
        """Yield all objects."""
        yield self._first
        yield from self._rest
