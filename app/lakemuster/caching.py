"""The cache: values of all kinds share one budget of bytes, so that memory goes to what is used most.

Each :class:`Cache` has a name, for metrics, and weighs its values. All caches of a :class:`Budget` together hold at
most its limit; :data:`MEMORY` is the budget of the process. The budget evicts entries at random, but spares those that
were read since they were last spared: a plan that reads a whole table again and again still finds most of it, where an
LRU cache evicts exactly what is read next. Entries that every request reads stay.

Reading takes no lock. Two threads that miss one key at a time both make its value.
"""

from __future__ import annotations

import functools
import random
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

ENTRY_BYTES = 400
"""Bytes that an entry takes besides its key and value."""

_SEEN_BYTES = 100
"""Approximate bytes of a hash in :class:`SeenKeys`."""

DEFAULT_LIMIT = 2**30
"""The limit of :data:`MEMORY`, in bytes, where no setting gives one."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_KEYWORDS = object()


@dataclass(slots=True)
class CacheStatistics:
    """The statistics of all caches of one name.

    Attributes:
        hits, misses: reads that found a value, and that found none.
        evictions: entries that the budget removed to make room.
        entries, bytes: the number and the weight of the current entries.
    """

    hits: int = 0
    misses: int = 0
    evictions: int = 0
    entries: int = 0
    bytes: int = 0

    def add(self, other: CacheStatistics) -> None:
        """Add the statistics of another cache of the same name."""
        self.hits += other.hits
        self.misses += other.misses
        self.evictions += other.evictions
        self.entries += other.entries
        self.bytes += other.bytes


@dataclass(slots=True, eq=False)
class _Partition:
    """The part of a cache that its entries refer to; it does not keep the cache itself alive."""

    name: str
    entries: dict[Any, _Entry] = field(default_factory=dict)
    statistics: CacheStatistics = field(default_factory=CacheStatistics)


class _Entry:
    __slots__ = ("key", "partition", "place", "value", "was_read", "weight")

    def __init__(self, partition: _Partition, key: Hashable, value: Any, weight: int) -> None:
        self.partition, self.key, self.value, self.weight = partition, key, value, weight
        self.was_read = False
        self.place = 0


class Budget:
    """Bytes that several caches share.

    Args:
        limit: bytes; at 0 nothing is cached.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._entries: list[_Entry] = []
        self._partitions: list[_Partition] = []
        self._gone: dict[str, CacheStatistics] = {}
        self._random = random.Random(0)
        # A finalizer of a cache may run while its thread holds the lock.
        self._lock = threading.RLock()

    @property
    def limit(self) -> int:
        """The limit in bytes. A lower one evicts at once."""
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        evicted: list[_Entry] = []
        with self._lock:
            self._limit = limit
            self._make_room(evicted)

    @property
    def bytes(self) -> int:
        """The weight of all entries."""
        return self._bytes

    def statistics(self) -> dict[str, CacheStatistics]:
        """Return the statistics of the caches by name, including those of deleted caches."""
        with self._lock:
            totals = {name: CacheStatistics(one.hits, one.misses, one.evictions) for name, one in self._gone.items()}
            for partition in self._partitions:
                totals.setdefault(partition.name, CacheStatistics()).add(partition.statistics)
            return totals

    def clear(self) -> None:
        """Remove all entries of all caches."""
        for partition in list(self._partitions):
            self.clear_partition(partition)

    def add_partition(self, partition: _Partition) -> None:
        """Add a cache to the budget."""
        with self._lock:
            self._partitions.append(partition)

    def remove_partition(self, partition: _Partition) -> None:
        """Remove a cache and its entries; its hits, misses and evictions stay in :meth:`statistics`."""
        self.clear_partition(partition)
        with self._lock:
            self._partitions.remove(partition)
            self._gone.setdefault(partition.name, CacheStatistics()).add(partition.statistics)

    def clear_partition(self, partition: _Partition) -> None:
        """Remove all entries of a cache."""
        removed: list[_Entry] = []
        with self._lock:
            for entry in list(partition.entries.values()):
                self._remove(entry, removed)

    def put(self, partition: _Partition, key: Hashable, value: object, weight: int, *, replaces: bool) -> None:
        """Store an entry, and evict others to make room for it.

        Args:
            replaces: whether the entry replaces one that its key has.
        """
        entry = _Entry(partition, key, value, weight + ENTRY_BYTES)
        # Entries are destroyed after the lock is released: a destructor may run arbitrary code.
        removed: list[_Entry] = []
        with self._lock:
            before = partition.entries.get(key)
            if before is not None:
                if not replaces:
                    return
                self._remove(before, removed)
            if entry.weight > self._limit // 2:
                return
            entry.place = len(self._entries)
            self._entries.append(entry)
            partition.entries[key] = entry
            self._bytes += entry.weight
            partition.statistics.entries += 1
            partition.statistics.bytes += entry.weight
            self._make_room(removed, entry)

    def remove(self, partition: _Partition, key: Hashable) -> None:
        """Remove the entry of a key, if there is one."""
        removed: list[_Entry] = []
        with self._lock:
            entry = partition.entries.get(key)
            if entry is not None:
                self._remove(entry, removed)

    def _make_room(self, evicted: list[_Entry], newest: _Entry | None = None) -> None:
        """Evict down to the limit, but not the newest entry, which weighs at most half of it."""
        while self._bytes > self._limit:
            entry = self._entries[self._random.randrange(len(self._entries))]
            if entry is newest:
                continue
            if entry.was_read:
                entry.was_read = False
                continue
            entry.partition.statistics.evictions += 1
            self._remove(entry, evicted)

    def _remove(self, entry: _Entry, removed: list[_Entry]) -> None:
        last = self._entries.pop()
        if last is not entry:
            self._entries[entry.place] = last
            last.place = entry.place
        del entry.partition.entries[entry.key]
        self._bytes -= entry.weight
        entry.partition.statistics.entries -= 1
        entry.partition.statistics.bytes -= entry.weight
        removed.append(entry)


