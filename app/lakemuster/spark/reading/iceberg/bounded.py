"""A cache with least-recently-used eviction and a limit in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Bounded(Generic[T]):
    """A cache of values by key, limited in bytes; the least recently used value is evicted first.

    Args:
        max_bytes: the limit for all values together; a larger value is not cached.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._held: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], tuple[T, int]]) -> T:
        """The value of a key; on a miss, ``make`` returns the value and its size in bytes."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][0]
        value, size = make()
        if size <= self._max_bytes:
            self._held[key] = (value, size)
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._bytes -= self._held.popitem(last=False)[1][1]
        return value
