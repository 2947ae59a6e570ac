"""Turns at computing: a few threads at a time plan and write answers, the others wait.

Python runs one thread at a time. Threads that all want to run take the interpreter from each other at every call into
Arrow or NumPy, which lets go of it: 32 plans side by side use twice the CPU of the same plans one after another. Who
comes to wait for something else, such as a segment that is far away, leaves its turn to others, and does without one
from then on: it never waits for a turn while others may wait for it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 5.0
"""Whoever got no turn in this time goes without."""


class CpuSemaphore:
    """So many turns, each a thread's."""

    def __init__(self, turns: int) -> None:
        self._free = threading.Semaphore(turns)
        self._next = threading.Lock()
        self._own = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A turn, if this thread has none, for as long as the block lasts or until :meth:`leave`."""
        if getattr(self._own, "has_one", False) or not self._acquire():
            yield
            return
        self._own.has_one = True
        try:
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Give up this thread's turn, if it has one: it is going to wait."""
        if getattr(self._own, "has_one", False):
            self._own.has_one = False
            self._free.release()

    def _acquire(self) -> bool:
        """Wait for a turn; False when patience ends."""
        until = time.monotonic() + PATIENCE_SECONDS
        # One waits for a turn, the others for its place: else whoever just had a turn takes the next one before them.
        if not self._next.acquire(timeout=PATIENCE_SECONDS):
            return False
        try:
            return self._free.acquire(timeout=max(0.0, until - time.monotonic()))
        finally:
            self._next.release()


CPU = CpuSemaphore(max(2, min(4, os.cpu_count() or 1)))
"""Of this process, as the interpreter's lock is. Two keep the CPU busy while one is in code without the lock."""
