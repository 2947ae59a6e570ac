"""Clocks that tests step."""

from __future__ import annotations

import time


class SteppedClock:
    """The system's clocks, and what a test adds to either."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.stepped_ms = 0

    def monotonic(self) -> float:
        """Seconds, never less than before."""
        return time.monotonic() + self.passed

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, as a machine with a wrong clock has it."""
        return time.time_ns() // 1_000_000 + self.stepped_ms + round(self.passed * 1000)

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass, by both clocks."""
        self.passed += seconds

    def step_minutes(self, minutes: float) -> None:
        """Set the wall clock; no time passes."""
        self.stepped_ms += round(minutes * 60_000)
