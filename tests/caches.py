"""Limits for the caches of this process, for a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.caching import MEMORY


@contextmanager
def memory_limit(limit: int) -> Iterator[None]:
    """Empty all caches, and limit them to so many bytes."""
    before = MEMORY.limit
    MEMORY.clear()
    MEMORY.limit = limit
    try:
        yield
    finally:
        MEMORY.clear()
        MEMORY.limit = before
