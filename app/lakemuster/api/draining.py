"""Draining: between the request to stop and the end, answer as before while readiness says no.

A load balancer needs some seconds to see that a replica is not ready any more. Closing the listener before that would
refuse the requests that it still sends.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Drain:
    """Whether this process is draining: it was asked to stop, and still answers."""

    def __init__(self) -> None:
        self.has_begun = False

    @contextmanager
    def delaying(self, seconds: float) -> Iterator[None]:
        """Delay what SIGTERM does by some seconds of draining until the block ends; SIGINT stays immediate.

        Needs a running event loop. Signals belong to the main thread; in any other nothing is delayed.
        """
        stop = signal.getsignal(signal.SIGTERM)
        if seconds <= 0 or threading.current_thread() is not threading.main_thread() or not callable(stop):
            yield
            return
        loop = asyncio.get_running_loop()

        def begin(number: int, _frame: FrameType | None) -> None:
            # A supervisor of processes may signal each of them, after the system has signalled all.
            if not self.has_begun:
                self.has_begun = True
                loop.call_soon_threadsafe(loop.call_later, seconds, stop, number, None)

        signal.signal(signal.SIGTERM, begin)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGTERM) is begin:
                signal.signal(signal.SIGTERM, stop)


DRAIN = Drain()
"""That of this process."""
