"""Find which metadata of a table is current, from a hint file, a listing, or the metadata file itself.

A look at an Iceberg table costs one or two listings, at a Paimon table one for each metadata folder. No metadata is
read. The ``token`` of a look changes when anything changes that a refresh would see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from lakemuster.errors import NotATable, ObjectMissing
from lakemuster.formats.iceberg.pointers import hint_candidates, newest_metadata, next_version
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.objects import ObjectInfo
from lakemuster.storage.store import ObjectStore

HINT = "version-hint.text"
_HINTS = frozenset({"LATEST", "EARLIEST"})


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a look at a table's location found.

    Attributes:
        metadata_location: Iceberg: the current metadata file; Paimon: the table's root.
        token: equal for two looks if nothing changed between them; :func:`warnings_of` reads its suffixes.
        listings: Paimon: the contents of the metadata folders, by folder (``snapshot``, ``branch/b/tag`` …);
            under ``branch`` the folders of branches.
    """

    format: Format
    metadata_location: str
    token: str
    listings: tuple[tuple[str, tuple[ObjectInfo, ...]], ...] = ()


def is_schema(info: ObjectInfo) -> bool:
    """Return whether an object in a ``schema`` folder is a Paimon schema file."""
    return info.name.startswith("schema-") and not info.is_folder


def is_metadata_file(location: str) -> bool:
    """Return whether a location names an Iceberg metadata file rather than a table's root."""
    return location.endswith((".metadata.json", ".metadata.json.gz", ".gz.metadata.json"))


def look(store: ObjectStore, location: str, format: Format | None = None) -> Pointer:
    """Find the current metadata of the table at a location.

    Args:
        location: a table's root, or an Iceberg metadata file.
        format: of the table, if known; None tries Paimon, whose tables may hold Iceberg metadata too, then Iceberg.

    Raises:
        NotATable: there is no table at the location.
        StorageError: the location cannot be listed; ``ObjectMissing`` also if a hint names a missing file.
    """
    if is_metadata_file(location):
        info = store.stat(location)
        if info is None:
            raise ObjectMissing(f"no metadata file at {location}", location=location)
        return Pointer("iceberg", location, _token([info]))
    root = location.rstrip("/")
    if format in (None, "paimon"):
        pointer = _look_paimon(store, root)
        if pointer is not None:
            return pointer
    if format in (None, "iceberg"):
        pointer = _look_iceberg(store, root)
        if pointer is not None:
            return pointer
    kind = {"iceberg": "Iceberg", "paimon": "Paimon"}.get(format or "", "Iceberg or Paimon")
    raise NotATable(f"no {kind} table at {location}", location=location)


def _look_iceberg(store: ObjectStore, root: str) -> Pointer | None:
    folder = f"{root}/metadata"
    by_name = _by_name(store, folder)
    newest = newest_metadata(tuple(by_name))
    if newest is None:
        return None
    candidates = hint_candidates(store.read(f"{folder}/{HINT}", max_bytes=4096)) if HINT in by_name else []
    if not candidates:
        doubts = [*(["catalog"] if newest.is_of_catalog else []), *(["rivals"] if newest.files > 1 else [])]
        return Pointer("iceberg", f"{folder}/{newest.name}", ":".join((_token([by_name[newest.name]]), *doubts)))
    if by_name.keys().isdisjoint(candidates):
        by_name = _by_name(store, folder)  # the file may have been added between the listing and the hint
    name = next((candidate for candidate in candidates if candidate in by_name), None)
    if name is None:
        raise ObjectMissing(
            f"{HINT} names metadata that is not there: {candidates[0]}", location=f"{folder}/{candidates[0]}"
        )
    while (newer := next_version(name, by_name.keys())) is not None:
        name = newer
    return Pointer("iceberg", f"{folder}/{name}", _token([by_name[name]]))


def _by_name(store: ObjectStore, folder: str) -> dict[str, ObjectInfo]:
    return {info.name: info for info in store.list(folder) if not info.is_folder}


def _look_paimon(store: ObjectStore, root: str) -> Pointer | None:
    listings = {name: _files(store.list(f"{root}/{name}")) for name in ("snapshot", "schema")}
    if not any(is_schema(info) for info in listings["schema"]):
        return None
    for name in ("tag", "changelog", "consumer"):
        listings[name] = _files(store.list(f"{root}/{name}"))
    branches = [info for info in store.list(f"{root}/branch") if info.is_folder and info.name.startswith("branch-")]
    listings["branch"] = tuple(branches)
    for branch in branches:
        for name in ("snapshot", "schema", "tag", "changelog", "consumer"):
            folder = f"branch/{branch.name}/{name}"
            listings[folder] = _files(store.list(f"{root}/{folder}"))
    every = [info for folder in sorted(listings) for info in listings[folder]]
    return Pointer("paimon", root, _token(every), tuple(sorted(listings.items())))


def _files(infos: Iterable[ObjectInfo]) -> tuple[ObjectInfo, ...]:
    # Hints may be stale or absent; the listing itself shows the newest snapshot.
    return tuple(info for info in infos if not info.is_folder and info.name not in _HINTS)


def _token(infos: Iterable[ObjectInfo]) -> str:
    digest = hashlib.sha256()
    for info in infos:
        digest.update(f"{info.location}|{info.size}|{info.modified_ms}\n".encode())
    return digest.hexdigest()
