"""Marks of commits in a file beside an embedded database, which all of its processes read.

A commit's answer waits until other processes can know of the commit. A transaction of SQLite would wait for the disk;
a mark need not be on the disk, if what a machine's restart can lose is noticed: the file begins with the id of the
machine's run, and a file of another run, or none, means that every table may have changed.

Appends hold a lock on the file. A file that has grown is replaced, under the same lock, by one that marks everything.
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
"""Size from which the file is replaced."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_UNKNOWN = "-"


class Change(NamedTuple):
    """What a commit may have changed.

    Attributes:
        location: of a table; or how the locations of tables begin.
        name: of the table; None for the beginning of locations.
    """

    location: str
    name: str | None = None


EVERYTHING = Change("")
"""All tables of all attached catalogs."""


def run_id() -> str:
    """The id of the machine's run, another after each restart; "-" where the system has none."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return _UNKNOWN


class ChangeFile:
    """The changes that this process has not heard of yet, and those to tell others. Safe from any thread."""

    is_possible = fcntl is not None

    def __init__(self, path: Path, run: Callable[[], str] = run_id) -> None:
        self._path = path
        self._run = run()
        self._lock = threading.Lock()
        # An open file's inode is not used for another.
        self._file: int | None = None
        self._heard = (0, 0)

    def add(self, changes: Sequence[Change]) -> None:
        """Tell all processes of changes.

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

    def hear(self, tell: Callable[[Change], None]) -> None:
        """Call ``tell`` with the changes since the last call; without the file, with everything."""
        try:
            found = os.stat(self._path)
            if (found.st_ino, found.st_size) == self._heard:
                return
        except OSError:
            pass
        with self._lock:
            changes, heard = self._news()
            for change in changes:
                tell(change)
            # Last: a thread that finds nothing new relies on what was told.
            self._heard = heard

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._forget()

    def _news(self) -> tuple[list[Change], tuple[int, int]]:
        try:
            if self._file is None or not self._is_at_path(self._file):
                self._forget()
                self._file = self._opened()
            inode, offset = os.fstat(self._file).st_ino, self._heard[1]
            data = os.pread(self._file, 2 * MAX_BYTES, offset)
        except (OSError, IndexUnavailable):
            self._forget()
            return [EVERYTHING], self._heard
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        return [_parsed(line) for line in (lines if offset else lines[1:])], (inode, offset + len(whole))

    def _opened(self) -> int:
        """Open the file of this run, after making it if necessary."""
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
        self._file, self._heard = None, (0, 0)

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
        """Whether an opened file was not replaced since."""
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
        # A disk that was full may have cut a line.
        return EVERYTHING
    return Change(location, name)
