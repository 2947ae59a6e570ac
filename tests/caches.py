"""Temporary limits of this process's caches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.caching import MEMORY


@contextmanager
def memory_limit(limit: int) -> Iterator[None]:
    """Clear all caches, and limit them to ``limit`` bytes within the block."""
    before = MEMORY.limit
    MEMORY.clear()
    MEMORY.limit = limit
    try:
        yield
    finally:
        MEMORY.clear()
        MEMORY.limit = before
