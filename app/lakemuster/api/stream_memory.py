"""Count the memory held by a process's streams, and return freed memory to the system.

The C library retains freed memory in the arena that it came from. Each thread may get its own arena, and the threads
that refresh tables are short-lived: without a limit of arenas and regular trimming, a busy server holds several times
the memory that it uses.
"""

from __future__ import annotations

import ctypes
import gc
import os
from functools import cache
from typing import Any

import anyio
import anyio.to_thread
import pyarrow as pa

TRIM_SECONDS = 15.0
ARENAS = 2
_M_ARENA_MAX = -8
MANY = 8
"""Minimum number of concurrent streams after which unused memory is returned, which costs some milliseconds."""


class StreamMemory:
    """Counters of a process's streams; its event loop updates them.

    Attributes:
        bytes: bytes produced and not yet sent, over all streams.
        running: number of streams in progress.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self.running = self._most = 0

    def begin(self) -> None:
        """Count a stream that begins."""
        self.running += 1
        self._most = max(self._most, self.running)

    def end(self) -> bool:
        """Count a stream that ended; return whether it was the last one after ``MANY`` ran concurrently."""
        self.running -= 1
        is_last_of_many = not self.running and self._most >= MANY
        if not self.running:
            self._most = 0
        return is_last_of_many


STREAM_MEMORY = StreamMemory()


def release_unused_memory() -> None:
    """Return unused memory to the system; otherwise allocators retain it forever."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim()


def trim() -> None:
    """Return the memory that the C library retains; takes some hundredths of a second, and releases the GIL."""
    if (function := _of_libc("malloc_trim")) is not None:
        function(0)


async def trim_regularly() -> None:
    """Trim every ``TRIM_SECONDS`` until cancelled."""
    while True:
        await anyio.sleep(TRIM_SECONDS)
        await anyio.to_thread.run_sync(trim)


def share_arenas() -> None:
    """Make all threads, and Arrow, allocate from few malloc arenas, unless the environment has settings for this.

    Arrow's own allocator has a heap for each thread. It returns memory that another thread freed only when the heap's
    thread allocates again, so an idle thread's heap does not shrink. Without ``malloc_trim`` in the C library, Arrow
    continues to use its own allocator.
    """
    if "ARROW_DEFAULT_MEMORY_POOL" not in os.environ and _of_libc("malloc_trim") is not None:
        pa.set_memory_pool(pa.system_memory_pool())
    function = _of_libc("mallopt")
    if function is not None and "MALLOC_ARENA_MAX" not in os.environ:
        function(_M_ARENA_MAX, ARENAS)


@cache
def _of_libc(name: str) -> Any:
    """Return a function of the C library; None if there is none of that name."""
    try:
        return getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
