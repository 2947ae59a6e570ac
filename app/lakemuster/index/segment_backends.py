"""Backends of the segment store: a local folder, or a remote folder with a local cache."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.index.segment_cache import SegmentCache
from lakemuster.index.segment_files import Segment, place

SUFFIX = ".arrow"
_PART = r"(\.[0-9]+-[0-9]+)?\.part"
_OWN = re.compile(
    # Segments, whose names are hashes, in folders of their first two digits.
    rf"(?P<two>[0-9a-f]{{2}})/(?P=two)[0-9a-f]{{62}}\.arrow({_PART})?"
    # The workspace: folders of refreshes and of verifications, packed segments, and files that are being written.
    rf"|tmp/((crawl|verify)-[^/]+(/.+)?|[0-9a-f]{{64}}-[0-9a-f]{{32}}\.arrow({_PART})?|[0-9a-f]{{32}}|[^/]+{_PART})"
    # The files of ``catalog.recent_plans``, and of ``spark.pipeline.job_files``.
    rf"|recent-plans/[0-9a-f]{{32}}\.json({_PART})?"
    rf"|jobs/[^/]+-[0-9]+\.(part|done)({_PART})?"
)
"""The keys of the files that Lakemuster writes. Others may be below a folder that is also used for something else."""
_MISSING_FOLDER = "the segment store's folder is missing"
_OWN_FOLDER = re.compile(r"[0-9a-f]{2}|tmp|recent-plans|jobs")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store; ``name`` is the segment's name, None if the file is not a complete segment."""

    key: str
    name: str | None
    size: int
    modified_ms: int | None


class SegmentBackend(Protocol):
    """A backend of the segment store."""

    @property
    def workspace(self) -> Path:
        """A local folder for files that are being written."""
        ...

    def put(self, name: str, local_path: Path) -> None:
        """Move a written file into the store."""
        ...

    def path(self, name: str) -> str | Path:
        """Return the local path of a segment; download it if necessary."""
        ...

    def refetch(self, name: str) -> bool:
        """Drop the local copy; return whether there was one."""
        ...

    def make_room(self) -> bool:
        """Evict local copies if their disk has little space; return whether any was evicted."""
        ...

    def size(self, name: str) -> int | None:
        """Return the size of the stored file in bytes; None if it does not exist."""
        ...

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of the store; files that Lakemuster did not write are not its own."""
        ...

    def modified_ms(self, key: str) -> int | None:
        """Return the modification time of a file; None if it does not exist."""
        ...

    def delete(self, key: str) -> None:
        """Delete a file; do nothing if it does not exist."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """Write a file that is not a segment, atomically."""
        ...

    def read(self, key: str) -> bytes:
        """Read a file that :meth:`write` wrote."""
        ...

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the files in a folder."""
        ...

    def check(self) -> None:
        """Check that the store answers."""
        ...


class LocalSegmentBackend:
    """A segment store in a local folder."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self._prefix = f"{self._root}{os.sep}"
        self._workspace = self._root / "tmp"
        with disk_errors():
            self._workspace.mkdir(parents=True, exist_ok=True)

    @property
    def workspace(self) -> Path:
        """A local folder for files that are being written. A missing one is not created: a disk may be unmounted."""
        if not self._workspace.is_dir():
            raise IndexUnavailable(_MISSING_FOLDER)
        return self._workspace

    def put(self, name: str, local_path: Path) -> None:
        """Move a written file into the store."""
        target = Path(self.path(name))
        target.parent.mkdir(exist_ok=True)
        place(local_path, target)

    def path(self, name: str) -> str:
        """Return the path of a segment's file."""
        # A string: creating a Path object takes longer than opening the file.
        return f"{self._prefix}{name[:2]}{os.sep}{name}{SUFFIX}"

    def refetch(self, name: str) -> bool:
        """Do nothing: the file is the only copy."""
        return False

    def make_room(self) -> bool:
        """Do nothing: the store's own disk has no copies to evict."""
        return False

    def size(self, name: str) -> int | None:
        """Return the size of the stored file in bytes; None if it does not exist."""
        try:
            return Path(self.path(name)).stat().st_size
        except FileNotFoundError:
            return None

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of the store."""
        for folder in sorted(self._root.iterdir()):
            if not _OWN_FOLDER.fullmatch(folder.name) or not folder.is_dir():
                continue
            for file in sorted(folder.iterdir()):
                if is_own(f"{folder.name}/{file.name}"):
                    yield from self._found(file)

    def _found(self, path: Path) -> Iterator[StoredFile]:
        """Yield a file; for a folder, left in the workspace by a killed refresh, its files, or itself if empty."""
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            inside = sorted(path.iterdir()) if stat.S_ISDIR(status.st_mode) else []
            for file in inside:
                yield from self._found(file)
            if not inside:
                yield stored_file(str(path.relative_to(self._root)), status.st_size, round(status.st_mtime * 1000))

    def modified_ms(self, key: str) -> int | None:
        """Return the modification time of a file; None if it does not exist."""
        try:
            return round((self._root / key).stat().st_mtime * 1000)
        except FileNotFoundError:
            return None

    def delete(self, key: str) -> None:
        """Delete a file, or an empty folder of the workspace; do nothing if it does not exist."""
        path = self._root / key
        folder = path if path.is_dir() else path.parent
        if folder is not path:
            path.unlink(missing_ok=True)
        if folder.parent == self._workspace:
            with contextlib.suppress(OSError):  # it holds more, or is gone
                folder.rmdir()

    def write(self, key: str, data: bytes) -> None:
        """Write a file that is not a segment, atomically."""
        target = self._root / key
        target.parent.mkdir(exist_ok=True)
        part = self.workspace / uuid.uuid4().hex
        part.write_bytes(data)
        place(part, target)

    def read(self, key: str) -> bytes:
        """Read a file that :meth:`write` wrote."""
        return (self._root / key).read_bytes()

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the files in a folder."""
        try:
            return [f"{folder}/{name}" for name in os.listdir(self._root / folder)]
        except FileNotFoundError:
            return []

    def check(self) -> None:
        """Check that the store is writable."""
        # Write a probe: permission bits do not apply to root, and do not reveal a full or read-only disk.
        try:
            with tempfile.TemporaryFile(dir=self._workspace) as probe:
                probe.write(b"ready")
        except FileNotFoundError as cause:
            raise IndexUnavailable(_MISSING_FOLDER) from cause
        except OSError as cause:
            raise IndexUnavailable(f"the segment store is not writable ({cause.strerror})") from cause


