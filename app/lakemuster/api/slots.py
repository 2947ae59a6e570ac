"""Slots: a semaphore that limits concurrent requests and streams, in total and per caller.

A request holds a slot from admission until its response's status is sent; the memory and time for sending the body are
limited elsewhere. An NDJSON, Arrow or CSV stream also holds a stream slot until it ends. The queue is limited in length
and time: a request that has waited too long gets 503, so that clients retry and the queue does not grow.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass

from anyio import to_thread
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.connection import CONNECTION
from lakemuster.api.errors import problem
from lakemuster.errors import Overloaded

REQUESTS = 96
"""Limit of concurrent requests of a process: fewer than its threads, so that a request with a slot has a thread."""
REQUESTS_PER_CALLER = 72
"""Limit of concurrent requests of one caller, which leaves a quarter to the others."""
STREAMS = 256
"""Limit of concurrent streams of a process."""
STREAMS_PER_CALLER = 128
"""Limit of concurrent streams of one caller, over all workers."""
QUEUE = 512
"""Limit of waiting requests of a process; further ones are rejected at once."""
WAIT_SECONDS = 5.0
"""Timeout of the wait for a slot: after a longer wait, most clients have given up."""
_STREAM_THREADS = 32
_UNLIMITED = frozenset({"/healthz", "/readyz", "/metrics"})
_STREAMED = (b"ndjson", b"arrow", b"csv")


@dataclass(slots=True, eq=False)
class _Waiter:
    owner: str
    turn: asyncio.Future[None]


class Slots:
    """An asyncio semaphore with a limit per owner. Among owners below it, the longest-waiting request is served first.

    It belongs to one event loop.

    Args:
        total: number of slots.
        per_owner: limit of slots of one owner.
        queue: limit of waiting requests.
        seconds: timeout of a wait.
    """

    def __init__(self, total: int, per_owner: int, queue: int, seconds: float) -> None:
        self._total = total
        self._per_owner = per_owner
        self._queue = queue
        self._seconds = seconds
        self._taken = 0
        self._owned: Counter[str] = Counter()
        self._waiting: deque[_Waiter] = deque()

    @property
    def total(self) -> int:
        """The number of slots."""
        return self._total

    @property
    def taken(self) -> int:
        """The number of slots taken."""
        return self._taken

    @property
    def waiting(self) -> int:
        """The number of waiting requests."""
        return len(self._waiting)

    async def acquire(self, owner: str) -> None:
        """Take a slot; wait for one if necessary.

        Raises:
            Overloaded: no slot became free in time, or the queue is full.
        """
        if self._is_free_for(owner):
            self._grant(owner)
            return
        if len(self._waiting) >= self._queue:
            raise Overloaded("too many requests are waiting; try again in a moment")
        waiter = _Waiter(owner, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(self._seconds):
                await waiter.turn
        except BaseException as error:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self.release(owner)  # granted just as the wait ended
            else:
                self._waiting.remove(waiter)
            if isinstance(error, TimeoutError):
                raise Overloaded("timed out waiting for a request slot; try again in a moment") from None
            raise

    def release(self, owner: str) -> None:
        """Release a slot, and grant it to the longest-waiting request whose owner is below its limit."""
        self._taken -= 1
        self._owned[owner] -= 1
        if not self._owned[owner]:
            del self._owned[owner]
        for waiter in self._waiting:
            if self._is_free_for(waiter.owner):
                self._waiting.remove(waiter)
                self._grant(waiter.owner)
                waiter.turn.set_result(None)
                return

    def _is_free_for(self, owner: str) -> bool:
        return self._taken < self._total and self._owned[owner] < self._per_owner

    def _grant(self, owner: str) -> None:
        self._taken += 1
        self._owned[owner] += 1


class ConcurrencyLimit:
    """ASGI middleware that takes a slot for each request, and a stream slot for each stream.

    Args:
        workers: number of processes that share a caller's limit of streams.
        slots: receives the slots by kind, for metrics.
    """

    def __init__(self, app: ASGIApp, workers: int, slots: dict[str, Slots] | None = None) -> None:
        self._app = app
        self._requests = Slots(REQUESTS, REQUESTS_PER_CALLER, QUEUE, WAIT_SECONDS)
        self._streams = Slots(STREAMS, max(1, STREAMS_PER_CALLER // workers), QUEUE, WAIT_SECONDS)
        self._is_started = False
        if slots is not None:
            slots.update(requests=self._requests, streams=self._streams)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request once its slots are granted."""
        if scope["type"] != "http" or scope["path"] in _UNLIMITED:
            await self._app(scope, receive, send)
            return
        if not self._is_started:
            self._is_started = True
            to_thread.current_default_thread_limiter().total_tokens = REQUESTS + _STREAM_THREADS
        owner = scope["state"].get("owner", "")
        streams = self._streams if _is_streamed(scope) else None
        try:
            if streams is not None:
                await streams.acquire(owner)
            try:
                await self._in_turn(owner, scope, receive, send)
            finally:
                if streams is not None:
                    streams.release(owner)
        except Overloaded as error:
            await problem(error, scope["path"])(scope, receive, send)

    async def _in_turn(self, owner: str, scope: Scope, receive: Receive, send: Send) -> None:
        await self._requests.acquire(owner)
        is_held = True

        async def sending(message: Message) -> None:
            nonlocal is_held
            if is_held and message["type"] == "http.response.start":
                is_held = False
                self._requests.release(owner)
            await send(message)

        try:
            connection = scope.get("extensions", {}).get(CONNECTION)
            if connection is not None and connection.is_gone:
                raise ClientDisconnect
            await self._app(scope, receive, sending)
        finally:
            if is_held:
                self._requests.release(owner)


def _is_streamed(scope: Scope) -> bool:
    """Return whether the request accepts an NDJSON, Arrow or CSV stream."""
    accepted = [value.lower() for name, value in scope["headers"] if name == b"accept"]
    return any(kind in value for kind in _STREAMED for value in accepted)
