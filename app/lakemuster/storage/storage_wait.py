"""Measure the time that work waits for storage, to distinguish storage that hangs from work that takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.clock import SYSTEM, Clock

STORAGE = "storage"
_OWN = threading.local()


class StorageWait:
    """The storage waits of one piece of work, which runs in one thread; any thread may read them.

    While the work waits for other work, the other work's waits for storage count as its own.
    """

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._past = 0.0
        self._since: float | None = None
        self._is_storage, self._what = True, STORAGE
        self._behind: tuple[StorageWait, float] | None = None

    @property
    def spent(self) -> float:
        """Total seconds of waiting, including the current wait."""
        since, behind = self._since, self._behind
        if behind is not None:
            other, before = behind
            return self._past + max(0.0, other.spent - before)
        return self._past + (0.0 if since is None else self._clock.monotonic() - since)

    @property
    def stalled(self) -> float:
        """Seconds of the current wait for storage; 0 without one."""
        since, behind = self._since, self._behind
        if behind is not None:
            return behind[0].stalled
        return 0.0 if since is None or not self._is_storage else self._clock.monotonic() - since

    @property
    def what(self) -> str | None:
        """What the work waits for now, for messages; None if it does not wait."""
        since, behind = self._since, self._behind
        if behind is not None:
            return behind[0].what
        return None if since is None else self._what

    def begin(self, what: str = STORAGE, *, is_storage: bool = True) -> None:
        """Start a wait for storage, or for another service."""
        self._since, self._is_storage, self._what = self._clock.monotonic(), is_storage, what

    def end(self) -> None:
        """End the wait for storage."""
        self._past, self._since = self.spent, None

    @contextmanager
    def behind(self, other: StorageWait | None) -> Iterator[None]:
        """Count the waits of other work as own during the block."""
        self.follow(other)
        try:
            yield
        finally:
            self.follow(None)

    def follow(self, other: StorageWait | None) -> None:
        """Count the waits of other work as own from now on; None ends this."""
        self._past, self._behind = self.spent, None if other is None else (other, other.spent)


@contextmanager
def measured(waits: StorageWait) -> Iterator[None]:
    """Record this thread's waits for storage in ``waits`` during the block."""
    before, _OWN.waits = current(), waits
    try:
        yield
    finally:
        _OWN.waits = before


def current() -> StorageWait | None:
    """Return the recorder of this thread's waits; None if there is none."""
    found: StorageWait | None = getattr(_OWN, "waits", None)
    return found


@contextmanager
def waiting(what: str = STORAGE, *, is_storage: bool = True) -> Iterator[None]:
    """Record the block as a wait for storage by this thread.

    Args:
        what: what the block waits for, for messages.
        is_storage: False for a wait for another service, which has timeouts of its own: it is not a stall.
    """
    waits = current()
    if waits is None:
        yield
        return
    waits.begin(what, is_storage=is_storage)
    try:
        yield
    finally:
        waits.end()
