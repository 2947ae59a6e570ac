"""``make demo`` plans tables, with compiled code, on the Python that runs this test."""

from __future__ import annotations

import pytest

from tests.journey.servers import served

FIRST_PLAN = {"filter": "day >= DATE '2024-05-09' AND amount > 90 AND length(status) > 4"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


def test_its_tables_are_planned(demo):
    tables = demo.http.get("/api/v1/tables").json()["tables"]
    assert {table["name"] for table in tables} >= {"shop.orders", "shop.stock", "web.clicks", "web.events"}
    plan = demo.http.post("/api/v1/tables/shop.orders/plan", json=FIRST_PLAN)
    assert plan.status_code == 200, plan.text
    assert plan.json()["counts"]["files"] == 2
    assert plan.json()["applied"] == ["day >= DATE '2024-05-09'", "amount > 90"]
    stock = demo.http.post("/api/v1/tables/shop.stock/plan", json={"filter": "warehouse = 'lyon'"})
    assert stock.status_code == 200, stock.text
    assert stock.json()["counts"]["files"] == 10


def test_its_root_is_the_console_and_the_documentation_for_programs(demo):
    page = demo.http.get("/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 200
    assert '<script type="module"' in page.text
    answer = demo.http.get("/", headers={"Accept": "application/json"}, follow_redirects=True)
    assert answer.status_code == 200
    assert answer.url.path == "/docs"


def test_nothing_falls_back_to_slower_ways(demo):
    assert demo.http.get("/readyz").status_code == 200
    assert "machine code" not in demo.log.read_text()
