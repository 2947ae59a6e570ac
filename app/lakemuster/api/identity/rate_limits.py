"""Rate limits per caller (``RATE_LIMITS``): a token bucket for each kind of request and owner.

A bucket holds as many requests as the limit allows in its period, and fills at that rate. Each worker enforces an equal
share of the limit. Wrong tokens are counted by address: over the limit, unknown tokens from that address are refused
without examination, while known callers behind the same address continue to work.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.clock import SYSTEM, Clock
from lakemuster.config import RateKind, Settings
from lakemuster.errors import RateLimited

MAX_BUCKETS = 10_000
"""Limit of buckets; beyond it, the least recently used one is removed."""
_NAMES: Mapping[RateKind, str] = {
    "questions": "requests about tables",
    "refreshes": "refreshes",
    "wrong_tokens": "wrong tokens",
}


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class RateLimits:
    """The buckets of one process. Thread-safe.

    Args:
        limits: by kind: requests, and the period in seconds; kinds that are left out have no limit.
        workers: processes that share the limits.
    """

    def __init__(self, limits: Mapping[RateKind, tuple[int, float]], workers: int = 1, clock: Clock = SYSTEM) -> None:
        self._limits = {kind: (max(1.0, count / workers), period) for kind, (count, period) in limits.items()}
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[tuple[RateKind, str], _Bucket] = OrderedDict()

    @classmethod
    def of(cls, settings: Settings) -> RateLimits:
        """Return the limits of the settings."""
        return cls(settings.rates(), settings.workers)

    def take(self, kind: RateKind, owner: str) -> None:
        """Count a request. Raises: RateLimited: the owner has used up its limit."""
        self._use(kind, owner, 1.0)

    def check(self, kind: RateKind, owner: str) -> None:
        """Check the limit without counting. Raises: RateLimited: the owner has used up its limit."""
        self._use(kind, owner, 0.0)

    def _use(self, kind: RateKind, owner: str, requests: float) -> None:
        if kind not in self._limits:
            return
        size, period = self._limits[kind]
        rate = size / period
        with self._lock:
            now = self._clock.monotonic()
            bucket = self._buckets.get((kind, owner))
            if bucket is None:
                if not requests:
                    return
                bucket = self._buckets[kind, owner] = _Bucket(size, now)
                while len(self._buckets) > MAX_BUCKETS:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end((kind, owner))
            bucket.level = min(size, bucket.level + (now - bucket.at) * rate)
            bucket.at = now
            if bucket.level >= 1.0:
                bucket.level -= requests
                return
            wait = (1.0 - bucket.level) / rate
        raise RateLimited(f"too many {_NAMES[kind]}; Retry-After says when to try again", seconds=wait)
