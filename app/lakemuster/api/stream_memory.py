"""What the streams of a process hold: bytes that were made and not sent; and memory back to the system.

The C library keeps what is freed for the arena that it came from. Each thread may get an arena of its own, and looks at
tables come and go in threads: without a limit, and without trimming now and then, a busy server holds several times
what it uses.
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

TRIM_SECONDS = 60.0
ARENAS = 2
_M_ARENA_MAX = -8
MANY = 8
"""Streams side by side whose memory is worth giving back: it takes some milliseconds, and memory is wanted again."""


class StreamMemory:
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


STREAM_MEMORY = StreamMemory()


def give_back() -> None:
    """Give memory that is not used to the system: allocators keep it otherwise, for good."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim()


def trim() -> None:
    """Give back what the C library keeps; takes some hundredths of a second, and does not hold the interpreter."""
    if (function := _of_libc("malloc_trim")) is not None:
        function(0)


async def trim_regularly() -> None:
    """Trim until it is cancelled."""
    while True:
        await anyio.sleep(TRIM_SECONDS)
        await anyio.to_thread.run_sync(trim)


def limit_arenas() -> None:
    """Have all threads of this process share few arenas, unless ``MALLOC_ARENA_MAX`` says how many."""
    function = _of_libc("mallopt")
    if function is not None and "MALLOC_ARENA_MAX" not in os.environ:
        function(_M_ARENA_MAX, ARENAS)


@cache
def _of_libc(name: str) -> Any:
    """A function of the C library; None where it has none of that name."""
    try:
        return getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
