"""Tables whose writers recorded bounds the wrong way around, or padded, in entries, partition summaries and deletes."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.contract.service.manifest_tables import write_metadata
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of

MANIFESTS = 6
"""More than are evaluated without their zones."""

PATH = 2147483546
PARTITION = [("c2", 1000, "int")]


def long(value: int) -> bytes:
    return struct.pack("<q", value)


def write_table(root: Path) -> None:
    """Write two files for each manifest: even ones with inverted bounds of c1, odd ones with bounds 30 to 40."""
    (folder := root / "metadata").mkdir(parents=True)
    deletes = entry(
        "deletes",
        content=1,
        partition={"c2": 0},
        sequence_number=6,
        lower_bounds=[{"key": PATH, "value": b"z"}],
        upper_bounds=[{"key": PATH, "value": b"0"}],
    )
    manifests = [[of_file(number), of_file(number + 1)] for number in range(0, 2 * MANIFESTS, 2)]
    rows = []
    for number, entries in enumerate([*manifests, [deletes]]):
        content = manifest(entries, partition=PARTITION)
        (folder / f"{number}.avro").write_bytes(content)
        first, last = entries[0]["data_file"]["partition"]["c2"], entries[-1]["data_file"]["partition"]["c2"]
        summary: dict[str, Any] = {"contains_null": False, "contains_nan": None}
        summary |= {"lower_bound": struct.pack("<i", last), "upper_bound": struct.pack("<i", first)}
        row = {"manifest_path": f"{folder}/{number}.avro", "manifest_length": len(content), "added_snapshot_id": 9}
        rows.append(row | {"content": int(number == MANIFESTS), "partitions": [summary]})
    write_metadata(root, rows, struct_of(c1="long", c2="int", c3="string"), "c2", 2)


def of_file(number: int) -> Any:
    low, high = (30, 40) if number % 2 else (20, 10)
    counts: dict[str, Any] = {
        name: [{"key": 1, "value": count}] for name, count in (("value_counts", 10), ("null_value_counts", 0))
    }
    return entry(
        str(number),
        partition={"c2": number},
        lower_bounds=bounds(c1=long(low), c3=b"ab\0\0"),
        upper_bounds=bounds(c1=long(high), c3=b"ab\0\0"),
        **counts,
    )


def test_inverted_and_padded_bounds_drop_nothing(tmp_path: Path) -> None:
    write_table(tmp_path / "lake" / "t")
    with catalog(settings(tmp_path, roots=(str(tmp_path / "lake"),))) as services:
        services.add("db.t", str(tmp_path / "lake" / "t"), None, ())
        http = TestClient(create_app(services), base_url="http://127.0.0.1")

        def planned(text: str) -> list[str]:
            plan = http.post("/api/v1/tables/db.t/plan", json={"filter": text}).json()
            return [file["file_path"] for file in plan["files"]]

        every = [str(number) for number in range(2 * MANIFESTS)]
        assert planned("c1 = 15") == every[::2]
        assert planned("c1 = 35") == every
        assert planned("c1 NOT IN (10, 20)") == every
        assert planned("c3 = 'ab'") == every
        assert planned("c3 = 'b'") == []
        assert planned("c2 = 2") == ["2"]
        assert planned("c2 = 3 AND c1 = 15") == []

        plan = http.post("/api/v1/tables/db.t/plan", json={"filter": "c2 = 0"}).json()
        assert [file["deletes"] for file in plan["files"]] == [[0]]

        explained = http.post("/api/v1/tables/db.t/explain", json={"filter": "c1 = 15", "files": ["4"]}).json()
        assert explained["files"][0]["state"] == "kept"
        assert "lower" in explained["files"][0]["reasons"][0]["reason"]

        asked = {"filter": "c2 = 4", "aggregates": ["min(c1)", "max(c1)"]}
        for answer in http.post("/api/v1/tables/db.t/statistics", json=asked).json()["statistics"]:
            assert (answer["exact"], answer["lower"], answer["upper"]) == (False, None, None)

        drawn = http.get("/api/v1/tables/db.t/bounds", params={"column": "c1"}).json()
        assert drawn["open_files"] == MANIFESTS
        assert {(group["lower_bound"], group["upper_bound"]) for group in drawn["groups"]} == {(30, 40)}
        [c1, _, _] = http.get("/api/v1/tables/db.t/columns").json()["columns"]
        assert (c1["lower_bound"], c1["upper_bound"], c1["bounds_hold"]) == (30, 40, False)
        assert c1["overlap"]["unbounded_files"] == MANIFESTS

        entries = http.get("/api/v1/tables/db.t/entries").json()["entries"]
        [shown] = [one for one in entries if one["file_path"] == "4"]
        assert {name: value for name, value in shown["lower_bounds"].items() if value is not None} == {"c3": "ab"}
        assert shown["lower_bounds_raw"] == {"c1": long(20).hex(), "c3": b"ab\0\0".hex()}
