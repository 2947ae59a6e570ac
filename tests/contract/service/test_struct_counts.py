"""Tables of Iceberg Java before 1.12, whose counts of float and double members leave out rows with a null struct."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, manifest_list

MANIFESTS = 6
"""More than are evaluated without their zones."""


def write_table(root: Path) -> None:
    """Write files of one row ``{x: 1.5}`` and nine rows with a null struct, and an equality delete of ``x`` = null."""
    (folder := root / "metadata").mkdir(parents=True)
    bound = bounds(c2=struct.pack("<d", 1.5))
    one, none = ([{"key": 2, "value": count}] for count in (1, 0))
    counts: dict[str, Any] = {"value_counts": one, "null_value_counts": none, "nan_value_counts": none}
    data = [[entry(f"{n}", **counts, lower_bounds=bound, upper_bounds=bound)] for n in range(MANIFESTS)]
    own: dict[str, Any] = {"content": 2, "equality_ids": [2], "record_count": 1, "sequence_number": 6}
    delete = entry("deletes", **own, value_counts=one, null_value_counts=one)
    rows = []
    for number, entries in enumerate([*data, [delete]]):
        content = manifest(entries)
        (folder / f"{number}.avro").write_bytes(content)
        row = {"manifest_path": f"{folder}/{number}.avro", "manifest_length": len(content), "added_snapshot_id": 9}
        rows.append(row | {"content": int(number == MANIFESTS)})
    (folder / "list.avro").write_bytes(manifest_list(rows))
    member = {"id": 2, "name": "x", "required": True, "type": "double"}
    inner = {"type": "struct", "fields": [member]}
    fields = [{"id": 1, "name": "s", "required": False, "type": inner}]
    document = {
        "format-version": 2,
        "location": str(root),
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "current-snapshot-id": 9,
        "snapshots": [{"snapshot-id": 9, "timestamp-ms": 1, "manifest-list": f"{folder}/list.avro"}],
    }
    (folder / "v1.metadata.json").write_text(json.dumps(document))


def test_rows_with_a_null_struct_are_found(tmp_path: Path) -> None:
    write_table(tmp_path / "lake" / "t")
    with catalog(settings(tmp_path, roots=(str(tmp_path / "lake"),))) as services:
        services.add("db.t", str(tmp_path / "lake" / "t"), None, ())
        http = TestClient(create_app(services), base_url="http://127.0.0.1")
        plan = http.post("/api/v1/tables/db.t/plan", json={"filter": "s.x IS NULL"}).json()
        found = [(one["file_path"], one["deletes"]) for one in plan["files"]]
        assert found == [(str(number), [0]) for number in range(MANIFESTS)]
        explained = http.post("/api/v1/tables/db.t/explain", json={"filter": "s.x IS NULL", "files": ["3"]}).json()
        assert explained["files"][0]["state"] == "kept"
        assert explained["files"][0]["reasons"][0]["reason"] == "no usable count of nulls is recorded"
        asked = {"filter": "s.x > 1", "aggregates": ["count", "null_count(s.x)"]}
        count, nulls = http.post("/api/v1/tables/db.t/statistics", json=asked).json()["statistics"]
        assert (count["exact"], count["lower"], count["upper"]) == (False, 0, 10 * MANIFESTS)
        assert (nulls["exact"], nulls["value"]) == (True, 0)
        assert http.post("/api/v1/tables/db.t/plan", json={"filter": "s.x > 2"}).json()["files"] == []
