"""Where segments are kept: a local folder, or any fsspec URL with a local cache before it."""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.index.segment_cache import SegmentCache
from lakemuster.index.segment_files import Segment, place
from lakemuster.index.zone_block import Zones, read_zones

SUFFIX = ".arrow"

_LOOKS = 16
"""How often memory is looked at while as much as may be kept is mapped."""

_STATM = Path("/proc/self/statm")
_PAGE_BYTES = mmap.PAGESIZE


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store; ``name`` is the segment's, None for a part of an unfinished one."""

    key: str
    name: str | None
    size: int
    modified_ms: int | None


class _Keeper(Protocol):
    """What local and remote stores have in common."""

    workspace: Path

    def put(self, name: str, local_path: Path) -> None: ...
    def path(self, name: str) -> str | Path: ...
    def refetch(self, name: str) -> bool: ...
    def size(self, name: str) -> int | None: ...
    def files(self) -> Iterator[StoredFile]: ...
    def delete(self, key: str) -> None: ...
    def check(self) -> None: ...


class SegmentStore:
    """Segments by name, mapped into memory.

    Args:
        url: a local path, ``file://…`` or any fsspec URL.
        options: fsspec options by scheme.
        cache_dir: folder of local copies of remote segments.
        cache_bytes: budget of that folder.
        max_open: how many segments stay mapped.
        max_mapped: bytes of mapped files, those of the program itself too, that may be in memory before the least
            used segments are let go of.

    Raises:
        ConfigInvalid: fsspec does not know the URL, or the options are wrong.
        IndexUnavailable: a folder cannot be made.
    """

    def __init__(
        self,
        url: str,
        options: Mapping[str, Mapping[str, object]] | None = None,
        cache_dir: str | Path = ".lakemuster/cache",
        cache_bytes: int = 20 * 2**30,
        *,
        max_open: int = 4096,
        max_mapped: int = 512 * 2**20,
    ) -> None:
        scheme, separator, rest = url.partition("://")
        self._keeper: _Keeper
        if not separator or scheme in ("file", "local"):
            self._keeper = _LocalFolder(Path(rest if separator else url))
        else:
            folder = RemoteFolder(url, (options or {}).get(scheme, {}))
            self._keeper = _Remote(folder, SegmentCache(Path(cache_dir), cache_bytes))
        self._max_open, self._max_mapped = max_open, max_mapped
        self._open: OrderedDict[str, Segment] = OrderedDict()
        self._in_memory: OrderedDict[str, int] = OrderedDict()
        self._mapped = self._unseen = 0
        self._lock = threading.Lock()

    @property
    def workspace(self) -> Path:
        """A local folder to write segments in before ``put``, which then only renames them."""
        return self._keeper.workspace

    def put(self, name: str, local_path: str | Path) -> None:
        """Take over a written segment; afterwards ``local_path`` is gone and the segment is whole in the store.

        Raises:
            IndexUnavailable: the store refuses.
        """
        with _disk_errors():
            self._keeper.put(name, Path(local_path))
        with self._lock:
            self._open.pop(name, None)

    def open(self, name: str) -> Segment:
        """Map a segment.

        Raises:
            SegmentCorrupt: the store has none of that name, or it is not whole.
            IndexUnavailable: the store does not answer.
        """
        with self._lock:
            if (segment := self._open.get(name)) is not None:
                self._open.move_to_end(name)
                self._use(segment)
                return segment
        with _disk_errors():
            segment = self._map(name)
        with self._lock:
            segment = self._open.setdefault(name, segment)
            self._use(segment)
            while len(self._open) > self._max_open:
                gone, _ = self._open.popitem(last=False)
                self._mapped -= self._in_memory.pop(gone, 0)
        return segment

    def zones(self, name: str) -> Zones | None:
        """The zones of a segment's entries, as :func:`~lakemuster.index.zones.segment_zones` tells; it is not mapped.

        None where the segment is missing, or was written without them.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with _disk_errors(), contextlib.suppress(FileNotFoundError):
            return read_zones(self._keeper.path(name))
        return None

    def _use(self, segment: Segment) -> None:
        """Note that a segment is looked at, and let go of the memory of those that were not for longest."""
        if segment.name in self._in_memory:
            # Other columns than before may be looked at.
            self._in_memory.move_to_end(segment.name)
        else:
            self._in_memory[segment.name] = segment.size
            self._mapped += segment.size
        self._unseen += segment.size
        if self._mapped <= self._max_mapped or self._unseen < self._max_mapped // _LOOKS:
            return
        self._unseen = 0
        # Mostly few columns of a segment were looked at: much less of it is in memory than is mapped.
        while len(self._in_memory) > 1 and (_in_memory() or self._mapped) > self._max_mapped:
            name, size = self._in_memory.popitem(last=False)
            self._mapped -= size
            if (idle := self._open.get(name)) is not None:
                idle.release()

    def exists(self, name: str) -> bool:
        """Whether the store has the segment. Raises as :meth:`size`."""
        return self.size(name) is not None

    def size(self, name: str) -> int | None:
        """Bytes of a segment as the store has it, None when it has none.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with _disk_errors():
            return self._keeper.size(name)

    def files(self) -> Iterator[StoredFile]:
        """Everything in the store.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with _disk_errors():
            yield from self._keeper.files()

    def delete(self, key: str) -> None:
        """Delete one of ``files``; mapped readers keep what they have.

        Raises:
            IndexUnavailable: the store refuses.
        """
        with _disk_errors():
            self._keeper.delete(key)

    def check(self) -> None:
        """Make sure that the store answers.

        Raises:
            IndexUnavailable: it does not.
        """
        with _disk_errors():
            self._keeper.check()

    def _map(self, name: str) -> Segment:
        for _ in range(3):
            try:
                return Segment(name, self._keeper.path(name))
            except FileNotFoundError:
                continue  # evicted by another process between download and mapping
            except SegmentCorrupt:
                if not self._keeper.refetch(name):
                    raise
        raise SegmentCorrupt("a segment is missing", segment=name)


class _LocalFolder:
    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self._prefix = f"{self._root}{os.sep}"
        self.workspace = self._root / "tmp"
        with _disk_errors():
            self.workspace.mkdir(parents=True, exist_ok=True)

    def put(self, name: str, local_path: Path) -> None:
        target = Path(self.path(name))
        target.parent.mkdir(exist_ok=True)
        place(local_path, target)

    def path(self, name: str) -> str:
        # A path that is an object takes longer to make than a file to open.
        return f"{self._prefix}{name[:2]}{os.sep}{name}{SUFFIX}"

    def refetch(self, name: str) -> bool:
        return False

    def size(self, name: str) -> int | None:
        try:
            return Path(self.path(name)).stat().st_size
        except FileNotFoundError:
            return None

    def files(self) -> Iterator[StoredFile]:
        for folder in sorted(self._root.iterdir()):
            if not folder.is_dir():
                continue
            for file in sorted(folder.iterdir()):
                with contextlib.suppress(FileNotFoundError):
                    status = file.stat()
                    yield stored_file(str(file.relative_to(self._root)), status.st_size, round(status.st_mtime * 1000))

    def delete(self, key: str) -> None:
        (self._root / key).unlink(missing_ok=True)

    def check(self) -> None:
        if not os.access(self.workspace, os.W_OK | os.X_OK):
            raise IndexUnavailable("the segment store is not writable")


class _Remote:
    def __init__(self, folder: RemoteFolder, cache: SegmentCache) -> None:
        self._folder, self._cache = folder, cache
        self.workspace = cache.workspace

    def put(self, name: str, local_path: Path) -> None:
        self._folder.put(_key(name), local_path)
        self._cache.keep(name, local_path)

    def path(self, name: str) -> Path:
        return self._cache.get(name, lambda target: self._folder.get(_key(name), target))

    def refetch(self, name: str) -> bool:
        return self._cache.drop(name)

    def size(self, name: str) -> int | None:
        return self._folder.size(_key(name))

    def files(self) -> Iterator[StoredFile]:
        for key, size, modified_ms in self._folder.files():
            yield stored_file(key, size, modified_ms)

    def delete(self, key: str) -> None:
        self._folder.delete(key)

    def check(self) -> None:
        self._folder.check()


def _in_memory() -> int | None:
    """Bytes of files that are in this process's memory; None where the system does not tell."""
    try:
        return int(_STATM.read_bytes().split()[2]) * _PAGE_BYTES
    except OSError:
        return None


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as cause:
        raise IndexUnavailable(f"the segment store's disk refuses: {cause.strerror or type(cause).__name__}") from cause


def stored_file(key: str, size: int, modified_ms: int | None) -> StoredFile:
    """What a key of the store stands for."""
    name = key.rsplit("/", 1)[-1]
    is_segment = name.endswith(SUFFIX) and key == _key(name.removesuffix(SUFFIX))
    return StoredFile(key, name.removesuffix(SUFFIX) if is_segment else None, size, modified_ms)


def _key(name: str) -> str:
    return f"{name[:2]}/{name}{SUFFIX}"
