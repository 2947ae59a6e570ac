"""A remote folder through fsspec: upload, download, list and delete whole files, within a deadline."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lakemuster.errors import ConfigInvalid, IndexUnavailable, LocationRefused, SegmentMissing
from lakemuster.failure_reasons import reason_of
from lakemuster.storage.filesystems import Filesystem, modified_ms
from lakemuster.storage.locations import HTTP, normal_scheme, redacted

DEADLINE_SECONDS = 60.0
_LOCAL_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""Failures of a local disk, to which files are downloaded."""
_PROBE, _REWRITE_SECONDS = "tmp/ready", 60.0
_WRITES_WHOLE = frozenset({"s3", "oss", "cos", "gs", "abfs", "memory"})
"""Schemes whose writes are atomic; for others, a file is uploaded under another name and renamed."""


class RemoteFolder:
    """The files below an fsspec URL, by key.

    Raises:
        ConfigInvalid: fsspec does not know the URL's scheme, lacks its driver, or rejects the options.
    """

    def __init__(self, url: str, options: Mapping[str, object]) -> None:
        scheme = normal_scheme(url.partition("://")[0])
        if scheme in HTTP:
            raise ConfigInvalid(f"SEGMENTS_URL: {scheme}:// is read-only")
        try:
            self._system = Filesystem(scheme, options)
        except (ValueError, ImportError, TypeError) as cause:
            raise ConfigInvalid(f"SEGMENTS_URL: cannot use {scheme}://: {type(cause).__name__}: {cause}") from cause
        self._where = redacted(url)
        try:
            self._root = self._system.path(url).rstrip("/")
        except LocationRefused as cause:
            raise ConfigInvalid(f"SEGMENTS_URL: {cause.message}") from cause
        self._writes_whole = scheme in _WRITES_WHOLE
        self._written_at = -_REWRITE_SECONDS

    def put(self, key: str, source: Path) -> None:
        """Upload a file."""
        self._place(key, lambda target: self._call("put_file", str(source), target))

    def write(self, key: str, data: bytes) -> None:
        """Write a file."""
        self._place(key, lambda target: self._call("pipe_file", target, data))

    def read(self, key: str) -> bytes:
        """Read a file.

        Raises:
            FileNotFoundError: it does not exist.
        """
        data: bytes = self._call("cat_file", self._path(key))
        return data

    def get(self, key: str, target: Path) -> None:
        """Download a file.

        Raises:
            SegmentMissing: the file does not exist.
        """
        try:
            self._call("get_file", self._path(key), str(target))
        except FileNotFoundError as cause:
            raise SegmentMissing("a segment file is missing", segment=key) from cause

    def size(self, key: str) -> int | None:
        """Return the size of a file in bytes; None if it does not exist."""
        try:
            return int(self._call("info", self._path(key)).get("size") or 0)
        except FileNotFoundError:
            return None

    def modified_ms(self, key: str) -> int | None:
        """Return the modification time of a file; None if there is no file, or the file system does not report it."""
        try:
            return modified_ms(self._call("info", self._path(key)))
        except FileNotFoundError:
            return None

    def files(self, folder: str = "") -> Iterator[tuple[str, int, int | None]]:
        """Yield key, size and modification time (ms, None if the file system does not report it) of every file.

        Args:
            folder: restricts the files to those below this folder.
        """
        below = self._path(folder) if folder else self._root
        try:
            found: dict[str, dict[str, Any]] = self._call("find", below, detail=True)
        except FileNotFoundError:
            return
        for path, info in found.items():
            yield path.removeprefix(self._root).lstrip("/"), int(info.get("size") or 0), modified_ms(info)

    def delete(self, key: str) -> None:
        """Delete a file; do nothing if it does not exist."""
        try:
            self._call("rm_file", self._path(key))
        except FileNotFoundError:
            return

    def check(self) -> None:
        """Check that a probe file exists; write it if it is missing, and again after a minute.

        Raises:
            IndexUnavailable: the store does not answer, rejects the write, or its bucket is missing.
        """
        now = time.monotonic()
        if self.size(_PROBE) is not None and now - self._written_at < _REWRITE_SECONDS:
            return
        try:
            self._call("pipe_file", self._path(_PROBE), b"ready")
        except FileNotFoundError as cause:
            raise self._unavailable("the bucket or folder of the segment store is missing") from cause
        self._written_at = now

    def _place(self, key: str, write: Callable[[str], object]) -> None:
        """Write a file atomically."""
        target = self._path(key)
        if self._writes_whole:
            write(target)
            return
        self._call("makedirs", target.rsplit("/", 1)[0], exist_ok=True)
        write(target + ".part")
        self._call("mv", target + ".part", target)

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}"

    def _call(self, method: str, *args: object, **named: object) -> Any:
        try:
            return self._system.call(method, *args, deadline_seconds=DEADLINE_SECONDS, **named)
        except FileNotFoundError:
            raise
        except Exception as cause:
            if isinstance(cause, OSError) and cause.errno in _LOCAL_FAILURES:
                raise
            # Drivers raise exceptions of their own, whose text may hold addresses and signatures.
            raise self._unavailable(f"the segment store does not answer: {reason_of(cause)}") from cause

    def _unavailable(self, message: str) -> IndexUnavailable:
        """Return an error with the store's URL as a note, for the operator."""
        error = IndexUnavailable(message)
        error.add_note(f"SEGMENTS_URL is {self._where}")
        return error
