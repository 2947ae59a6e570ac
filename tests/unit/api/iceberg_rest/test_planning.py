"""Scan planning over HTTP, on the demo lake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.rest.response import ErrorResponse
from pyiceberg.catalog.rest.scan_planning import PlanCompleted, ScanTasks

from lakemuster.api import response_cache
from lakemuster.api.identity.tokens import token_entry
from lakemuster.catalog.iceberg_rest import scan_tasks
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.pace import assert_takes_less

Json = dict[str, Any]
EVENTS = "/iceberg/v1/namespaces/web/tables/events"
ORDERS = "/iceberg/v1/namespaces/shop/tables/orders"
CUSTOMERS = "/iceberg/v1/namespaces/shop/tables/customers"
LATER = {"type": "gt", "term": "event_id", "value": 100}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder: Path = tmp_path_factory.mktemp("planning")
    tokens = folder / "tokens.toml"
    tokens.write_text(token_entry("one", "1") + token_entry("two", "2") + token_entry("web", "w", "read", ["web"]))
    root = unpack(folder / "demo")
    with catalog(settings(folder, max_staleness=3600.0, history=1, tokens=str(tokens))) as services:
        for _ in services.discover(str(root), None, (), operator=True):
            pass
        yield services


@pytest.fixture(autouse=True)
def none_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the response cache: tests repeat a request under other limits."""
    monkeypatch.setattr(response_cache, "MAX_ANSWER_BYTES", 0)


@pytest.fixture(scope="module")
def client(lake: Services) -> TestClient:
    return TestClient(
        create_app(lake),
        raise_server_exceptions=False,
        headers={"Authorization": "Bearer 1", "User-Agent": "PyIceberg/0.12.0"},
    )


def plan(client: TestClient, table: str = EVENTS, **body: object) -> Json:
    answer = client.post(f"{table}/plan", json={name.replace("_", "-"): value for name, value in body.items()})
    assert answer.status_code == 200, answer.text
    PlanCompleted.model_validate_json(answer.content)
    found: Json = answer.json()
    assert found["status"] == "completed"
    return found


@pytest.mark.parametrize("agent", ["PyIceberg/0.12.0", "other"])
def test_prepared_batches_are_written_like_others(
    client: TestClient, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"User-Agent": agent}
    for table in (EVENTS, ORDERS, CUSTOMERS):
        for body in ({}, {"filter": LATER} if table == EVENTS else {"case-sensitive": False}):
            ready = [client.post(f"{table}/plan", json=body, headers=headers).json() for _ in range(3)]
            assert ready[0]["file-scan-tasks"]
            with monkeypatch.context() as patch:
                patch.setattr(scan_tasks, "writers_of", lambda *_: [])
                alone = client.post(f"{table}/plan", json=body, headers=headers).json()
            assert [found["file-scan-tasks"] for found in ready] == [alone["file-scan-tasks"]] * 3


def refusal(answer: Any) -> tuple[int, str]:
    error = ErrorResponse.model_validate_json(answer.content).error
    assert error.code == answer.status_code
    return answer.status_code, error.type


def redeemed(client: TestClient, found: Json) -> list[Json]:
    """Return all scan tasks of a plan, including those of its plan tasks, in order."""
    tasks, waiting = list(found["file-scan-tasks"]), list(found["plan-tasks"])
    while waiting:
        answer = client.post(f"{EVENTS}/tasks", json={"plan-task": waiting.pop(0)})
        assert answer.status_code == 200, answer.text
        ScanTasks.model_validate_json(answer.content)
        tasks += answer.json()["file-scan-tasks"]
        waiting = answer.json()["plan-tasks"] + waiting
    return tasks


def paths(tasks: list[Json]) -> list[str]:
    return [task["data-file"]["file-path"] for task in tasks]


