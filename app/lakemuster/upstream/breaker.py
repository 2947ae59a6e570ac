"""A circuit breaker: after consecutive failures, requests to a catalog fail at once for some seconds."""

from __future__ import annotations

import threading

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamUnavailable

FAILURES = 5
"""Consecutive failures that open the breaker."""
PAUSE_SECONDS = 5.0
"""Time for which an open breaker refuses requests; after it, one request in each such period passes."""


class Breaker:
    """One catalog's circuit breaker. Thread-safe.

    Args:
        name: the catalog's name.
    """

    def __init__(self, name: str, clock: Clock = SYSTEM) -> None:
        self._name = name
        self._clock = clock
        self._failures = 0
        self._tried_at = float("-inf")
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether requests are refused."""
        return self._failures >= FAILURES

    def check(self) -> None:
        """Admit a request; while the breaker is open, admit one in each ``PAUSE_SECONDS``.

        Raises:
            UpstreamUnavailable: the breaker refuses the request.
        """
        if not self.is_open:
            return
        with self._lock:
            now = self._clock.monotonic()
            if now - self._tried_at < PAUSE_SECONDS:
                raise UpstreamUnavailable(
                    f"the catalog {self._name} has failed {FAILURES} times in a row, and is asked only every "
                    f"{PAUSE_SECONDS:.0f} s until it answers",
                    catalog=self._name,
                )
            self._tried_at = now

    def succeeded(self) -> None:
        """Close the breaker: there was a response, whatever its status."""
        self._failures = 0

    def failed(self) -> None:
        """Count a request without a response."""
        with self._lock:
            self._failures += 1
            self._tried_at = self._clock.monotonic()
