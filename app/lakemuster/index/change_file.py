"""The change file: a log of commits beside an embedded database, through which its processes notify each other.

The response to a commit waits until other processes can know of the commit. A transaction of SQLite would wait for the
disk. The change file is not flushed; instead, a loss by a restart of the machine is detected: the file begins with the
boot id, and a file with another boot id, or a missing one, means that every table may have changed.

Appends hold a lock on the file. A file that has grown too large is replaced, under the same lock, by one that marks
everything as changed.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from lakemuster.errors import IndexUnavailable

try:
    import fcntl
except ImportError:  # Windows locks files in another way.
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 2**20
"""Maximum size, above which the file is replaced."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_UNKNOWN = "-"


class Change(NamedTuple):
    """The tables that a commit may have changed.

    Attributes:
        location: the location of a table, or the common prefix of the tables' locations.
        name: the name of the table; None if ``location`` is a prefix.
    """

    location: str
    name: str | None = None


EVERYTHING = Change("")
"""All tables of all attached catalogs."""


def run_id() -> str:
    """Return the machine's boot id, which changes with each restart; "-" where the system has none."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return _UNKNOWN


class ChangeFile:
    """Appends this process's changes to the file, and reads those of all processes. Thread-safe."""

    is_possible = fcntl is not None

    def __init__(self, path: Path, run: Callable[[], str] = run_id) -> None:
        self._path = path
        self._run = run()
        self._lock = threading.Lock()
        # The inode of an open file is not reused.
        self._file: int | None = None
        self._read_to = (0, 0)

    def add(self, changes: Sequence[Change]) -> None:
        """Append changes, for all processes.

        Raises:
            IndexUnavailable: the file cannot be written.
        """
        lines = b"".join(orjson.dumps(tuple(one)) + b"\n" for one in changes)
        try:
            with self._locked() as file:
                if os.fstat(file).st_size + len(lines) > MAX_BYTES or not self._is_of_this_run(file):
                    self._replace()
                else:
                    self._append(file, lines)
        except OSError as cause:
            raise IndexUnavailable(f"a commit cannot be marked: {cause.strerror or cause}") from cause

    def read_new(self, report: Callable[[Change], None]) -> None:
        """Call ``report`` with each change since the last call; with ``EVERYTHING`` if the file cannot be read."""
        try:
            found = os.stat(self._path)
            if (found.st_ino, found.st_size) == self._read_to:
                return
        except OSError:
            pass
        with self._lock:
            changes, read_to = self._news()
            for change in changes:
                report(change)
            # Set this last: a thread that finds nothing new relies on all changes having been reported.
            self._read_to = read_to

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._forget()

    def _news(self) -> tuple[list[Change], tuple[int, int]]:
        try:
            if self._file is None or not self._is_at_path(self._file):
                self._forget()
                self._file = self._opened()
            inode, offset = os.fstat(self._file).st_ino, self._read_to[1]
            data = os.pread(self._file, 2 * MAX_BYTES, offset)
        except (OSError, IndexUnavailable):
            self._forget()
            return [EVERYTHING], self._read_to
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        return [_parsed(line) for line in (lines if offset else lines[1:])], (inode, offset + len(whole))

    def _opened(self) -> int:
        """Open the file of this boot; create it if necessary."""
        if not self._path.exists():
            self.add([EVERYTHING])
        file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        if self._is_of_this_run(file):
            return file
        os.close(file)
        self.add([EVERYTHING])
        return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)

    def _forget(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file, self._read_to = None, (0, 0)

    def _is_of_this_run(self, file: int) -> bool:
        head = f"{self._run}\n".encode()
        return os.pread(file, len(head), 0) == head

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                if self._is_at_path(file):
                    yield file
                    return
            finally:
                os.close(file)

    def _is_at_path(self, file: int) -> bool:
        """Tell whether an opened file is still the one at the path."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        return False

    def _append(self, file: int, lines: bytes) -> None:
        if os.write(file, lines) < len(lines):
            raise OSError("it was written in part")
        if self._run == _UNKNOWN:
            os.fsync(file)

    def _replace(self) -> None:
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}-{threading.get_ident()}.part")
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as new:
            new.write(f"{self._run}\n".encode() + orjson.dumps(tuple(EVERYTHING)) + b"\n")
            new.flush()
            if self._run == _UNKNOWN:
                os.fsync(new.fileno())
        part.replace(self._path)


def _parsed(line: bytes) -> Change:
    try:
        location, name = orjson.loads(line)
    except ValueError:
        # A full disk may have truncated a line.
        return EVERYTHING
    return Change(location, name)
