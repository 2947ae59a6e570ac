"""Run blocking calls in dedicated threads, with a deadline for the caller.

For libraries without timeouts of their own. Work that exceeds its deadline continues in its thread; when such work
occupies all threads, further work exceeds its deadline, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TypeVar

from lakemuster.clock import SYSTEM, Clock

THREADS = 8

T = TypeVar("T")


class DeadlineExceeded(Exception):
    """The work did not complete in time."""


class Deadlines:
    """The threads of one catalog's requests. Thread-safe."""

    def __init__(self, threads: int = THREADS, clock: Clock = SYSTEM) -> None:
        self._free = threading.BoundedSemaphore(threads)
        self._clock = clock

    def run(self, work: Callable[[], T], seconds: float) -> T:
        """Run work and return its result.

        Raises:
            DeadlineExceeded: it did not complete in time.
            Exception: raised by the work.
        """
        until = self._clock.monotonic() + seconds
        if not self._free.acquire(timeout=seconds):
            raise DeadlineExceeded
        result: Future[T] = Future()

        def running() -> None:
            try:
                result.set_result(work())
            except BaseException as error:  # noqa: BLE001 -- raised again where the result is awaited
                result.set_exception(error)
            finally:
                self._free.release()

        # A daemon thread does not keep the process from exiting.
        thread = threading.Thread(target=running, name="upstream", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no further thread
            self._free.release()
            raise
        try:
            return result.result(max(0.0, until - self._clock.monotonic()))
        except FutureTimeoutError:
            if result.done():
                raise
            raise DeadlineExceeded from None
