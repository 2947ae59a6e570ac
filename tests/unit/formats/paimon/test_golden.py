"""Golden files: every value that is read from the tables of four writers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.formats.paimon.folding import live_rows
from tests.tree import ROOT, lakes_folder
from tests.unit.formats.paimon.tables import ReadManifest, folders, load, read

GOLDEN = ROOT / "tests" / "golden" / "paimon"
JAVA = (
    "append_10",
    "append_table_with_append_pt_branch",
    "data_evolution_with_dense_stats",
    "pk_09",
    "pk_table_with_alter_table",
)
CASES = {
    **{f"java-{name}": lakes_folder() / "paimon" / "parquet" / f"{name}.db" / name for name in JAVA},
    **{f"{path.parent.parent.name}-{path.name}": path for path in folders(GOLDEN / "tables")},
}


@pytest.mark.parametrize("case", CASES)
def test_a_table_reads_as_the_stored_answer_says(case: str, assert_golden: Callable[[Path, object], None]):
    assert_golden(GOLDEN / "answers" / f"{case}.json", described(CASES[case]))


def described(folder: Path) -> dict[str, Any]:
    """Return a table as JSON, with relative locations and each manifest once."""
    table = load(folder)
    snapshots, manifests = [], {}
    for snapshot in table.snapshots:
        found = read(table, snapshot)
        manifests.update({Path(one.header.location).name: manifest(one, folder) for one in found})
        tables = [one.entries for one in found if one.role in ("base", "delta")]
        live = [
            name
            for entries, mask in zip(tables, live_rows(tables), strict=True)
            for name in entries.filter(pa.array(mask)).column("file_name").to_pylist()
        ]
        lists = [
            dataclasses.asdict(one) | {"location": relative(one.location, folder)} for one in snapshot.manifest_lists
        ]
        names = [[one.role, Path(one.header.location).name] for one in found]
        told = dataclasses.asdict(snapshot)
        snapshots.append(told | {"manifest_lists": lists, "manifests": names, "live": sorted(live)})
    schemas = {"main": table.schemas, **table.branch_schemas}
    return {
        "refs": [dataclasses.asdict(ref) for ref in table.refs],
        "schemas": {branch: [columns(schema) for schema in some] for branch, some in schemas.items()},
        "snapshots": snapshots,
        "manifests": manifests,
    }


def columns(schema: Any) -> dict[str, Any]:
    told = [[field.field_id, field.name, field.type.text, field.required] for field in schema.fields]
    return {
        "id": schema.schema_id,
        "fields": told,
        "partition": schema.partition_keys,
        "primary": schema.primary_keys,
        "options": dict(schema.options),
    }


def manifest(one: ReadManifest, folder: Path) -> dict[str, Any]:
    header = {key: value for key, value in dataclasses.asdict(one.header).items() if value is not None}
    rows = [{name: value for name, value in row.items() if value is not None} for row in plain(one.entries).to_pylist()]
    types = {field.name: field.metadata[b"type"].decode() for field in one.entries.schema if field.metadata}
    return {
        "header": told(header | {"location": relative(one.header.location, folder)}),
        "types": types,
        "entries": told(rows),
    }


def plain(table: pa.Table) -> pa.Table:
    """Return a table with temporal columns as integers; ``to_pylist`` would round nanoseconds."""
    return pa.Table.from_arrays([numbers(column) for column in table.columns], names=table.column_names)


def numbers(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if not pa.types.is_temporal(column.type):
        return column
    return column.combine_chunks().view(pa.int32() if column.type.bit_width == 32 else pa.int64())


def told(value: Any) -> Any:
    """Return a value with bytes as hex."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: told(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [told(one) for one in value]
    return value


def relative(location: str, folder: Path) -> str:
    return location.removeprefix(f"{folder}/")
