"""A local disk cache of remote segments, limited to a number of bytes.

Several processes may share the folder. A copy is added by renaming, so it is never partial, and evicted by unlinking,
so processes that have it mapped keep it. A file's modification time is the time of its last use.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import IndexUnavailable
from lakemuster.index.segment_files import place

_SUFFIX = ".arrow"
_EVICT_TO_FRACTION = 0.9
_UNSCANNED_FRACTION = 0.05
_LITTLE_SPACE = 64 * 2**20
"""Free bytes of a disk below which a file may have found no room."""
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


class SegmentCache:
    """A cache folder of segment files; the least recently used ones are evicted first.

    Args:
        folder: created if it does not exist.
        budget: maximum bytes of all copies; new copies may exceed it briefly.

    Attributes:
        close: called with the name of a copy that was evicted from a full disk. Its space is free once it is unmapped.

    Raises:
        IndexUnavailable: the folder cannot be created.
    """

    def __init__(self, folder: Path, budget: int) -> None:
        self._folder = folder.absolute()
        self._budget = budget
        self.close: Callable[[str], None] = lambda _: None
        self._workspace = self._folder / "tmp"
        try:
            self._workspace.mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            raise IndexUnavailable(f"cannot create the cache folder: {cause.strerror}", path=str(folder)) from cause
        self._lock = threading.Lock()
        self._fetching: dict[str, threading.Lock] = {}
        self._unscanned = budget  # scan the folder at the first arrival: an earlier process may have filled it

    @property
    def workspace(self) -> Path:
        """The folder of files that are being written; created again if the cache folder was deleted."""
        self._workspace.mkdir(parents=True, exist_ok=True)
        return self._workspace

    def get(self, name: str, download: Callable[[Path], None]) -> Path:
        """Return the path of a copy, downloaded on a cache miss; another process may evict it at any time."""
        path = self._path(name)
        if _used_now(path):
            return path
        CPU.release()
        with self._lock:
            fetching = self._fetching.setdefault(name, threading.Lock())
        with fetching:
            try:
                if not _used_now(path):
                    part = self.workspace / f"{name}.{os.getpid()}-{threading.get_ident()}.part"
                    try:
                        self._download(part, download)
                        self.keep(name, part)
                    finally:
                        part.unlink(missing_ok=True)
            finally:
                with self._lock:
                    self._fetching.pop(name, None)
        return path

    def _download(self, part: Path, download: Callable[[Path], None]) -> None:
        """Download a copy; if the disk is full, evict half of the copies and try again."""
        try:
            download(part)
        except OSError as cause:
            if cause.errno not in _NO_SPACE:
                raise
            part.unlink(missing_ok=True)
            self._evict_half()
            download(part)

    def make_room(self) -> bool:
        """If the disk has little space, evict half of the copies; return whether any was evicted."""
        return shutil.disk_usage(self._folder).free < _LITTLE_SPACE and self._evict_half()

    def _evict_half(self) -> bool:
        evicted = self._evict(max_bytes=0, to_fraction=0.5)
        for path in evicted:
            self.close(path.stem)
        return bool(evicted)

    def keep(self, name: str, file: Path) -> None:
        """Move a file into the cache as the copy of a segment."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        size = file.stat().st_size
        place(file, path)
        with self._lock:
            self._unscanned += size
            if self._unscanned <= self._budget * _UNSCANNED_FRACTION:
                return
            self._unscanned = 0
        self._evict(self._budget, _EVICT_TO_FRACTION, spare=path)

    def drop(self, name: str) -> bool:
        """Remove the copy of a segment; return whether there was one."""
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            return False
        return True

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / (name + _SUFFIX)

    def _evict(self, max_bytes: int, to_fraction: float, spare: Path | None = None) -> list[Path]:
        """If the copies take more than a number of bytes, evict down to a fraction of it; return the evicted copies.

        Args:
            max_bytes: 0 for the present bytes of all copies.
            spare: is not evicted.
        """
        files: list[tuple[float, int, Path]] = []
        for path in self._folder.glob(f"*/*{_SUFFIX}"):
            with suppress(FileNotFoundError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        evicted: list[Path] = []
        if total <= max_bytes:
            return evicted
        least = (max_bytes or total) * to_fraction
        for _, size, path in sorted(files):
            if total <= least:
                break
            if path != spare:
                path.unlink(missing_ok=True)
                evicted.append(path)
                total -= size
        return evicted


def _used_now(path: Path) -> bool:
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError:  # such as a disk that became read-only: its copies are readable
        return path.exists()
    return True
