"""A semaphore that limits how many threads plan and serialize responses at once.

Python runs one thread at a time. Runnable threads take the interpreter from each other at every call into Arrow or
NumPy, which release its lock: 32 concurrent plans use twice the CPU of the same plans run one after another.

A thread that is about to wait, for a remote segment for example, releases its permit and takes no other one within the
same block: a thread never waits for a permit while others may wait for that thread.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

TIMEOUT_SECONDS = 5.0
"""After this time a thread proceeds without a permit."""


class CpuSemaphore:
    """At most ``permits`` threads hold a permit; a released permit goes to a waiting thread before a new one."""

    def __init__(self, permits: int) -> None:
        self._free = threading.Semaphore(permits)
        self._next = threading.Lock()
        self._own = threading.local()

    @contextmanager
    def permit(self) -> Iterator[None]:
        """Hold a permit until the block ends or :meth:`release`; a block within another one shares its permit."""
        if getattr(self._own, "holds_one", False) or not self._acquire():
            yield
            return
        self._own.holds_one = True
        try:
            yield
        finally:
            self.release()

    def release(self) -> None:
        """Release this thread's permit, if it holds one, before it waits for something else."""
        if getattr(self._own, "holds_one", False):
            self._own.holds_one = False
            self._free.release()

    def _acquire(self) -> bool:
        """Wait for a permit; return False after the timeout."""
        until = time.monotonic() + TIMEOUT_SECONDS
        # The thread that holds _next gets the next released permit, before any thread that comes later.
        if not self._next.acquire(timeout=TIMEOUT_SECONDS):
            return False
        try:
            return self._free.acquire(timeout=max(0.0, until - time.monotonic()))
        finally:
            self._next.release()


CPU = CpuSemaphore(max(2, min(4, os.cpu_count() or 1)))
"""One for each process, as the interpreter's lock is. With two permits, one thread runs while another is in Arrow."""
