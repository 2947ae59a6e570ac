"""A table whose reads also return the rows that are not assigned to a bucket yet: nothing claims to be without them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.tree import lakes_folder

TABLE = "pk_table_scan_and_read_mor"
OF_TABLE = "/api/v1/tables/db.t"


@pytest.fixture(params=["true", "false"])
def merged(request: pytest.FixtureRequest) -> bool:
    """Whether the table has the option."""
    return bool(request.param == "true")


@pytest.fixture
def http(merged: bool, tmp_path: Path) -> Iterator[TestClient]:
    location = tmp_path / "lake" / TABLE
    shutil.copytree(lakes_folder() / "paimon" / "parquet" / f"{TABLE}.db" / TABLE, location)
    file = max(location.glob("schema/schema-*"))
    schema = json.loads(file.read_text())
    schema["id"] += 1
    schema["options"] |= {"bucket": "-2", "postpone.merge-on-read": str(merged).lower()}
    file.with_name(f"schema-{schema['id']}").write_text(json.dumps(schema))
    with catalog(settings(tmp_path, roots=(str(location),))) as services:
        services.add("db.t", str(location), None, ())
        yield TestClient(create_app(services), base_url="http://127.0.0.1")


def test_what_would_be_without_them_is_refused(http: TestClient, merged: bool) -> None:
    answers = [
        http.post(f"{OF_TABLE}/plan", json={}),
        http.post(f"{OF_TABLE}/plan", json={"filter": "f2 = 1"}),
        http.post(f"{OF_TABLE}/plan", json={"read_optimized": True}),
        http.post(f"{OF_TABLE}/statistics", json={"aggregates": ["count"]}),
        http.get(f"{OF_TABLE}/stats"),
    ]
    assert [answer.status_code for answer in answers] == [501 if merged else 200] * 5
    for answer in answers if merged else ():
        error = answer.json()["error"]
        assert (error["code"], error["option"]) == ("format_unsupported", "postpone.merge-on-read")
        assert "not assigned to a bucket yet" in error["message"]


def test_metadata_and_commits_are_served(http: TestClient) -> None:
    answers = [
        http.get(f"{OF_TABLE}/files"),
        http.get(f"{OF_TABLE}/snapshots"),
        http.get(f"{OF_TABLE}/partitions"),
        http.get(f"{OF_TABLE}/health"),
        http.get(f"{OF_TABLE}/system/files"),
        http.post(f"{OF_TABLE}/plan", json={"start_snapshot_id": 1}),
    ]
    assert [answer.status_code for answer in answers] == [200] * 6
    assert answers[0].json()["files"]
