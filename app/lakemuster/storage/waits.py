"""How long a piece of work has waited for storage: what tells a store that hangs from work that takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.clock import SYSTEM, Clock

_OWN = threading.local()


class Waits:
    """The waits of one piece of work, which one thread does; any thread may read them.

    While the work waits for other work, it waits for storage as long as the other does.
    """

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._past = 0.0
        self._since: float | None = None
        self._behind: tuple[Waits, float] | None = None

    @property
    def spent(self) -> float:
        """Seconds in all, the wait that has not ended included."""
        since, behind = self._since, self._behind
        if behind is not None:
            other, before = behind
            return self._past + max(0.0, other.spent - before)
        return self._past + (0.0 if since is None else self._clock.monotonic() - since)

    @property
    def stalled(self) -> float:
        """Seconds of the wait that has not ended; 0 when there is none."""
        since, behind = self._since, self._behind
        if behind is not None:
            return behind[0].stalled
        return 0.0 if since is None else self._clock.monotonic() - since

    def begin(self) -> None:
        """A wait for storage begins."""
        self._since = self._clock.monotonic()

    def end(self) -> None:
        """It ended."""
        self._past, self._since = self.spent, None

    @contextmanager
    def behind(self, other: Waits | None) -> Iterator[None]:
        """Wait for other work while the block lasts."""
        self.follow(other)
        try:
            yield
        finally:
            self.follow(None)

    def follow(self, other: Waits | None) -> None:
        """From now on wait for other work; None ends that."""
        self._past, self._behind = self.spent, None if other is None else (other, other.spent)


@contextmanager
def measured(waits: Waits) -> Iterator[None]:
    """Count this thread's waits for storage while the block lasts."""
    before, _OWN.waits = current(), waits
    try:
        yield
    finally:
        _OWN.waits = before


def current() -> Waits | None:
    """What counts this thread's waits, if anything does."""
    found: Waits | None = getattr(_OWN, "waits", None)
    return found


@contextmanager
def waiting() -> Iterator[None]:
    """Count what the thread does while the block lasts as a wait for storage."""
    waits = current()
    if waits is None:
        yield
        return
    waits.begin()
    try:
        yield
    finally:
        waits.end()
