"""Snapshots are listed by branch, so that ids are unique: on each database, by HTTP, client and command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.services import Services
from lakemuster.cli.local_rows import history_rows
from lakemuster.cli.sources import Query
from lakemuster.index.database import Database
from lakemuster.planner.view import Selector
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

Row = dict[str, Any]
NAME = "l.t"
SOURCE = "paimon/parquet/append_table_with_append_pt_branch.db/append_table_with_append_pt_branch"


@pytest.fixture(params=["sqlite", "postgres"])
def services(request: pytest.FixtureRequest, tmp_path: Path, lakes: Path) -> Iterator[Services]:
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        Database(url).migrate()
    shutil.copytree(lakes / SOURCE, tmp_path / "lake" / "t", copy_function=shutil.copyfile)
    # A branch with more snapshots than main: one id exists only on the branch.
    branch = tmp_path / "lake" / "t" / "branch" / "branch-test" / "snapshot"
    assert (branch / "snapshot-2").exists()
    third = (
        (branch / "snapshot-2")
        .read_text()
        .replace('"id" : 2', '"id" : 3')
        .replace('"timeMillis" : 1', '"timeMillis" : 2')
    )
    (branch / "snapshot-3").write_text(third)
    (branch / "LATEST").write_text("3")
    with catalog(settings(tmp_path, database_url=url, roots=(str(tmp_path / "lake"),))) as made:
        made.add(NAME, str(tmp_path / "lake" / "t"), None, ())
        yield made


def listed(services: Services, **parameters: str) -> list[tuple[str, str, list[str]]]:
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
    answer = http.get(f"/api/v1/tables/{NAME}/snapshots", params=parameters)
    assert answer.status_code == 200, answer.text
    return [(row["snapshot_id"], row["branch"], row["refs"]) for row in answer.json()["snapshots"]]


def test_a_list_has_each_id_once_with_its_branch(services: Services) -> None:
    main = [("2", "main", ["main"]), ("1", "main", [])]
    test = [("3", "test", ["test"]), ("2", "test", []), ("1", "test", [])]
    assert listed(services) == listed(services, ref="main") == main
    assert listed(services, ref="test") == test
    assert listed(services, snapshot="3") == test


def test_a_snapshot_is_looked_up_in_the_branch_of_the_ref(services: Services) -> None:
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

    def one(number: int, status: int = 200, **parameters: str) -> Row:
        answer = http.get(f"/api/v1/tables/{NAME}/snapshots/{number}", params=parameters)
        assert answer.status_code == status, answer.text
        found: Row = answer.json()
        return found

    assert one(2)["branch"] == one(2, ref="main")["branch"] == "main"
    assert one(2, ref="test")["branch"] == one(2, branch="test")["branch"] == "test"
    assert one(2, ref="test")["committed_at"] != one(2)["committed_at"]
    assert one(3)["branch"] == "test"  # the only branch that has it
    assert one(3, 404, ref="main")["error"]["code"] == "snapshot_not_found"
    assert one(9, 404)["error"]["code"] == "snapshot_not_found"
    assert one(9, 404, ref="test")["error"]["code"] == "snapshot_not_found"
    assert one(2, 404, ref="nope")["error"]["code"] == "ref_not_found"


def test_the_command_lists_the_same_snapshots_as_http(services: Services) -> None:
    for parameters, selector in (({}, Selector()), ({"ref": "test"}, Selector(ref="test"))):
        rows = history_rows(services, Query("snapshots", NAME), NAME, selector, lambda words: None)
        assert [(row["snapshot_id"], row["branch"], row["refs"]) for row in rows] == listed(services, **parameters)


def test_a_branch_without_snapshots_is_empty(services: Services, tmp_path: Path) -> None:
    root = tmp_path / "lake" / "t"
    folder = root / "branch" / "branch-new" / "schema"
    folder.mkdir(parents=True)
    document = json.loads((root / "schema" / "schema-0").read_text())
    number = document["highestFieldId"] + 1
    added = {"id": number, "name": "added", "type": "INT"}
    changed = {**document, "id": 5, "fields": [*document["fields"], added], "highestFieldId": number, "options": {}}
    (folder / "schema-5").write_text(json.dumps(changed))
    # A tag of that name does not stand in for the branch.
    (root / "tag").mkdir(exist_ok=True)
    shutil.copyfile(root / "snapshot" / "snapshot-1", root / "tag" / "tag-new")
    services.refresh(NAME)
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
    assert listed(services, ref="new") == []
    for path in ("files", "entries", "partitions", "manifests", "stats", "columns", "system/files"):
        answer = http.get(f"/api/v1/tables/{NAME}/{path}", params={"ref": "new"})
        assert answer.status_code == 200, answer.text
    assert http.get(f"/api/v1/tables/{NAME}/timeline", params={"ref": "new"}).json()["timeline"] == []
    schemas = http.get(f"/api/v1/tables/{NAME}/schemas", params={"ref": "new"}).json()["schemas"]
    assert [(one["branch"], one["schema_id"]) for one in schemas] == [("new", 5)]
    plan = http.post(f"/api/v1/tables/{NAME}/plan", json={"ref": "new", "filter": "added = 1"}).json()
    assert (plan["files"], plan["snapshot_id"], plan["applied"]) == ([], None, ["added = 1"])
    assert http.post(f"/api/v1/tables/{NAME}/plan", json={"ref": "newer"}).status_code == 404
