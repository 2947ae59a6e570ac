"""Find the tables below a warehouse folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lakemuster.errors import LocationRefused, StorageError, StorageUnavailable
from lakemuster.formats.registry import table_formats
from lakemuster.metadata.names import format_name
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.objects import ObjectInfo
from lakemuster.storage.store import ObjectStore

DEPTH = 16


@dataclass(frozen=True, slots=True)
class Found:
    """A table below a warehouse: the names of the folders on its path, its location and its format."""

    levels: tuple[str, ...]
    location: str
    format: Format


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder below a warehouse that cannot be listed, or may not be, and why."""

    levels: tuple[str, ...]
    location: str
    reason: str


def find_tables(store: ObjectStore, url: str) -> Iterator[Found | Unreadable]:
    """Yield every table below ``url`` in the order of folder names; folders inside tables are not searched.

    Raises:
        LocationRefused, StorageError: ``url`` cannot be listed.
        StorageUnavailable: storage does not answer.
    """
    yield from _walk(store, url.rstrip("/"), ())


def _walk(store: ObjectStore, folder: str, levels: tuple[str, ...]) -> Iterator[Found | Unreadable]:
    try:
        infos = store.list(folder)
        found = _format(store, folder, {info.name: info for info in infos})
    except (LocationRefused, StorageError) as error:
        if not levels:
            raise
        if isinstance(error, StorageUnavailable):
            raise StorageUnavailable(f"{error}; later folders are not searched") from error
        yield Unreadable(levels, folder, str(error))
        return
    if found is not None:
        yield Found(levels, folder, found)
        return
    if len(levels) >= DEPTH:
        return
    for info in sorted(infos, key=lambda info: info.name):
        if info.is_folder and not info.name.startswith((".", "_")):
            yield from _walk(store, f"{folder}/{info.name}", (*levels, info.name))


def _format(store: ObjectStore, folder: str, children: dict[str, ObjectInfo]) -> Format | None:
    return next((port.name for port in table_formats() if port.recognizes(store, folder, children)), None)


def table_name(levels: tuple[str, ...], namespace: str | None) -> str:
    """Return a table's dotted name from its folders.

    ``.db`` suffixes are dropped, a single level is prefixed with ``default``, and levels that contain a dot are quoted
    with backticks.

    Args:
        namespace: replaces all levels but the last.
    """
    names = [level.removesuffix(".db") or level for level in levels]
    if namespace is not None:
        return f"{namespace}.{format_name(names[-1:])}"
    if len(names) == 1:
        names.insert(0, "default")
    return format_name(names)