def test_a_plan_is_complete_and_its_id_returns_it_again(client: TestClient) -> None:
    found = plan(client, filter=LATER)
    assert found["plan-tasks"] == found["delete-files"] == []
    assert found["file-scan-tasks"]
    assert all(task["residual-filter"] == LATER for task in found["file-scan-tasks"])
    again = client.get(f"{EVENTS}/plan/{found['plan-id']}")
    assert (again.status_code, again.json()) == (200, found)
    for _ in range(2):
        assert client.delete(f"{EVENTS}/plan/{found['plan-id']}").status_code == 204


@pytest.mark.parametrize("limits", [{"MAX_ENTRIES": 5}, {"MAX_FILES": 3}, {"MAX_FILES": 1}, {"MAX_BYTES": 2500}])
def test_a_large_plan_has_plan_tasks(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    whole = plan(client, filter=LATER)["file-scan-tasks"]
    assert len(whole) > 10
    for name, value in limits.items():
        monkeypatch.setattr(scan_tasks, name, value)
    first = plan(client, filter=LATER)
    assert first["file-scan-tasks"] == []
    assert first["plan-tasks"]
    assert redeemed(client, first) == whole
    assert client.get(f"{EVENTS}/plan/{first['plan-id']}").json()["plan-tasks"] == first["plan-tasks"]


def test_the_larger_the_filter_the_fewer_the_plan_tasks(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"type": "not-in", "term": "event_id", "values": list(range(1_000_000, 1_000_500))}
    whole = plan(client, filter=long)["file-scan-tasks"]
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 2)
    first = plan(client, filter=long)
    size = len(first["plan-tasks"][0])
    monkeypatch.setattr(scan_tasks, "MAX_TASK_BYTES", 2 * size)
    fewer = plan(client, filter=long)
    assert len(fewer["plan-tasks"]) <= 2 < len(first["plan-tasks"])
    assert redeemed(client, fewer) == redeemed(client, first) == whole
    monkeypatch.setattr(scan_tasks, "MAX_TOKEN_BYTES", size - 1)
    assert refusal(client.post(f"{EVENTS}/plan", json={"filter": long})) == (400, "BadRequestException")


def test_a_plan_task_keeps_its_snapshot_schema_and_filter(
    client: TestClient, lake: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = lake.snapshots("web.events")[1]
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 1)
    for record in (records[1], records[-1]):
        tasks = redeemed(client, plan(client, snapshot_id=record.snapshot.snapshot_id))
        assert len(tasks) == int(record.snapshot.summary["total-data-files"])


def test_foreign_tokens_are_not_found(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 1)
    found = plan(client)
    task, plan_id = found["plan-tasks"][0], found["plan-id"]
    for table, token, plan_task in (
        (EVENTS, "2", task),
        (ORDERS, "1", task),
        (EVENTS, "1", task[:-4] + "AAAA"),
        (EVENTS, "1", plan_id),
        (EVENTS, "1", ""),
        (EVENTS, "1", "ä" * 50),
    ):
        answer = client.post(
            f"{table}/tasks", json={"plan-task": plan_task}, headers={"Authorization": f"Bearer {token}"}
        )
        assert refusal(answer) == (404, "NoSuchPlanTaskException")
    for table, token, text in (
        (EVENTS, "2", plan_id),
        (ORDERS, "1", plan_id),
        (EVENTS, "1", plan_id[:-1]),
        (EVENTS, "1", task),
    ):
        path = f"{table}/plan/{text}"
        headers = {"Authorization": f"Bearer {token}"}
        assert refusal(client.get(path, headers=headers)) == (404, "NoSuchPlanIdException")
        assert refusal(client.delete(path, headers=headers)) == (404, "NoSuchPlanIdException")


def test_plan_tasks_do_not_outlive_the_registration(
    client: TestClient, lake: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = lake.table("web.events")
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 1)
    found = plan(client)
    lake.remove("web.events")
    answer = client.post(f"{EVENTS}/tasks", json={"plan-task": found["plan-tasks"][0]})
    assert refusal(answer) == (404, "NoSuchTableException")
    lake.add("web.events", record.location, "iceberg", record.rewrites, operator=True)
    answer = client.post(f"{EVENTS}/tasks", json={"plan-task": found["plan-tasks"][0]})
    assert refusal(answer) == (404, "NoSuchPlanTaskException")


