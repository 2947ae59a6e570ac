"""The port to attached catalogs of all types: the location of a table's current metadata, and the list of tables.

A catalog that does not answer is :class:`UpstreamUnavailable` or :class:`UpstreamTimedOut`, and counts for its circuit
breaker; one that answers with an error, or not as its protocol says, is :class:`UpstreamFailed`. A table is missing
only if the catalog says so. Every request has a limit of time.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    CatalogError,
    Overloaded,
    RequestInvalid,
    TableNotFound,
    UpstreamFailed,
    UpstreamTimedOut,
    UpstreamUnavailable,
)
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.metadata.snapshot import Format
from lakemuster.upstream.breaker import Breaker
from lakemuster.upstream.turns import NoTurn, Turns

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 10.0
"""Limit of the silence of a catalog that looks and listings wait for."""
MAX_BYTES = 64 * 2**20
"""Limit of an answer's bytes."""
MAX_PAGES = 100_000
"""Limit of a list's pages."""

CONCURRENT_REQUESTS = 16
"""Limit of the concurrent requests to a catalog that hold a thread."""
SILENT_SECONDS = 1.0
"""Time without the end of one of them after which no request waits: a hanging catalog must not take others' threads."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells a table from others of its catalog, whatever its name.

    Attributes:
        pointer: see :meth:`Upstream.pointer`.
        uuid: of an Iceberg table; None: the catalog does not say.
    """

    pointer: str
    uuid: str | None = None


def overloaded(name: str) -> Overloaded:
    """The refusal of a request for which a catalog is too slow."""
    return Overloaded(f"too many requests wait for the catalog {name}; try again in a moment", catalog=name)


class Upstream(ABC):
    """One attached catalog, asked with this server's own principal. Safe from any thread.

    Attributes:
        format: of its tables.
    """

    format: ClassVar[Format] = "iceberg"

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        self.name = name
        self.settings = settings
        self.breaker = Breaker(name, clock)
        self._turns = Turns(CONCURRENT_REQUESTS, SILENT_SECONDS, ANSWER_SECONDS, clock)
        self._clock = clock
        self._listing = threading.Lock()
        self._recent: tuple[float, Collection[Levels]] | None = None

    @abstractmethod
    def pointer(self, levels: Levels) -> str:
        """The location of a table's current metadata; of a Paimon table: its root.

        Args:
            levels: of the table's name at the catalog.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: it does not answer, or not as its protocol says.
        """

    def identity(self, levels: Levels) -> Identity:
        """Return a table's pointer, and its uuid if that needs no further request.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: it does not answer, or not as its protocol says.
        """
        return Identity(self.pointer(levels))

    @abstractmethod
    def every_table(self) -> Iterator[Levels]:
        """Yield all tables of all namespaces, or fail: a list is never short.

        Raises:
            UpstreamFailed: it does not answer, or not as its protocol says.
        """

    def recent_tables(self, seconds: float) -> Collection[Levels]:
        """Return all tables as listed within so many seconds; concurrent callers share a listing.

        Raises:
            UpstreamFailed: the catalog does not answer, or not as its protocol says.
        """
        with self._listing:
            now = self._clock.monotonic()
            if self._recent is None or now - self._recent[0] > seconds:
                self._recent = now, tuple(self.every_table())
            return self._recent[1]

    @abstractmethod
    def _failure_of(self, cause: Exception) -> CatalogError | None:
        """Map an exception of the client library to an error; None if the library does not raise it."""

    def newest_snapshot(self, levels: Levels) -> int | None:
        """The id of the newest snapshot of a Paimon table; None: the table's own files say.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: it does not answer, or not as its protocol says.
        """
        return None

    def close(self) -> None:
        """Close the connections."""
        return

    def name_of(self, levels: Levels) -> str | None:
        """The name under which a table of the catalog is one here.

        None: the settings exclude it, or its name cannot be written: a level has a slash or a control character.
        """
        name = format_name((self.name, *levels))
        try:
            is_name = parse_name(name) == (self.name, *levels)
        except RequestInvalid:
            return None
        return name if is_name and self.settings.has(format_name(levels)) else None

    def _asked(self, ask: Callable[[], T]) -> T:
        """Ask the catalog, unless its breaker is open.

        Raises:
            UpstreamFailed: it does not answer, or not as its protocol says.
            Overloaded: too many requests wait for its answers.
        """
        self.breaker.check()
        try:
            with self._turns.turn():
                return self._asked_in_turn(ask)
        except NoTurn:
            raise overloaded(self.name) from None

    def _asked_in_turn(self, ask: Callable[[], T]) -> T:
        try:
            found = ask()
        except Exception as cause:
            failure = self._failure_of(cause)
            if isinstance(failure or cause, UpstreamUnavailable | UpstreamTimedOut):
                self.breaker.failed()
            elif isinstance(failure or cause, CatalogError):
                self.breaker.succeeded()
            if failure is None:
                raise
            raise failure from cause
        self.breaker.succeeded()
        return found

    def _failed(self, reason: str) -> UpstreamFailed:
        return UpstreamFailed(f"the catalog {self.name} cannot be used: {reason}", catalog=self.name)

    def _unavailable(self, reason: str) -> UpstreamUnavailable:
        return UpstreamUnavailable(f"the catalog {self.name} does not answer: {reason}", catalog=self.name)

    def _timed_out(self) -> UpstreamTimedOut:
        return UpstreamTimedOut(f"the catalog {self.name} has not answered in time", catalog=self.name)

    def _no_table(self, levels: Levels) -> TableNotFound:
        return TableNotFound(f"the catalog {self.name} has no such table", table=format_name((self.name, *levels)))

    def _pages(self, page: Callable[[str], tuple[list[T], str]]) -> Iterator[T]:
        """Yield the items of a list that comes in pages.

        Args:
            page: given a page's token, empty for the first one, returns its items and the next token, empty at the end.

        Raises:
            UpstreamFailed: a token comes twice in a row, or the list has too many pages.
        """
        token = ""
        for _ in range(MAX_PAGES):
            items, following = page(token)
            yield from items
            if not following:
                return
            if following == token:
                break
            token = following
        raise self._failed("a list does not end")
