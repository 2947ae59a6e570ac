"""The file of an embedded index, as it is on disk: open connections go on reading a file that was deleted."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lakemuster.errors import IndexUnavailable

RECHECK_SECONDS = 30.0
"""Between two readings of the whole file, as long as nothing was wrong with it."""
_READING_SECONDS = 1.0
_BUSY_SECONDS = 1.0
_INSTRUCTIONS = 10_000
"""Of SQLite's machine between two looks at the clock: about a millisecond."""


class SqliteFile:
    """A database file that was opened.

    Args:
        path: the file.
        clock: seconds, never stepping back.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: tuple[int, int] | None = None
        self._whole_at: float | None = None

    def opened(self) -> None:
        """Note which file connections have opened; the first one counts.

        Raises:
            IndexUnavailable: there is none.
        """
        with self._lock:
            self._require()

    def check(self) -> None:
        """Make sure that the file is the one that was opened first, and is whole as far as can be read in a second.

        Raises:
            IndexUnavailable: it is gone, another one, or damaged; says which.
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
            raise IndexUnavailable(f"the database file is gone ({cause.strerror})") from cause
        if self._opened is None:
            self._opened = (found.st_dev, found.st_ino)
        if self._opened != (found.st_dev, found.st_ino):
            raise IndexUnavailable("the database file was replaced: restart the server")

    def _read(self) -> None:
        """Read the file through a connection of its own, which knows no page yet."""
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