def test_tables_of_other_formats_are_not_found(client: TestClient) -> None:
    headers = {"Authorization": "Bearer w"}
    for name in ("orders", "none", "stock"):
        table = f"/iceberg/v1/namespaces/shop/tables/{name}"
        found = plan(client)
        for answer in (
            client.post(f"{table}/plan", json={}, headers=headers),
            client.post(f"{table}/tasks", json={"plan-task": "x"}, headers=headers),
            client.get(f"{table}/plan/{found['plan-id']}", headers=headers),
            client.delete(f"{table}/plan/{found['plan-id']}", headers=headers),
        ):
            assert refusal(answer) == (404, "NoSuchTableException")
    for body in ({}, {"snapshot-id": 1}):
        assert refusal(client.post("/iceberg/v1/namespaces/shop/tables/stock/plan", json=body)) == (
            404,
            "NoSuchTableException",
        )


def test_incremental_scans_have_the_appended_files(
    client: TestClient, lake: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [record for record in lake.snapshots("web.events")[1] if record.snapshot.operation == "append"]
    start, end = records[0].snapshot.snapshot_id, records[-1].snapshot.snapshot_id
    whole = plan(client, start_snapshot_id=start, end_snapshot_id=end)["file-scan-tasks"]
    added = sum(int(record.snapshot.summary["added-data-files"]) for record in records[1:])
    assert len(whole) == len(set(paths(whole))) == added
    assert plan(client, start_snapshot_id=end, end_snapshot_id=end)["file-scan-tasks"] == []
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 2)
    first = plan(client, start_snapshot_id=start, end_snapshot_id=end)
    assert first["plan-tasks"]
    assert redeemed(client, first) == whole


def refused_at_once(client: TestClient, text: str) -> None:
    def refused() -> None:
        answer = client.post(f"{EVENTS}/plan", content=text, headers={"Content-Type": "application/json"})
        assert refusal(answer) == (400, "BadRequestException")
        assert len(answer.content) < 3000

    assert_takes_less(refused, 0.1)


@pytest.mark.parametrize(
    "body",
    [
        {"start-snapshot-id": 1},
        {"end-snapshot-id": 1},
        {"snapshot-id": 1, "start-snapshot-id": 1, "end-snapshot-id": 2},
        {"start-snapshot-id": 1, "end-snapshot-id": 2},
        {"snapshot-id": 1},
        {"snapshot-id": "1"},
        {"snapshot-id": 2**63},
        {"snapshot-id": True},
        {"min-rows-requested": -1},
        {"case-sensitive": "yes"},
        {"select": "id"},
        {"select": [1] * 300_000},
        {"stats-fields": {"id": 1}},
        {"filter": "event_id > 3"},
        {"filter": {"type": "gt", "term": "none", "value": 1}},
        {"filter": {"type": "gt", "term": "EVENT_ID", "value": 1}},
        {"filter": {"type": "gt", "term": "event_id", "value": "one"}},
        {"filter": {"type": "gt", "term": "event_id"}},
        {"filter": {"type": "never"}},
        {"filter": []},
        {"filter": 1},
        {"filter": {"type": "in", "term": "event_id", "values": list(range(20_001))}},
    ],
    ids=lambda body: json.dumps(body)[:60],
)
def test_invalid_requests_name_the_cause(client: TestClient, body: Json) -> None:
    refused_at_once(client, json.dumps(body))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"filter":' * 50_000,
        '{"filter":' + '{"type":"not","child":' * 20_000 + "true" + "}" * 20_000 + "}",
        '{"filter":' + "[" * 90_000 + "]" * 90_000 + "}",
        '{"filter":{"type":"gt","term":"event_id","value":' + "9" * 100_000 + "}}",
        '{"filter":{"type":"eq","term":"\\ud800","value":1}}',
    ],
    ids=lambda text: text[:30],
)
def test_invalid_bodies_are_refused(client: TestClient, text: str) -> None:
    refused_at_once(client, text)


