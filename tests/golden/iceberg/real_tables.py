"""The real Iceberg tables, read with only the parsers under test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from lakemuster.formats.iceberg.manifests import parse_manifest, parse_manifest_list
from lakemuster.formats.iceberg.pointers import newest_metadata
from lakemuster.formats.iceberg.table_metadata import parse_table_metadata
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from tests.tree import lakes_folder

LAKE = lakes_folder() / "iceberg"
FOLDERS = sorted({path.parent for path in LAKE.glob("**/metadata/*.metadata.json")})


@dataclass(frozen=True)
class RealTable:
    """A table, by its ``metadata`` folder; files are found there by name, since the tables were moved."""

    folder: Path

    @property
    def name(self) -> str:
        return "-".join(self.folder.parent.relative_to(LAKE).parts)

    @property
    def files(self) -> dict[str, Path]:
        return {path.name: path for path in self.folder.iterdir()}

    def file(self, location: str) -> Path:
        return self.folder / location.rsplit("/", 1)[-1]

    def metadata(self) -> TableMetadata:
        newest = newest_metadata(tuple(self.files))
        assert newest is not None
        return parse_table_metadata((self.folder / newest.name).read_bytes(), newest.name)

    def lists(self) -> Iterator[Path]:
        """Yield the existing manifest lists of the current metadata, oldest first."""
        for snapshot in self.metadata().snapshots:
            for ref in snapshot.manifest_lists:
                if self.file(ref.location).exists():
                    yield self.file(ref.location)

    def headers(self) -> dict[str, ManifestHeader]:
        """Return the header of each manifest by file name, from the first list that contains it."""
        table = self.metadata()
        found: dict[str, ManifestHeader] = {}
        for path in self.lists():
            for header in parse_manifest_list(path.read_bytes(), table):
                found.setdefault(self.file(header.location).name, header)
        return found

    def entries(self, header: ManifestHeader) -> pa.Table:
        return parse_manifest(self.file(header.location).read_bytes(), header, self.metadata())


TABLES = [RealTable(folder) for folder in FOLDERS]
