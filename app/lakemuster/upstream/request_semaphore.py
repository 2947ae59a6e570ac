"""A first-in, first-out semaphore that limits the concurrent requests to one catalog."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.clock import SYSTEM, Clock


class PermitTimeout(Exception):
    """The semaphore timed out: no request ended for too long, or the wait reached its limit."""


class RequestSemaphore:
    """A fair semaphore of the requests to a catalog. Thread-safe.

    A wait continues while requests end, so callers wait for a slow catalog, but not for one that hangs.

    Args:
        concurrent: limit of the requests in progress.
        silence: timeout of a wait in which no request ends, in seconds.
        longest: timeout of any wait, in seconds.
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
    def permit(self) -> Iterator[None]:
        """Acquire a permit, and hold it until exit.

        Raises:
            PermitTimeout: the wait timed out.
        """
        self._take()
        try:
            yield
        finally:
            self._end()

    @property
    def waiting(self) -> int:
        """The number of waiting callers."""
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
                # The permit may have been given after the timeout.
                if mine.is_set():
                    return
                if self._left(began) <= 0:
                    self._waiting.remove(mine)
                    raise PermitTimeout

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
