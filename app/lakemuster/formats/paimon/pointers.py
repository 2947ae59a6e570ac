"""Find the metadata documents of a Paimon table: one listing for each metadata folder. No document is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lakemuster.errors import ObjectMissing
from lakemuster.formats.protocol import FileInfo, Objects, Pointer, token_of

_SNAPSHOT = re.compile(r"snapshot-(\d+)")
_HINTS = frozenset({"LATEST", "EARLIEST"})


def is_schema(info: FileInfo) -> bool:
    """Return whether an object in a ``schema`` folder is a schema file."""
    return info.name.startswith("schema-") and not info.is_folder


def find_pointer(objects: Objects, root: str) -> Pointer | None:
    """Return the documents of the table at a root; None if it has no schema.

    The pointer's listings are by folder: ``snapshot``, ``branch/b/tag`` …; under ``branch`` the folders of branches.

    Raises:
        StorageError: a folder cannot be listed.
    """
    listings = {name: _files(objects.list(f"{root}/{name}")) for name in ("snapshot", "schema")}
    if not any(is_schema(info) for info in listings["schema"]):
        return None
    for name in ("tag", "changelog", "consumer"):
        listings[name] = _files(objects.list(f"{root}/{name}"))
    branches = [info for info in objects.list(f"{root}/branch") if info.is_folder and info.name.startswith("branch-")]
    listings["branch"] = tuple(branches)
    for branch in branches:
        for name in ("snapshot", "schema", "tag", "changelog", "consumer"):
            folder = f"branch/{branch.name}/{name}"
            listings[folder] = _files(objects.list(f"{root}/{folder}"))
    return _pointer(root, listings)


def limit_pointer(pointer: Pointer, newest: int) -> Pointer:
    """Return a look's documents without the snapshots of main after the newest one that a catalog names.

    Args:
        newest: its id; 0: the table has none.

    Raises:
        ObjectMissing: that snapshot is not among the table's files.
    """
    listings = dict(pointer.listings)
    numbered = [_SNAPSHOT.fullmatch(info.name) for info in listings["snapshot"]]
    later = {match[0] for match in numbered if match is not None and int(match[1]) > newest}
    if newest and not any(match is not None and int(match[1]) == newest for match in numbered):
        location = f"{pointer.metadata_location}/snapshot/snapshot-{newest}"
        raise ObjectMissing(f"the catalog names a snapshot that is not there: {location}", location=location)
    listings["snapshot"] = tuple(info for info in listings["snapshot"] if info.name not in later)
    return _pointer(pointer.metadata_location, listings)


def _pointer(root: str, listings: Mapping[str, tuple[FileInfo, ...]]) -> Pointer:
    every = [info for folder in sorted(listings) for info in listings[folder]]
    return Pointer("paimon", root, token_of(every), tuple(sorted(listings.items())))


def _files(infos: Iterable[FileInfo]) -> tuple[FileInfo, ...]:
    # Hints may be stale or absent; the listing itself shows the newest snapshot.
    return tuple(info for info in infos if not info.is_folder and info.name not in _HINTS)
