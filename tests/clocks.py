"""Clocks that tests control."""

from __future__ import annotations

import time


class SteppedClock:
    """The system's clocks with an offset to each."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.stepped_ms = 0

    def monotonic(self) -> float:
        """Return seconds that never decrease."""
        return time.monotonic() + self.passed

    def wall_ms(self) -> int:
        """Return milliseconds since the Unix epoch, according to a clock that may be set."""
        return time.time_ns() // 1_000_000 + self.stepped_ms + round(self.passed * 1000)

    def pass_seconds(self, seconds: float) -> None:
        """Advance both clocks."""
        self.passed += seconds

    def step_minutes(self, minutes: float) -> None:
        """Change the wall clock only."""
        self.stepped_ms += round(minutes * 60_000)
