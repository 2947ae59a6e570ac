"""Check a SQLite index file on disk: open connections would not notice that it was deleted, replaced or damaged."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lakemuster.errors import IndexUnavailable

RECHECK_SECONDS = 30.0
"""Time between two reads of the whole file, as long as no fault is found."""
_READING_SECONDS = 1.0
_BUSY_SECONDS = 1.0
_INSTRUCTIONS = 10_000
"""SQLite virtual machine instructions between two checks of the clock: about a millisecond."""


class SqliteFile:
    """An open database file.

    Args:
        path: the file.
        clock: monotonic seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: tuple[int, int] | None = None
        self._whole_at: float | None = None

    def opened(self) -> None:
        """Record which file the connections opened; only the first call does so.

        Raises:
            IndexUnavailable: the file does not exist.
        """
        with self._lock:
            self._require()

    def check(self) -> None:
        """Check that the file is the one opened first, and undamaged as far as it can be read in a second.

        Raises:
            IndexUnavailable: the file is missing, replaced or damaged; the message says which.
        """
        with self._lock:
            self._require()
            if self._whole_at is not None and self._clock() - self._whole_at < RECHECK_SECONDS:
                return
            self._whole_at = None
            self._read()
            self._whole_at = self._clock()

    def _require(self) -> None:
        try:
            found = self._path.stat()
        except OSError as cause:
            self._whole_at = None
            raise IndexUnavailable(f"the database file is missing ({cause.strerror})") from cause
        if self._opened is None:
            self._opened = (found.st_dev, found.st_ino)
        if self._opened != (found.st_dev, found.st_ino):
            raise IndexUnavailable("the database file was replaced: restart the server")

    def _read(self) -> None:
        """Read the file through a new connection, which has no cached pages."""
        until = self._clock() + _READING_SECONDS
        try:
            connection = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS)
            try:
                connection.set_progress_handler(lambda: self._clock() > until, _INSTRUCTIONS)
                (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            finally:
                connection.close()
        except sqlite3.Error as cause:
            if getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY):
                return  # too large to be read in a second, or being written
            raise IndexUnavailable(f"the database file is damaged or unreadable ({cause})") from cause
        if said != "ok":
            raise IndexUnavailable("the database file is damaged")
