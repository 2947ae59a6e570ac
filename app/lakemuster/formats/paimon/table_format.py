"""Paimon as a table format: see ``formats.protocol``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import CatalogError
from lakemuster.formats.paimon.folding import IDENTITY_COLUMNS, live_rows
from lakemuster.formats.paimon.iceberg_metadata import STORAGE, iceberg_root, is_made_of, owner_root
from lakemuster.formats.paimon.inventory import PaimonInventory
from lakemuster.formats.paimon.loading import load_metadata
from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest, parse_manifest_list
from lakemuster.formats.paimon.pointers import find_pointer, is_schema, limit_pointer
from lakemuster.formats.paimon.table_metadata import parse_schema, parse_statistics
from lakemuster.formats.protocol import (
    CompanionRules,
    Documents,
    FileInfo,
    Folding,
    FormatPort,
    Known,
    Objects,
    Pointer,
    StatisticsFiles,
)
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata

SCHEMA_LIMIT = 2**20
"""Maximum bytes of a schema file that is parsed in this process."""


class _Folding(Folding):
    """A snapshot is its base list with the changes of its delta list."""

    roles = frozenset({"base", "delta"})

    def columns(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in IDENTITY_COLUMNS or name.startswith("partition.")]

    def live_rows(self, tables: Sequence[pa.Table]) -> list[NDArray[np.bool_]]:
        return live_rows(tables)

    def expected_records(self, snapshot: Snapshot) -> int | None:
        total = snapshot.extra.get("total_record_count")
        return total if isinstance(total, int) and snapshot.source != "changelog" else None


class _StatisticsFiles(StatisticsFiles):
    """The files that ``ANALYZE TABLE`` writes."""

    def file_name(self, snapshot: Snapshot) -> str | None:
        name = snapshot.extra.get("statistics")
        return name if isinstance(name, str) else None

    def location(self, root: str, name: str) -> str:
        return f"{root}/statistics/{name}"

    def check(self, data: bytes) -> None:
        parse_statistics(data)


class _IcebergMetadata(CompanionRules):
    """The Iceberg metadata that a Paimon table's options enable."""

    format = "iceberg"
    option = STORAGE

    def location(self, root: str, options: Mapping[str, str]) -> str | None:
        return iceberg_root(root, options)

    def find(self, objects: Objects, pointer: Pointer) -> str | None:
        schemas = dict(pointer.listings).get("schema", ())
        newest = max((info for info in schemas if is_schema(info)), key=lambda info: (len(info.name), info.name))
        try:
            options = dict(parse_schema(objects.read(newest.location, max_bytes=SCHEMA_LIMIT)).options)
            return iceberg_root(pointer.metadata_location, options)
        except CatalogError:
            return None

    def owner_root(self, location: str) -> str | None:
        return owner_root(location)

    def is_made_of(self, shown: Snapshot, snapshot: Snapshot) -> bool:
        return is_made_of(shown, snapshot)


class PaimonFormat(FormatPort):
    """Apache Paimon."""

    name = "paimon"
    title = "Paimon"
    has_snapshot_files = True
    folding = _Folding()
    statistics = _StatisticsFiles()
    companion = _IcebergMetadata()
    inventory = PaimonInventory()

    def recognizes(self, objects: Objects, folder: str, children: Mapping[str, FileInfo]) -> bool:
        """See :class:`FormatPort`."""
        schema = children.get("schema")
        if schema is None or not schema.is_folder:
            return False
        return any(is_schema(info) for info in objects.list(f"{folder}/schema"))

    def find(self, objects: Objects, root: str) -> Pointer | None:
        """See :class:`FormatPort`."""
        return find_pointer(objects, root)

    def limit(self, pointer: Pointer, newest: int) -> Pointer:
        """See :class:`FormatPort`."""
        return limit_pointer(pointer, newest)

    def load(self, documents: Documents, pointer: Pointer, known: Known) -> TableMetadata:
        """See :class:`FormatPort`."""
        return load_metadata(documents, pointer, known)

    def decode_list(self, data: bytes, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
        """See :class:`FormatPort`. Branches have their own schemas."""
        return parse_manifest_list(data, metadata, metadata.location, branch=branch)

    def decode_manifest(self, data: bytes, header: ManifestHeader, metadata: TableMetadata, branch: str) -> pa.Table:
        """See :class:`FormatPort`."""
        if header.content == "index":
            return parse_index_manifest(data, metadata, branch=branch)
        return parse_manifest(data, header, metadata, branch=branch)
