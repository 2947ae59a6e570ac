"""Storage backend for local folders. Symbolic links are followed only within the roots.

Reads have no deadline: a read from a dead network mount cannot be abandoned. Pipes and devices, which can block
forever, are never read.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO, Self

from lakemuster.errors import LocationRefused, ObjectMissing, StorageUnavailable
from lakemuster.storage.backend import AdmittedRead, ListedPage, StorageEntry
from lakemuster.storage.failures import check_size, failure_of
from lakemuster.storage.local_walk import walk
from lakemuster.storage.locations import LOCAL, Location, Roots, redacted

_THREADS = 8
_NAMES_OPENED = hasattr(os, "O_PATH") and os.path.isdir("/proc/self/fd")
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class LocalFile:
    """An admitted file, which any process on this machine may read later, as long as the file is unchanged.

    Attributes:
        path: without symbolic links.
        where: the location for messages.
        device, inode, size, modified_ns: identify the file; they must still match when it is read.
    """

    path: str
    where: str
    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, path: str, where: str, state: os.stat_result) -> Self:
        """Describe the file at ``path`` from its stat result.

        Raises:
            ObjectMissing: it is not a file.
        """
        if not modes.S_ISREG(state.st_mode):
            raise ObjectMissing(f"{where}: not a file")
        return cls(path, where, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)

    def __len__(self) -> int:
        return self.size

    def read(self) -> bytes:
        """Open the file and read its bytes.

        Raises:
            ObjectMissing, StorageDenied: as the operating system reports.
            StorageUnavailable: the file was replaced or changed meanwhile.
        """
        try:
            with open(os.open(self.path, _FLAGS), "rb") as file:
                if self.of(self.path, self.where, os.fstat(file.fileno())) != self:
                    raise StorageUnavailable(f"{self.where}: changed before it was read")
                return self.read_from(file)
        except OSError as cause:
            raise failure_of(cause, self.where) from cause

    def read_from(self, file: BinaryIO) -> bytes:
        """Read the bytes from the opened file."""
        data = file.read(self.size)
        if len(data) != self.size:
            raise StorageUnavailable(f"{self.where}: shrank while it was being read")
        return data


class LocalFiles:
    """Files of the operating system below the local roots."""

    def __init__(self, roots: Roots) -> None:
        self._roots = tuple(f"/{root.key}" for root in roots.locations if root.scheme == LOCAL)

    def check(self) -> None:
        """Do nothing: local files have no options."""

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole file."""
        try:
            path = self._real(wanted.location)
            with open(os.open(path, _FLAGS), "rb") as file:
                found = LocalFile.of(path, wanted.where, os.fstat(file.fileno()))
                check_size(found.size, wanted.expected_length, wanted.max_bytes, wanted.where)
                return found.read_from(file)
        except OSError as cause:
            raise failure_of(cause, wanted.where) from cause

    def admit(self, wanted: AdmittedRead) -> LocalFile:
        """Check a file that is to be read later, and return its description."""
        try:
            path = self._real(wanted.location)
            found = LocalFile.of(path, wanted.where, os.stat(path, follow_symlinks=False))
        except OSError as cause:
            raise failure_of(cause, wanted.where) from cause
        check_size(found.size, wanted.expected_length, wanted.max_bytes, wanted.where)
        return found

    def start_admit(self, wanted: AdmittedRead) -> Future[LocalFile]:
        """Like :meth:`admit`, on a thread."""
        return _threads_of(os.getpid()).submit(self.admit, wanted)

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, on a thread."""
        return _threads_of(os.getpid()).submit(self.read, wanted)

    def stat(self, location: Location) -> StorageEntry | None:
        """Return the file or folder at a location; None if there is neither."""
        try:
            state = os.stat(self._real(location))
        except OSError as cause:
            failure = failure_of(cause, redacted(location.text))
            if isinstance(failure, ObjectMissing):
                return None
            raise failure from cause
        return _found(location.key.rpartition("/")[2], state)

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level of a folder, sorted by name."""
        try:
            folder = self._real(location)
            with os.scandir(folder) as entries:
                found = [self._entry(entry, folder) for entry in entries]
        except OSError as cause:
            failure = failure_of(cause, redacted(location.text))
            if isinstance(failure, ObjectMissing):
                return []
            raise failure from cause
        return sorted((item for item in found if item is not None), key=lambda item: item.name)

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, on a thread."""
        return _threads_of(os.getpid()).submit(self.children, location)

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """Yield all files below a folder; links are not followed."""
        try:
            folder = self._real(location)
        except OSError as cause:
            raise failure_of(cause, redacted(location.text)) from cause
        return walk(folder)

    def _real(self, location: Location) -> str:
        path = _real_path(f"/{location.key}")
        if not self._holds(path):
            raise LocationRefused(
                f"location {redacted(location.text)!r} is refused: a symbolic link leads outside the allowed roots"
            )
        return path

    def _holds(self, path: str) -> bool:
        return any(f"{path}/".startswith(os.path.join(_real_path(root), "")) for root in self._roots)

    def _entry(self, entry: os.DirEntry[str], folder: str) -> StorageEntry | None:
        """Return an entry; None for undecodable names, broken links, and links out of the roots or to a parent."""
        if not entry.name.isprintable() and _is_undecodable(entry.name):
            return None
        try:
            if entry.is_symlink():
                path = os.path.realpath(entry.path)
                if not self._holds(path) or f"{folder}/".startswith(f"{path}/"):
                    return None
            return _found(entry.name, entry.stat())
        except OSError as cause:
            failure = failure_of(cause, redacted(entry.path))
            if isinstance(failure, ObjectMissing):
                return None
            raise failure from cause


def check_is_folder(location: str) -> None:
    """Reject a local path that does not exist or is a file; other locations pass.

    Raises:
        ObjectMissing: the message says which.
        LocationRefused: it is not a location.
    """
    parsed = Location.parse(location)
    if parsed.scheme != LOCAL:
        return
    try:
        state = os.stat(parsed.text)
    except (FileNotFoundError, NotADirectoryError):
        raise ObjectMissing(f"there is no folder {parsed.text}", location=location) from None
    except OSError:
        return
    if not modes.S_ISDIR(state.st_mode):
        raise ObjectMissing(f"{parsed.text} is a file, not a folder", location=location)


def _real_path(path: str) -> str:
    """Like ``os.path.realpath``, which makes a system call for every component, but faster on Linux.

    Opens the path and reads its name from ``/proc``. Most of a look at a local table is spent here. A path that cannot
    be opened is left to ``os.path.realpath``, except a missing name in an existing folder: many folders of a table's
    metadata are optional.
    """
    found = _opened_path(path)
    if found is not None:
        return found
    folder, name = os.path.split(path)
    if name and not os.path.lexists(path) and (found := _opened_path(folder)) is not None:
        return os.path.join(found, name)
    return os.path.realpath(path)


def _opened_path(path: str) -> str | None:
    """Return the real path of the file or folder that ``path`` opens; None if it is unknown."""
    if not _NAMES_OPENED:
        return None
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.readlink(f"/proc/self/fd/{opened}")
    except OSError:
        return None
    finally:
        os.close(opened)
    # The kernel marks deleted files, and paths outside this process's root.
    return found if found.startswith("/") and not found.endswith(" (deleted)") else None


@lru_cache(maxsize=1)
def _threads_of(process: int) -> ThreadPoolExecutor:
    """Return the thread pool of a process. Forked children need their own, since fork() copies no other thread."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix=f"lakemuster-local-{process}")


def _found(name: str, state: os.stat_result) -> StorageEntry | None:
    if modes.S_ISDIR(state.st_mode):
        return StorageEntry(name, 0, True, state.st_mtime_ns // 1_000_000)
    if modes.S_ISREG(state.st_mode):
        return StorageEntry(name, state.st_size, False, state.st_mtime_ns // 1_000_000)
    return None


def _is_undecodable(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)
