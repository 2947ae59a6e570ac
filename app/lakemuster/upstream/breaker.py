"""A circuit breaker: after consecutive failures, requests to a catalog fail at once for some seconds."""

from __future__ import annotations

import threading

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamUnavailable

FAILURES = 5
"""Failures in a row that open the breaker."""
PAUSE_SECONDS = 5.0
"""Time for which an open breaker refuses; afterwards one request at a time tries again."""


class Breaker:
    """One catalog's breaker. Safe from any thread.

    Args:
        name: of the catalog.
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
        """Let a request pass; of those that an open breaker sees, one for each pause.

        Raises:
            UpstreamUnavailable: the breaker is open.
        """
        if not self.is_open:
            return
        with self._lock:
            now = self._clock.monotonic()
            if now - self._tried_at < PAUSE_SECONDS:
                raise UpstreamUnavailable(f"the catalog {self._name} has not answered lately", catalog=self._name)
            self._tried_at = now

    def succeeded(self) -> None:
        """Count an answer, whatever its status."""
        self._failures = 0

    def failed(self) -> None:
        """Count a request that got no answer."""
        with self._lock:
            self._failures += 1
            self._tried_at = self._clock.monotonic()
