"""Storage backend for any other fsspec implementation, such as HDFS through libhdfs, or memory.

These implementations have retries of their own, so none are added here; the deadline applies to every operation.
A call that blocks beyond the deadline occupies its thread until it returns: each bucket has few threads, and calls
queued behind it fail at their deadline.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from fsspec import available_protocols
from fsspec.asyn import get_loop

from lakemuster.errors import ConfigInvalid, ObjectMissing, StorageUnavailable
from lakemuster.storage.backend import AdmittedRead, ListedPage, StorageEntry
from lakemuster.storage.failures import check_size, failure_of
from lakemuster.storage.filesystems import Filesystem, modified_ms
from lakemuster.storage.locations import Location, redacted

T = TypeVar("T")

_THREADS = 16


class GenericObjects:
    """The objects of one fsspec implementation."""

    def __init__(self, scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> None:
        try:
            self._files = Filesystem(scheme, options)
        except ConfigInvalid:
            raise
        except Exception as cause:
            if scheme not in available_protocols():
                raise ConfigInvalid(f"ROOTS, STORAGE: no storage driver is known for {scheme}://") from cause
            missing = f": package {cause.name} is missing" if isinstance(cause, ImportError) and cause.name else ""
            raise ConfigInvalid(
                f"STORAGE: {scheme} cannot be opened with these options ({type(cause).__name__}{missing})"
            ) from cause
        self._deadline = deadline_seconds
        self._loop = get_loop()
        # One pool for each bucket: a bucket that hangs does not take the threads of others.
        self._threads: defaultdict[str, ThreadPoolExecutor] = defaultdict(
            lambda: ThreadPoolExecutor(_THREADS, thread_name_prefix=f"lakemuster-{scheme}")
        )

    def check(self) -> None:
        """Do nothing: the constructor has checked the options."""

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole object."""
        return self.start_read(wanted).result()

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, in the background."""
        return self._start(self._read(wanted), wanted.where)

    def stat(self, location: Location) -> StorageEntry | None:
        """Return the object or folder at a location; None if there is neither."""
        found: StorageEntry | None = self._start(self._stat(location), redacted(location.text)).result()
        return found

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level of a folder, all pages, sorted by name."""
        return self.start_children(location).result()

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, in the background."""
        return self._start(self._children(location), redacted(location.text))

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """Yield all objects below a folder, one page for each folder."""
        folders = [""]
        while folders:
            below = folders.pop()
            key = f"{location.key}/{below}".strip("/")
            found = self.children(Location(location.scheme, location.bucket, key))
            if not below and not found:
                raise ObjectMissing(f"{redacted(location.text)}: no such folder, or it is empty")
            folders += [f"{below}{entry.name}/" for entry in found if entry.is_folder]
            yield ListedPage([replace(entry, name=below + entry.name) for entry in found if not entry.is_folder])

    def _start(self, work: Any, where: str) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(self._in_time(work, where), self._loop)

    async def _in_time(self, work: Any, where: str) -> Any:
        try:
            async with asyncio.timeout(self._deadline) as deadline:
                return await work
        except Exception as error:
            if deadline.expired():
                raise StorageUnavailable(f"{where}: no answer within {self._deadline:g} s") from error
            raise failure_of(error, where) from error

    async def _call(self, method: str, location: Location, **arguments: object) -> Any:
        path = self._files.path(location.text)
        if self._files.driver.async_impl:
            return await getattr(self._files.driver, f"_{method}")(path, **arguments)
        call = partial(getattr(self._files.driver, method), path, **arguments)
        return await self._loop.run_in_executor(self._threads[location.bucket], call)

    async def _read(self, wanted: AdmittedRead) -> bytes:
        known = await self._call("info", wanted.location)
        if known.get("type") == "directory":
            raise ObjectMissing(f"{wanted.where}: not a file")
        if known.get("size") is not None:
            check_size(known["size"], wanted.expected_length, wanted.max_bytes, wanted.where)
        data: bytes = await self._call("cat_file", wanted.location, start=0, end=wanted.max_bytes + 1)
        check_size(len(data), wanted.expected_length, wanted.max_bytes, wanted.where)
        return data

    async def _stat(self, location: Location) -> StorageEntry | None:
        try:
            return _found(await self._call("info", location))
        except FileNotFoundError:
            return None

    async def _children(self, location: Location) -> list[StorageEntry]:
        path = self._files.path(location.text).rstrip("/")
        try:
            entries = await self._call("ls", location, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = [_found(entry) for entry in entries if entry["name"].rstrip("/") != path]
        return sorted((item for item in found if item.name), key=lambda item: item.name)


def _found(entry: Mapping[str, Any]) -> StorageEntry:
    is_folder = entry.get("type") == "directory"
    name = str(entry["name"]).rstrip("/").rpartition("/")[2]
    return StorageEntry(name, 0 if is_folder else int(entry.get("size") or 0), is_folder, modified_ms(entry))
