"""Find, load and read tables on disk, with every snapshot of every branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest, parse_manifest_list
from lakemuster.formats.paimon.table_metadata import assemble, parse_schema, parse_snapshot, parse_tag
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, Ref, Role, Snapshot, TableMetadata


@dataclass(frozen=True)
class ReadManifest:
    """One manifest of a snapshot, with its row of the manifest list."""

    role: Role
    header: ManifestHeader
    entries: pa.Table


def folders(root: Path) -> list[Path]:
    """Return the folders of all tables below a folder."""
    found = (path.parent.parent for path in root.rglob("schema-0") if path.parent.name == "schema")
    return sorted(path for path in found if "branch" not in path.relative_to(root).parts)


def numbered(folder: Path, stem: str) -> Iterator[bytes]:
    for path in sorted(folder.glob(f"{stem}/{stem}-*")):
        yield path.read_bytes()


def load(folder: Path) -> TableMetadata:
    root = str(folder)
    schemas: dict[str, list[Schema]] = {}
    snapshots: list[Snapshot] = []
    tags: list[Ref] = []
    branches = {path.name.removeprefix("branch-"): path for path in folder.glob("branch/branch-*")}
    for branch, place in {MAIN: folder, **branches}.items():
        schemas[branch] = [parse_schema(data) for data in numbered(place, "schema")]
        sources: tuple[Literal["snapshot", "changelog"], ...] = ("snapshot", "changelog")
        for source in sources:
            snapshots += [parse_snapshot(data, branch, root, source) for data in numbered(place, source)]
        for path in sorted(place.glob("tag/tag-*")):
            tag, snapshot = parse_tag(path.read_bytes(), path.name.removeprefix("tag-"), branch, root)
            tags.append(tag)
            snapshots.append(snapshot)
    return assemble(root, schemas, snapshots, tags)


def read(table: TableMetadata, snapshot: Snapshot) -> list[ReadManifest]:
    """Return every manifest of a snapshot, the index manifest last, and check recorded sizes."""
    manifests = []
    for place in snapshot.manifest_lists:
        data = Path(place.location).read_bytes()
        assert place.length in (None, len(data))
        if place.role == "index":
            header = ManifestHeader(place.location, len(data), "index")
            manifests.append(ReadManifest("index", header, parse_index_manifest(data, table, branch=snapshot.branch)))
            continue
        for header in parse_manifest_list(data, table, table.location, branch=snapshot.branch):
            content = Path(header.location).read_bytes()
            assert header.length == len(content)
            entries = parse_manifest(content, header, table, branch=snapshot.branch)
            manifests.append(ReadManifest(place.role, header, entries))
    for manifest in manifests:
        manifest.entries.validate(full=True)
    return manifests


def schemas_of(table: TableMetadata, snapshot: Snapshot) -> tuple[Schema, ...]:
    return table.branch_schemas.get(snapshot.branch, table.schemas)
