"""Memory-mapped files of metric values that a full disk does not turn into the end of the process.

prometheus_client maps sparse files. A write to a hole of such a file, when the disk is full, raises SIGBUS. So the
blocks of a file are allocated before they are written. Values that find no room stay in this process's memory.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from prometheus_client.mmap_dict import MmapedDict

FIRST_BYTES = 1 << 16
"""Initial size of a file, as prometheus_client's."""
_ENTRY_BYTES = 32
"""The bytes of an entry beside its key, with padding, at most."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def _allocate(file: int, size: int) -> bool:
    """Allocate the first ``size`` bytes of a file; return False if the disk is full."""
    try:
        os.posix_fallocate(file, 0, size)
    except AttributeError:
        return True  # the system cannot allocate
    except OSError as cause:
        return cause.errno not in _FULL
    return True


class AllocatedDict(MmapedDict):
    """A dictionary of floats in a memory-mapped file, of which every block that is written is allocated."""

    _f: Any = None

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        self._unwritten: dict[str, tuple[float, float]] = {}
        self._has_file = True
        if not read_mode:
            with Path(filename).open("a+b") as file:
                size = os.fstat(file.fileno()).st_size
                self._has_file = _allocate(file.fileno(), max(size, FIRST_BYTES))
            if not self._has_file:
                # Its holder's counts are lost; a scrape fails on an empty file.
                Path(filename).unlink()
                self._positions = {}
                return
        super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        if self._has_file and self._has_room(len(key.encode()) + _ENTRY_BYTES):
            super()._init_value(key)  # type: ignore[no-untyped-call]
        else:
            self._unwritten[key] = 0.0, 0.0

    def _has_room(self, size: int) -> bool:
        capacity: int = self._capacity
        if self._used + size <= capacity:
            return True
        while self._used + size > capacity:
            capacity *= 2
        return _allocate(self._f.fileno(), capacity)

    def read_value(self, key: str) -> tuple[float, float]:
        """Return a value and its time; both are 0 if it is new."""
        if key not in self._unwritten and key not in self._positions:
            self._init_value(key)
        if key in self._unwritten:
            return self._unwritten[key]
        found: tuple[float, float] = super().read_value(key)  # type: ignore[no-untyped-call]
        return found

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        """Set a value and its time."""
        if key not in self._unwritten and key not in self._positions:
            self._init_value(key)
        if key in self._unwritten:
            self._unwritten[key] = value, timestamp
        else:
            super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
