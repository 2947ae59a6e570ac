"""The segment store: segments in a local folder, or at any fsspec URL with a local cache."""

from __future__ import annotations

import contextlib
import math
import mmap
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import ref

from lakemuster.caching import MEMORY, Cache
from lakemuster.errors import ConfigInvalid, SegmentCorrupt, SegmentMissing
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.index.segment_backends import (
    LocalSegmentBackend,
    RemoteSegmentBackend,
    SegmentBackend,
    StoredFile,
    disk_errors,
    stored_file,
)
from lakemuster.index.segment_cache import SegmentCache
from lakemuster.index.segment_files import Segment
from lakemuster.index.zone_block import Zones, read_zones
from lakemuster.single_flight import SingleFlight
from lakemuster.storage.locations import is_mistyped, normal_scheme, redacted

Repair = Callable[[str, SegmentCorrupt], None]
"""Restores a lost or damaged segment in the store, given its name and the damage; or raises."""

_FAILED_SECONDS = 2.0
"""Time for which a failed repair is not retried."""

_LOOKS = 16
"""Resident memory is checked whenever segments of a sixteenth of ``max_mapped`` were used since the last check."""

_STATM = Path("/proc/self/statm")
_PAGE_BYTES = mmap.PAGESIZE


class SegmentStore:
    """Memory-mapped segments by name.

    Args:
        url: a local path, ``file://…`` or any fsspec URL.
        options: fsspec options by scheme.
        cache_dir: folder of the local copies of remote segments.
        cache_bytes: budget of this folder.
        stall_seconds: time without new bytes of a remote segment after which callers no longer wait for it.
        max_open: maximum number of segments that stay mapped; fewer if the budget of all caches is exhausted.
        max_mapped: bytes of mapped files, including those of the program itself, that may be resident before the
            memory of the least recently used segments is released.

    Attributes:
        repair: called for a lost or damaged segment, once for all waiting threads; if None, opening it fails.

    Raises:
        ConfigInvalid: fsspec does not know the URL, or the options are wrong.
        IndexUnavailable: a folder cannot be created.
    """

    def __init__(
        self,
        url: str,
        options: Mapping[str, Mapping[str, object]] | None = None,
        cache_dir: str | Path = ".lakemuster/cache",
        cache_bytes: int = 20 * 2**30,
        *,
        stall_seconds: float = math.inf,
        max_open: int = 4096,
        max_mapped: int = 512 * 2**20,
    ) -> None:
        if is_mistyped(url):
            raise ConfigInvalid(f"SEGMENTS_URL: {redacted(url)!r} is not a URL: it has no :// after its scheme")
        scheme, separator, rest = url.partition("://")
        self._backend: SegmentBackend
        if not separator or scheme in ("file", "local"):
            self._backend = LocalSegmentBackend(Path(rest if separator else url))
        else:
            by_scheme = {normal_scheme(name): values for name, values in (options or {}).items()}
            folder = RemoteFolder(url, by_scheme.get(normal_scheme(scheme), {}))
            cache = SegmentCache(Path(cache_dir), cache_bytes, stall_seconds)
            cache.close = self._drop
            self._backend = RemoteSegmentBackend(folder, cache)
        self.repair: Repair | None = None
        self._restoring = SingleFlight(_FAILED_SECONDS)
        self._max_open, self._max_mapped = max_open, max_mapped
        # The cache keeps segments open; evicted ones can still be found while anything else references them.
        self._held: Cache[str, Segment] = Cache("segments", lambda _, segment: segment.weight)
        self._open: OrderedDict[str, ref[Segment]] = OrderedDict()
        self._in_memory: OrderedDict[str, int] = OrderedDict()
        self._mapped = self._unseen = 0
        self._lock = threading.Lock()

    @property
    def workspace(self) -> Path:
        """A local folder for writing segments before ``put``, which then only renames them.

        Raises:
            IndexUnavailable: it is missing and cannot be created.
        """
        with disk_errors():
            return self._backend.workspace

    @contextmanager
    def working_folder(self, prefix: str) -> Iterator[str]:
        """Create a folder in the workspace, and remove it when the block ends; a sweep removes what cannot be removed.

        Raises:
            IndexUnavailable: it cannot be created, for example on a disk that is full or read-only.
        """
        with disk_errors():
            folder = TemporaryDirectory(dir=self._backend.workspace, prefix=prefix, ignore_cleanup_errors=True)
        with folder as path:
            yield path

    def make_room(self) -> bool:
        """Evict local copies if their disk has little space, after a write failed; return whether any was evicted."""
        with disk_errors():
            return self._backend.make_room()

    def put(self, name: str, local_path: str | Path) -> None:
        """Move a written segment into the store; afterwards ``local_path`` does not exist.

        Raises:
            IndexUnavailable: the store cannot be written.
        """
        with disk_errors():
            self._backend.put(name, Path(local_path))
        with self._lock:
            self._close(name)

    def open(self, name: str) -> Segment:
        """Map a segment. A lost or damaged segment is repaired first, if possible.

        Raises:
            SegmentCorrupt: the segment is missing or damaged.
            IndexUnavailable: the store does not answer.
            CatalogError: the repair failed with this error.
        """
        with self._lock:
            if (segment := self._found(name)) is not None:
                if not segment.is_another_file:
                    self._open.move_to_end(name)
                    self._use(segment)
                    return segment
                self._close(name)
        if segment is not None and segment.is_overwritten:
            self._forget_overwritten()
        try:
            segment = self._map(name)
        except SegmentCorrupt as damage:
            self._restore(name, damage)
            segment = self._map(name)
        with self._lock:
            # Another thread may have mapped it meanwhile.
            segment = self._found(name) or segment
            self._open[name] = ref(segment)
            self._use(segment)
            while len(self._open) > self._max_open:
                self._close(next(iter(self._open)))
        return segment

    def _forget_overwritten(self) -> None:
        """Close the segments that were overwritten, and clear all caches: values may refer to the bytes mapped."""
        with self._lock:
            for name in list(self._open):
                if (segment := self._found(name)) is not None and segment.is_overwritten:
                    self._close(name)
        MEMORY.clear()

    def _found(self, name: str) -> Segment | None:
        held = self._open.get(name)
        return None if held is None else held()

    def _close(self, name: str) -> None:
        """Drop a segment from the open ones; it is unmapped once nothing references it."""
        self._open.pop(name, None)
        self._held.remove(name)
        self._mapped -= self._in_memory.pop(name, 0)

    def _drop(self, name: str) -> None:
        with self._lock:
            self._close(name)

    def zones(self, name: str) -> Zones | None:
        """Return the zones of a segment's entries without mapping it; see ``zones.segment_zones``.

        None if the segment is missing or damaged, or was written without zones.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        # Lost or damaged segments are repaired when they are opened.
        with disk_errors(), contextlib.suppress(FileNotFoundError, SegmentCorrupt):
            return read_zones(self._backend.path(name))
        return None

    def _use(self, segment: Segment) -> None:
        """Mark a segment as used, and release the memory of the least recently used ones."""
        if self._held.get(segment.name) is None:
            self._held.put(segment.name, segment)
        if segment.name in self._in_memory:
            # Its size is added to ``_unseen`` again: columns may be read that were not read before.
            self._in_memory.move_to_end(segment.name)
        else:
            self._in_memory[segment.name] = segment.size
            self._mapped += segment.size
        self._unseen += segment.size
        if self._mapped <= self._max_mapped or self._unseen < self._max_mapped // _LOOKS:
            return
        self._unseen = 0
        # Usually few columns of a segment are read, so much less of it is resident than is mapped.
        while len(self._in_memory) > 1 and (_in_memory() or self._mapped) > self._max_mapped:
            name, size = self._in_memory.popitem(last=False)
            self._mapped -= size
            if (idle := self._found(name)) is not None:
                idle.release()

    def exists(self, name: str) -> bool:
        """Tell whether the store has the segment.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        return self.size(name) is not None

    def size(self, name: str) -> int | None:
        """Return the size of a segment in the store in bytes; None if it is missing.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            return self._backend.size(name)

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of the store; others below its folder or URL are left out, since they are not its own.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            yield from self._backend.files()

    def write(self, key: str, data: bytes) -> None:
        """Write a file beside the segments; a sweep removes it when it is old.

        Args:
            key: in the form ``folder/name``; one of ``segment_backends.is_own``.

        Raises:
            IndexUnavailable: the store cannot be written.
        """
        with disk_errors():
            self._backend.write(key, data)

    def read(self, key: str) -> bytes:
        """Read a file that :meth:`write` wrote.

        Raises:
            SegmentMissing: there is no such file.
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            try:
                return self._backend.read(key)
            except FileNotFoundError as cause:
                raise SegmentMissing("a file of the segment store is missing", key=key) from cause

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the files in a folder.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            return self._backend.keys(folder)

    def is_unchanged(self, file: StoredFile) -> bool:
        """Tell whether a file from :meth:`files` has not been written again since it was listed.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            return self._backend.modified_ms(file.key) == file.modified_ms

    def check_segment(self, name: str) -> None:
        """Verify the checksums of a whole segment, of the store's own file, without repairing it.

        Raises:
            SegmentCorrupt: the segment is lost or damaged.
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            self._backend.refetch(name)
        self._map(name).check()

    def delete(self, key: str) -> None:
        """Delete a file listed by :meth:`files`; segments that are mapped stay readable.

        Raises:
            IndexUnavailable: the file cannot be deleted.
        """
        with disk_errors():
            self._backend.delete(key)
        name = stored_file(key, 0, None).name
        with self._lock:
            if name is not None:
                self._close(name)

    def check(self) -> None:
        """Check that the store answers.

        Raises:
            IndexUnavailable: it does not.
        """
        with disk_errors():
            self._backend.check()

    def _map(self, name: str) -> Segment:
        damage: SegmentCorrupt = SegmentMissing("a segment file is missing", segment=name)
        with disk_errors():
            for _ in range(3):
                try:
                    return Segment(name, self._backend.path(name), lambda found: self._restore(name, found))
                except FileNotFoundError:
                    continue  # evicted by another process between download and mapping
                except SegmentMissing:
                    raise
                except SegmentCorrupt as error:
                    damage = error
                    if not self._backend.refetch(name):
                        break
        raise damage

    def _restore(self, name: str, damage: SegmentCorrupt) -> None:
        """Restore a segment's file by downloading or repairing it; one thread does so for all that wait."""

        def restore() -> None:
            if self._is_whole(name):
                return
            with disk_errors():
                refetched = self._backend.refetch(name)
            if refetched and self._is_whole(name):
                return
            if self.repair is None:
                raise damage
            self.repair(name, damage)

        self._restoring.run(name, restore)

    def _is_whole(self, name: str) -> bool:
        try:
            self._map(name).check()
        except (SegmentCorrupt, FileNotFoundError):
            return False
        return True


def _in_memory() -> int | None:
    """Return the bytes of mapped files resident in this process; None if the system does not report them."""
    try:
        return int(_STATM.read_bytes().split()[2]) * _PAGE_BYTES
    except OSError:
        return None
