"""A cache with a budget of bytes, from which anything may go."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")
Key = tuple[object, ...]


class WeighedCache:
    """Values within a budget of bytes.

    Of what passes the budget any may go: plans that read all of a table again and again then still find most of it,
    where the least used of all would always be what is read next.

    Args:
        budget: bytes.
        weigh: bytes that a key holds, beside the value's own.
    """

    def __init__(self, budget: int, weigh: Callable[[Key], int]) -> None:
        self._budget, self._weigh, self._bytes = budget, weigh, 0
        self._values: dict[Key, tuple[object, int]] = {}
        self._keys: list[Key] = []
        self._random = random.Random(0)
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], tuple[T, int]]) -> T:
        """What is kept under a key, made when there is none; ``make`` tells its bytes."""
        if (found := self._values.get(key)) is not None:
            return cast("T", found[0])
        made = make()
        self.keep(key, *made)
        return made[0]

    def keep(self, key: Key, value: object, size: int) -> None:
        """Keep something of so many bytes, unless something is kept under its key."""
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
        """What is kept under a key, if anything is."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def has(self, key: Key) -> bool:
        """Whether something is kept under a key."""
        return key in self._values
