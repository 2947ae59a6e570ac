"""Limit the concurrent requests to one catalog: callers get their turns in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.clock import SYSTEM, Clock


class NoTurn(Exception):
    """The requests in progress have not ended for too long."""


class Turns:
    """The turns of a catalog's requests. Safe from any thread.

    A caller waits as long as requests end: a catalog that answers slowly is waited for, one that hangs is not.

    Args:
        concurrent: limit of the requests in progress.
        silence: seconds without the end of a request after which those who wait get no turn.
        longest: limit of a wait, in seconds.
    """

    def __init__(self, concurrent: int, silence: float, longest: float, clock: Clock = SYSTEM) -> None:
        self._free = concurrent
        self._silence = silence
        self._longest = longest
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._ended = clock.monotonic()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and hold it.

        Raises:
            NoTurn: no request has ended for too long.
        """
        self._take()
        try:
            yield
        finally:
            self._end()

    @property
    def waiting(self) -> int:
        """The number of callers that wait."""
        return len(self._waiting)

    def _take(self) -> None:
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return
            mine = threading.Event()
            self._waiting.append(mine)
        began = self._clock.monotonic()
        while not mine.wait(self._left(began)):
            with self._lock:
                # The turn may have come since the wait ended.
                if mine.is_set():
                    return
                if self._left(began) <= 0:
                    self._waiting.remove(mine)
                    raise NoTurn

    def _left(self, began: float) -> float:
        now = self._clock.monotonic()
        return max(0.0, min(max(began, self._ended) + self._silence - now, began + self._longest - now))

    def _end(self) -> None:
        with self._lock:
            self._ended = self._clock.monotonic()
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