MEMORY = Budget(DEFAULT_LIMIT)
"""The budget of this process's caches; the setting ``MEMORY_BYTES`` gives its limit."""


class Cache(Generic[K, V]):
    """A cache whose values are evicted when its budget is exhausted.

    Args:
        name: what metrics call it; caches of one name are counted together.
        weigh: returns the bytes of a key and its value, approximately.
        budget: shared with other caches.
    """

    def __init__(self, name: str, weigh: Callable[[K, V], int], budget: Budget = MEMORY) -> None:
        self._weigh, self._budget = weigh, budget
        self._partition = _Partition(name)
        self._entries = self._partition.entries
        self._statistics = self._partition.statistics
        budget.add_partition(self._partition)
        weakref.finalize(self, budget.remove_partition, self._partition).atexit = False

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        entry = self._entries.get(key)
        if entry is None:
            self._statistics.misses += 1
            return None
        self._statistics.hits += 1
        entry.was_read = True
        value: V = entry.value
        return value

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; if it is absent, store what ``make`` returns. An exception is not stored."""
        entry = self._entries.get(key)
        if entry is not None:
            self._statistics.hits += 1
            entry.was_read = True
            found: V = entry.value
            return found
        self._statistics.misses += 1
        value = make()
        self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Store a value, unless its key has one or it weighs more than half the budget."""
        self._budget.put(self._partition, key, value, self._weigh(key, value), replaces=False)

    def replace(self, key: K, value: V) -> None:
        """Replace the value of a key. A value that weighs more than half the budget is not stored."""
        self._budget.put(self._partition, key, value, self._weigh(key, value), replaces=True)

    def remove(self, key: K) -> None:
        """Remove the value of a key, if there is one."""
        self._budget.remove(self._partition, key)

    def clear(self) -> None:
        """Remove all values."""
        self._budget.clear_partition(self._partition)

    def __contains__(self, key: object) -> bool:
        """Return whether a key has a value; this is not counted as a read."""
        return key in self._entries

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        """Iterate over a copy of the current keys."""
        return iter(list(self._entries))


class SeenKeys:
    """Hashes of the keys of recent requests, for caches that store a value only at the second request for it.

    Args:
        name, budget: as of :class:`Cache`.
    """

    def __init__(self, name: str, budget: Budget = MEMORY) -> None:
        self._hashes: Cache[int, None] = Cache(name, lambda *_: _SEEN_BYTES, budget)

    def add(self, key: Hashable) -> bool:
        """Record a key; return whether it was recorded before."""
        number = hash(key)
        if number in self._hashes:
            return True
        self._hashes.put(number, None)
        return False


def nbytes(value: object) -> int:
    """Return the bytes of the arrays, texts and byte strings that a value is or has, in sequences and dataclasses."""
    own = getattr(value, "nbytes", None)
    if own is not None:
        return int(own)
    if isinstance(value, bytes | str):
        return len(value)
    if isinstance(value, tuple | list):
        return sum(map(nbytes, value))
    if is_dataclass(value):
        return sum(nbytes(getattr(value, part.name)) for part in fields(value))
    return 0


class CachedFunction(Protocol[P, R_co]):
    """A function whose results are cached by its arguments."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return the cached result, or call the function."""

    def cache_clear(self) -> None:
        """Remove all results."""


def cached(
    name: str, weigh: Callable[[Any], int], key_of: Callable[..., Hashable] | None = None
) -> Callable[[Callable[P, R]], CachedFunction[P, R]]:
    """Cache the results of a function by its arguments.

    Args:
        name: as of :class:`Cache`.
        weigh: returns the bytes of a result and of its key, approximately.
        key_of: returns the key for arguments; needed where they are not hashable, or where the cache must not keep
            them alive.
    """

    def decorate(function: Callable[P, R]) -> CachedFunction[P, R]:
        cache = Cache[Hashable, R](name, lambda _, value: weigh(value))

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            key: Hashable
            if key_of is not None:
                key = key_of(*args, **kwargs)
            else:
                key = (*args, _KEYWORDS, *kwargs.items()) if kwargs else args
            return cache.get_or_make(key, lambda: function(*args, **kwargs))

        named = cast("Any", call)
        named.cache_clear = cache.clear
        return cast("CachedFunction[P, R]", named)

    return decorate
