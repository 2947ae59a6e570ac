"""Readiness checks, in bounded time, of the database, the segment store and the clocks.

A check may hang with its dependency. So each runs in its own thread, at most once at a time, and concurrent callers
share the run.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError, IndexUnavailable, Overloaded

LOG = logging.getLogger("lakemuster.api")
PATIENCE_SECONDS = 3.0
"""Timeout of a caller's wait for a check."""
MAX_SKEW_SECONDS = 15 * 60
"""Maximum difference between the clocks of this machine and the database, and maximum step of this machine's clock."""
OK = "ok"


class Readiness:
    """Named checks, each run at most once at a time.

    Args:
        checks: functions that raise a CatalogError if something is wrong, by name.
        patience: timeout of a caller, in seconds.
    """

    def __init__(self, checks: Mapping[str, Callable[[], object]], patience: float = PATIENCE_SECONDS) -> None:
        self._checks = checks
        self._patience = patience
        self._lock = threading.Lock()
        self._running: dict[str, tuple[float, Future[str]]] = {}

    @classmethod
    def of(cls, services: Services) -> Readiness:
        """Create the checks of a service's database, segment store and clocks."""
        index = services.index
        clock = Clocks(index.database.clock_ms)
        return cls({"database": index.database.check, "segments": index.segments.check, "clock": clock.check})

    async def states(self) -> dict[str, str]:
        """Run the checks; return for each ``ok``, or the error's code and message."""
        running = {name: self._run(name) for name in self._checks}
        await asyncio.wait([asyncio.wrap_future(future) for _, future in running.values()], timeout=self._patience)
        return {name: self._state(since, future) for name, (since, future) in running.items()}

    def _run(self, name: str) -> tuple[float, Future[str]]:
        with self._lock:
            known = self._running.get(name)
            if known is not None and not known[1].done():
                return known
            future: Future[str] = Future()
            future.set_running_or_notify_cancel()
            self._running[name] = time.monotonic(), future
            work = threading.Thread(target=self._check, args=(name, future), name=f"ready-{name}", daemon=True)
            try:
                work.start()
            except RuntimeError:
                future.set_result(f"{Overloaded.code}: no thread can be started")
            return self._running[name]

    def _check(self, name: str, future: Future[str]) -> None:
        try:
            self._checks[name]()
        except CatalogError as error:
            future.set_result(f"{error.code}: {error.message}")
        except Exception as error:
            LOG.exception("readiness check %s failed", name)
            future.set_result(f"internal: {type(error).__name__}")
        else:
            future.set_result(OK)

    def _state(self, since: float, future: Future[str]) -> str:
        if future.done():
            return future.result()
        return f"{IndexUnavailable.code}: no answer for {time.monotonic() - since:.0f} s"


def _boottime() -> float:
    """Return monotonic seconds, including time in suspend if the system supports it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Clocks:
    """Compares the machine's wall clock with the database's clock, and with a monotonic clock.

    Args:
        database_ms: returns the database's time, in milliseconds since 1970.
        wall: returns the machine's time, in seconds since 1970.
        steady: returns monotonic seconds.
    """

    def __init__(
        self,
        database_ms: Callable[[], int],
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = _boottime,
    ) -> None:
        self._database_ms = database_ms
        self._wall, self._steady = wall, steady
        self._offset = wall() - steady()
        self._stepped: tuple[float, float] | None = None

    def check(self) -> None:
        """Check that the clocks agree, and that the machine's clock was not stepped in the last 15 minutes.

        Raises:
            IndexUnavailable: the clocks differ, or the machine's clock was stepped, by more than 15 minutes; or the
                database does not answer.
        """
        steady = self._steady()
        step = self._wall() - steady - self._offset
        if abs(step) > MAX_SKEW_SECONDS:
            self._stepped, self._offset = (steady, step), self._offset + step
        if self._stepped is not None:
            at, step = self._stepped
            if steady - at < MAX_SKEW_SECONDS:
                raise IndexUnavailable(
                    f"this machine's clock was stepped {_minutes(step)} {'forward' if step > 0 else 'back'}"
                )
            self._stepped = None
        before = self._wall()
        ahead = self._database_ms() / 1000 - (before + self._wall()) / 2
        if abs(ahead) > MAX_SKEW_SECONDS:
            raise IndexUnavailable(
                f"the database's clock is {_minutes(ahead)} {'ahead of' if ahead > 0 else 'behind'} this machine's"
            )


def _minutes(seconds: float) -> str:
    return f"{abs(seconds) / 60:.0f} minutes"
