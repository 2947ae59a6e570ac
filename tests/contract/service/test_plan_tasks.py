"""Plan tasks: together they are the plan, and files that must be read together are in one task."""

from __future__ import annotations

import json
import pickle
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster import Client
from lakemuster.catalog.services import Services
from lakemuster.client import ClientError, PlanTask
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

ORDERS = "/api/v1/tables/shop.orders/plan"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def services(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("tasks")
    demo = unpack(folder / "demo")
    shutil.copytree(lakes / "paimon", folder / "lakes", copy_function=shutil.copyfile)
    with catalog(settings(folder, max_staleness=3600.0, history=1)) as made:
        for root, rules in ((demo, ()), (folder / "lakes", ())):
            for _ in made.discover(str(root), None, rules, operator=True):
                pass
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def readable(services: Services, http: TestClient) -> list[str]:
    names = [table.name for table in services.tables()]
    found = [name for name in names if http.post(path(name), json={}).status_code == 200]
    assert len(found) > 15
    return found


def path(name: str) -> str:
    return f"/api/v1/tables/{name}/plan"


def ask(http: TestClient, where: str, body: Row, status: int = 200) -> Row:
    answer = http.post(where, json=body)
    assert answer.status_code == status, answer.text[:500]
    document: Row = answer.json()
    return document


def all_pages(http: TestClient, where: str, body: Row) -> Iterator[Row]:
    while True:
        page = ask(http, where, body)
        for file in page["files"]:
            yield {**file, "deletes": [page["deletes"][number]["file_path"] for number in file["deletes"]]}
        if page["next_page_token"] is None:
            return
        body = {**body, "page_token": page["next_page_token"]}


def by_path(files: Iterator[Row]) -> Counter[str]:
    return Counter(json.dumps(file, sort_keys=True) for file in files)


@pytest.mark.parametrize("task_files", [1, 7, 1_000_000])
def test_the_parts_together_are_the_plan(http: TestClient, readable: list[str], task_files: int) -> None:
    parts_of = {}
    for name in readable:
        whole = by_path(all_pages(http, path(name), {}))
        planned = ask(http, f"{path(name)}/tasks", {"task_files": task_files})
        page = ask(http, path(name), {})
        assert {key: planned[key] for key in ("snapshot_id", "counts", "applied")} == {
            key: page[key] for key in ("snapshot_id", "counts", "applied")
        }
        parts = [
            by_path(all_pages(http, path(name), {"plan_task": task, "page_size": 3})) for task in planned["plan_tasks"]
        ]
        assert sum(parts, Counter()) == whole, name
        parts_of[name] = len(parts)
    assert (max(parts_of.values()) > 3) == (task_files < 100)


def test_files_that_are_read_together_are_in_one_part(http: TestClient, readable: list[str]) -> None:
    together = 0
    for name in readable:
        seen: set[int] = set()
        for task in ask(http, f"{path(name)}/tasks", {"task_files": 1})["plan_tasks"]:
            sections = {
                file["section"]
                for file in all_pages(http, path(name), {"plan_task": task})
                if file.get("section") is not None
            }
            assert not sections & seen, name
            seen |= sections
        together += len(seen)
    assert together > 5


def test_each_part_applies_the_filter_and_the_deletes(http: TestClient) -> None:
    body = {"filter": "day >= DATE '2024-05-03'"}
    whole = by_path(all_pages(http, ORDERS, body))
    tasks = ask(http, f"{ORDERS}/tasks", {**body, "task_files": 2})["plan_tasks"]
    assert len(tasks) > 1
    parts = [by_path(all_pages(http, ORDERS, {**body, "plan_task": task})) for task in tasks]
    assert sum(parts, Counter()) == whole


def test_a_plan_task_is_valid_for_its_request_only(http: TestClient) -> None:
    [task, *_] = ask(http, f"{ORDERS}/tasks", {"filter": "amount > 5", "task_files": 1})["plan_tasks"]
    for where, body in (
        (ORDERS, {"plan_task": task}),
        (ORDERS, {"plan_task": task, "filter": "amount > 6"}),
        (ORDERS, {"page_token": task, "filter": "amount > 5"}),
        ("/api/v1/tables/shop.customers/plan", {"plan_task": task}),
        (ORDERS, {"plan_task": task[:-2] + "AA", "filter": "amount > 5"}),
    ):
        assert http.post(where, json=body).json()["error"]["code"] in {"page_token_invalid", "filter_invalid"}
    page = ask(http, ORDERS, {"page_size": 1})
    assert ask(http, ORDERS, {"plan_task": page["next_page_token"]}, 400)["error"]["code"] == "page_token_invalid"


@pytest.mark.parametrize("body", [{"limit": 5}, {"task_files": 0}, {"page_size": 5}, {"plan_task": "x"}])
def test_limits_of_plan_tasks_are_refused(http: TestClient, body: Row) -> None:
    assert ask(http, f"{ORDERS}/tasks", body, 400)["error"]["code"] == "request_invalid"


def test_a_plan_of_no_files_has_no_parts(http: TestClient) -> None:
    planned = ask(http, f"{ORDERS}/tasks", {"filter": "amount > 1000000"})
    assert planned["plan_tasks"] == []
    assert planned["counts"]["files"] == 0


def test_the_client_fetches_parts_as_arrow(http: TestClient, readable: list[str]) -> None:
    client = Client("http://127.0.0.1:8181", transport=http._transport)
    for name in readable:
        plan = client.table(name).plan(stats=["*"])
        tasks: list[PlanTask] = pickle.loads(pickle.dumps(plan.tasks(files=3)))
        read = [client.redeem(task) for task in tasks]
        paths = [row for files, _ in read for row in files.column("file_path").to_pylist()]
        assert Counter(paths) == Counter(plan.to_arrow().column("file_path").to_pylist()), name
        for files, deletes in read:
            places = [place for own in files.column("deletes").to_pylist() for place in own or ()]
            assert set(places) == set(range(deletes.num_rows)), name
    with pytest.raises(ClientError, match="limit applies to whole plans"):
        client.table("shop.orders").plan(limit=5).tasks()
