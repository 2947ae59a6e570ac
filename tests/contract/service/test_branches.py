"""A real Paimon table whose main branch has one partition and whose fallback branch has the other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.tree import lakes_folder

FOLDER = "paimon/parquet/append_table_with_append_pt_branch.db/append_table_with_append_pt_branch"
PLAN, FILES = "/api/v1/tables/db.t/plan", "/api/v1/tables/db.t/files"
BOTH = [(1, None), (1, None), (2, "test"), (2, "test")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    location = str(lakes_folder() / FOLDER)
    folder: Path = tmp_path_factory.mktemp("branches")
    with catalog(settings(folder, roots=(location,))) as services:
        services.add("db.t", location, None, ())
        yield TestClient(create_app(services), base_url="http://127.0.0.1")


def plan(client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post(PLAN, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def seen(files: list[dict[str, Any]]) -> list[tuple[int, str | None]]:
    """Return the partition and the branch of each file."""
    return [(file["partition"]["pt"], file.get("branch")) for file in files]


def test_both_branches_are_planned(client: TestClient) -> None:
    whole = plan(client)
    assert seen(whole["files"]) == BOTH
    assert whole["counts"] | {"bytes": 0} == {
        "manifests": 4, "manifests_kept": 4, "entries": 4, "files": 4, "records": 4, "bytes": 0,
    }  # fmt: skip
    assert seen(plan(client, filter="pt = 2")["files"]) == BOTH[2:]
    assert seen(plan(client, filter="value > 150 OR value2 = 1200")["files"]) == BOTH[1:]
    assert plan(client, filter="value > 1000")["files"] == []
    splits = [file["split"] for file in plan(client, splits=True)["files"]]
    assert len(set(splits[:2]) | set(splits[2:])) == len(set(splits[:2])) + len(set(splits[2:]))


def test_a_branch_selected_by_name_is_read_alone(client: TestClient) -> None:
    assert seen(plan(client, ref="test")["files"]) == [(2, None), (2, None)]
    assert seen(plan(client, ref="main")["files"]) == BOTH


def test_lists_of_files_include_both_branches(client: TestClient) -> None:
    for params in ({}, {"filter": "value > 0"}, {"content": "data"}):
        assert seen(client.get(FILES, params=params).json()["files"]) == BOTH
    assert client.get(FILES, params={"content": "changelog"}).json()["files"] == []


def test_pages_and_plan_tasks_together_are_the_plan(client: TestClient) -> None:
    whole = plan(client)["files"]
    page = plan(client, page_size=1)
    files = page["files"]
    while token := page["next_page_token"]:
        page = plan(client, page_size=1, page_token=token)
        files += page["files"]
        assert page["counts"]["files"] == 4
    assert files == whole
    listed = client.get(FILES, params={"page_size": 3}).json()
    rest = client.get(FILES, params={"page_size": 3, "page_token": listed["next_page_token"]}).json()
    assert seen(listed["files"] + rest["files"]) == BOTH
    tasks = client.post(f"{PLAN}/tasks", json={"task_files": 1}).json()["plan_tasks"]
    assert [file for task in tasks for file in plan(client, plan_task=task)["files"]] == whole
    assert len(tasks) == 4


def test_streams_have_the_rows_of_both_branches(client: TestClient) -> None:
    arrow = client.post(PLAN, json={}, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert seen(pa.ipc.open_stream(arrow.content).read_all().to_pylist()) == BOTH
    lines = client.post(PLAN, json={}, headers={"Accept": "application/x-ndjson"}).text
    assert lines.count('"branch":"test"') == 2


def test_an_explanation_covers_both_branches(client: TestClient) -> None:
    files = [file["file_path"] for file in plan(client)["files"]]
    answer = client.post("/api/v1/tables/db.t/explain", json={"filter": "value > 150", "files": files}).json()
    assert [file["state"] for file in answer["files"]] == ["dropped", "dropped", "kept", "kept"]
    assert answer["funnel"][0]["seen"] == 4


def test_a_commit_to_the_second_branch_changes_the_plan(tmp_path: Path) -> None:
    location = tmp_path / "lake"
    shutil.copytree(lakes_folder() / FOLDER, location, copy_function=shutil.copyfile)
    branch = location / "branch" / "branch-test" / "snapshot"
    newest = (branch / "snapshot-2").read_bytes()
    (branch / "snapshot-2").unlink()
    with catalog(settings(tmp_path, roots=(str(location),))) as services:
        services.add("db.t", str(location), None, ())
        client = TestClient(create_app(services), base_url="http://127.0.0.1")
        before, page = client.get(FILES), plan(client, page_size=2)
        assert seen(before.json()["files"]) == seen(plan(client)["files"]) == BOTH[:3]
        (branch / "snapshot-2").write_bytes(newest)
        after = client.get(FILES, headers={"If-None-Match": before.headers["etag"]})
        assert (after.status_code, seen(after.json()["files"])) == (200, BOTH)
        assert seen(plan(client)["files"]) == BOTH
        # A following page uses the snapshots of the first.
        assert seen(plan(client, page_size=2, page_token=page["next_page_token"])["files"]) == BOTH[2:3]
        assert client.get(FILES, headers={"If-None-Match": after.headers["etag"]}).status_code == 304
        assert client.get(FILES, params={"snapshot": "2"}).headers["cache-control"] == "no-cache"


def test_incremental_plans_of_two_branches_are_refused(client: TestClient) -> None:
    answer = client.post(PLAN, json={"start_snapshot_id": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (501, "format_unsupported")
    assert "scan.fallback-branch" in answer.text
