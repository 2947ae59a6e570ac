"""One run at a time of what may block on storage, shared by all who want its result."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, IndexUnavailable
from lakemuster.ingest.threads import BucketThreads
from lakemuster.storage.waits import Waits, measured

_SHORTEST_SECONDS = 0.01
_LONGEST_SECONDS = 3600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a caller waits for a run.

    Attributes:
        storage: seconds that the run may have waited for storage in all.
        stall: seconds that storage may have given nothing.
        total: seconds in all.
    """

    storage: float = float("inf")
    stall: float = float("inf")
    total: float = float("inf")


class Flight:
    """A run that is going to begin, is under way, or has ended.

    Attributes:
        began: when its work began; None before.
        result: what the work returned.
        error: what it raised.
    """

    def __init__(self, work: Callable[[], object], clock: Clock) -> None:
        self.work = work
        self.waits = Waits(clock)
        self.began: float | None = None
        self.result: object = None
        self.error: BaseException | None = None
        self._clock = clock
        self._done = threading.Event()

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._done.is_set()

    def wait(self, patience: Patience) -> bool:
        """Wait for its end; False when patience ends first. A run that has stalled already is not waited for."""
        until = self._clock.monotonic() + patience.total
        while not self._done.is_set():
            left = min(
                until - self._clock.monotonic(),
                patience.storage - self.waits.spent,
                patience.stall - self.waits.stalled,
            )
            if left <= 0:
                return False
            # The wait is measured anew: it may be shorter than it seems now, never longer.
            self._done.wait(min(max(left, _SHORTEST_SECONDS), _LONGEST_SECONDS))
        return True

    def run(self) -> None:
        """Do the work, in this thread."""
        self.began = self._clock.monotonic()
        try:
            with measured(self.waits):
                self.result = self.work()
        except CatalogError as error:
            self.error = error
        except BaseException as error:  # noqa: BLE001 - it is raised again by those who wait
            # Perhaps nobody waits. Texts of others may hold secrets.
            _log.error("work on storage failed with an unexpected error: %s", type(error).__name__)
            self.error = error
        finally:
            self._done.set()

    def refuse(self, error: CatalogError) -> None:
        """End it without a run."""
        self.error = error
        self._done.set()


class Flights:
    """Runs by key: one under way, and one more behind it for those who came too late for its result."""

    def __init__(self, threads: BucketThreads, clock: Clock = SYSTEM) -> None:
        self._threads = threads
        self._clock = clock
        self._lock = threading.Lock()
        self._running: dict[Hashable, Flight] = {}
        self._behind: dict[Hashable, Flight] = {}

    def join(
        self, key: Hashable, bucket: str, work: Callable[[], object], not_before: float = float("-inf")
    ) -> tuple[Flight, bool]:
        """A run that begins at ``not_before``, of the monotonic clock, or later; and whether it is another's.

        Args:
            bucket: whose threads run it.
            work: is the same for all who give the key.
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
            # A queue for threads is there because storage does not answer.
            flight.waits.begin()
        if not self._threads.run(bucket, lambda: self._fly(key, flight)):
            flight.refuse(IndexUnavailable("the service is closing"))
        return flight, False

    def close(self) -> None:
        """Let nobody wait for what has not begun."""
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
