"""The objects below a location, some at a time, and the time of the listing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from lakemuster.storage.backend import ListedPage
from lakemuster.storage.store import ObjectStore


class Listing(Protocol):
    """Objects below a location, and the time by which their ages count.

    Attributes:
        clock: whose time it is.
    """

    clock: str

    def now_ms(self) -> int:
        """Return the time, since the Unix epoch; no object that is not listed is older."""
        ...

    def pages(self) -> Iterator[ListedPage]:
        """Yield all objects, named by their paths below the location: all, or an error."""
        ...


@dataclass(slots=True)
class StoreListing:
    """What storage lists now. The time is that of its first answer, by its own clock where it tells that."""

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
        """Return the time of the first answer."""
        return self._began_ms if self._first.now_ms is None else self._first.now_ms

    def pages(self) -> Iterator[ListedPage]:
        """Yield all objects."""
        yield self._first
        yield from self._rest
