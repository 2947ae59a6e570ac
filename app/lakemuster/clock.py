"""The time source: a monotonic clock for ages and pauses, and the machine's wall clock, which may step."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time. Tests pass their own and advance it."""

    def monotonic(self) -> float:
        """Return the seconds since a moment that is fixed for the life of the process; never decreases."""
        ...

    def wall_ms(self) -> int:
        """Return the milliseconds since the Unix epoch, by the machine's clock."""
        ...


class SystemClock:
    """The operating system's clocks."""

    def monotonic(self) -> float:
        """See :meth:`Clock.monotonic`."""
        return time.monotonic()

    def wall_ms(self) -> int:
        """See :meth:`Clock.wall_ms`."""
        return time.time_ns() // 1_000_000


SYSTEM = SystemClock()
