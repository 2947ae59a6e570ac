"""The time source: a monotonic clock for ages and pauses, and the machine's wall clock, which may step."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time. Tests pass their own and advance it."""

    def monotonic(self) -> float:
        """Seconds since a moment that is fixed for the life of the process; never decreases."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, by the machine's clock."""
        ...


class SystemClock:
    """The operating system's clocks."""

    def monotonic(self) -> float:
        """Seconds since a fixed moment."""
        return time.monotonic()

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch."""
        return time.time_ns() // 1_000_000


SYSTEM = SystemClock()
