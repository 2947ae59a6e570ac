"""Health on each database: every number for every real table equals one computed in Python from the table's lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog import statistics
from lakemuster.catalog.health import evaluate, health_document
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError
from lakemuster.index.health import load_health
from tests.apps import create_app
from tests.contract.service import health_oracle, planted_health
from tests.contract.service.real_tables import real_tables

SMALL = {"*": 8_000, "shop.*": 3_200}
Row = dict[str, Any]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def services(
    request: pytest.FixtureRequest, lakes: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    with real_tables(request, lakes, tmp_path_factory.mktemp("health"), SMALL) as made:
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


@pytest.fixture(scope="module")
def readable(services: Services) -> list[str]:
    """The names of the tables that can be read and have no second branch."""
    found = []
    for table in services.tables():
        try:
            view = services.view(table.name)
        except CatalogError:
            continue
        if view.second_branch is None:
            found.append(table.name)
    return found


def measured(services: Services, name: str, now_ms: int) -> dict[str, float | None]:
    table_id = services.table(name).table_id
    assert evaluate(services, table_id, now_ms)
    with services.index.database.reading() as session:
        return {one.name: one.measured.value for one in load_health(session, table_id).components}


def compare(services: Services, name: str, now_ms: int) -> None:
    target = SMALL["shop.*" if name.startswith("shop.") else "*"]
    found = measured(services, name, now_ms)
    wanted = health_oracle.expected(services, name, now_ms, target)
    assert {key: found.get(key) for key in wanted} == pytest.approx(wanted), name
    keyed = {"small_files"} & set(wanted)
    assert keyed <= set(found)


def test_the_numbers_of_every_table_are_those_of_its_lists(services: Services, readable: list[str]) -> None:
    assert len(readable) > 25
    now_ms = services.refresher.now_ms()
    for name in readable:
        compare(services, name, now_ms)


def test_planted_bugs_are_noticed(services: Services, readable: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now_ms = services.refresher.now_ms()
    for table in readable:
        compare(services, table, now_ms)
    missed = []
    for name, plant in planted_health.BUGS.items():
        with monkeypatch.context() as patch:
            plant(patch)
            statistics.forget()
            if not any(_differs(services, table, now_ms) for table in readable):
                missed.append(name)
    statistics.forget()
    assert len(planted_health.BUGS) >= 10
    assert not missed


def _differs(services: Services, name: str, now_ms: int) -> bool:
    try:
        compare(services, name, now_ms)
    except AssertionError:
        return True
    return False


def test_expired_snapshots_are_those_of_the_expiry(services: Services, http: TestClient, readable: list[str]) -> None:
    shown = 0
    for name in readable:
        found = {
            one["name"]: one for one in health_document(services, name, None, always=True).model_dump()["components"]
        }
        expiry = http.get(f"/api/v1/tables/{name}/expiry", params={"index": "true"})
        if expiry.status_code != 200:
            continue
        told = expiry.json()
        value = found["snapshots"]["value"]
        assert value == (None if told["refused"] else len(told["snapshots"])), name
        shown += bool(value)
    assert shown > 3


def test_http_shows_what_is_stored_and_counts_it(services: Services, http: TestClient, readable: list[str]) -> None:
    statuses: dict[str, dict[str, str]] = {}
    for name in readable:
        answer = http.get(f"/api/v1/tables/{name}/health", params={"history": 3})
        assert answer.status_code == 200, answer.text
        document = answer.json()
        statuses[name] = {one["name"]: one["status"] for one in document["components"]}
        ranks = ["ok", "unknown", "warning", "critical"]
        assert document["health"] == max(statuses[name].values(), key=ranks.index)
        assert len(document["history"]) == 1
        assert {one["name"]: one["status"] for one in document["history"][0]["components"]} == statuses[name]
        assert http.get(f"/api/v1/tables/{name}").json()["health"] == document["health"]
    rows: list[Row] = []
    params: dict[str, str] = {"page_size": "7"}
    while True:
        page = http.get("/api/v1/health", params=params).json()
        rows += page["health"]
        if page["next_page_token"] is None:
            break
        params["page_token"] = page["next_page_token"]
    assert page["total_count"] == len(rows) == len(services.tables())
    order = [ranks.index(row["health"]) for row in rows if row["health"] is not None]
    assert order == sorted(order, reverse=True)
    by_name = {row["name"]: row for row in rows}
    for name, own in statuses.items():
        for status in ("critical", "warning", "unknown"):
            assert by_name[name][status] == [key for key, value in own.items() if value == status]
    for of in page["components"]:
        for status in ranks:
            chosen = http.get("/api/v1/health", params={"component": of["component"], "status": status})
            assert chosen.json()["total_count"] == of[status]
            stored = sum(own.get(of["component"]) == status for own in statuses.values())
            assert of[status] >= stored
    for status in ranks:
        listed = http.get("/api/v1/tables", params={"health": status}).json()
        assert listed["total_count"] == page["tables"][status] == sum(row["health"] == status for row in rows)
    assert page["tables"]["pending"] == sum(row["health"] is None for row in rows)


@pytest.mark.parametrize("path", ["tables", "health"])
def test_with_a_component_tables_are_those_that_have_it_sorted_by_its_status(
    path: str, http: TestClient, readable: list[str]
) -> None:
    ranks = ["ok", "unknown", "warning", "critical"]
    known = {name: http.get(f"/api/v1/tables/{name}/health").json()["components"] for name in readable}
    found = set()
    for component in ("small_files", "merge_reads", "staleness"):
        own = {
            name: ranks.index(one["status"]) for name, some in known.items() for one in some if one["name"] == component
        }
        for sort, sign in (("health", 1), ("-health", -1)):
            params = {"component": component, "sort": sort, "page_size": "3", "fields": "name"}
            names: list[str] = []
            while True:
                page = http.get(f"/api/v1/{path}", params=params).json()
                names += [row["name"] for row in page[path]]
                if page["next_page_token"] is None:
                    break
                params["page_token"] = page["next_page_token"]
            assert page["total_count"] == len(names) == len(set(names)) >= len(own)
            listed = [name for name in names if name in own]
            assert set(listed) == set(own)
            expected = sorted(own, key=lambda name: (own[name], name), reverse=sign < 0)
            assert listed == expected
        found |= set(own.values())
    assert len(found) > 1


def test_wrong_parameters_are_refused(http: TestClient) -> None:
    for path in (
        "health?status=sick",
        "health?component=weather",
        "health?sort=color",
        "tables?health=sick",
        "tables?component=weather",
        "tables/shop.orders/health?history=0",
        "tables/shop.orders/health?history=367",
        "health?fields=color",
    ):
        assert http.get(f"/api/v1/{path}").status_code in (400, 422), path
    assert http.get("/api/v1/tables/shop.nope/health").status_code == 404
