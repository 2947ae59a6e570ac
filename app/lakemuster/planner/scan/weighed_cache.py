"""A cache with a budget of bytes and random eviction."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")
Key = tuple[object, ...]


class WeighedCache:
    """A cache with a budget of bytes, which evicts random entries.

    Plans that read a whole table again and again still find most of it; LRU eviction would always evict what is read
    next.

    Args:
        budget: bytes.
        weigh: returns the bytes that a key takes, besides the value's own.
    """

    def __init__(self, budget: int, weigh: Callable[[Key], int]) -> None:
        self._budget, self._weigh, self._bytes = budget, weigh, 0
        self._values: dict[Key, tuple[object, int]] = {}
        self._keys: list[Key] = []
        self._random = random.Random(0)
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], tuple[T, int]]) -> T:
        """Return the cached value of a key; if there is none, cache what ``make`` returns: a value and its bytes."""
        if (found := self._values.get(key)) is not None:
            return cast("T", found[0])
        made = make()
        self.keep(key, *made)
        return made[0]

    def keep(self, key: Key, value: object, size: int) -> None:
        """Cache a value of ``size`` bytes, unless its key has one."""
        size += self._weigh(key)
        with self._lock:
            if key not in self._values:
                self._values[key] = value, size
                self._keys.append(key)
                self._bytes += size
            while self._bytes > self._budget and len(self._keys) > 1:
                place = self._random.randrange(len(self._keys) - 1)
                self._keys[place], self._keys[-1] = self._keys[-1], self._keys[place]
                self._bytes -= self._values.pop(self._keys.pop())[1]

    def find(self, key: Key) -> object | None:
        """Return the cached value of a key; None if there is none."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def has(self, key: Key) -> bool:
        """Tell whether a key has a cached value."""
        return key in self._values
