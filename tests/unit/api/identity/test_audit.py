"""The audit log has one line per request with the caller, the action, the table and the outcome."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster.api.identity.audit import shown_path
from lakemuster.api.identity.tokens import token_entry
from tests.unit.api.conftest import Connect, FakeServices

LITERAL = "a literal of mine"
FILTER = f"name = '{LITERAL}'"
PLAN = "/iceberg/v1/namespaces/lake%1Fraw/tables/events/plan"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def asked(client: TestClient, caplog: pytest.LogCaptureFixture, method: str, path: str, **more: Any) -> dict[str, Any]:
    """Send a request and return its single line of the audit log."""
    caplog.clear()
    client.request(method, path, **more)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "lakemuster.audit"]
    found: dict[str, Any] = json.loads(line)
    return found


def ours(log: pytest.LogCaptureFixture) -> str:
    """Return the server's log messages, without those of the test client."""
    return "\n".join(record.getMessage() for record in log.records if record.name.startswith("lakemuster"))


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


@pytest.mark.parametrize(
    ("token", "method", "path", "body", "expected"),
    [
        ("r", "GET", "/api/v1/tables/shop.orders/files", None, ("reader", "list_files", "shop.orders", "done")),
        ("r", "GET", "/api/v1/tables/lake.raw.events", None, ("reader", "get_table", "lake.raw.events", "missing")),
        ("r", "DELETE", "/api/v1/tables/shop.orders", None, ("reader", "remove_table", "shop.orders", "denied")),
        ("a", "POST", "/api/v1/tables/shop.orders/refresh", None, ("admin", "refresh_table", "shop.orders", "done")),
        (
            "a",
            "POST",
            "/api/v1/tables",
            {"name": "shop.new", "location": "s3://lake/new"},
            ("admin", "add_table", "shop.new", "done"),
        ),
        ("r", "POST", PLAN, {}, ("reader", "iceberg_plan_table_scan", "lake.raw.events", "missing")),
        (
            "r",
            "GET",
            "/iceberg/v1/prod/namespaces/lake%1Fraw/tables/events",
            None,
            ("reader", "iceberg_load_table_of_catalog", "prod.lake.raw.events", "missing"),
        ),
        (
            "r",
            "GET",
            "/paimon/v1/lakemuster/databases/lake.raw/tables/events",
            None,
            ("reader", "paimon_get_table", "lake.raw.events", "missing"),
        ),
        ("wrong", "GET", "/api/v1/tables/shop.orders", None, (None, None, None, "unauthenticated")),
        (
            "a",
            "GET",
            "/api/v1/tables/shop.orders/files?page_size=0",
            None,
            ("admin", "list_files", "shop.orders", "refused"),
        ),
    ],
)
def test_a_request_has_its_line(
    with_tokens: TestClient,
    log: pytest.LogCaptureFixture,
    token: str,
    method: str,
    path: str,
    body: object,
    expected: tuple[str | None, ...],
) -> None:
    line = asked(with_tokens, log, method, path, json=body, headers=bearer(token))
    assert tuple(line[name] for name in ("caller", "action", "table", "outcome")) == expected
    assert {"time", "request_id", "peer", "method", "status"} <= line.keys()


@pytest.mark.parametrize("path", ["/healthz", "/docs", "/openapi.json"])
def test_open_paths_have_none(with_tokens: TestClient, log: pytest.LogCaptureFixture, path: str) -> None:
    with_tokens.get(path)
    assert not [record for record in log.records if record.name == "lakemuster.audit"]


def test_without_callers_there_is_no_audit(client: TestClient, log: pytest.LogCaptureFixture) -> None:
    client.get("/api/v1/tables")
    assert not [record for record in log.records if record.name == "lakemuster.audit"]


def questions(client: TestClient) -> None:
    client.get("/api/v1/tables/shop.orders/files", params={"filter": FILTER}, headers=bearer("a"))
    client.post("/api/v1/tables/shop.orders/plan", json={"filter": FILTER}, headers=bearer("a"))
    expression = {"type": "eq", "term": "name", "value": LITERAL}
    client.post("/iceberg/v1/namespaces/shop/tables/orders/plan", json={"filter": expression}, headers=bearer("a"))


def test_filters_are_in_no_log(with_tokens: TestClient, log: pytest.LogCaptureFixture) -> None:
    questions(with_tokens)
    assert len([record for record in log.records if record.name == "lakemuster.audit"]) == 3
    assert LITERAL not in ours(log)


def test_filters_are_in_the_audit_log_when_asked_for(
    connect: Connect, services: FakeServices, log: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "tokens.toml").write_text(token_entry("admin", "a", "admin"), "utf-8")
    client = connect(tokens=str(tmp_path / "tokens.toml"), audit_filters=True)
    questions(client)
    lines = [json.loads(record.getMessage()) for record in log.records if record.name == "lakemuster.audit"]
    assert [LITERAL in json.dumps(line["filter"]) for line in lines] == [True] * 3
    assert LITERAL not in "".join(record.getMessage() for record in log.records if record.name == "lakemuster.access")
    line = asked(client, log, "POST", "/api/v1/tables/shop.orders/plan", content=b"{", headers=bearer("a"))
    assert "filter" not in line
    long = asked(
        client, log, "POST", "/api/v1/tables/shop.orders/plan", json={"filter": "x" * 20_000}, headers=bearer("a")
    )
    assert long["filter"] == "too long to be logged"


def test_a_plans_id_is_never_shown() -> None:
    secret = "/iceberg/v1/namespaces/a/tables/b/plan/AAAA"
    assert shown_path(secret) == "/iceberg/v1/namespaces/a/tables/b/plan/{plan-id}"
    assert shown_path("/api/v1/tables/a.b/plan/tasks") == "/api/v1/tables/a.b/plan/tasks"


def test_a_refused_request_shows_no_plans_id(with_tokens: TestClient, log: pytest.LogCaptureFixture) -> None:
    line = asked(with_tokens, log, "GET", f"{PLAN}/AAAABBBB", headers=bearer("wrong"))
    assert line["path"].endswith("/plan/{plan-id}")
    assert "AAAABBBB" not in ours(log)
