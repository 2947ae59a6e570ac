"""Iceberg as a table format: see ``formats.protocol``."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg import native
from lakemuster.formats.iceberg.inventory import IcebergInventory
from lakemuster.formats.iceberg.manifests import own_spec_id, parse_manifest, parse_manifest_list
from lakemuster.formats.iceberg.pointers import DOUBTS, find_pointer, is_metadata_file, newest_metadata
from lakemuster.formats.iceberg.table_metadata import METADATA_LIMIT, parse_table_metadata
from lakemuster.formats.protocol import Documents, FileInfo, FormatPort, Known, Objects, Pointer
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata


class IcebergFormat(FormatPort):
    """Apache Iceberg, versions 1 to 3."""

    name = "iceberg"
    title = "Iceberg"
    doubts = DOUBTS
    has_snapshot_log = True
    # Manifests of tables that were moved by hand may differ in length from the record; when they are decoded, their
    # entry counts prove them complete.
    has_exact_lengths = False
    packs_small_manifests = True
    inventory = IcebergInventory()

    def recognizes(self, objects: Objects, folder: str, children: Mapping[str, FileInfo]) -> bool:
        """See :class:`FormatPort`."""
        metadata = children.get("metadata")
        if metadata is None or not metadata.is_folder:
            return False
        return newest_metadata(tuple(info.name for info in objects.list(f"{folder}/metadata"))) is not None

    def find(self, objects: Objects, root: str) -> Pointer | None:
        """See :class:`FormatPort`."""
        return find_pointer(objects, root)

    def root_of(self, metadata_location: str) -> str | None:
        """See :class:`FormatPort`."""
        if not is_metadata_file(metadata_location):
            return None
        folder = metadata_location.rpartition("/")[0]
        return folder.rpartition("/")[0] if folder.endswith("/metadata") else folder

    def load(self, documents: Documents, pointer: Pointer, known: Known) -> TableMetadata:
        """See :class:`FormatPort`."""
        data = documents.read(pointer.metadata_location, max_bytes=METADATA_LIMIT)
        return documents.parse(parse_table_metadata, data, pointer.metadata_location)

    def prepare(self) -> None:
        """See :class:`FormatPort`."""
        native.is_available()

    def decode_list(self, data: bytes, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
        """See :class:`FormatPort`."""
        return parse_manifest_list(data, metadata)

    def describe_inline(
        self, data: bytes, location: str, snapshot: Snapshot, metadata: TableMetadata
    ) -> list[ManifestHeader]:
        """See :class:`FormatPort`. Snapshots of version 1 may name manifests directly."""
        spec_id = own_spec_id(data)
        return [
            ManifestHeader(
                location,
                len(data),
                spec_id=metadata.default_spec_id if spec_id is None else spec_id,
                sequence_number=0,
                min_sequence_number=0,
                added_snapshot_id=snapshot.snapshot_id,
            )
        ]

    def decode_manifest(self, data: bytes, header: ManifestHeader, metadata: TableMetadata, branch: str) -> pa.Table:
        """See :class:`FormatPort`."""
        _check_length(data, header)
        return parse_manifest(data, header, metadata)


def _check_length(data: bytes, header: ManifestHeader) -> None:
    """Refuse a manifest of another length than recorded, unless the list has counts to check its entries against."""
    counts = (header.added_files_count, header.existing_files_count, header.deleted_files_count)
    if header.length not in (None, len(data)) and None in counts:
        raise MetadataCorrupt(
            f"{header.location}: {len(data)} bytes long, its list says {header.length} and has no counts to check it"
        )