def test_optional_fields_of_the_protocol_are_accepted(client: TestClient, lake: Services) -> None:
    whole = plan(client)
    assert plan(client, filter=None, select=["event_id", "_file", "none"], unknown={"a": 1}) | {
        "plan-id": ""
    } == whole | {"plan-id": ""}
    assert paths(plan(client, filter=True)["file-scan-tasks"]) == paths(whole["file-scan-tasks"])
    assert plan(client, filter=False)["file-scan-tasks"] == []
    newer = {"type": "gt", "left": {"type": "reference", "name": "event_id"}, "right": 100}
    folded = {"type": "gt", "term": "EVENT_ID", "value": 100}
    for tasks in (plan(client, filter=newer), plan(client, filter=folded, case_sensitive=False)):
        assert tasks["file-scan-tasks"] == plan(client, filter=LATER)["file-scan-tasks"]
    answer = client.post(f"{EVENTS}/plan", json={}, headers={"Idempotency-Key": "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"})
    assert answer.status_code == 200
    current = lake.view("web.events").snapshot_id
    assert plan(client, snapshot_id=current)["file-scan-tasks"] == whole["file-scan-tasks"]


def test_a_plan_may_end_after_min_rows_requested(client: TestClient) -> None:
    whole = plan(client)["file-scan-tasks"]
    first = whole[0]["data-file"]["record-count"]
    assert plan(client, min_rows_requested=first)["file-scan-tasks"] == whole[:1]
    assert plan(client, min_rows_requested=first + 1)["file-scan-tasks"] == whole[:2]
    for number in (0, 2**62):
        assert plan(client, min_rows_requested=number)["file-scan-tasks"] == whole
    known = {"type": "gt", "term": "event_id", "value": 3}
    assert plan(client, filter=known, min_rows_requested=1) | {"plan-id": ""} == plan(client, filter=known) | {
        "plan-id": ""
    }


def test_requested_columns_have_statistics(client: TestClient) -> None:
    for task in plan(client)["file-scan-tasks"]:
        assert not {"lower-bounds", "value-counts", "column-sizes"} & task["data-file"].keys()
    for names in (["event_id", "none"], ["event_id"]):
        for task in plan(client, stats_fields=names)["file-scan-tasks"]:
            assert task["data-file"]["lower-bounds"]["keys"] == task["data-file"]["value-counts"]["keys"] == [1]


@pytest.mark.parametrize(("name", "of_snapshot"), [("born", True), ("birthday", False), ("BORN", True)])
def test_names_resolve_in_the_tables_schema_or_also_in_the_snapshots(
    client: TestClient, lake: Services, name: str, of_snapshot: bool
) -> None:
    first = lake.snapshots("shop.customers")[1][0].snapshot.snapshot_id
    wanted = {"type": "not-null", "term": name}
    body = {"snapshot-id": first, "filter": wanted, "case-sensitive": name.islower()}
    also, only = (client.post(f"{CUSTOMERS}/plan", json={**body, "use-snapshot-schema": use}) for use in (True, False))
    for answer in (also,) if of_snapshot else (also, only):
        assert answer.json()["file-scan-tasks"][0]["residual-filter"]["term"] == name.lower()
    if of_snapshot:
        assert refusal(only) == (400, "BadRequestException")


def test_names_of_neither_schema_are_refused(client: TestClient) -> None:
    body = {"filter": {"type": "not-null", "term": "none"}, "use-snapshot-schema": True}
    assert refusal(client.post(f"{CUSTOMERS}/plan", json=body)) == (400, "BadRequestException")


def test_null_partition_values_are_kept_from_clients_that_cannot_read_them_and_from_no_others(
    client: TestClient,
) -> None:
    for agent, nulls in (("PyIceberg/0.12.0", False), ("Apache-HttpClient/5.4", True), ("", True)):
        found = client.post(f"{CUSTOMERS}/plan", json={}, headers={"User-Agent": agent}).json()["file-scan-tasks"]
        assert any(task["data-file"]["partition"] == [None] for task in found) is nulls
        assert any(task["data-file"]["partition"] == [] for task in found) is not nulls
