"""Open and read objects of the lake on executors: local files, and every scheme that fsspec supports.

Options come from ``LAKEMUSTER_STORAGE`` in the executor's environment, as for the service: fsspec options by scheme, as
JSON. They are never part of a plan.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from lakemuster.storage.filesystems import Filesystem
from lakemuster.storage.locations import LOCAL, Location, normal_scheme, redacted

SETTING = "LAKEMUSTER_STORAGE"
_READAHEAD_BYTES = 1 << 18


class StorageOptionsInvalid(Exception):
    """``LAKEMUSTER_STORAGE`` of this process is invalid."""


class LakeFiles:
    """Opens and reads objects by their full locations.

    Args:
        options: fsspec options by scheme.
    """

    def __init__(self, options: Mapping[str, Mapping[str, Any]]) -> None:
        self.options = options
        self._systems: dict[str, Filesystem] = {}

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        """Open an object for random access; giving its size saves a request.

        Raises:
            OSError: from storage, such as ``FileNotFoundError``.
        """
        parsed = Location.parse(location)
        if parsed.scheme == LOCAL:
            return pa.OSFile(parsed.text)
        files, path = self._at(parsed)
        length = files.call("size", path) if size is None else size
        return pa.PythonFile(_Ranges(files, path, length), mode="r")

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        """Return an object's bytes, or a range of them.

        Raises:
            OSError: from storage, or the object ends before the range does.
        """
        parsed = Location.parse(location)
        if parsed.scheme == LOCAL:
            with open(parsed.text, "rb") as file:
                file.seek(offset)
                found = file.read() if length is None else file.read(length)
        else:
            files, path = self._at(parsed)
            found = files.call("cat_file", path, start=offset, end=None if length is None else offset + length)
        if length is not None and len(found) != length:
            raise OSError(f"{redacted(location)}: {len(found)} bytes at {offset}, not {length}")
        return found

    def _at(self, location: Location) -> tuple[Filesystem, str]:
        if location.scheme not in self._systems:
            self._systems[location.scheme] = Filesystem(location.scheme, self.options.get(location.scheme, {}))
        files = self._systems[location.scheme]
        return files, files.path(location.text)


@lru_cache(maxsize=1)
def lake_files(setting: str) -> LakeFiles:
    """Return the access to objects with a setting; cached for all tasks of a process.

    Raises:
        StorageOptionsInvalid: the setting is not a JSON object of objects; the message does not repeat its text.
    """
    try:
        options = json.loads(setting)
        by_scheme = {normal_scheme(scheme): dict(values) for scheme, values in options.items()}
    except (ValueError, AttributeError, TypeError):
        raise StorageOptionsInvalid(f"{SETTING} is not a JSON object of fsspec options by scheme") from None
    return LakeFiles(by_scheme)


def storage_options() -> Mapping[str, Mapping[str, Any]]:
    """Return the options of this process's environment, by scheme.

    Raises:
        StorageOptionsInvalid: as for :func:`lake_files`.
    """
    return files_here().options


def files_here() -> LakeFiles:
    """Return the access to objects with the setting of this process's environment.

    Raises:
        StorageOptionsInvalid: as for :func:`lake_files`.
    """
    return lake_files(os.environ.get(SETTING) or "{}")


class _Ranges(io.RawIOBase):
    """A raw file over range requests, without the caches and sequential readahead of fsspec's own files.

    Each request fetches somewhat more than needed, and near the end the whole tail: footers are read in several pieces.
    """

    def __init__(self, files: Filesystem, path: str, size: int) -> None:
        self._files = files
        self._path = path
        self._size = size
        self._at = 0
        self._buffer_start = 0
        self._buffer = b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def size(self) -> int:
        """Return the object's size in bytes."""
        return self._size

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, fewer at the end."""
        end = self._size if size is None or size < 0 else min(self._size, self._at + size)
        if end <= self._at:
            return b""
        if not self._buffer_start <= self._at <= end <= self._buffer_start + len(self._buffer):
            self._fetch(end)
        start = self._at - self._buffer_start
        self._at = end
        return self._buffer[start : end - self._buffer_start]

    def _fetch(self, end: int) -> None:
        start = self._at
        if self._size - start < _READAHEAD_BYTES:
            start = max(0, self._size - _READAHEAD_BYTES)
        end = min(self._size, max(end, start + _READAHEAD_BYTES))
        self._buffer = self._files.call("cat_file", self._path, start=start, end=end)
        self._buffer_start = start
        if len(self._buffer) != end - start:
            raise OSError(f"{redacted(self._path)}: {len(self._buffer)} bytes at {start}, not {end - start}")
