"""Tables partitioned by UUIDs, whose manifest lists Iceberg Java writes with bounds in the order of signed numbers."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.contract.service.manifest_tables import write_metadata
from tests.unit.formats.iceberg.manifest_files import entry, manifest, struct_of

LOW, HIGH = UUID("10000000-0000-4000-8000-000000000000"), UUID("90000000-0000-4000-8000-000000000000")


def write_table(root: Path) -> None:
    (folder := root / "metadata").mkdir(parents=True)
    values = {"type": "fixed", "name": "uuid_fixed", "size": 16}
    files = [entry(name, partition={"of": of.bytes}) for name, of in (("low", LOW), ("high", HIGH))]
    data = manifest(files, partition=[("of", 1000, values)])
    (folder / "m.avro").write_bytes(data)
    summary = {"contains_null": False, "contains_nan": None, "lower_bound": HIGH.bytes, "upper_bound": LOW.bytes}
    row = {"manifest_path": f"{folder}/m.avro", "manifest_length": len(data), "added_snapshot_id": 9}
    write_metadata(root, [row | {"partitions": [summary]}], struct_of(c1="uuid"), "of", 1)


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
