"""Wrong counts by a writer: complete manifests are served with a warning, possibly incomplete ones are refused."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from lakemuster.catalog.services import Services
from lakemuster.formats.avro import read_table
from lakemuster.index.database import Database
from lakemuster.ingest.verification import verify
from lakemuster.planner.lists import snapshot_lists as lists
from tests.apps import create_app
from tests.contract.service.backends import catalog, rows, settings

Row = dict[str, Any]
PAIMON = "db.pk"


def rewritten(path: Path, change: Callable[[list[Row]], None]) -> int:
    """Rewrite an Avro file with changed records and the same header; return its new length."""
    data = path.read_bytes()
    header, table = read_table(data)
    records = table.to_pylist()
    change(records)
    out = io.BytesIO()
    kept = {key: text.decode() for key, text in header.metadata.items() if not key.startswith("avro.")}
    fastavro.writer(out, json.loads(header.metadata["avro.schema"]), records, metadata=kept)
    path.write_bytes(out.getvalue())
    return len(out.getvalue())


@pytest.fixture
def table(tmp_path: Path) -> Table:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64())})
    found = iceberg.create_table("db.t", data.schema, properties={"commit.manifest-merge.enabled": "false"})
    for _ in range(3):
        found.append(data)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def services(request: pytest.FixtureRequest, tmp_path: Path, lakes: Path) -> Iterator[Services]:
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        Database(url).migrate()
    source = next((lakes / "paimon/parquet/pk_table_with_alter_table.db").iterdir())
    shutil.copytree(source, tmp_path / "lake" / "pk", copy_function=shutil.copyfile)
    with catalog(settings(tmp_path, database_url=url, roots=(str(tmp_path / "lake"),))) as made:
        yield made


def list_of(table: Table) -> Path:
    snapshot = table.current_snapshot()
    assert snapshot is not None
    return Path(snapshot.manifest_list.removeprefix("file://"))


def http_of(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def expected(table: Table) -> set[str]:
    return {task.file.file_path for task in table.scan().plan_files()}


WRONG: dict[str, Row] = {
    "nothing is in it": {"added_files_count": 0, "existing_files_count": 0, "deleted_files_count": 0},
    "more than there is": {"added_files_count": 7},
    "all deleted": {"added_files_count": 0, "deleted_files_count": 1},
    "other rows": {"added_rows_count": 0, "existing_rows_count": 10},
}


@pytest.mark.parametrize("way", WRONG)
def test_a_complete_manifest_is_served_by_its_entries(services: Services, table: Table, way: str) -> None:
    files = expected(table)
    rewritten(list_of(table), lambda records: records[1].update(WRONG[way]))
    services.add("db.t", f"{services.settings.roots[0]}/db/t", None, ())
    assert services.refresh("db.t").quarantined == ()
    view = services.view("db.t")
    assert view.snapshot is not None
    assert view.stale is None
    assert {row["file_path"].removeprefix("file://") for row in rows(lists.files(services.index, view))} == {
        path.removeprefix("file://") for path in files
    }
    http = http_of(services)
    plan = http.post("/api/v1/tables/db.t/plan", json={"filter": "id >= 3"}).json()
    assert len(plan["files"]) == len(files) == 3
    listed = http.get("/api/v1/tables/db.t/snapshots?order=asc").json()["snapshots"]
    assert [len(one["warnings"]) for one in listed] == [0, 0, 1]
    for name in WRONG[way]:
        wrong = name in listed[-1]["warnings"][0]
        true = {"added_files_count": 1, "added_rows_count": 10}.get(name, 0)
        assert wrong == (WRONG[way][name] != true)
    one = http.get(f"/api/v1/tables/db.t/snapshots/{listed[-1]['snapshot_id']}").json()
    assert one["warnings"] == listed[-1]["warnings"]
    manifests = http.get("/api/v1/tables/db.t/manifests").json()["manifests"]
    assert [(row["added_files_count"], row["existing_files_count"]) for row in manifests] == [(1, 0)] * 3
    assert verify(services.refresher, services.table("db.t")).differences == []


def test_a_list_that_is_wrong_about_a_manifest_known_before_is_found_too(services: Services, table: Table) -> None:
    services.add("db.t", f"{services.settings.roots[0]}/db/t", None, ())
    services.refresh("db.t")
    table.append(pa.table({"id": pa.array(range(3), pa.int64())}))
    rewritten(list_of(table), lambda records: records[-1].update({"added_files_count": 0, "existing_files_count": 0}))
    report = services.refresh("db.t")
    assert (report.quarantined, report.manifests_fetched) == ((), 1)
    view = services.view("db.t")
    assert view.snapshot is not None
    assert len(view.snapshot.warnings) == 1
    assert len(rows(lists.files(services.index, view))) == 4


def test_a_manifest_that_may_lack_entries_is_refused(services: Services, table: Table) -> None:
    manifest = Path(list_manifests(table)[0].removeprefix("file://"))
    # Fewer entries in a valid file, as when a file is truncated at the end of a block.
    rewritten(manifest, lambda records: records.clear())
    services.add("db.t", f"{services.settings.roots[0]}/db/t", None, ())
    report = services.refresh("db.t")
    assert any("in the manifest list and 0 in the manifest" in reason for _, reason in report.quarantined)
    assert report.published == ()


def list_manifests(table: Table) -> list[str]:
    snapshot = table.snapshots()[0]
    return [one.manifest_path for one in snapshot.manifests(table.io)]


def newest(root: Path) -> Path:
    return max(root.glob("snapshot/snapshot-*"), key=lambda path: int(path.name.rpartition("-")[2]))


def changed(path: Path, **values: Any) -> None:
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, **values}))


@pytest.mark.parametrize("wrong", [{"_NUM_ADDED_FILES": 0}, {"_NUM_ADDED_FILES": 9, "_NUM_DELETED_FILES": 5}])
def test_paimon_counts_are_those_of_entries(services: Services, tmp_path: Path, wrong: Row) -> None:
    root = tmp_path / "lake" / "pk"
    with catalog(settings(tmp_path / "right", roots=(str(root),))) as right:
        right.add(PAIMON, str(root), None, ())
        files = rows(lists.files(right.index, right.view(PAIMON)))
    snapshot = json.loads(newest(root).read_text())
    size = rewritten(root / "manifest" / snapshot["baseManifestList"], lambda records: records[0].update(wrong))
    changed(newest(root), baseManifestListSize=size)
    services.add(PAIMON, str(root), None, ())
    report = services.refresh(PAIMON)
    assert report.quarantined == ()
    view = services.view(PAIMON)
    assert view.snapshot is not None
    assert [("added_files_count" in text, "manifest list is wrong" in text) for text in view.snapshot.warnings] == [
        (True, True)
    ]
    assert rows(lists.files(services.index, view)) == files
    assert verify(services.refresher, services.table(PAIMON)).differences == []


def test_a_wrong_paimon_total_is_a_warning_if_lists_are_complete_and_else_an_error(
    services: Services, tmp_path: Path
) -> None:
    root = tmp_path / "lake" / "pk"
    changed(newest(root), totalRecordCount=1)
    services.add(PAIMON, str(root), None, ())
    assert services.refresh(PAIMON).quarantined == ()
    view = services.view(PAIMON)
    assert view.snapshot is not None
    (text,) = view.snapshot.warnings
    assert "the snapshot says 1" in text
    changed(newest(root), totalRecordCount=1, baseManifestListSize=None, deltaManifestListSize=None, timeMillis=1)
    services.remove(PAIMON)
    services.add(PAIMON, str(root), None, ())
    ((_, reason),) = services.refresh(PAIMON).quarantined
    assert "the snapshot says 1" in reason
