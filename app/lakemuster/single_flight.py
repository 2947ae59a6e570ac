"""Single flight: concurrent callers of the same work wait for one of them to do it, and share its outcome."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import CatalogError


@dataclass(slots=True)
class _Flight:
    done: threading.Event = field(default_factory=threading.Event)
    error: BaseException | None = None
    failed_at: float = 0.0


class SingleFlight:
    """Work by key, done by one thread at a time.

    Args:
        failed_seconds: how long a failure is cached, and raised again for later callers.
        clock: monotonic seconds.
    """

    def __init__(self, failed_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._failed_seconds, self._clock = failed_seconds, clock
        self._flights: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    def run(self, key: str, work: Callable[[], None]) -> None:
        """Do the work; if another thread is already doing it, wait for that instead.

        Raises:
            CatalogError: the work failed, in this thread, in the other one, or within ``failed_seconds``.
        """
        CPU.release()
        with self._lock:
            self._forget_failures()
            flight = self._flights.get(key)
            is_first = flight is None
            if flight is None:
                flight = self._flights[key] = _Flight()
        if not is_first:
            flight.done.wait()
            if isinstance(flight.error, CatalogError):
                raise type(flight.error)(flight.error.message, **flight.error.context)
            if flight.error is not None:
                raise flight.error
            return
        try:
            work()
        except BaseException as error:
            flight.error, flight.failed_at = error, self._clock()
            raise
        finally:
            with self._lock:
                if not isinstance(flight.error, CatalogError):
                    del self._flights[key]
            flight.done.set()

    def _forget_failures(self) -> None:
        oldest = self._clock() - self._failed_seconds
        for key, flight in list(self._flights.items()):
            if flight.done.is_set() and flight.failed_at < oldest:
                del self._flights[key]
