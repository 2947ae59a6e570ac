"""The object store, the only access to storage: read, stat and list, within the allowed roots and under limits.

The roots must admit a location before any request is made for it. Filesystems are built from the operator's options
and, for attached catalogs, vended credentials. Nothing is cached: listings and objects are always current.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any, Self, TypeAlias, TypeVar

from lakemuster import tracing
from lakemuster.errors import CatalogError, LimitExceeded, LocationRefused
from lakemuster.storage.backend import AdmittedRead, Backend, ListedPage, StorageEntry
from lakemuster.storage.backends import Backends, VendedBackends
from lakemuster.storage.confinement import NamespaceConfinement
from lakemuster.storage.local import LocalFile, LocalFiles
from lakemuster.storage.locations import LOCAL, Location, Roots, absolute, redacted
from lakemuster.storage.objects import Counts, ObjectInfo, ReadRequest
from lakemuster.storage.prefix_credentials import CredentialsProvider
from lakemuster.storage.storage_wait import waiting

MAX_BYTES = 512 * 2**20
IN_FLIGHT_BYTES = 64 * 2**20
CONCURRENT_READS = 32
CONCURRENT_LISTS = 16
_UNKNOWN_LENGTH_BYTES = 4 * 2**20

Contents: TypeAlias = bytes | LocalFile
"""An object's bytes, or the local file that holds them; ``len`` gives the number of bytes."""

Listing: TypeAlias = list[ObjectInfo]
_Names: TypeAlias = list[StorageEntry]
_Locations: TypeAlias = list[str]
_C = TypeVar("_C", bound=Contents)


