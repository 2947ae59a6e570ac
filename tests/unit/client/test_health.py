"""The client's requests for health."""

from __future__ import annotations

import httpx

from tests.unit.client.answers import Server, page


def test_a_tables_health_is_one_document() -> None:
    server = Server(httpx.Response(200, json={"health": "ok"}), httpx.Response(200, json={"health": "ok"}))
    table = server.client().table("shop.t")
    assert table.health() == table.health(30) == {"health": "ok"}
    assert [dict(one.url.params) for one in server.requests] == [{}, {"history": "30"}]
    assert {one.url.path for one in server.requests} == {"/api/v1/tables/shop.t/health"}


def test_the_fleet_is_a_list_of_chosen_tables() -> None:
    server = Server(page("health", [{"name": "a"}, {"name": "b"}]))
    rows = server.client().health(status="critical,warning", component="skew", sort="-total_bytes", page_size=5)
    assert [row["name"] for row in rows] == ["a", "b"]
    assert server.requests[0].url.path == "/api/v1/health"
    assert dict(server.requests[0].url.params) == {
        "status": "critical,warning",
        "component": "skew",
        "sort": "-total_bytes",
        "page_size": "5",
    }
