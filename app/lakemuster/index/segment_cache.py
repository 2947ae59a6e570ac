"""A local disk cache of remote segments, limited to a number of bytes.

Several processes may share the folder. A copy is added by renaming, so it is never partial, and evicted by unlinking,
so processes that have it mapped keep it. A file's access time is the time of its last use; its modification time tells
whether it was overwritten since it was mapped.

Downloads run in threads of their own, one for each segment. Callers wait for one as long as it receives bytes, and fail
once it has stalled, so that a store or an object that does not answer does not occupy the threads of requests. The
download continues, and a later caller finds its copy.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import IndexUnavailable
from lakemuster.index.segment_files import place

MAX_DOWNLOADS = 256
"""Maximum number of downloads of a process at a time."""
_SUFFIX = ".arrow"
_EVICT_TO_FRACTION = 0.9
_UNSCANNED_FRACTION = 0.05
_LITTLE_SPACE = 64 * 2**20
"""Free bytes of a disk below which a file may have found no room."""
_POLL_SECONDS = 0.5
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


class SegmentCache:
    """A cache folder of segment files; the least recently used ones are evicted first.

    Args:
        folder: created if it does not exist.
        budget: maximum bytes of all copies; new copies may exceed it briefly.
        stall_seconds: time without new bytes after which callers no longer wait for a download.
        clock: monotonic seconds.

    Attributes:
        close: called with the name of a copy that was evicted from a full disk. Its space is free once it is unmapped.

    Raises:
        IndexUnavailable: the folder cannot be created.
    """

    def __init__(
        self,
        folder: Path,
        budget: int,
        stall_seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder.absolute()
        self._budget = budget
        self._stall_seconds, self._clock = stall_seconds, clock
        self.close: Callable[[str], None] = lambda _: None
        self._workspace = self._folder / "tmp"
        try:
            self._workspace.mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            raise IndexUnavailable(f"cannot create the cache folder: {cause.strerror}", path=str(folder)) from cause
        self._lock = threading.Lock()
        self._downloads: dict[str, _Download] = {}
        self._unscanned = budget  # scan the folder at the first arrival: an earlier process may have filled it

    @property
    def workspace(self) -> Path:
        """The folder of files that are being written; created again if the cache folder was deleted."""
        self._workspace.mkdir(parents=True, exist_ok=True)
        return self._workspace

    def get(self, name: str, download: Callable[[Path], None]) -> Path:
        """Return the path of a copy, downloaded on a cache miss; another process may evict it at any time.

        Raises:
            IndexUnavailable: the download has stalled, or there are too many.
            OSError, CatalogError: the download failed.
        """
        path = self._path(name)
        if _used_now(path):
            return path
        CPU.release()
        with self._lock:
            running = self._downloads.get(name)
            if running is None:
                if len(self._downloads) >= MAX_DOWNLOADS:
                    raise IndexUnavailable("the segment store is too slow: too many downloads are waiting")
                part = self.workspace / f"{name}.{os.getpid()}-{uuid.uuid4().int}.part"
                running = _Download(part, self._stall_seconds, self._clock)
                threading.Thread(
                    target=self._run, args=(name, running, download), name="segment-download", daemon=True
                ).start()
                self._downloads[name] = running
        running.wait()
        return path

    def _run(self, name: str, running: _Download, download: Callable[[Path], None]) -> None:
        error: BaseException | None = None
        try:
            # Another thread or process may have completed it since the caller looked.
            if not _used_now(self._path(name)):
                try:
                    self._download(running.part, download)
                    self.keep(name, running.part)
                finally:
                    running.part.unlink(missing_ok=True)
        except BaseException as cause:  # noqa: BLE001 - raised in the waiting threads
            error = cause
        with self._lock:
            del self._downloads[name]
        running.end(error)

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
                files.append((status.st_atime, status.st_size, path))
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


class _Download:
    """A download that threads wait for.

    Args:
        part: the file that it writes.
        stall_seconds, clock: see :class:`SegmentCache`.
    """

    def __init__(self, part: Path, stall_seconds: float, clock: Callable[[], float]) -> None:
        self.part = part
        self._stall_seconds, self._clock = stall_seconds, clock
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._size, self._grew_at = 0, clock()

    def end(self, error: BaseException | None) -> None:
        """Wake the waiting threads."""
        self._error = error
        self._done.set()

    def wait(self) -> None:
        """Wait for the end.

        Raises:
            IndexUnavailable: it has stalled.
            BaseException: its error.
        """
        while not self._done.wait(min(self._left(), _POLL_SECONDS)):
            if self._left() <= 0:
                raise IndexUnavailable("the segment store does not answer: a segment has not arrived in time")
        if self._error is not None:
            # Many threads raise the same exception: start each with an empty traceback.
            raise self._error.with_traceback(None)

    def _left(self) -> float:
        """Return the seconds for which a caller still waits, if the file does not grow."""
        try:
            size = self.part.stat().st_size
        except OSError:  # it has not begun, or has ended
            size = 0
        if size != self._size:
            self._size, self._grew_at = size, self._clock()
        return max(0.0, self._grew_at + self._stall_seconds - self._clock())


def _used_now(path: Path) -> bool:
    try:
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    except FileNotFoundError:
        return False
    except OSError:  # such as a disk that became read-only: its copies are readable
        return path.exists()
    return True