class RemoteSegmentBackend:
    """A segment store in a remote folder, with a local cache."""

    def __init__(self, folder: RemoteFolder, cache: SegmentCache) -> None:
        self._folder, self._cache = folder, cache

    @property
    def workspace(self) -> Path:
        """A local folder for files that are being written."""
        return self._cache.workspace

    def put(self, name: str, local_path: Path) -> None:
        """Upload a written file, and move it into the cache."""
        self._folder.put(_key(name), local_path)
        self._cache.keep(name, local_path)

    def path(self, name: str) -> Path:
        """Return the path of the local copy; download it if necessary."""
        return self._cache.get(name, lambda target: self._fetch(name, target))

    def _fetch(self, name: str, target: Path) -> None:
        """Download a segment and verify it; if it arrives damaged, download it once more."""
        for attempt in (1, 2):
            self._folder.get(_key(name), target)
            try:
                Segment(name, target).check()
            except SegmentCorrupt:
                if attempt == 2:
                    raise
            else:
                return

    def refetch(self, name: str) -> bool:
        """Drop the local copy; return whether there was one."""
        return self._cache.drop(name)

    def make_room(self) -> bool:
        """If the disk of the local copies has little space, evict half of them; return whether any was evicted."""
        return self._cache.make_room()

    def size(self, name: str) -> int | None:
        """Return the size of the stored file in bytes; None if it does not exist."""
        return self._folder.size(_key(name))

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of the store."""
        for key, size, modified_ms in self._folder.files():
            if is_own(key):
                yield stored_file(key, size, modified_ms)

    def modified_ms(self, key: str) -> int | None:
        """Return the modification time of a file; None if it does not exist."""
        return self._folder.modified_ms(key)

    def delete(self, key: str) -> None:
        """Delete a file; do nothing if it does not exist."""
        self._folder.delete(key)

    def write(self, key: str, data: bytes) -> None:
        """Write a file that is not a segment, atomically."""
        self._folder.write(key, data)

    def read(self, key: str) -> bytes:
        """Read a file that :meth:`write` wrote."""
        return self._folder.read(key)

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the files in a folder."""
        return [key for key, _, _ in self._folder.files(folder)]

    def check(self) -> None:
        """Check that the store answers and is writable."""
        self._folder.check()


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """Raise the disk's OSErrors as IndexUnavailable."""
    try:
        yield
    except OSError as cause:
        failed = IndexUnavailable(f"the segment store's disk failed: {cause.strerror or type(cause).__name__}")
        if cause.filename:
            failed.add_note(f"{cause.filename}, below SEGMENTS_URL or CACHE_DIR")
        raise failed from cause


def is_own(key: str) -> bool:
    """Return whether Lakemuster writes files with such keys, so that a sweep may delete them."""
    return _OWN.fullmatch(key) is not None


def stored_file(key: str, size: int, modified_ms: int | None) -> StoredFile:
    """Return the stored file of a key."""
    name = key.rsplit("/", 1)[-1]
    is_segment = name.endswith(SUFFIX) and key == _key(name.removesuffix(SUFFIX))
    return StoredFile(key, name.removesuffix(SUFFIX) if is_segment else None, size, modified_ms)


def _key(name: str) -> str:
    return f"{name[:2]}/{name}{SUFFIX}"
