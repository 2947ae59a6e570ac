"""Read the documents of a Paimon table, and assemble them to its metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lakemuster.errors import DecodeFailed, FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.paimon.table_metadata import assemble, parse_consumer, parse_schema, parse_snapshot, parse_tag
from lakemuster.formats.protocol import Documents, FileInfo, Known, Pointer
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, UNREADABLE, Ref, Snapshot, TableMetadata

DOCUMENT_LIMIT = 64 * 2**20
"""Maximum bytes of a document."""
CONSUMER_LIMIT = 4096

_NUMBERED = re.compile(r"(?:snapshot|schema|changelog)-(\d+)\Z")

T = TypeVar("T")


def load_metadata(documents: Documents, pointer: Pointer, known: Known) -> TableMetadata:
    """Read and parse the documents that a look listed.

    Args:
        known: snapshots already read; each snapshot file is read once.

    Raises:
        MetadataCorrupt, FormatUnsupported, LimitExceeded, DecodeFailed: a document cannot be parsed.
        StorageError: it cannot be read.
    """
    root, listings = pointer.metadata_location, dict(pointer.listings)
    branches = sorted(_branch_of(folder) for folder in listings if folder.rsplit("/", 1)[-1] == "schema")
    schemas: dict[str, tuple[Schema, ...]] = {}
    snapshots: list[Snapshot] = []
    tags: list[Ref] = []
    consumers: dict[str, dict[str, int]] = {}
    created: dict[str, int | None] = {}
    for branch in branches:
        prefix = "" if branch == MAIN else f"branch/branch-{branch}/"
        written = [info for info in listings.get(f"{prefix}schema", ()) if _NUMBERED.match(info.name)]
        files = _read(documents, written, partial(documents.parse, parse_schema), may_vanish=branch != MAIN)
        schemas[branch] = tuple(sorted(files.values(), key=lambda s: s.schema_id))
        if written and not files:
            continue  # the branch was dropped since it was listed
        own = _snapshots(documents, listings.get(f"{prefix}snapshot", ()), branch, root, known)
        taken = {snapshot.snapshot_id for snapshot in own}
        snapshots += own
        named = [info for info in listings.get(f"{prefix}tag", ()) if info.name.startswith("tag-")]
        parse = partial(_parse_tag, documents, branch, root)
        numbered = [info for info in listings.get(f"{prefix}changelog", ()) if _NUMBERED.match(info.name)]
        kept = {_number(info.name) for info in numbered}
        for tag, tagged in _read_named(documents, named, parse, may_vanish=True).values():
            tags.append(tag)
            if tagged.snapshot_id not in taken:
                taken.add(tagged.snapshot_id)
                snapshots.append(tagged if tagged.snapshot_id in kept else _without_changelog(tagged))
        changelogs = [info for info in numbered if _number(info.name) not in taken]
        parse_changelog = partial(_parse_changelog, documents, branch, root)
        snapshots += _read_named(documents, changelogs, parse_changelog, may_vanish=True).values()
        if found := _consumers(documents, listings.get(f"{prefix}consumer", ())):
            consumers[branch] = found
        if branch != MAIN:
            created[branch] = _created(listings, branch)
    metadata = assemble(root, schemas, snapshots, tags, consumers.pop(MAIN, {}))
    return replace(metadata, extra={**metadata.extra, "branch_consumers": consumers, "branches_created_ms": created})


def _branch_of(folder: str) -> str:
    return MAIN if folder == "schema" else folder.split("/")[1].removeprefix("branch-")


def _created(listings: Mapping[str, Sequence[FileInfo]], branch: str) -> int | None:
    """Return when a branch was created: its folder's time, as in Paimon; on object stores, its oldest file's time."""
    folder = f"branch-{branch}"
    own = next((info.modified_ms for info in listings.get("branch", ()) if info.name == folder), None)
    if own is not None:
        return own
    files = (info for name, infos in listings.items() if name.startswith(f"branch/{folder}/") for info in infos)
    return min((info.modified_ms for info in files if info.modified_ms is not None), default=None)


def _consumers(documents: Documents, infos: Sequence[FileInfo]) -> dict[str, int]:
    """Return the next snapshot of each consumer. Its file is overwritten in place: an incomplete one is left out."""
    named = [info for info in infos if info.name.startswith("consumer-") and info.size <= CONSUMER_LIMIT]
    found: dict[str, int] = {}
    for name, data in _read(documents, named, bytes, may_vanish=True).items():
        with suppress(MetadataCorrupt):
            found[name.removeprefix("consumer-")] = parse_consumer(data)
    return found


def _number(name: str) -> int | None:
    match = _NUMBERED.match(name)
    return int(match[1]) if match else None


def _snapshots(documents: Documents, infos: Sequence[FileInfo], branch: str, root: str, known: Known) -> list[Snapshot]:
    numbered = {number: info for info in infos if (number := _number(info.name)) is not None}
    read_before = [number for number in numbered if (branch, number) in known]
    # Read the newest known snapshot again: a table that was dropped and created again at the
    # same location numbers its snapshots from 1 as before.
    probe = max(read_before, default=None)
    fresh = [number for number in numbered if (branch, number) not in known or number == probe]
    found = _parse_snapshots(documents, [numbered[number] for number in fresh], branch, root)
    if probe is not None and (probe not in found or not _is_same(found[probe], known[branch, probe])):
        return list(_parse_snapshots(documents, list(numbered.values()), branch, root).values())
    kept = {number: known[branch, number] for number in read_before if number != probe}
    return list((kept | found).values())


def _is_same(one: Snapshot, other: Snapshot) -> bool:
    return one.committed_at_ms == other.committed_at_ms and one.manifest_lists == other.manifest_lists


def _parse_snapshots(documents: Documents, infos: Sequence[FileInfo], branch: str, root: str) -> dict[int, Snapshot]:
    modified = {info.name: info.modified_ms or 0 for info in infos}

    def parse(name: str, data: bytes) -> Snapshot:
        number = _number(name)
        assert number is not None
        try:
            return documents.parse(parse_snapshot, data, branch, root, "snapshot")
        except (MetadataCorrupt, FormatUnsupported, LimitExceeded, DecodeFailed) as cause:
            return Snapshot(number, modified[name], (), branch, extra={UNREADABLE: f"{name}: {cause}"})

    found = _read_named(documents, infos, parse)
    return {number: one for name, one in found.items() if (number := _number(name)) is not None}


def _parse_changelog(documents: Documents, branch: str, root: str, _: str, data: bytes) -> Snapshot:
    return documents.parse(parse_snapshot, data, branch, root, "changelog")


def _parse_tag(documents: Documents, branch: str, root: str, name: str, data: bytes) -> tuple[Ref, Snapshot]:
    return documents.parse(parse_tag, data, name.removeprefix("tag-"), branch, root)


def _without_changelog(tagged: Snapshot) -> Snapshot:
    """Leave out the changelog of a snapshot that a tag alone keeps: it was removed when the snapshot expired.

    Source: Paimon ``ExpireSnapshotsImpl``, which spares data files of tags, and their other manifests.
    """
    lists = tuple(ref for ref in tagged.manifest_lists if ref.role != "changelog")
    return replace(tagged, manifest_lists=lists)


def _below_root(location: str) -> str:
    """Return the end of a document's location, from its folder or its branch's folder on."""
    levels = location.split("/")
    return "/".join(levels[-4:] if levels[-4:-3] == ["branch"] else levels[-2:])


def _read(
    documents: Documents, files: Sequence[FileInfo], parse: Callable[[bytes], T], *, may_vanish: bool = False
) -> dict[str, T]:
    """Like :func:`_read_named`, for parsers that need no name."""
    return _read_named(documents, files, lambda _, data: parse(data), may_vanish=may_vanish)


def _read_named(
    documents: Documents, files: Sequence[FileInfo], parse: Callable[[str, bytes], T], *, may_vanish: bool = False
) -> dict[str, T]:
    """Return parsed files by name, each parsed as it arrives. A file that expired since it was listed is left out."""
    found: dict[str, T] = {}
    for file, data in documents.read_listed(files, max_bytes=DOCUMENT_LIMIT):
        try:
            found[file.name] = parse(file.name, data)
        except (MetadataCorrupt, FormatUnsupported) as cause:
            raise type(cause)(f"{_below_root(file.location)}: {cause}", **cause.context) from cause
    if files and not found and not may_vanish:
        raise MetadataCorrupt("the table's metadata vanished while it was read", location=files[0].location)
    return dict(sorted(found.items()))
