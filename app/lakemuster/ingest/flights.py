"""Share work that may block on storage: concurrent callers with the same key wait for one run and get its result."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from contextvars import copy_context
from dataclasses import dataclass

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, IndexUnavailable, Overloaded
from lakemuster.ingest.threads import BucketThreads
from lakemuster.storage.storage_wait import StorageWait, measured

_SHORTEST_SECONDS = 0.01
_LONGEST_SECONDS = 3600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """The timeouts of a caller that waits for a run.

    Attributes:
        storage: maximum seconds that the run has waited for storage in all.
        stall: maximum seconds of the run's current wait for storage.
        total: maximum seconds in all.
    """

    storage: float = float("inf")
    stall: float = float("inf")
    total: float = float("inf")


class Flight:
    """One run of work: queued, in progress, or ended.

    Attributes:
        began: when its work began, by the monotonic clock; None before.
        result: the return value of the work.
        error: the exception that the work raised.
    """

    def __init__(self, work: Callable[[], object], clock: Clock) -> None:
        self.work = work
        self.waits = StorageWait(clock)
        self.began: float | None = None
        self.result: object = None
        self.error: BaseException | None = None
        self._clock = clock
        self._context = copy_context()
        self._done = threading.Event()

    @property
    def is_done(self) -> bool:
        """Whether the run has ended."""
        return self._done.is_set()

    @property
    def overdue(self) -> str:
        """Why it has not ended, for the message to a caller that has waited too long."""
        what = self.waits.what
        return "it takes longer than a request waits" if what is None else f"{what} has not answered in time"

    def wait(self, patience: Patience) -> bool:
        """Wait for its end; return False at a timeout. Does not wait for a run that has already stalled too long."""
        until = self._clock.monotonic() + patience.total
        while not self._done.is_set():
            left = min(
                until - self._clock.monotonic(),
                patience.storage - self.waits.spent,
                patience.stall - self.waits.stalled,
            )
            if left <= 0:
                return False
            # Measure again after this pause: the run's wait for storage has grown by at most the pause.
            self._done.wait(min(max(left, _SHORTEST_SECONDS), _LONGEST_SECONDS))
        return True

    def run(self) -> None:
        """Do the work in this thread, in the context of the request that created the run."""
        self._context.run(self._run)

    def _run(self) -> None:
        self.began = self._clock.monotonic()
        try:
            with measured(self.waits):
                self.result = self.work()
        except CatalogError as error:
            self.error = error
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting threads
            # Log it, since no caller may be waiting; only its type, since its message may hold secrets.
            _log.error("work on storage failed with an unexpected error: %s", type(error).__name__)
            self.error = error
        finally:
            self._done.set()

    def refuse(self, error: CatalogError) -> None:
        """End it with an error, without running the work."""
        self.error = error
        self._done.set()


class Flights:
    """Runs by key: one in progress, and one queued behind it for callers that arrived too late to use its result."""

    def __init__(self, threads: BucketThreads, clock: Clock = SYSTEM) -> None:
        self._threads = threads
        self._clock = clock
        self._lock = threading.Lock()
        self._running: dict[Hashable, Flight] = {}
        self._behind: dict[Hashable, Flight] = {}

    def join(
        self, key: Hashable, bucket: str, work: Callable[[], object], not_before: float = float("-inf")
    ) -> tuple[Flight, bool]:
        """Return a run that begins at ``not_before`` or later, and whether another caller created it.

        Args:
            bucket: the bucket whose threads run it.
            work: the same for all callers with the key.
            not_before: earliest acceptable start by the monotonic clock, in seconds.
        """
        with self._lock:
            running = self._running.get(key)
            if running is not None:
                if running.began is None or running.began >= not_before:
                    return running, True
                behind = self._behind.get(key)
                if behind is not None:
                    return behind, True
                behind = self._behind[key] = Flight(work, self._clock)
                behind.waits.follow(running.waits)
                return behind, False
            flight = self._running[key] = Flight(work, self._clock)
            # Time queued for a thread counts as a wait for storage: a queue forms because storage does not answer.
            flight.waits.begin()
        try:
            if not self._threads.run(bucket, lambda: self._fly(key, flight)):
                flight.refuse(IndexUnavailable("the service is closing"))
        except Overloaded as error:
            with self._lock:
                del self._running[key]
            flight.refuse(error)
        return flight, False

    def close(self) -> None:
        """Refuse the runs that have not begun, so that no caller waits for them."""
        with self._lock:
            waiting = [flight for flight in (*self._running.values(), *self._behind.values()) if flight.began is None]
            self._behind.clear()
        for flight in waiting:
            flight.refuse(IndexUnavailable("the service is closing"))

    def _fly(self, key: Hashable, flight: Flight) -> None:
        flight.waits.end()
        while True:
            flight.run()
            with self._lock:
                following = self._behind.pop(key, None)
                if following is None:
                    del self._running[key]
                    return
                self._running[key] = following
            following.waits.follow(None)
            flight = following
