"""Invariants of every snapshot of tables written by Java, Python and Rust."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

from lakemuster.formats.paimon.folding import live_rows
from lakemuster.formats.paimon.indexes import VectorRange, parse_deletion_vectors
from lakemuster.formats.paimon.paths import data_file_paths, index_file_paths
from lakemuster.metadata.files import ADDED, DELETED
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.metadata.types import ListType, MapType, Primitive, StructType
from tests.tree import ROOT, lakes_folder
from tests.unit.formats.paimon.tables import ReadManifest, folders, load, read, schemas_of

LAKES = folders(lakes_folder() / "paimon")
GOLDEN = folders(ROOT / "tests" / "golden" / "paimon" / "tables")
TABLES = [*LAKES, *GOLDEN]
every_table = pytest.mark.parametrize("folder", TABLES, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
every_lake = pytest.mark.parametrize("folder", LAKES, ids=lambda path: f"{path.parent.parent.name}-{path.name}")

Snapshots = tuple[TableMetadata, list[tuple[Snapshot, list[ReadManifest]]]]


@cache
def snapshots(folder: Path) -> Snapshots:
    table = load(folder)
    return table, [(snapshot, read(table, snapshot)) for snapshot in table.snapshots]


def state(manifests: list[ReadManifest]) -> list[pa.Table]:
    return [manifest.entries for manifest in manifests if manifest.role in ("base", "delta")]


def live_entries(manifests: list[ReadManifest]) -> list[pa.Table]:
    tables = state(manifests)
    return [entries.filter(pa.array(mask)) for entries, mask in zip(tables, live_rows(tables), strict=True)]


def records(entries: pa.Table) -> int:
    return int(np.sum(entries.column("record_count").to_numpy()))


def test_there_are_tables_of_every_writer():
    assert len(LAKES) > 10
    assert {path.parent.parent.name for path in GOLDEN} == {"pypaimon", "rust"}


@every_table
def test_live_records_are_the_total_of_the_snapshot(folder):
    _, read_snapshots = snapshots(folder)
    assert read_snapshots
    for snapshot, manifests in read_snapshots:
        assert sum(map(records, live_entries(manifests))) == snapshot.extra["total_record_count"]


@every_table
def test_added_less_deleted_records_are_the_delta_of_the_snapshot(folder):
    for snapshot, manifests in snapshots(folder)[1]:
        delta = 0
        for manifest in manifests:
            if manifest.role == "delta":
                for status, sign in ((ADDED, 1), (DELETED, -1)):
                    delta += sign * records(
                        manifest.entries.filter(pc.equal(manifest.entries.column("status"), status))
                    )
        assert delta == snapshot.extra["delta_record_count"]


@every_table
def test_records_of_changelog_files_are_the_changelog_count_of_the_snapshot(folder):
    for snapshot, manifests in snapshots(folder)[1]:
        found = sum(records(manifest.entries) for manifest in manifests if manifest.role == "changelog")
        assert (snapshot.extra["changelog_record_count"] or 0) == found


@every_table
def test_the_row_of_the_list_is_what_the_entries_add_up_to(folder):
    for snapshot, manifests in snapshots(folder)[1]:
        for manifest in manifests:
            if manifest.role != "index":
                assert_adds_up(manifest.header, manifest.entries, snapshot)


def assert_adds_up(header: ManifestHeader, entries: pa.Table, where: object) -> None:
    status = entries.column("status").to_numpy()
    assert header.added_files_count == int((status == ADDED).sum()), where
    assert header.deleted_files_count == int((status == DELETED).sum()), where
    assert header.schema_id == pc.max(entries.column("schema_id")).as_py(), where
    first = entries.column("first_row_id")
    bounds = {
        "min_bucket": pc.min(entries.column("bucket")).as_py(),
        "max_bucket": pc.max(entries.column("bucket")).as_py(),
        "min_level": pc.min(entries.column("level")).as_py(),
        "max_level": pc.max(entries.column("level")).as_py(),
        "min_row_id": None if first.null_count else pc.min(first).as_py(),
        "max_row_id": None
        if first.null_count
        else pc.max(pc.subtract(pc.add(first, entries.column("record_count")), 1)).as_py(),
        "total_buckets": common_positive(entries.column("total_buckets").to_pylist()),
    }
    for name, value in bounds.items():
        # Older writers do not record these.
        assert getattr(header, name) in (None, value), (where, name)
    assert header.partitions is not None
    for summary in header.partitions:
        values = plain(entries.column(f"partition.{summary.field_id}"))
        held = [value for value in values if value is not None]
        assert summary.null_count == len(values) - len(held), where
        assert (summary.lower, summary.upper) == ((min(held), max(held)) if held else (None, None)), where


def common_positive(counts: list[int]) -> int | None:
    return counts[0] if len(set(counts)) == 1 and counts[0] > 0 else None


def plain(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values in internal form, temporal values as integers."""
    array = column.combine_chunks()
    if pa.types.is_temporal(array.type):
        array = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    return list(array.to_pylist())


