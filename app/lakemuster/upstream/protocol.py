"""The port to attached catalogs of all types: the location of a table's current metadata, and the list of tables.

A catalog that does not respond raises :class:`UpstreamUnavailable` or :class:`UpstreamTimedOut`, which its circuit
breaker counts as failures. A response with an error, or one that violates the protocol, raises :class:`UpstreamFailed`.
A table is missing only if the catalog says so. Every request has a timeout.
"""

from __future__ import annotations

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
from lakemuster.single_flight import SingleFlight
from lakemuster.storage.storage_wait import waiting
from lakemuster.upstream.breaker import Breaker
from lakemuster.upstream.request_semaphore import PermitTimeout, RequestSemaphore

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 10.0
"""Timeout of a catalog that sends nothing, in reads of pointers and in listings."""
MAX_BYTES = 64 * 2**20
"""Limit of a response body."""
MAX_PAGES = 100_000
"""Limit of the pages of a list."""

FAILED_LISTING_SECONDS = 5.0
"""How long the failure of a shared listing is cached: requests that wait for it must not repeat it one by one."""
CONCURRENT_REQUESTS = 16
"""Limit of the concurrent requests to a catalog that hold a thread."""
SILENT_SECONDS = 1.0
"""Timeout of a wait for a permit in which no request ends: a hanging catalog must not occupy others' threads."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """What identifies a table within its catalog independently of its name.

    Attributes:
        pointer: see :meth:`Upstream.pointer`.
        uuid: an Iceberg table's uuid; None: the catalog does not report it.
    """

    pointer: str
    uuid: str | None = None


def overloaded(name: str) -> Overloaded:
    """Return the error for a request that waited too long for a slow catalog."""
    return Overloaded(f"too many requests wait for the catalog {name}; try again in a moment", catalog=name)


class Upstream(ABC):
    """One attached catalog, accessed with this server's own principal. Thread-safe.

    Attributes:
        format: the format of its tables.
    """

    format: ClassVar[Format] = "iceberg"

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        self.name = name
        self.settings = settings
        self.breaker = Breaker(name, clock)
        self._semaphore = RequestSemaphore(CONCURRENT_REQUESTS, SILENT_SECONDS, ANSWER_SECONDS, clock)
        self._clock = clock
        self._listings = SingleFlight(FAILED_LISTING_SECONDS, clock.monotonic)
        self._recent: tuple[float, Collection[Levels]] | None = None

    @abstractmethod
    def pointer(self, levels: Levels) -> str:
        """Return the location of a table's current metadata; of a Paimon table, its root.

        Args:
            levels: the levels of the table's name at the catalog.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """

    def identity(self, levels: Levels) -> Identity:
        """Return a table's pointer, and its uuid if that needs no further request.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """
        return Identity(self.pointer(levels))

    @abstractmethod
    def every_table(self) -> Iterator[Levels]:
        """Yield all tables of all namespaces, or raise an error: a list is never incomplete.

        Raises:
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """

    def recent_tables(self, seconds: float) -> Collection[Levels]:
        """Return all tables, from a listing at most ``seconds`` old; concurrent callers share a listing or its failure.

        Raises:
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """

        def renew() -> None:
            now = self._clock.monotonic()
            if self._recent is None or now - self._recent[0] > seconds:
                self._recent = now, tuple(self.every_table())

        self.share_listing("recent", renew)
        assert self._recent is not None
        return self._recent[1]

    def share_listing(self, purpose: str, work: Callable[[], None]) -> None:
        """Do work that lists the catalog, once for concurrent callers of one purpose; a failure is cached.

        Raises:
            CatalogError: the work failed, for another caller perhaps.
        """
        self._listings.run(purpose, work)

    @abstractmethod
    def _failure_of(self, cause: Exception) -> CatalogError | None:
        """Map an exception of the client library to an error; None if the library does not raise it."""

    def newest_snapshot(self, levels: Levels) -> int | None:
        """Return the id of a Paimon table's newest snapshot; None: only the table's own files have it.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """
        return None

    def close(self) -> None:
        """Close the connections."""
        return

    def name_of(self, levels: Levels) -> str | None:
        """Return the name that a table of the catalog has in this server.

        None: the settings exclude it, or its name is invalid here: a level has a slash or a control character.
        """
        name = format_name((self.name, *levels))
        try:
            is_name = parse_name(name) == (self.name, *levels)
        except RequestInvalid:
            return None
        return name if is_name and self.settings.has(format_name(levels)) else None

    def _request(self, ask: Callable[[], T]) -> T:
        """Send a request to the catalog, unless its breaker is open.

        Raises:
            UpstreamFailed: the catalog does not respond, or violates its protocol.
            Overloaded: the request waited too long for a permit.
        """
        self.breaker.check()
        try:
            # A request for a known table does not wait long for its catalog.
            with waiting("its catalog", is_storage=False), self._semaphore.permit():
                return self._send(ask)
        except PermitTimeout:
            raise overloaded(self.name) from None

    def _send(self, ask: Callable[[], T]) -> T:
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
        """Yield the items of a paginated list.

        Args:
            page: given a page's token, empty for the first one, returns its items and the next token, empty at the end.

        Raises:
            UpstreamFailed: a token repeats an earlier one, or the list has too many pages.
        """
        token, earlier = "", set[int]()
        for _ in range(MAX_PAGES):
            items, following = page(token)
            yield from items
            if not following:
                return
            if hash(following) in earlier:
                break
            earlier.add(hash(following))
            token = following
        raise self._failed("the pages of a list do not end")
