"""The backend of remote object stores: runs operations in the background, with retries and a deadline.

A source implements one store's protocol, and each of its methods makes one attempt; this module has what all stores
share. The concurrent operations of each bucket (for HTTP and HDFS, of each host) are limited, so that a bucket that
hangs leaves connections to the others.
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from fsspec.asyn import get_loop

from lakemuster.errors import CatalogError, LimitExceeded, ObjectMissing, StorageError, StorageUnavailable
from lakemuster.storage.attempts import persist
from lakemuster.storage.backend import AdmittedRead, ListedPage, StorageEntry
from lakemuster.storage.locations import Location, redacted

T = TypeVar("T")

_SESSION_SECONDS = 30.0
_MOST_NAMES = 2_000_000


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page of a folder's listing; names are paths below the folder.

    Attributes:
        token: token of the next page; None on the last page; empty if there is another page without a token.
        now_ms: storage's clock at the response, in milliseconds since the Unix epoch; None if it is not known.
    """

    entries: list[StorageEntry]
    token: str | None = None
    now_ms: int | None = None


class ObjectSource(Protocol):
    """One store's protocol. The coroutines run on fsspec's event loop, and are cancelled at the deadline.

    Attributes:
        name: the store's name in messages.
        lists_deep: whether :meth:`page` can list all objects below a folder; otherwise it lists one level only.
        places: maximum number of concurrent operations of a bucket.
        checked_at: the location for messages when :meth:`ready` detects wrong options, without a request to storage;
            None if the constructor detects them.
    """

    name: str = "storage"
    lists_deep: bool = False
    places: int = 64
    checked_at: str | None = None

    async def ready(self) -> None:
        """Open the session and refresh the credentials if needed. An operation's deadline begins after this."""
        return

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object.

        Args:
            refused: the digests of bytes that earlier attempts received and rejected.
        """

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the object or folder at a location; None if there is neither."""

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Return a page of a folder's listing; an empty one if there is no such folder.

        Args:
            deep: list all objects below it, without folders.
        """

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error of the other methods to a CatalogError; StorageUnavailable is retried."""


class RemoteObjects:
    """The backend of a source."""

    def __init__(self, source: ObjectSource, deadline_seconds: float) -> None:
        self.source = source
        self._deadline = deadline_seconds
        self._loop = get_loop()
        self._places: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(source.places)
        )

    def check(self) -> None:
        """Open the session if this detects wrong options."""
        if self.source.checked_at is not None:
            self._wait(self._start(self._ready(self.source.checked_at), ""))

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole object."""
        return self._wait(self.start_read(wanted))

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, in the background."""
        refused: set[str] = set()
        attempts = self._persist(lambda: self.source.get(wanted, refused), wanted.where)
        return self._start(attempts, wanted.location.bucket)

    def stat(self, location: Location) -> StorageEntry | None:
        """Return the object or folder at a location; None if there is neither."""
        attempts = self._persist(lambda: self.source.stat(location), redacted(location.text))
        return self._wait(self._start(attempts, location.bucket))

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level of a folder, all pages, sorted by name."""
        return self._wait(self.start_children(location), pages=True)

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, in the background."""
        return self._start(self._children(location), location.bucket)

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """Yield all objects below a folder, in pages."""
        empty = True
        for below, page in self._deep(location) if self.source.lists_deep else self._level_by_level(location):
            empty = empty and not page.entries
            if empty and page.token is None:
                raise ObjectMissing(f"{redacted(location.text)}: no such folder, or it is empty")
            objects = [
                replace(one, name=below + one.name) if below else one
                for one in page.entries
                if not one.is_folder and one.name and not one.name.endswith("/")
            ]
            yield ListedPage(objects, page.now_ms)

    def _deep(self, location: Location) -> Iterator[tuple[str, SourcePage]]:
        token: str | None = None
        while True:
            work = self._page(location, token, deep=True)
            page = self._wait(self._start(work, location.bucket))
            yield "", page
            if page.token is None:
                return
            token = page.token

    def _level_by_level(self, location: Location) -> Iterator[tuple[str, SourcePage]]:
        folders = [""]
        while folders:
            below = folders.pop()
            found, now_ms = self._wait(self._start(self._level(location.joined(below)), location.bucket), pages=True)
            folders += [f"{below}{entry.name}/" for entry in found if entry.is_folder]
            yield below, SourcePage(found, None, now_ms)

    def _start(self, work: Coroutine[Any, Any, T], bucket: str) -> Future[T]:
        # Acquire the semaphore before the operation's deadline begins: storage is not the cause of this queue.
        places = self._places[bucket]
        if not places.acquire(timeout=self._deadline + _SESSION_SECONDS):
            work.close()
            raise StorageUnavailable(f"too many concurrent requests to {self.source.name}")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        future.add_done_callback(lambda _: places.release())
        return future

    def _wait(self, future: Future[T], *, pages: bool = False) -> T:
        try:
            return future.result(None if pages else self._deadline + _SESSION_SECONDS)
        except (TimeoutError, CancelledError) as cause:
            raise StorageUnavailable("storage does not answer: its event loop is stuck") from cause
        finally:
            future.cancel()

    async def _persist(self, attempt: Callable[[], Awaitable[T]], where: str) -> T:
        await self._ready(where)
        return await persist(attempt, where, self._deadline, self.source.failure_of)

    async def _ready(self, where: str) -> None:
        try:
            async with asyncio.timeout(_SESSION_SECONDS):
                await self.source.ready()
        except Exception as error:
            raise self.source.failure_of(error, where) from error

    async def _page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        where = redacted(location.text)
        page = SourcePage([], token)
        if token != "":
            page = await self._persist(partial(self.source.page, location, token, deep=deep), where)
        if page.token is not None and page.token == token:
            raise StorageError(f"{where}: storage does not continue its listing")
        return page

    async def _children(self, location: Location) -> list[StorageEntry]:
        return (await self._level(location))[0]

    async def _level(self, location: Location) -> tuple[list[StorageEntry], int | None]:
        found: dict[tuple[str, bool], StorageEntry] = {}
        token: str | None = None
        while True:
            page = await self._page(location, token, deep=False)
            # A folder may be listed twice: as a prefix, and as its marker object.
            found |= {(entry.name, entry.is_folder): entry for entry in page.entries if entry.name}
            if len(found) > _MOST_NAMES:
                raise LimitExceeded(f"{redacted(location.text)}: more than {_MOST_NAMES} names in one folder")
            token = page.token
            if token is None:
                return sorted(found.values(), key=lambda entry: entry.name), page.now_ms
