"""Partitions by a column that no schema has any more: Iceberg's expiry also removes schemas that no snapshot has."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings


def write(folder: Path) -> str:
    """Write three partitions, and metadata without the schema that has their column; return the table's location."""
    lake = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    lake.create_namespace("shop")
    table = lake.create_table(
        "shop.sales", Schema(NestedField(1, "id", LongType()), NestedField(2, "part", IntegerType()))
    )
    with table.update_spec() as spec:
        spec.add_identity("part")
    table.append(pa.table({"id": [1, 2, 3], "part": pa.array([7, 8, 9], pa.int32())}))
    with table.update_spec() as spec:
        spec.remove_field("part")
    with table.update_schema() as schema:
        schema.delete_column("part")
    table.append(pa.table({"id": [4]}))
    newest = Path(table.metadata_location.removeprefix("file://"))
    metadata = json.loads(newest.read_text())
    current = metadata["current-schema-id"]
    metadata["schemas"] = [one for one in metadata["schemas"] if one["schema-id"] == current]
    metadata["snapshots"] = [one for one in metadata["snapshots"] if one["schema-id"] == current]
    metadata["snapshot-log"] = metadata["snapshot-log"][-1:]
    newest.with_name("00009-cleaned.metadata.json").write_text(json.dumps(metadata))
    return str(table.location())


def test_each_partition_has_a_row_with_its_value_as_text(tmp_path: Path) -> None:
    location = write(tmp_path)
    with catalog(settings(tmp_path)) as services:
        services.add("shop.sales", location, None, (), operator=True)
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        rows = http.get("/api/v1/tables/shop.sales/partitions").json()["partitions"]
        found = {(row["partition"]["part"], row["record_count"]) for row in rows}
        assert found == {("7", 1), ("8", 1), ("9", 1), (None, 1)}
        assert len(http.post("/api/v1/tables/shop.sales/plan", json={}).json()["files"]) == 4
