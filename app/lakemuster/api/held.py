"""What the streams of a process hold: bytes that were made and not sent; and memory back when many have ended."""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from typing import Any

import pyarrow as pa

MANY = 8
"""Streams side by side whose memory is worth giving back: it takes some milliseconds, and memory is wanted again."""


class Held:
    """Of one process, and its event loop.

    Attributes:
        bytes: made and not sent, of all streams.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._running = self._most = 0

    def begin(self) -> None:
        """A stream begins."""
        self._running += 1
        self._most = max(self._most, self._running)

    def end(self) -> bool:
        """A stream has ended; whether it was the last of many."""
        self._running -= 1
        is_last_of_many = not self._running and self._most >= MANY
        if not self._running:
            self._most = 0
        return is_last_of_many


HELD = Held()


def give_back() -> None:
    """Give memory that is not used to the system: allocators keep it otherwise, for good."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """The C library's function; None where it has none."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
