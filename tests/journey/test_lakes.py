"""Every table of the shared lakes is discovered, indexed and served, with correct sums.

The catalogue ``tests/golden/lakes.json`` holds the tables and the expected content of each snapshot.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journey.real_lakes import discovered
from tests.journey.servers import Running, lakemuster, served

AssertGolden = Callable[[Path, object], None]
BROKEN = {("iceberg.equality_deletes.warehouse.mydb.mytable", "7342794868382145167")}
"""A snapshot whose manifest list does not exist under the name in the table's metadata."""

CATALOGUE = Path(__file__).resolve().parents[1] / "golden" / "lakes.json"


@pytest.fixture(scope="module")
def lake(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    folder = tmp_path_factory.mktemp("lakes")
    copy = discovered(lakes, folder)
    refreshed = lakemuster(folder, "refresh", "--all", HISTORY="1000")
    assert refreshed.stderr.count("\n") == len(BROKEN), refreshed.stderr
    with served(folder, HISTORY="1000") as running:
        yield running, copy


def names(running: Running, format: str) -> list[dict[str, Any]]:
    return [row for row in running.rows("/tables") if row["format"] == format]


def folder_of(table: dict[str, Any]) -> Path:
    return Path(table["location"].removeprefix("file://"))


def test_every_table_is_found(lake: tuple[Running, Path]) -> None:
    running, copy = lake
    roots = {path.parent for path in copy.rglob("metadata") if path.is_dir()}
    roots |= {path.parent for path in copy.rglob("schema") if path.is_dir() and "branch" not in path.parts}
    assert {folder_of(row) for row in running.rows("/tables")} == roots


def test_every_snapshot_is_published_that_has_its_manifest_list(lake: tuple[Running, Path]) -> None:
    running, _ = lake
    for table in running.rows("/tables"):
        for snapshot in running.rows(f"/tables/{table['name']}/snapshots"):
            if (table["name"], snapshot["snapshot_id"]) in BROKEN:
                assert snapshot["state"] == "quarantined"
                assert "object_missing" in snapshot["error"]
            else:
                assert (snapshot["state"], snapshot["error"]) == ("published", None), table["name"]


def recorded_iceberg(table: dict[str, Any]) -> dict[str, Any]:
    path = Path(table["metadata_location"].removeprefix("file://"))
    data = path.read_bytes()
    metadata: dict[str, Any] = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    return metadata


def test_live_iceberg_files_and_records_are_those_of_the_summary(lake: tuple[Running, Path]) -> None:
    running, _ = lake
    compared = 0
    for table in names(running, "iceberg"):
        for snapshot in recorded_iceberg(table)["snapshots"]:
            if (table["name"], str(snapshot["snapshot-id"])) in BROKEN:
                continue
            summary = snapshot["summary"]
            rows = running.rows(f"/tables/{table['name']}/files", snapshot=snapshot["snapshot-id"])
            data = [row for row in rows if row["content"] == "data"]
            deletes = [row for row in rows if row["content"] != "data"]
            for key, value in (
                ("total-records", sum(row["record_count"] for row in data)),
                ("total-data-files", len(data)),
                ("total-delete-files", len(deletes)),
                ("total-files-size", sum(row["file_size_in_bytes"] for row in rows)),
                (
                    "total-position-deletes",
                    sum(r["record_count"] for r in deletes if r["content"] == "position-deletes"),
                ),
                (
                    "total-equality-deletes",
                    sum(r["record_count"] for r in deletes if r["content"] == "equality-deletes"),
                ),
            ):
                if key in summary:
                    assert value == int(summary[key]), (table["name"], snapshot["snapshot-id"], key)
                    compared += 1
    assert compared > 100


def test_live_paimon_rows_are_the_total_of_the_snapshot(lake: tuple[Running, Path]) -> None:
    running, _ = lake
    compared = 0
    for table in names(running, "paimon"):
        for path in sorted(folder_of(table).glob("snapshot/snapshot-*")):
            snapshot = json.loads(path.read_bytes())
            rows = running.rows(f"/tables/{table['name']}/files", snapshot=snapshot["id"])
            own = sum(row["record_count"] for row in rows if row.get("branch") is None)
            assert own == snapshot["totalRecordCount"], (table["name"], path.name)
            compared += 1
        for path in sorted(folder_of(table).glob("branch/branch-*/snapshot/snapshot-*")):
            branch = path.parts[-3].removeprefix("branch-")
            latest = max(int(p.name.removeprefix("snapshot-")) for p in path.parent.glob("snapshot-*"))
            snapshot = json.loads(path.read_bytes())
            if snapshot["id"] == latest:
                rows = running.rows(f"/tables/{table['name']}/files", ref=branch)
                assert sum(row["record_count"] for row in rows) == snapshot["totalRecordCount"], (table["name"], path)
                compared += 1
    assert compared >= 40


def test_paimon_files_exist_where_they_are_said_to_be(lake: tuple[Running, Path]) -> None:
    running, copy = lake
    seen = 0
    for table in names(running, "paimon"):
        for row in running.rows(f"/tables/{table['name']}/files"):
            path = Path(row["file_path"].removeprefix("file://").removeprefix("file:"))
            if copy in path.parents:
                assert path.is_file(), (table["name"], row["file_path"])
                assert path.stat().st_size == row["file_size_in_bytes"]
                seen += 1
    assert seen > 20


def test_iceberg_files_are_rewritten_to_where_they_are(lake: tuple[Running, Path]) -> None:
    running, copy = lake
    for table in names(running, "iceberg"):
        for row in running.rows(f"/tables/{table['name']}/files"):
            assert row["file_path"].removeprefix("file://").startswith(str(copy)), (table["name"], row["file_path"])


def test_answers_are_those_of_the_catalogue(lake: tuple[Running, Path], assert_golden: AssertGolden) -> None:
    running, _ = lake
    answers: dict[str, Any] = {}
    for table in sorted(running.rows("/tables"), key=lambda row: str(row["name"])):
        snapshots = {}
        for snapshot in running.rows(f"/tables/{table['name']}/snapshots"):
            if (table["name"], snapshot["snapshot_id"]) in BROKEN:
                continue
            selector = {"snapshot": snapshot["snapshot_id"]}
            files = running.rows(f"/tables/{table['name']}/files", **selector, stats="*")
            manifests = running.rows(f"/tables/{table['name']}/manifests", **selector)
            snapshots[snapshot["snapshot_id"]] = {
                "operation": snapshot["operation"],
                "manifests": len(manifests),
                "entries": len(running.rows(f"/tables/{table['name']}/entries", **selector)),
                "partitions": len(running.rows(f"/tables/{table['name']}/partitions", **selector)),
                "indexes": len(running.rows(f"/tables/{table['name']}/indexes", **selector)),
                "files": [
                    {
                        "file": row["file_path"].rsplit("/", 1)[-1],
                        **{
                            key: row[key]
                            for key in ("content", "record_count", "partition", "lower_bounds", "upper_bounds")
                        },
                    }
                    for row in files
                ],
            }
        answers[table["name"]] = {
            "format": table["format"],
            "format_version": table["format_version"],
            "refs": [
                [ref["name"], ref["type"], ref["snapshot_id"]] for ref in running.rows(f"/tables/{table['name']}/refs")
            ],
            "schemas": len(running.rows(f"/tables/{table['name']}/schemas")),
            "snapshots": snapshots,
        }
    assert_golden(CATALOGUE, answers)
