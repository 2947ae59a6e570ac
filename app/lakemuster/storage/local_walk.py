"""List all files below a local folder, in pages, without following links, and resolve the real paths of files."""

from __future__ import annotations

import os
import stat as modes
import time
from collections.abc import Iterator
from functools import lru_cache

from lakemuster.errors import CatalogError, ObjectMissing
from lakemuster.storage.backend import ListedPage, StorageEntry
from lakemuster.storage.failures import failure_of
from lakemuster.storage.locations import redacted

PAGE_ENTRIES = 10_000


def walk(folder: str) -> Iterator[ListedPage]:
    """Yield the files below a folder that has no links in its path.

    Files and folders that are removed meanwhile are left out, and so are pipes, sockets and devices.

    Raises:
        ObjectMissing: the folder does not exist.
        StorageDenied, StorageUnavailable: a folder cannot be listed.
    """
    entries: list[StorageEntry] = []
    links: list[str] = []
    unnamed = 0
    yield ListedPage([], _now_ms())
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in _children(f"{folder}/{below}" if below else folder, is_first=not below):
            name = below + entry.name
            try:
                if entry.is_symlink():
                    links.append(name)
                    continue
                state = entry.stat(follow_symlinks=False)
            except OSError as cause:
                if isinstance(failure := failure_of(cause, redacted(entry.path)), ObjectMissing):
                    continue
                raise failure from cause
            if modes.S_ISDIR(state.st_mode):
                folders.append(f"{name}/")
            elif modes.S_ISREG(state.st_mode):
                if not name.isprintable() and not _is_text(name):
                    unnamed += 1
                    continue
                entries.append(StorageEntry(name, state.st_size, False, state.st_mtime_ns // 1_000_000))
                if len(entries) >= PAGE_ENTRIES:
                    yield ListedPage(entries, None, tuple(links), unnamed)
                    entries, links, unnamed = [], [], 0
    yield ListedPage(entries, None, tuple(links), unnamed)


def real_path(path: str, root: str) -> str:
    """Return the path of a file without links; inside ``root``, a real path, a link that the file itself is remains."""
    folder, _, name = path.rpartition("/")
    real = _real_folder(folder)
    found = f"{real.rstrip('/')}/{name}"
    return found if f"{real}/".startswith(f"{root.rstrip('/')}/") else os.path.realpath(found)


@lru_cache(maxsize=100_000)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder or "/")


def forget_real_folders() -> None:
    """Clear the cache of resolved folders."""
    _real_folder.cache_clear()


def _children(folder: str, *, is_first: bool) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError as cause:
        failure: CatalogError = failure_of(cause, redacted(folder))
        if is_first or not isinstance(failure, ObjectMissing):
            raise failure from cause


def _is_text(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _now_ms() -> int:
    return int(time.time() * 1000)
