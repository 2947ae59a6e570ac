"""Where segments are kept: a local folder, or any fsspec URL with a local cache before it."""

from __future__ import annotations

import contextlib
import mmap
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lakemuster.errors import SegmentCorrupt, SegmentMissing
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.index.segment_cache import SegmentCache
from lakemuster.index.segment_files import Segment
from lakemuster.index.segment_keepers import Keeper, LocalKeeper, RemoteKeeper, StoredFile, disk_errors, stored_file
from lakemuster.index.single_flight import SingleFlight
from lakemuster.index.zone_block import Zones, read_zones

Repair = Callable[[str, SegmentCorrupt], None]
"""Puts a segment that is lost or damaged into the store again, by its name and what is wrong; or raises."""

_FAILED_SECONDS = 2.0
"""For so long a failed repair is not tried again."""

_LOOKS = 16
"""How often memory is looked at while as much as may be kept is mapped."""

_STATM = Path("/proc/self/statm")
_PAGE_BYTES = mmap.PAGESIZE


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

    Attributes:
        repair: called for a segment that is lost or damaged, once for all threads that wait for it; None: it fails.

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
        self._keeper: Keeper
        if not separator or scheme in ("file", "local"):
            self._keeper = LocalKeeper(Path(rest if separator else url))
        else:
            folder = RemoteFolder(url, (options or {}).get(scheme, {}))
            self._keeper = RemoteKeeper(folder, SegmentCache(Path(cache_dir), cache_bytes))
        self.repair: Repair | None = None
        self._restoring = SingleFlight(_FAILED_SECONDS)
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
        with disk_errors():
            self._keeper.put(name, Path(local_path))
        with self._lock:
            self._open.pop(name, None)

    def open(self, name: str) -> Segment:
        """Map a segment. One that is lost or damaged is repaired first, if ``repair`` can.

        Raises:
            SegmentCorrupt: the store has none of that name, or it is not whole.
            IndexUnavailable: the store does not answer.
            CatalogError: why it cannot be repaired.
        """
        with self._lock:
            if (segment := self._open.get(name)) is not None:
                if not segment.is_another_file:
                    self._open.move_to_end(name)
                    self._use(segment)
                    return segment
                del self._open[name]
        try:
            segment = self._map(name)
        except SegmentCorrupt as damage:
            self._restore(name, damage)
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
        # What is lost or damaged is repaired when the segment is opened.
        with disk_errors(), contextlib.suppress(FileNotFoundError, SegmentCorrupt):
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
        with disk_errors():
            return self._keeper.size(name)

    def files(self) -> Iterator[StoredFile]:
        """Everything in the store.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            yield from self._keeper.files()

    def is_unchanged(self, file: StoredFile) -> bool:
        """Whether one of ``files`` was not written again since it was listed.

        Raises:
            IndexUnavailable: the store does not answer.
        """
        with disk_errors():
            return self._keeper.modified_ms(file.key) == file.modified_ms

    def check_segment(self, name: str, *, stored: bool = False) -> None:
        """Compare a segment's whole file with its checksums; nothing is repaired.

        Args:
            stored: the store's own file, not the local copy of it.

        Raises:
            SegmentCorrupt: it is lost or damaged.
            IndexUnavailable: the store does not answer.
        """
        if stored:
            with disk_errors():
                self._keeper.refetch(name)
        self._map(name).check()

    def delete(self, key: str) -> None:
        """Delete one of ``files``; mapped readers keep what they have.

        Raises:
            IndexUnavailable: the store refuses.
        """
        with disk_errors():
            self._keeper.delete(key)
        name = stored_file(key, 0, None).name
        with self._lock:
            if name is not None and self._open.pop(name, None) is not None:
                self._mapped -= self._in_memory.pop(name, 0)

    def check(self) -> None:
        """Make sure that the store answers.

        Raises:
            IndexUnavailable: it does not.
        """
        with disk_errors():
            self._keeper.check()

    def _map(self, name: str) -> Segment:
        damage: SegmentCorrupt = SegmentMissing("a segment is missing", segment=name)
        with disk_errors():
            for _ in range(3):
                try:
                    return Segment(name, self._keeper.path(name), lambda found: self._restore(name, found))
                except FileNotFoundError:
                    continue  # evicted by another process between download and mapping
                except SegmentMissing:
                    raise
                except SegmentCorrupt as error:
                    damage = error
                    if not self._keeper.refetch(name):
                        break
        raise damage

    def _restore(self, name: str, damage: SegmentCorrupt) -> None:
        """Make a segment's file whole: fetch it again, or have it repaired; once for all who wait for it."""

        def restore() -> None:
            if self._is_whole(name):
                return
            with disk_errors():
                refetched = self._keeper.refetch(name)
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
    """Bytes of files that are in this process's memory; None where the system does not tell."""
    try:
        return int(_STATM.read_bytes().split()[2]) * _PAGE_BYTES
    except OSError:
        return None