class ObjectStore:
    """Storage as allowed by the operator. Thread-safe; usable after a fork, and in a spawned process.

    Args:
        roots: URL prefixes and folders that may be opened; relative folders are relative to the current folder.
        options: fsspec options by scheme.
        deadline_seconds: deadline of each operation on remote storage; for listings, of each page.

    Raises:
        ConfigInvalid: a root is not a location.
    """

    def __init__(
        self, roots: Sequence[str], options: Mapping[str, Mapping[str, object]], *, deadline_seconds: float = 30
    ) -> None:
        self.roots = Roots.of(roots, _current_folder())
        self.confinement = NamespaceConfinement()
        self.counts = Counts()
        self._local = LocalFiles(self.roots)
        self._remote = Backends(options, deadline_seconds)

    def __repr__(self) -> str:
        return f"ObjectStore({', '.join(root.text for root in self.roots.locations)})"

    def __reduce__(self) -> tuple[object, ...]:
        again = partial(ObjectStore, deadline_seconds=self._remote.deadline_seconds)
        return (again, (tuple(root.text for root in self.roots.locations), self._remote.options))

    def allowing(self, location: str) -> Self:
        """Return a store with one more root, which the operator allows; filesystems and counts are shared.

        Raises:
            LocationRefused: it is not a location.
        """
        return self._with(self.roots.adding(Location.parse(absolute(location, _current_folder()))))

    def within(self, prefixes: Sequence[str]) -> Self:
        """Return a store whose roots are restricted to the given URL prefixes."""
        return self._with(self.roots.within([Location.parse(absolute(text, _current_folder())) for text in prefixes]))

    def of_table(self, name: str, confined_to: Sequence[str] | None, allowed: Sequence[str]) -> Self:
        """Return the store for a table, restricted to the locations that the table may read.

        Args:
            confined_to: its namespace's locations when it was registered; None for all roots.
            allowed: additional roots that the operator allowed for it.
        """
        store = (self if confined_to is None else self.within(confined_to)).confined(name)
        for root in allowed:
            store = store.allowing(root)
        return store

    def confined(self, name: str) -> Self:
        """Return the store restricted to the locations of a table's namespace."""
        prefixes = self.confinement.rule(name)
        return self if prefixes is None else self.within(prefixes)

    def with_credentials(self, provide: CredentialsProvider) -> Self:
        """Return a store that opens remote objects with vended credentials only, each set within its prefix.

        Args:
            provide: returns the credentials that are valid now; called before each operation.
        """
        return self._with(self.roots, VendedBackends(provide, self._remote.options, self._remote.deadline_seconds))

    def _with(self, roots: Roots, remote: Backends | None = None) -> Self:
        other = object.__new__(type(self))
        other.roots, other.confinement = roots, self.confinement
        other.counts, other._remote = self.counts, remote or self._remote
        other._local = LocalFiles(roots)
        return other

    def bucket_of(self, location: str) -> str:
        """Return the failure domain of a location: its bucket, or the longest allowed root above a local path."""
        try:
            parsed = Location.parse(location)
        except LocationRefused:
            return ""
        if parsed.scheme != LOCAL:
            return f"{parsed.scheme}://{parsed.bucket}"
        roots = [root.text for root in self.roots.locations if parsed.lies_within(root)]
        return max(roots, key=len, default="")

    def check_options(self) -> None:
        """Build the filesystem of every scheme in the options and roots, so that wrong options fail at startup.

        Raises:
            ConfigInvalid: an option is wrong; the message names the scheme and the option.
        """
        for scheme in {*self._remote.options, *(root.scheme for root in self.roots.locations)} - {LOCAL}:
            self._remote.get(scheme).check()

    def read(self, location: str, *, expected_length: int | None = None, max_bytes: int = MAX_BYTES) -> bytes:
        """Read a whole object.

        Args:
            expected_length: in bytes, as recorded in the table's metadata.

        Raises:
            LocationRefused: the location is not allowed; no request was made.
            WrongLength: the object does not have the expected length.
            LimitExceeded: the object is longer than ``max_bytes``; it was not fetched.
            ObjectMissing, StorageDenied, StorageUnavailable: as storage reports.
        """
        wanted = AdmittedRead(self.roots.admit(location), expected_length, max_bytes)
        self.counts.add(reads=1)
        with waiting(), self.counts.operation("read"), tracing.span("fetch", objects=1) as span:
            data = self._backend(wanted.location).read(wanted)
            span.set(bytes=len(data))
        self.counts.add(bytes=len(data))
        return data

    def read_many(
        self,
        requests: Iterable[ReadRequest],
        *,
        in_flight_bytes: int = IN_FLIGHT_BYTES,
        concurrency: int = CONCURRENT_READS,
        max_bytes: int = MAX_BYTES,
    ) -> Iterator[tuple[ReadRequest, bytes | CatalogError]]:
        """Read many objects concurrently and yield them as they arrive; a failure is yielded in place of its object.

        Objects that are requested but not yet consumed have at most ``in_flight_bytes`` by their expected lengths
        (4 MiB each if unknown); a larger object is read alone. Closing the iterator stops the transfers.
        """
        yield from self._many(requests, partial(self._start_read, max_bytes=max_bytes), in_flight_bytes, concurrency)

    def admit_many(
        self, requests: Iterable[ReadRequest], *, max_bytes: int = MAX_BYTES
    ) -> Iterator[tuple[ReadRequest, Contents | CatalogError]]:
        """Like :meth:`read_many`, for decoding in another process: local files are checked, but not read."""
        yield from self._many(
            requests, partial(self._start_admit, max_bytes=max_bytes), IN_FLIGHT_BYTES, CONCURRENT_READS
        )

    def _many(
        self,
        requests: Iterable[ReadRequest],
        start: Callable[[ReadRequest], Future[_C]],
        in_flight_bytes: int,
        concurrency: int,
    ) -> Iterator[tuple[ReadRequest, _C | CatalogError]]:
        queue = deque(requests)
        running: dict[Future[_C], tuple[ReadRequest, float]] = {}
        held = objects = fetched = 0
        span = tracing.begin("fetch")
        try:
            while queue or running:
                while queue and len(running) < concurrency:
                    weight = _weight(queue[0])
                    if running and held + weight > in_flight_bytes:
                        break
                    request = queue.popleft()
                    try:
                        with waiting():
                            running[start(request)] = request, time.perf_counter()
                        held += weight
                    except CatalogError as refusal:
                        yield request, refusal
                if not running:
                    continue
                with waiting():
                    future = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                request, began = running.pop(future)
                outcome = self._outcome(future, began)
                objects += 1
                fetched += 0 if isinstance(outcome, CatalogError) else len(outcome)
                yield request, outcome
                held -= _weight(request)
        finally:
            span.set(objects=objects, bytes=fetched)
            span.end()
            for future in running:
                future.cancel()

    def stat(self, location: str) -> ObjectInfo | None:
        """Return the object or folder at a location; None if there is neither. Raises as :meth:`read`."""
        parsed = self.roots.admit(location)
        self.counts.add(stats=1)
        with waiting(), self.counts.operation("stat"):
            found = self._backend(parsed).stat(parsed)
        if found is None:
            return None
        return ObjectInfo(location, parsed.key.rpartition("/")[2], found.size, found.is_folder, found.modified_ms)

    def exists(self, location: str) -> bool:
        """Return whether an object or folder exists. Raises as :meth:`read`."""
        return self.stat(location) is not None

    def list(self, location: str) -> Listing:
        """List one level of a folder, all pages, sorted by name; empty if there is none. Raises as :meth:`read`."""
        parsed = self.roots.admit(location)
        self.counts.add(lists=1)
        with waiting(), self.counts.operation("list"):
            return _children(location, self._backend(parsed).children(parsed))

    def walk(
        self,
        location: str,
        descend: Callable[[str, Sequence[ObjectInfo]], Iterable[ObjectInfo]],
        *,
        max_depth: int = 16,
        max_folders: int = 100_000,
    ) -> Iterator[tuple[str, Listing | CatalogError]]:
        """List folders recursively and concurrently, breadth first; yield a failure in place of a folder's listing.

        Args:
            descend: given a folder's location and its children, returns the child folders to list next.
            max_depth: levels below ``location``; deeper folders are skipped.

        Raises:
            LimitExceeded: there are more than ``max_folders`` folders to list.
            LocationRefused: ``location`` is not allowed.
        """
        self.roots.admit(location)
        level, listed = [location], 0
        for _ in range(max_depth + 1):
            deeper: _Locations = []
            for folder, children in self._list_many(level):
                listed += 1
                if listed > max_folders:
                    raise LimitExceeded(f"{redacted(location)}: more than {max_folders} folders below it")
                if not isinstance(children, CatalogError):
                    deeper += [child.location for child in descend(folder, children) if child.is_folder]
                yield folder, children
            level = deeper

    def pages_below(self, location: str, folder: str = "") -> Iterator[ListedPage]:
        """Yield all objects below a folder, in no order, in pages; the listing is complete unless this raises.

        Args:
            folder: path below ``location`` of the folder to list, as a listing returned it; any name is accepted.

        Raises:
            ObjectMissing: there is no such folder.
            LocationRefused, StorageDenied, StorageUnavailable: as for :meth:`read`, possibly after some pages.
        """
        parsed = self.roots.admit(location).joined(folder)
        pages = self._backend(parsed).pages(parsed)
        while True:
            self.counts.add(lists=1)
            with waiting(), self.counts.operation("list"):
                page = next(pages, None)
            if page is None:
                return
            yield page

    def entries_of(self, location: str, folder: str = "") -> Sequence[StorageEntry]:
        """List one level of a folder; the arguments are the ones of :meth:`pages_below`."""
        parsed = self.roots.admit(location).joined(folder)
        self.counts.add(lists=1)
        with waiting(), self.counts.operation("list"):
            return self._backend(parsed).children(parsed)

    def _list_many(self, folders: Sequence[str]) -> Iterator[tuple[str, Listing | CatalogError]]:
        queue = deque(folders)
        running: deque[tuple[str, Future[_Names] | CatalogError, float]] = deque()
        try:
            while queue or running:
                while queue and len(running) < CONCURRENT_LISTS:
                    folder = queue.popleft()
                    try:
                        parsed = self.roots.admit(folder)
                        self.counts.add(lists=1)
                        with waiting():
                            listed = self._backend(parsed).start_children(parsed)
                        running.append((folder, listed, time.perf_counter()))
                    except CatalogError as refusal:
                        running.append((folder, refusal, 0.0))
                folder, listing, began = running.popleft()
                try:
                    if isinstance(listing, CatalogError):
                        raise listing
                    with waiting(), self.counts.operation("list", began):
                        children = _children(folder, listing.result())
                except CatalogError as failure:
                    yield folder, failure
                else:
                    yield folder, children
        finally:
            for _, listing, _ in running:
                if isinstance(listing, Future):
                    listing.cancel()

    def _backend(self, location: Location) -> Backend:
        return self._local if location.scheme == LOCAL else self._remote.of(location)

    def _start_read(self, request: ReadRequest, max_bytes: int) -> Future[bytes]:
        wanted = self._wanted(request, max_bytes)
        return self._backend(wanted.location).start_read(wanted)

    def _start_admit(self, request: ReadRequest, max_bytes: int) -> Future[Any]:
        wanted = self._wanted(request, max_bytes)
        if wanted.location.scheme == LOCAL:
            return self._local.start_admit(wanted)
        return self._remote.of(wanted.location).start_read(wanted)

    def _wanted(self, request: ReadRequest, max_bytes: int) -> AdmittedRead:
        wanted = AdmittedRead(
            self.roots.admit(request.location), request.expected_length if request.exact else None, max_bytes
        )
        if (wanted.expected_length or 0) > max_bytes:
            raise LimitExceeded(f"{wanted.where}: {request.expected_length} bytes long, the limit is {max_bytes}")
        self.counts.add(reads=1)
        return wanted

    def _outcome(self, future: Future[_C], began: float) -> _C | CatalogError:
        try:
            with self.counts.operation("read", began):
                data = future.result()
        except CatalogError as failure:
            return failure
        self.counts.add(bytes=len(data))
        return data


def _current_folder() -> str:
    """Return the current folder; if it was removed, as Spark removes those of idle sessions, a path without files."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/nonexistent"


def _weight(request: ReadRequest) -> int:
    return _UNKNOWN_LENGTH_BYTES if request.expected_length is None else request.expected_length


def _children(folder: str, found: Iterable[StorageEntry]) -> list[ObjectInfo]:
    base = folder.rstrip("/")
    return [ObjectInfo(f"{base}/{item.name}", item.name, item.size, item.is_folder, item.modified_ms) for item in found]
