"""What several files of a split need, kept while there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Bounded(Generic[T]):
    """Values by key, of no more than so many bytes together; those that were used least recently go first.

    Args:
        max_bytes: of all values; one that is larger is made whenever it is asked for.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._held: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], tuple[T, int]]) -> T:
        """The value of a key; ``make`` gives it and its size in bytes."""
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
