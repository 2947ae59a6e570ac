"""Draining: after SIGTERM, keep serving requests for some time while readiness fails.

A load balancer needs some seconds to detect that a replica is no longer ready. Closing the listener earlier would
refuse the requests that it still sends.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

END_DRAINING = signal.SIGUSR2
"""Ends the draining of a worker; from its supervisor. Not SIGINT, of which the worker may have had one: a second one
aborts requests in progress."""


class Drain:
    """The draining state of a process: it received SIGTERM, and still serves requests."""

    def __init__(self) -> None:
        self.has_begun = False

    @contextmanager
    def delaying(self, seconds: float) -> Iterator[None]:
        """Delay the handler of SIGTERM by some seconds of draining until the block ends; SIGINT stays immediate.

        Needs a running event loop. Only the main thread can handle signals; in another thread this does nothing.
        """
        stop = signal.getsignal(signal.SIGTERM)
        if seconds <= 0 or threading.current_thread() is not threading.main_thread() or not callable(stop):
            yield
            return
        loop = asyncio.get_running_loop()

        def begin(number: int, _frame: FrameType | None) -> None:
            # A process supervisor may signal each process after the system has already signalled all of them.
            if not self.has_begun:
                self.has_begun = True
                loop.call_soon_threadsafe(loop.call_later, seconds, stop, number, None)

        def end(_number: int, _frame: FrameType | None) -> None:
            self.has_begun = True
            loop.call_soon_threadsafe(stop, signal.SIGTERM, None)

        signal.signal(signal.SIGTERM, begin)
        ignored = signal.signal(END_DRAINING, end)
        try:
            yield
        finally:
            signal.signal(END_DRAINING, ignored)
            if signal.getsignal(signal.SIGTERM) is begin:
                signal.signal(signal.SIGTERM, stop)


DRAIN = Drain()
"""The draining state of this process."""