@every_lake
def test_live_files_are_where_their_paths_say(folder):
    table, read_snapshots = snapshots(folder)
    snapshot, manifests = read_snapshots[-1]
    for entries in live_entries(manifests):
        for path in data_file_paths(entries, str(folder), table, schemas_of(table, snapshot)).to_pylist():
            if not path.startswith("FILE:"):
                assert Path(path).is_file()


@every_lake
def test_bounds_hold_every_value_of_the_file(folder):
    table, read_snapshots = snapshots(folder)
    checked = 0
    for snapshot, manifests in read_snapshots:
        schemas = {schema.schema_id: schema for schema in schemas_of(table, snapshot)}
        for entries in live_entries(manifests):
            paths = data_file_paths(entries, str(folder), table, schemas_of(table, snapshot)).to_pylist()
            for i, path in enumerate(paths):
                data = ds.dataset(local(path, folder), format=path.rsplit(".", 1)[1]).to_table()
                assert data.num_rows == entries.column("record_count")[i].as_py()
                for field in schemas[entries.column("schema_id")[i].as_py()].fields:
                    checked += assert_bounded(entries, i, field.field_id, data, field.name, field.type)
    assert checked > 0


def assert_bounded(
    entries: pa.Table,
    row: int,
    field_id: int,
    data: pa.Table,
    name: str,
    of: Primitive | ListType | MapType | StructType,
) -> int:
    """Check a file's column against its statistics; return 1 if any were recorded, else 0."""
    if name not in data.column_names or not isinstance(of, Primitive):
        return 0
    found = {}
    for kind in ("lower", "upper", "null_count"):
        for column in (f"{kind}.{field_id}", f"{kind}.{field_id}@{of.text}"):
            if column in entries.column_names:
                declared = (entries.schema.field(column).metadata or {}).get(b"type")
                if declared in (None, of.text.encode()):
                    found[kind] = entries.column(column)[row]
    values = data.column(name)
    if (nulls := found.get("null_count")) is not None and nulls.is_valid:
        assert nulls.as_py() == values.null_count, (name, of.text)
    for kind, holds in (("lower", pc.less_equal), ("upper", pc.greater_equal)):
        bound = found.get(kind)
        if bound is not None and bound.is_valid:
            assert pc.all(holds(bound.cast(values.type), values)).as_py() is not False, (name, kind)
    return int(any(value.is_valid for value in found.values()))


@every_table
def test_index_files_are_what_their_manifest_says(folder):
    table, read_snapshots = snapshots(folder)
    for snapshot, manifests in read_snapshots:
        live = {
            (row["file_name"]): row["record_count"]
            for entries in live_entries(manifests)
            for row in entries.select(["file_name", "record_count"]).to_pylist()
        }
        for manifest in manifests:
            if manifest.role == "index":
                paths = index_file_paths(manifest.entries, str(folder), table, schemas_of(table, snapshot)).to_pylist()
                for row, path in zip(manifest.entries.to_pylist(), paths, strict=True):
                    assert_index_file(row, local(path, folder), live)


def local(path: str, folder: Path) -> Path:
    return folder.parent / "external" / path.split("/external/")[1] if path.startswith("FILE:") else Path(path)


def assert_index_file(row: dict[str, Any], path: Path, live: dict[str, int]) -> None:
    data = path.read_bytes()
    assert len(data) == row["file_size_in_bytes"]
    if row["index_type"] == "HASH":
        assert len(data) == 4 * row["row_count"]
        return
    assert row["index_type"] == "DELETION_VECTORS"
    vectors = parse_deletion_vectors(data, [VectorRange(**one) for one in row["deletion_vectors"]])
    assert len(vectors) == row["row_count"]
    for name, bits in vectors.items():
        assert name in live
        assert 0 < len(bits) <= live[name]
        assert bits.max() < live[name]
