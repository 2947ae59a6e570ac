"""Find the current metadata file of a ``metadata`` folder, from file names and hints alone.

A look costs one or two listings. No metadata is read. Where storage lists no folders (plain HTTP), the hint is required
and a request for a file determines whether it exists.

Hadoop tables number ``v1.metadata.json``, ``v2.metadata.json`` … and name the newest in
``version-hint.text``, which may be absent or stale: it may name a deleted file. Catalogs write
``00001-<uuid>.metadata.json``.
Either may be compressed: ``v1.gz.metadata.json``, ``v1.metadata.json.gz``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from lakemuster.errors import ListingUnsupported, ObjectMissing
from lakemuster.formats.protocol import FileInfo, Objects, Pointer, token_of

HINT = "version-hint.text"
HINT_LIMIT = 4096
DOUBTS = {
    "catalog": (
        "the metadata files have names that catalogs give, and there is no version-hint.text: only the catalog knows "
        "which file is current; the one with the highest version is served"
    ),
    "rivals": (
        "several metadata files have the highest version number, and there is no version-hint.text: the last one "
        "by name is served"
    ),
}
"""Why a folder may not show a table's current state, by the suffix of a token."""

_NAME = re.compile(
    r"(?P<hadoop>v)?(?P<version>\d{1,18})(?:-(?P<rest>[^/]+?))?(?:\.gz)?\.metadata\.json(?:\.gz)?", re.ASCII
)
_ENDINGS = (".metadata.json", ".gz.metadata.json", ".metadata.json.gz")
_HINT = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,254}")


class Newest(NamedTuple):
    """The metadata file with the highest version.

    Attributes:
        files: the number of files of this version; several when two writers raced and one lost.
        is_of_catalog: whether a catalog named it: then only the catalog determines whether this commit won.
    """

    name: str
    files: int
    is_of_catalog: bool


def is_metadata_file(location: str) -> bool:
    """Return whether a location names a metadata file rather than a table's root."""
    return location.endswith(_ENDINGS)


def find_pointer(objects: Objects, root: str) -> Pointer | None:
    """Return the current metadata file of the table at a root; None if there is none.

    Raises:
        ObjectMissing: the hint names a file that is not there.
        ListingUnsupported: storage lists no folders, and there is no hint.
        StorageError: the folder cannot be listed.
    """
    folder = f"{root}/metadata"
    try:
        by_name = _by_name(objects, folder)
    except ListingUnsupported:
        return _hinted(objects, folder)
    newest = newest_metadata(tuple(by_name))
    if newest is None:
        return None
    candidates = hint_candidates(objects.read(f"{folder}/{HINT}", max_bytes=HINT_LIMIT)) if HINT in by_name else []
    if not candidates:
        doubts = [*(["catalog"] if newest.is_of_catalog else []), *(["rivals"] if newest.files > 1 else [])]
        return Pointer("iceberg", f"{folder}/{newest.name}", ":".join((token_of([by_name[newest.name]]), *doubts)))
    if by_name.keys().isdisjoint(candidates):
        by_name = _by_name(objects, folder)  # the file may have been added between the listing and the hint
    name = next((candidate for candidate in candidates if candidate in by_name), None)
    name = name or version_after(candidates[0], by_name)
    if name is None:
        raise ObjectMissing(
            f"{HINT} names a metadata file that does not exist: {candidates[0]}", location=f"{folder}/{candidates[0]}"
        )
    while (newer := next_version(name, by_name.keys())) is not None:
        name = newer
    return Pointer("iceberg", f"{folder}/{name}", token_of([by_name[name]]))


def _hinted(objects: Objects, folder: str) -> Pointer:
    """Return the current metadata file where storage lists no folders."""
    try:
        candidates = hint_candidates(objects.read(f"{folder}/{HINT}", max_bytes=HINT_LIMIT))
    except ObjectMissing:
        candidates = []
    if not candidates:
        raise ListingUnsupported(
            f"storage lists no folders, and there is no {HINT}: give the location of a metadata file", location=folder
        )
    found = next((info for name in candidates if (info := objects.stat(f"{folder}/{name}")) is not None), None)
    if found is None:
        raise ObjectMissing(
            f"{HINT} names a metadata file that does not exist: {candidates[0]}", location=f"{folder}/{candidates[0]}"
        )
    while (newer := _next_of(objects, folder, found.name)) is not None:
        found = newer
    return Pointer("iceberg", f"{folder}/{found.name}", token_of([found]))


def _next_of(objects: Objects, folder: str, name: str) -> FileInfo | None:
    match = _match(name)
    if match is None or not match["hadoop"]:
        return None
    ending = name[match.end("version") :]
    return objects.stat(f"{folder}/v{int(match['version']) + 1}{ending}")


def newest_metadata(names: Sequence[str]) -> Newest | None:
    """Return the metadata file with the highest version; None if there is no metadata file.

    Of several files of that version, the last one in alphabetical order is chosen, so that every look and every copy of
    the folder gives the same one. Names and times of files do not show which commit won.
    """
    versions = [(int(match["version"]), name, match["rest"] is not None) for name in names if (match := _match(name))]
    if not versions:
        return None
    version, name, is_of_catalog = max(versions)
    return Newest(name, sum(one == version for one, _, _ in versions), is_of_catalog)


def hint_candidates(hint: bytes) -> list[str]:
    """Return the file names that the content of ``version-hint.text`` may mean, the likeliest first.

    The content is a version number, a file name without its ending, or a whole file name;
    any other content gives no names.
    """
    text = hint[:HINT_LIMIT].decode("utf-8", "replace").strip()
    if not _HINT.fullmatch(text) or ".." in text:
        return []
    if text.endswith(_ENDINGS):
        return [text]
    if text.isascii() and text.isdigit():
        return [f"{stem}{ending}" for stem in (f"v{int(text)}", text) for ending in _ENDINGS]
    return [f"{text}{ending}" for ending in _ENDINGS]


def next_version(name: str, names: Collection[str]) -> str | None:
    """Return the Hadoop file of the version after that of ``name``, if it exists: then the hint was stale.

    None for names that catalogs write: a file with a higher number may belong to a commit that failed.
    """
    match = _match(name)
    if match is None or not match["hadoop"]:
        return None
    stem = f"v{int(match['version']) + 1}"
    return next((stem + ending for ending in _ENDINGS if stem + ending in names), None)


def version_after(name: str, names: Iterable[str]) -> str | None:
    """Return the newest Hadoop file if its version is later than that of the missing file ``name``, else None.

    Writers delete old metadata files, but only warn when they fail to write the hint.
    """
    match = _match(name)
    if match is None or not match["hadoop"]:
        return None
    newest = newest_metadata([one for one in names if (other := _match(one)) and other["hadoop"]])
    return newest.name if newest is not None and (version_of(newest.name) or 0) > int(match["version"]) else None


def _by_name(objects: Objects, folder: str) -> dict[str, FileInfo]:
    return {info.name: info for info in objects.list(folder) if not info.is_folder}


def _match(name: str) -> re.Match[str] | None:
    match = _NAME.fullmatch(name)
    return None if match is None or (match["hadoop"] and match["rest"]) else match


def version_of(name: str) -> int | None:
    """Return the version in the name of a metadata file; None if it has none."""
    match = _match(name)
    return None if match is None else int(match["version"])
