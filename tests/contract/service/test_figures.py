"""Lists of tables with figures: compared with the metadata of real tables, and filtered by the caller's rights."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from sqlalchemy import update

from lakemuster.api.identity.tokens import token_entry
from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from lakemuster.index.orm import SegmentRow, SnapshotRow, TableRow
from lakemuster.jobs.counting import CountSnapshots
from lakemuster.jobs.job import Run
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

Row = dict[str, Any]
FIGURES = ("total_records", "data_files", "total_bytes", "delete_files")
PAIMON = "lake.pk"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64())})
    found = iceberg.create_table("db.t", data.schema)
    for _ in range(3):
        found.append(data)
    found.delete("id < 4")
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def services(request: pytest.FixtureRequest, tmp_path: Path, lakes: Path, table: Table) -> Iterator[Services]:
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        Database(url).migrate()
    source = next((lakes / "paimon/parquet/pk_table_with_alter_table.db").iterdir())
    shutil.copytree(source, tmp_path / "lake" / "pk", copy_function=shutil.copyfile)
    with catalog(settings(tmp_path, database_url=url, roots=(str(tmp_path / "lake"),))) as made:
        made.add("db.t", table.location(), "iceberg", ())
        made.add(PAIMON, str(tmp_path / "lake" / "pk"), "paimon", ())
        made.add("db.new", table.location(), "iceberg", ())
        made.refresh("db.t")
        made.refresh(PAIMON)
        yield made


def http_of(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def listed(http: TestClient, **parameters: object) -> list[Row]:
    answer = http.get("/api/v1/tables", params=parameters)  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["total_count"] == len(body["tables"])
    return body["tables"]  # type: ignore[no-any-return]


def test_figures_are_those_of_the_writer_and_of_the_files(services: Services, table: Table) -> None:
    http = http_of(services)
    by_name = {one["name"]: one for one in listed(http)}
    summary = table.current_snapshot().summary  # type: ignore[union-attr]
    assert summary is not None
    keys = ("total-records", "total-data-files", "total-files-size", "total-delete-files")
    assert [by_name["db.t"][name] for name in FIGURES] == [int(summary[key] or 0) for key in keys]
    assert by_name["db.t"]["snapshots"] == len(table.snapshots())
    for name in ("db.t", PAIMON):
        files = http.get(f"/api/v1/tables/{name}/files").json()["files"]
        data = [one for one in files if one["content"] == "data"]
        snapshots = http.get(f"/api/v1/tables/{name}/snapshots").json()["snapshots"]
        current = next(one for one in snapshots if one["snapshot_id"] == by_name[name]["current_snapshot_id"])
        assert by_name[name]["total_records"] == sum(one["record_count"] for one in data) > 0
        assert by_name[name]["data_files"] == len(data)
        assert by_name[name]["total_bytes"] == sum(one["file_size_in_bytes"] for one in files)
        assert by_name[name]["snapshots"] == len(snapshots)
        assert by_name[name]["last_committed_at"] == current["committed_at"]
        one = http.get(f"/api/v1/tables/{name}").json()
        assert {key: one[key] for key in by_name[name] if key != "checked_at"} == {
            key: value for key, value in by_name[name].items() if key != "checked_at"
        }
    assert {by_name["db.new"][name] for name in (*FIGURES, "snapshots", "last_committed_at")} == {None}


def test_the_background_fills_in_what_older_versions_left_out(services: Services) -> None:
    http = http_of(services)
    before = listed(http)
    with services.index.database.session() as session:
        session.execute(update(SegmentRow).values(counts=None))
        session.execute(
            update(SnapshotRow).values(live_data_files=None, live_delete_files=None, live_records=None, live_bytes=None)
        )
        session.execute(update(TableRow).values(**dict.fromkeys(FIGURES)))
    assert {one[name] for one in listed(http) for name in FIGURES} == {None}
    job = CountSnapshots(services.index)
    assert job.run(Run(lambda: False)) == "0 snapshots counted"
    assert job.run(Run(lambda: True)) != "0 snapshots counted"
    assert listed(http) == before
    assert job.run(Run(lambda: True)) == "0 snapshots counted"


def test_tables_are_sorted_filtered_and_paged(services: Services) -> None:
    http = http_of(services)
    names = [one["name"] for one in sorted(listed(http), key=lambda one: -(one["total_bytes"] or -1))]
    assert names[-1] == "db.new"
    assert [one["name"] for one in listed(http, sort="-total_bytes")] == names
    assert [one["name"] for one in listed(http, sort="total_bytes", order="desc")] == names
    assert [one["name"] for one in listed(http, sort="total_bytes")] == [names[1], names[0], "db.new"]
    assert [one["name"] for one in listed(http, namespace="db", order="desc")] == ["db.t", "db.new"]
    assert [one["name"] for one in listed(http, search="PK")] == [PAIMON]
    assert [one["name"] for one in listed(http, format="paimon")] == [PAIMON]
    assert listed(http, stale=True) == listed(http, catalog="prod") == []
    found, token = [], None
    while True:
        parameters = {"page_size": "1", "sort": "-total_bytes"} | ({} if token is None else {"page_token": token})
        page = http.get("/api/v1/tables", params=parameters).json()
        assert page["total_count"] == 3
        found += [one["name"] for one in page["tables"]]
        token = page["next_page_token"]
        if token is None:
            break
        refused = http.get("/api/v1/tables", params={"page_size": "1", "page_token": token})
        assert refused.json()["error"]["code"] == "page_token_invalid"
    assert found == names
    for wrong in ({"sort": "location"}, {"sort": "-name", "order": "asc"}, {"order": "up"}, {"namespace": "a..b"}):
        assert http.get("/api/v1/tables", params=wrong).status_code == 400


def test_namespaces_have_the_sums_of_their_tables(services: Services) -> None:
    http = http_of(services)
    tables = {one["name"]: one for one in listed(http)}
    found = http.get("/api/v1/namespaces").json()
    assert found["total_count"] == 2
    db, lake = found["namespaces"]
    assert (db["name"], db["tables"], db["unknown_tables"], db["catalog"]) == ("db", 2, 1, None)
    assert (lake["name"], lake["tables"], lake["unknown_tables"]) == ("lake", 1, 0)
    for namespace, name in ((db, "db.t"), (lake, PAIMON)):
        for figure in (*FIGURES, "snapshots", "last_committed_at"):
            assert namespace[figure] == tables[name][figure]
    by_size = http.get("/api/v1/namespaces", params={"sort": "-total_bytes", "page_size": 1}).json()
    assert by_size["namespaces"] == [max(db, lake, key=lambda one: one["total_bytes"])]
    rest = http.get(
        "/api/v1/namespaces",
        params={"sort": "-total_bytes", "page_size": 1, "page_token": by_size["next_page_token"]},
    ).json()
    assert rest["namespaces"] == [min(db, lake, key=lambda one: one["total_bytes"])]
    assert http.get("/api/v1/namespaces", params={"search": "LAK"}).json()["namespaces"] == [lake]
    assert http.get("/api/v1/namespaces", params={"sort": "location"}).status_code == 400


def test_lists_hold_only_what_the_caller_may_see(services: Services, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(token_entry("reader", "r", "read", ["lake"]))
    http = http_of(replace(services, settings=services.settings.model_copy(update={"tokens": str(tokens)})))
    http.headers["Authorization"] = "Bearer r"
    for parameters in ({}, {"sort": "-total_bytes"}, {"search": "k"}, {"namespace": "lake"}):
        assert [one["name"] for one in listed(http, **parameters)] == [PAIMON]
    assert listed(http, namespace="db") == listed(http, search="db") == []
    found = http.get("/api/v1/namespaces").json()
    assert ([one["name"] for one in found["namespaces"]], found["total_count"]) == (["lake"], 1)
    streamed = http.get("/api/v1/tables", headers={"Accept": "application/x-ndjson"}).text
    assert PAIMON in streamed
    assert "db.t" not in streamed
