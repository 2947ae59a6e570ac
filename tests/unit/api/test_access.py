"""Access control over HTTP."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.unit.api.conftest import FakeServices

TABLES = "/api/v1/tables"
NEW = {"name": "lake.new", "location": "s3://lake/new"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "path", [TABLES, f"{TABLES}/shop.orders", f"{TABLES}/shop.orders/files", f"{TABLES}/none.none/refs", "/metrics"]
)
@pytest.mark.parametrize("headers", [{}, bearer("wrong"), {"Authorization": "Basic cjo="}])
def test_without_a_token_every_request_gets_401(
    with_tokens: TestClient, services: FakeServices, path: str, headers: dict[str, str]
) -> None:
    answer = with_tokens.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["error"]["code"] == "not_authenticated"
    assert services.calls == []


def test_a_large_body_of_an_unknown_caller_gets_401(with_tokens: TestClient) -> None:
    for headers, status in (({}, 401), (bearer("wrong"), 401), (bearer("a"), 400)):
        assert with_tokens.post(TABLES, content=b"x" * (2**20 + 1), headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/docs", "/"])
def test_health_and_documentation_are_open(with_tokens: TestClient, path: str) -> None:
    assert with_tokens.get(path).status_code == 200


@pytest.mark.parametrize("rest", ["", "/files", "/refs", "/snapshots", "/snapshots/12", "/diff?from=11"])
def test_a_hidden_table_is_answered_like_a_missing_one(
    with_tokens: TestClient, services: FakeServices, rest: str
) -> None:
    hidden = with_tokens.get(f"{TABLES}/lake.raw.events{rest}", headers=bearer("r"))
    missing = with_tokens.get(f"{TABLES}/lake.not.events{rest}", headers=bearer("r"))
    assert hidden.status_code == missing.status_code == 404
    assert hidden.content == missing.content.replace(b"lake.not", b"lake.raw")
    same = {"x-request-id", "date"}
    assert {k: v for k, v in hidden.headers.items() if k not in same} == {
        k: v for k, v in missing.headers.items() if k not in same
    }
    assert {call[0] for call in services.calls if "lake.raw.events" in call} == {"similar_names"}


def test_only_visible_tables_are_listed(with_tokens: TestClient) -> None:
    for token, names in (
        ("r", ["shop.orders"]),
        ("l", ["lake.raw.events"]),
        ("i", ["`a.b`.t", "lake.raw.events", "shop.orders"]),
    ):
        body = with_tokens.get(TABLES, headers=bearer(token)).json()
        assert [table["name"] for table in body["tables"]] == names


@pytest.mark.parametrize(
    ("token", "refresh", "add", "remove"),
    [("r", 403, 403, 403), ("i", 200, 403, 403), ("a", 200, 201, 204), ("l", 404, 201, 404)],
)
def test_each_scope_permits_its_requests(
    with_tokens: TestClient, token: str, refresh: int, add: int, remove: int
) -> None:
    headers = bearer(token)
    assert with_tokens.post(f"{TABLES}/shop.orders/refresh", headers=headers).status_code == refresh
    assert with_tokens.post(TABLES, json=NEW, headers=headers).status_code == add
    assert with_tokens.delete(f"{TABLES}/shop.orders", headers=headers).status_code == remove


def test_a_missing_scope_is_reported_whether_or_not_a_visible_table_exists(with_tokens: TestClient) -> None:
    def refused(name: str) -> tuple[int, bytes]:
        answer = with_tokens.delete(f"{TABLES}/{name}", headers=bearer("r"))
        return answer.status_code, answer.content.replace(name.encode(), b"NAME")

    assert refused("shop.orders")[0] == 403
    assert refused("shop.orders") == refused("shop.none")
    assert refused("lake.raw.events")[0] == 404
    assert refused("lake.raw.events") == refused("lake.raw.none")


def test_a_table_is_not_added_outside_of_the_tokens_namespaces(with_tokens: TestClient, services: FakeServices) -> None:
    answer = with_tokens.post(TABLES, json={**NEW, "name": "shop.orders"}, headers=bearer("l"))
    assert answer.status_code == 403
    assert not [call for call in services.calls if call[0] == "add"]


def test_a_page_token_belongs_to_its_caller(with_tokens: TestClient) -> None:
    path = f"{TABLES}/shop.orders/files"
    token = with_tokens.get(path, params={"page_size": 2}, headers=bearer("r")).json()["next_page_token"]
    assert with_tokens.get(path, params={"page_token": token}, headers=bearer("r")).status_code == 200
    answer = with_tokens.get(path, params={"page_token": token}, headers=bearer("i"))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "page_token_invalid"


def test_caches_separate_the_responses_of_callers(with_tokens: TestClient) -> None:
    headers = with_tokens.get(f"{TABLES}/shop.orders/files", params={"snapshot": "12"}, headers=bearer("r")).headers
    assert "Authorization" in headers["vary"]
    assert headers["cache-control"].startswith("private")
