"""A new folder on disk or at an object store, to measure with; it is removed afterwards."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lakemuster.errors import ConfigInvalid, IndexUnavailable, StorageUnavailable
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.storage.locations import normal_scheme, redacted

PREFIX = "lakemuster-bench-"


@dataclass(frozen=True, slots=True)
class Place:
    """The place where the table and the segments are written.

    Attributes:
        folder: a local folder, for the database and, unless there is an object store, everything else.
        url: the folder at the object store; None: there is none.
        remote: that folder's files.
    """

    folder: Path
    url: str | None = None
    remote: RemoteFolder | None = None

    @property
    def root(self) -> str:
        """The location below which the table and segments are."""
        return str(self.folder) if self.url is None else self.url

    def write(self, key: str, data: bytes) -> None:
        """Write a file below the root.

        Raises:
            StorageUnavailable: the disk or the object store refuses it.
        """
        if self.remote is not None:
            with reached(self.root):
                self.remote.write(key, data)
            return
        target = self.folder / key
        with written(self.folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def size(self, folder: str) -> int:
        """Return the bytes of all files of a folder below the root."""
        if self.remote is not None:
            with reached(self.root):
                return sum(size for _, size, _ in self.remote.files(folder))
        return sum(path.stat().st_size for path in (self.folder / folder).rglob("*") if path.is_file())

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.remote is not None:
            with reached(self.root):
                for key, _, _ in list(self.remote.files()):
                    self.remote.delete(key)


@contextmanager
def place_at(url: str | None, storage: Mapping[str, Mapping[str, object]], *, keep: bool) -> Iterator[Place]:
    """Make a new folder below a local folder or an object store's URL, and remove it afterwards.

    Args:
        url: None: the system's folder for temporary files.
        keep: leave it.

    Raises:
        ConfigInvalid: nothing can be written to such a URL.
        StorageUnavailable: the folder cannot be written.
    """
    scheme, separator, rest = (url or "").partition("://")
    is_remote = bool(separator) and scheme not in ("file", "local")
    local = None if is_remote or not url else Path(rest if separator else url).absolute()
    with written(local or Path(tempfile.gettempdir())):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=local))
    made = Place(folder)
    try:
        if url is not None and is_remote:
            below = f"{url.rstrip('/')}/{PREFIX}{uuid.uuid4().hex}"
            made = Place(folder, below, _remote(below, storage))
            made.write("probe", b"probe")
        yield made
    finally:
        if keep and made.url is None:
            pass
        elif keep:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            made.clear()


def _remote(url: str, storage: Mapping[str, Mapping[str, object]]) -> RemoteFolder:
    options = {normal_scheme(name): values for name, values in storage.items()}
    try:
        return RemoteFolder(url, options.get(normal_scheme(url.partition("://")[0]), {}))
    except ConfigInvalid as cause:
        raise ConfigInvalid(
            f"{redacted(url)} cannot be written: {str(cause).removeprefix('SEGMENTS_URL: ')}"
        ) from cause


@contextmanager
def written(folder: Path) -> Iterator[None]:
    """Raise failed writes of a folder as StorageUnavailable."""
    try:
        yield
    except OSError as cause:
        raise StorageUnavailable(f"{folder} cannot be written: {cause.strerror or type(cause).__name__}") from cause


@contextmanager
def reached(url: str) -> Iterator[None]:
    """Raise failures of an object store as StorageUnavailable."""
    try:
        yield
    except (IndexUnavailable, OSError) as cause:
        raise StorageUnavailable(f"{redacted(url)} cannot be written or read: {cause}") from cause
