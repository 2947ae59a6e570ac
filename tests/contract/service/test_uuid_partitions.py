"""Tables partitioned by UUIDs, whose manifest lists Iceberg Java writes with bounds in the order of signed numbers."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.unit.formats.iceberg.manifest_files import entry, manifest, manifest_list, struct_of

LOW, HIGH = UUID("10000000-0000-4000-8000-000000000000"), UUID("90000000-0000-4000-8000-000000000000")


def write_table(root: Path) -> None:
    (folder := root / "metadata").mkdir(parents=True)
    values = {"type": "fixed", "name": "uuid_fixed", "size": 16}
    files = [entry(name, partition={"of": of.bytes}) for name, of in (("low", LOW), ("high", HIGH))]
    data = manifest(files, partition=[("of", 1000, values)])
    (folder / "m.avro").write_bytes(data)
    summary = {"contains_null": False, "contains_nan": None, "lower_bound": HIGH.bytes, "upper_bound": LOW.bytes}
    row = {"manifest_path": f"{folder}/m.avro", "manifest_length": len(data), "added_snapshot_id": 9}
    (folder / "list.avro").write_bytes(manifest_list([row | {"partitions": [summary]}]))
    field = {"name": "of", "transform": "identity", "source-id": 1, "field-id": 1000}
    document = {
        "format-version": 2,
        "location": str(root),
        "schemas": [struct_of(c1="uuid")],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": [field]}],
        "default-spec-id": 0,
        "current-snapshot-id": 9,
        "snapshots": [{"snapshot-id": 9, "timestamp-ms": 1, "manifest-list": f"{folder}/list.avro"}],
    }
    (folder / "v1.metadata.json").write_text(json.dumps(document))


@pytest.mark.parametrize(("value", "file"), [(LOW, "low"), (HIGH, "high")])
def test_bounds_in_javas_order_drop_no_manifest(tmp_path: Path, value: UUID, file: str) -> None:
    write_table(tmp_path / "lake" / "t")
    with catalog(settings(tmp_path, roots=(str(tmp_path / "lake"),))) as services:
        services.add("db.t", str(tmp_path / "lake" / "t"), None, ())
        http = TestClient(create_app(services), base_url="http://127.0.0.1")
        plan = http.post("/api/v1/tables/db.t/plan", json={"filter": f"c1 = '{value}'"}).json()
        assert [Path(one["file_path"]).name for one in plan["files"]] == [file]
        [listed] = http.get("/api/v1/tables/db.t/manifests").json()["manifests"]
        assert listed["partitions"]["of"]["lower_bound"] == str(HIGH)
