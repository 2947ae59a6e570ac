"""Paimon tables with Iceberg metadata by Paimon's Java client, in the Iceberg catalog, on each database."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.services import Services
from lakemuster.errors import CompanionNotFound
from lakemuster.index.database import Database
from lakemuster.ingest.companions import Companions
from tests.apps import create_app
from tests.contract.service.backends import PATIENT, catalog, settings
from tests.contract.service.paimon_lake import (
    STORAGE,
    Lake,
    iceberg_files,
    load,
    loaded,
    paimon_files,
    refused,
    same,
    tables,
)
from tests.paimon_java import Paimon

FILTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dt = '2024-01-02'", {"type": "eq", "term": "dt", "value": "2024-01-02"}),
    ("id >= 20", {"type": "gt-eq", "term": "id", "value": 20}),
    (
        "id < 5 AND dt IN ('2024-01-01', '2024-01-03')",
        {
            "type": "and",
            "left": {"type": "lt", "term": "id", "value": 5},
            "right": {"type": "in", "term": "dt", "values": ["2024-01-01", "2024-01-03"]},
        },
    ),
)


@pytest.fixture
def lake(java_paimon: Paimon, tmp_path: Path) -> Lake:
    return Lake.made(java_paimon, tmp_path / "lake")


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/index.db"
    url: str = request.getfixturevalue("postgres_url")
    Database(url).migrate()
    return url


@pytest.fixture
def services(tmp_path: Path, database_url: str, lake: Lake) -> Iterator[Services]:
    of = settings(tmp_path, database_url=database_url, roots=(str(lake.folder / "db.db"),))
    with catalog(of, PATIENT) as made:
        yield made


@pytest.fixture
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def add(services: Services, lake: Lake, table: str) -> None:
    services.add(f"db.{table}", str(lake.root(table)), None, ())


def test_an_append_table_has_the_same_files_as_its_companion(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t")
    for start in (0, 10, 20):
        lake.write("t", start)
    add(services, lake, "t")
    assert tables(http) == {"t"}
    assert len(same(http, "t", FILTERS)) == 9
    metadata = loaded(http, "t")
    assert (metadata["current-snapshot-id"], metadata["format-version"]) == (3, 2)
    assert http.head("/iceberg/v1/namespaces/db/tables/t").status_code == 204
    # Both APIs see every commit, including schema changes and rewrites of files.
    lake.ask("alter", "t", changes=[["add", "size", "INT"], ["rename", "name", "label"]])
    lake.ask("write", "t", rows=[["+I", "99", "new", "2024-01-03", "7"]])
    assert len(same(http, "t", FILTERS)) == 10
    assert [field["name"] for field in loaded(http, "t")["schemas"][1]["fields"]] == ["id", "label", "dt", "size"]
    lake.ask("compact", "t", full=True)
    assert len(same(http, "t", FILTERS)) == 3
    lake.ask("write", "t", rows=[["+I", "1", "over", "2024-01-01", "7"]], overwrite={"dt": "2024-01-01"})
    assert sum(same(http, "t", FILTERS).values()) == 31 - 10 + 1


def test_past_snapshots_and_tags_of_a_companion_match_the_table(
    lake: Lake, services: Services, http: TestClient
) -> None:
    lake.create("t")
    lake.write("t", 0)
    lake.write("t", 10)
    lake.ask("tag", "t", name="second")
    lake.write("t", 20)
    add(services, lake, "t")
    for snapshot_id in (1, 2, 3):
        known = {snapshot["snapshot-id"] for snapshot in loaded(http, "t")["snapshots"]}
        assert snapshot_id in known
        files = iceberg_files(http, "t", **{"snapshot-id": snapshot_id})
        assert files == paimon_files(http, "t", snapshot_id=snapshot_id)
        assert len(files) == 3 * snapshot_id
    assert loaded(http, "t")["refs"]["second"]["snapshot-id"] == 2
    assert iceberg_files(http, "t", **{"start-snapshot-id": 1, "end-snapshot-id": 3}) == {
        path: count
        for path, count in paimon_files(http, "t").items()
        if path not in paimon_files(http, "t", snapshot_id=1)
    }


def test_a_companion_is_not_a_separate_table(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t")
    lake.write("t", 0)
    outcomes = [
        (found.name, found.format, found.outcome)
        for found in services.discover(str(lake.folder), None, (), operator=True)
    ]
    assert outcomes == [("db.t", "paimon", "registered")]
    services.refresh("db.t")
    assert [(row["name"], row["format"]) for row in http.get("/api/v1/tables").json()["tables"]] == [("db.t", "paimon")]
    assert http.get("/api/v1/tables/db.t").json()["format"] == "paimon"
    assert tables(http) == {"t"}
    assert http.delete("/api/v1/tables/db.t").status_code == 204
    assert tables(http) == set()
    assert load(http, "t").status_code == 404
    add(services, lake, "t")
    assert same(http, "t")


def test_the_companion_of_a_primary_key_table_lags_behind(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t", bucket="1", **{"num-sorted-run.compaction-trigger": "100"})
    lake.write("t", 0)
    lake.write("t", 5)
    add(services, lake, "t")
    # The Iceberg metadata contains the first snapshot's only file, which needs no merge, until the next rewrite.
    assert len(paimon_files(http, "t")) == 2
    assert len(iceberg_files(http, "t")) == 1
    lake.ask("compact", "t", full=True)
    compacted = same(http, "t")
    assert list(compacted.values()) == [15]
    lake.write("t", 12)
    assert iceberg_files(http, "t") == compacted
    assert len(paimon_files(http, "t")) == 2


def test_deletion_vectors_of_64_bits_are_delete_files(lake: Lake, services: Services, http: TestClient) -> None:
    options = ("deletion-vectors.enabled", "deletion-vectors.bitmap64")
    lake.create("t", **dict.fromkeys(options, "true"), **{"metadata.iceberg.format-version": "3"})
    lake.write("t", 0)
    lake.write("t", 10)
    lake.ask("delete", "t", where=["<", "id", "2"])
    add(services, lake, "t")
    assert len(same(http, "t")) == 6
    planned = http.post("/iceberg/v1/namespaces/db/tables/t/plan", json={}).json()
    native = http.post("/api/v1/tables/db.t/plan", json={}).json()["files"]
    found = {
        task["data-file"]["file-path"].removeprefix("file:"): [
            (
                planned["delete-files"][at]["file-path"].removeprefix("file:"),
                planned["delete-files"][at]["content-offset"],
            )
            for at in task["delete-file-references"]
        ]
        for task in planned["file-scan-tasks"]
        if task.get("delete-file-references")
    }
    vectors_of = {
        file["file_path"].removeprefix("file:"): [
            (file["deletion_vector"]["file_path"].removeprefix("file:"), file["deletion_vector"]["offset"])
        ]
        for file in native
        if file["deletion_vector"] is not None
    }
    assert found == vectors_of
    assert len(found) == 2


def test_a_companion_outside_the_roots_is_refused(
    lake: Lake, services: Services, http: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    lake.create("t", "hadoop-catalog")
    lake.write("t", 0)
    add(services, lake, "t")
    with caplog.at_level(logging.WARNING, "lakemuster.ingest"):
        assert len(paimon_files(http, "t")) == 3
        assert "outside the allowed roots" in refused(http, "t")
    assert f"{lake.folder}/iceberg/db/t" in caplog.text
    # Metadata below an admitted folder may be read, but is not registered as a table of its own.
    assert http.delete("/api/v1/tables/db.t").status_code == 204
    outcomes = [
        (found.name, found.format, found.outcome)
        for found in services.discover(str(lake.folder), None, (), operator=True)
    ]
    assert outcomes == [("db.t", "paimon", "registered"), ("iceberg.db.t", "iceberg", "exists")]
    assert tables(http) == {"t"}
    assert len(same(http, "t")) == 3


def test_a_catalog_without_paimon_tables_lists_its_iceberg_tables(lake: Lake, services: Services) -> None:
    lake.create("t", "rest-catalog")
    lake.write("t", 0)
    found = list(services.discover(str(lake.folder / "iceberg"), None, (), operator=True))
    assert [(one.name, one.format, one.outcome) for one in found] == [("db.t", "iceberg", "registered")]
    assert services.view("db.t").table.format == "iceberg"


def test_options_that_enable_a_companion_may_be_set_and_removed(
    lake: Lake, services: Services, http: TestClient
) -> None:
    lake.create("t", None)
    lake.write("t", 0)
    add(services, lake, "t")
    assert refused(http, "t") == (
        "db.t is a Paimon table, not shown as an Iceberg table: its option metadata.iceberg.storage is not set"
    )
    lake.set_option("t", STORAGE, "table-location")
    assert "does not exist yet" in refused(http, "t")
    lake.write("t", 10)
    assert len(same(http, "t")) == 6
    lake.set_option("t", STORAGE, "hadoop-catalog")
    lake.write("t", 20)
    assert "outside the allowed roots" in refused(http, "t")
    assert len(paimon_files(http, "t")) == 9
    lake.set_option("t", "metadata.iceberg.storage-location", "table-location")
    lake.write("t", 30)
    assert len(same(http, "t")) == 12
    lake.set_option("t", STORAGE, "disabled")
    assert "not set" in refused(http, "t")
    assert len(paimon_files(http, "t")) == 12


@pytest.mark.parametrize("damage", ["{", '{"format-version": 9}', ""])
def test_broken_metadata_of_a_companion_affects_no_other_table(
    lake: Lake, services: Services, http: TestClient, damage: str
) -> None:
    lake.create("t")
    lake.write("t", 0)
    (lake.root("t") / "metadata" / "v1.metadata.json").write_text(damage)
    add(services, lake, "t")
    report = http.post("/api/v1/tables/db.t/refresh")
    assert (report.status_code, report.json()["published"]) == (200, ["1"])
    assert http.get("/api/v1/tables/db.t").json()["stale"] is None
    response = load(http, "t")
    assert response.status_code in (422, 501, 502), response.text
    assert tables(http) == set()
    assert len(paimon_files(http, "t")) == 3


def test_a_companion_is_served_again_when_its_metadata_is_back(
    lake: Lake, services: Services, http: TestClient
) -> None:
    lake.create("t")
    lake.write("t", 0)
    add(services, lake, "t")
    before = same(http, "t")
    shutil.move(lake.root("t") / "metadata", lake.folder / "kept")
    assert "does not exist yet" in refused(http, "t")
    assert paimon_files(http, "t") == before
    shutil.move(lake.folder / "kept", lake.root("t") / "metadata")
    assert same(http, "t") == before


def test_a_lost_manifest_quarantines_only_the_companion(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t")
    lake.write("t", 0)
    for path in (lake.root("t") / "metadata").glob("*-m1.avro"):
        path.write_bytes(path.read_bytes()[:-7])
    add(services, lake, "t")
    assert len(paimon_files(http, "t")) == 3
    answer = http.post("/iceberg/v1/namespaces/db/tables/t/plan", json={})
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "ServiceFailureException")
    assert http.get("/api/v1/tables/db.t").json()["stale"] is None


def test_metadata_of_a_rolled_back_snapshot_is_not_shown(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t")
    lake.write("t", 0)
    lake.write("t", 10)
    add(services, lake, "t")
    same(http, "t")
    lake.roll_back("t", 1)
    assert len(paimon_files(http, "t")) == 3
    assert "of snapshot 2, which was rolled back" in refused(http, "t")
    # This version of Paimon does not remove the metadata of the old snapshot 2.
    lake.write("t", 50)
    assert len(paimon_files(http, "t")) == 6
    assert "of another snapshot 2, from before a rollback" in refused(http, "t")


def test_a_table_created_again_at_the_same_location_gets_a_new_companion(
    lake: Lake, services: Services, http: TestClient
) -> None:
    lake.create("t")
    lake.write("t", 0)
    lake.write("t", 10)
    add(services, lake, "t")
    first = loaded(http, "t")["table-uuid"]
    shutil.rmtree(lake.root("t"))
    lake = Lake.made(lake.java, lake.folder)
    lake.create("t")
    lake.write("t", 0, 1)
    assert same(http, "t").popitem()[1] == 1
    assert loaded(http, "t")["table-uuid"] != first


def test_a_metadata_file_that_is_gone_already_is_looked_for_again(
    lake: Lake, tmp_path: Path, database_url: str
) -> None:
    lake.create("t")
    lake.write("t", 0)
    of = settings(tmp_path, database_url=database_url, roots=(str(lake.folder),), max_staleness=3600.0)
    with catalog(of) as services:
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        add(services, lake, "t")
        services.refresh("db.t")
        lake.write("t", 10)
        assert not (lake.root("t") / "metadata" / "v1.metadata.json").exists()
        assert loaded(http, "t")["current-snapshot-id"] == 2
        assert len(same(http, "t")) == 6


def test_one_refresh_indexes_the_table_and_its_companion(lake: Lake, tmp_path: Path, database_url: str) -> None:
    lake.create("t")
    lake.write("t", 0)
    of = settings(tmp_path, database_url=database_url, roots=(str(lake.folder),), max_staleness=3600.0)
    with catalog(of) as services:
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        add(services, lake, "t")
        assert len(iceberg_files(http, "t")) == len(paimon_files(http, "t")) == 3
        lake.write("t", 10)
        assert len(iceberg_files(http, "t")) == len(paimon_files(http, "t")) == 3
        services.refresh("db.t")
        assert len(same(http, "t")) == 6


def test_other_paimon_tables_are_not_in_the_iceberg_catalog(lake: Lake, services: Services, http: TestClient) -> None:
    lake.create("t", None)
    lake.write("t", 0)
    add(services, lake, "t")
    assert tables(http) == set()
    assert http.head("/iceberg/v1/namespaces/db/tables/t").status_code == 404
    with pytest.raises(CompanionNotFound):
        services.iceberg_table("db.t")
    assert load(http, "none").status_code == 404


def test_a_companion_missed_by_an_interrupted_refresh_is_indexed_later(
    lake: Lake, services: Services, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.create("t", None)
    lake.write("t", 0)
    add(services, lake, "t")
    lake.set_option("t", STORAGE, "table-location")
    lake.write("t", 10)
    with monkeypatch.context() as ended:
        ended.setattr(Companions, "follow", lambda *_: None)
        services.refresh("db.t")
    assert len(same(http, "t")) == 6
