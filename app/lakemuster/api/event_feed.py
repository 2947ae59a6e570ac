"""Poll the event log once for all event streams of a process.

The newest events are in memory; a stream that begins earlier, or whose client reads slowly, reads the database from its
own position. So a client costs a position and no buffer. Nothing is polled while there are no streams. A feed belongs
to one event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from lakemuster.api.connection import Connection
from lakemuster.catalog.events import BATCH, ClientEvent, EventLog
from lakemuster.errors import CatalogError, Overloaded, RateLimited

POLL_SECONDS = 0.5
STREAMS = 3000
"""Maximum number of event streams of a process. A stream needs no thread, and no slot once it has begun."""
STREAMS_PER_CALLER = 1000
"""Limit of one caller, over all workers: less than its limit of connections, so that some are left for requests."""
MAX_BYTES = 4 * 2**20
"""Maximum bytes of the newest events in memory, as messages."""
_RETRY_SECONDS = 5.0
_READERS = 4

T = TypeVar("T")
LOG = logging.getLogger("lakemuster.api")


class EventFeed:
    """The newest events, and the streams that wait for further ones.

    Args:
        workers: number of processes that share a caller's limit of streams.
    """

    def __init__(self, log: EventLog, workers: int = 1) -> None:
        self._log = log
        self._per_caller = max(1, STREAMS_PER_CALLER // workers)
        self._streams: dict[object, Connection | None] = {}
        self._owned: Counter[str] = Counter()
        self._recent: deque[ClientEvent] = deque()
        self._bytes = 0
        self._floor: int | None = None
        self._last = 0
        self._pulse = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._readers: CapacityLimiter | None = None
        self.is_stopping = False

    @property
    def streams(self) -> int:
        """The number of open streams."""
        return len(self._streams)

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the events in memory."""
        return self._bytes

    @contextmanager
    def listening(self, owner: str, connection: Connection | None) -> Iterator[None]:
        """Count a stream until the block ends.

        Raises:
            RateLimited: the owner has too many streams.
            Overloaded: the process has too many streams.
        """
        if self._owned[owner] >= self._per_caller:
            raise RateLimited("too many event streams from one caller; close some", _RETRY_SECONDS)
        if len(self._streams) >= STREAMS:
            raise Overloaded("too many event streams; try again in a moment")
        key = object()
        self._streams[key] = connection
        self._owned[owner] += 1
        if self._following is None:
            # What the last task left in memory ends before the events that nobody has followed.
            self._recent.clear()
            self._bytes, self._floor = 0, None
            self._following = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            del self._streams[key]
            self._owned[owner] -= 1
            if not self._owned[owner]:
                del self._owned[owner]
            if not self._streams:
                self._following.cancel()
                self._following = None

    def pulse(self) -> asyncio.Event:
        """Return an event that is set at the next entry of the log, or when the server stops."""
        return self._pulse

    async def newest(self) -> int:
        """Return the id of the newest event.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        return await self._read(self._log.newest_id)

    async def after(self, position: int) -> tuple[Sequence[ClientEvent], int | None]:
        """Return the next events after a position; if these were deleted, also the id after which the log continues.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        if self._floor is not None and self._floor <= position <= self._last:
            start = position - self._floor
            return list(islice(self._recent, start, start + BATCH)), None
        return await self._read(lambda: self._log.after(position))

    async def _read(self, work: Callable[[], T]) -> T:
        if self._readers is None:
            self._readers = CapacityLimiter(_READERS)
        return await to_thread.run_sync(work, limiter=self._readers)

    async def _follow(self) -> None:
        is_told = False
        while True:
            self._stop_if_asked()
            found: Sequence[ClientEvent] = ()
            try:
                if self._floor is None:
                    self._floor = self._last = await self.newest()
                    # A stream may have read the log before the newest events were written, which no poll finds.
                    self._wake()
                position = self._last
                found, restart = await self._read(lambda: self._log.after(position))  # noqa: B023 - awaited
                self._take(found, restart)
                is_told = False
            except Exception as error:  # noqa: BLE001 - the streams of all clients depend on this task
                if not is_told:
                    reason = error.code if isinstance(error, CatalogError) else type(error).__name__
                    LOG.warning("the event log cannot be followed: %s", reason)
                is_told = True
            if len(found) < BATCH:
                await asyncio.sleep(POLL_SECONDS)

    def _take(self, found: Sequence[ClientEvent], restart: int | None) -> None:
        if restart is not None:
            self._recent.clear()
            self._bytes, self._floor, self._last = 0, restart, restart
        for client_event in found:
            self._recent.append(client_event)
            self._bytes += len(client_event.message)
            self._last = client_event.event.id
        while self._bytes > MAX_BYTES:
            gone = self._recent.popleft()
            self._bytes -= len(gone.message)
            self._floor = gone.event.id
        if found or restart is not None:
            self._wake()

    def _stop_if_asked(self) -> None:
        """End all streams once the server is stopping, because it waits for them to end."""
        first = next(iter(self._streams.values()), None)
        if first is not None and first.is_stopping and not self.is_stopping:
            self.is_stopping = True
            self._wake()

    def _wake(self) -> None:
        woken, self._pulse = self._pulse, asyncio.Event()
        woken.set()
