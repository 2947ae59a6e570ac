"""Two clocks: one that never steps, for ages and pauses; and the machine's wall clock, which may."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What tells the time. Tests bring their own, and step it."""

    def monotonic(self) -> float:
        """Seconds since some moment, the same for the life of the process; never less than before."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, as the machine has it now."""
        ...


class SystemClock:
    """The operating system's clocks."""

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch."""
        return time.time_ns() // 1_000_000


SYSTEM = SystemClock()
