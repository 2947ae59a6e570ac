"""The files of an Iceberg table that no manifest names, and whether its metadata can be trusted to name all others.

Source: Iceberg spec, "Table Metadata"; Iceberg 1.12 ``ReachableFileUtil``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lakemuster.errors import MetadataCorrupt, ObjectMissing
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.formats.iceberg.json_text import parse_json
from lakemuster.formats.iceberg.pointers import DOUBTS, HINT, is_metadata_file, version_of
from lakemuster.formats.iceberg.table_metadata import METADATA_LIMIT
from lakemuster.formats.protocol import FileInfo, Inventory, LookedAt, Objects
from lakemuster.metadata.snapshot import TableMetadata

READ_FOR_UUID = 50
"""Unreferenced metadata files of a folder that are read, newest first: another table in use is among these."""
_PLACES = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)


class IcebergInventory(Inventory):
    """Metadata files of the current state and its log, hints, statistics and partition statistics."""

    def documents(self, objects: Objects, table: LookedAt) -> Iterator[tuple[str, str]]:
        """See :class:`Inventory`."""
        for location in _metadata_files(table):
            yield "metadata", location
        folder = _folder(table.metadata.metadata_location)
        yield "version-hint", f"{folder}/{HINT}"
        for member, key in (("statistics", "statistics_path"), ("partition_statistics", "statistics_path")):
            for one in _members(table.metadata, member):
                if isinstance(path := one.get(key), str):
                    yield "statistics", table.moved(path)

    def doubt(self, objects: Objects, table: LookedAt) -> str | None:
        """See :class:`Inventory`."""
        if "rivals" in table.doubts:
            return DOUBTS["rivals"]
        if "catalog" in table.doubts and (told := _dropped(objects, table)) is not None:
            return told
        folder = _folder(table.metadata.metadata_location)
        own = {_name(location) for location in _metadata_files(table) if _folder(location) == folder}
        others = [one for one in objects.list(folder) if is_metadata_file(one.name) and one.name not in own]
        if table.is_pinned:
            version = version_of(_name(table.metadata.metadata_location))
            newer = [one.name for one in others if version is None or (version_of(one.name) or 0) >= version]
            if newer:
                return f"it was registered by a metadata file, and {newer[0]} beside it may be newer: register the root"
        return _stranger(objects, others, table)

    def places(self, metadata: TableMetadata) -> list[str]:
        """See :class:`Inventory`."""
        return [metadata.properties[name] for name in _PLACES if metadata.properties.get(name)]

    def table_of(self, location: str) -> str | None:
        """See :class:`Inventory`."""
        if not is_metadata_file(location):
            return None
        folder = _folder(location)
        return _folder(folder) if _name(folder) == "metadata" else folder


def _metadata_files(table: LookedAt) -> list[str]:
    logged = (one.get("metadata_file") for one in _members(table.metadata, "metadata_log"))
    moved = [table.moved(location) for location in logged if isinstance(location, str)]
    return list(dict.fromkeys([table.metadata.metadata_location, *moved]))


def _members(metadata: TableMetadata, name: str) -> Iterable[Mapping[str, object]]:
    listed = metadata.extra.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list | tuple) else ()


def _dropped(objects: Objects, table: LookedAt) -> str | None:
    """Return a doubt if the newest metadata file, which may not be the catalog's, lacks snapshots of the one before it.

    The catalog's current file is the newest or the one before: each is written beside the one that was current.
    """
    earlier = _metadata_files(table)[1:]
    if not earlier:
        return None
    before = earlier[-1]
    try:
        root = _document(objects, before)
    except (ObjectMissing, MetadataCorrupt):
        return f"{DOUBTS['catalog']}, and the file before it, {_name(before)}, cannot be read"
    listed = root.get("snapshots")
    ids = {one.get("snapshot-id") for one in listed if isinstance(one, dict)} if isinstance(listed, list) else set()
    gone = ids - {one.snapshot_id for one in table.snapshots}
    if not gone:
        return None
    return f"{DOUBTS['catalog']}, and it lacks {len(gone)} snapshots of the file before it, {_name(before)}"


def _stranger(objects: Objects, others: list[FileInfo], table: LookedAt) -> str | None:
    """Return a doubt if a metadata file in the table's folder belongs to a table that is not registered."""
    newest = sorted(others, key=lambda one: (-(one.modified_ms or 0), one.name))[:READ_FOR_UUID]
    for one in newest:
        try:
            uuid = _document(objects, one.location).get("table-uuid")
        except (ObjectMissing, MetadataCorrupt):
            continue
        if isinstance(uuid, str) and uuid not in table.uuids:
            return f"{one.name} beside its metadata is of another table, which is not registered (uuid {uuid})"
    return None


def _document(objects: Objects, location: str) -> Mapping[str, object]:
    data = objects.read(location, max_bytes=METADATA_LIMIT)
    root = parse_json(inflate(data) if is_gzip(data) else data, "the table metadata")
    if not isinstance(root, dict):
        raise MetadataCorrupt("table metadata is not an object")
    return root


def _folder(location: str) -> str:
    return location.rpartition("/")[0]


def _name(location: str) -> str:
    return location.rpartition("/")[2]
