"""``BodyRoute`` gives the same answers as FastAPI, on the demo lake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.api import response_cache
from lakemuster.api.identity.tokens import token_entry
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service import backends

EVENTS = "/api/v1/tables/web.events"
ICEBERG = "/iceberg/v1/namespaces/web/tables/events"
PATHS = [
    f"{EVENTS}/plan",
    f"{EVENTS}/plan/tasks",
    f"{EVENTS}/explain",
    f"{EVENTS}/statistics",
    f"{ICEBERG}/plan",
    f"{ICEBERG}/tasks",
    "/api/v1/tables/web.none/plan",
    "/api/v1/tables/web..events/plan",
    "/iceberg/v1/namespaces/web/tables/clicks/plan",
    "/iceberg/v1/none/namespaces/web/tables/events/plan",
]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder: Path = tmp_path_factory.mktemp("bodies")
    tokens = folder / "tokens.toml"
    tokens.write_text(
        token_entry("one", "1") + token_entry("shop", "s", "read", ["shop"]) + token_entry("no", "n", "read", [])
    )
    root = unpack(folder / "demo")
    with backends.catalog(backends.settings(folder, max_staleness=3600.0, history=1, tokens=str(tokens))) as services:
        for _ in services.discover(str(root), None, (), operator=True):
            pass
        yield services


@pytest.fixture(scope="module")
def client(lake: Services) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(response_cache, "MAX_ANSWER_BYTES", 0)  # no response comes from the cache
        yield TestClient(create_app(lake), raise_server_exceptions=False)


def answered(client: TestClient, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of a response; the request id is fixed."""
    given = {"Content-Type": "application/json", "Authorization": "Bearer 1", "X-Request-Id": "0", **headers}
    found = client.post(path, content=body, headers=given)
    return found.status_code, found.content, dict(found.headers)


def require_equal(client: TestClient, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """Check that FastAPI gives the same response; return its status and body."""
    found = answered(client, path, body, headers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BodyRoute, "is_plain", lambda *_: False)
        assert answered(client, path, body, headers) == found
    return found[:2]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"filter":true}',
        b'{"filter":{"type":"eq","term":"none","value":1}}',
        b'{"filter":{"type":"eq","term":"event_id","value":1},"page_size":2,"limit":1}',
        b'{"filter":"event_id =","page_size":0}',
        b'{"plan-task":"none"}',
        b'{"aggregates":["count"],"strict":true}',
        b"[]",
        b"{",
        b"",
        b"[" * 100_000,
        b'{"limit":' + b"9" * 5000 + b"}",
        b'{"filter":"a","filter":null}',
        b'\xff{"filter":null}',
    ],
)
def test_answers_are_those_of_fastapi(client: TestClient, path: str, body: bytes) -> None:
    for token, query in (
        ("1", ""),
        ("1", "?branch=main"),
        ("1", "?page_size=1&page_size=2"),
        ("s", ""),
        ("n", ""),
        ("", ""),
    ):
        require_equal(client, path + query, body, {"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json; charset=utf-8"},
        {"Content-Type": "application/x-ndjson"},
        {"Content-Type": ""},
        {"Accept": "application/vnd.apache.arrow.stream"},
        {"Accept": "image/png"},
        {"Lakemuster-Nan": "greatest"},
        {"Lakemuster-Nan": "never"},
        {"User-Agent": "PyIceberg/0.12.0", "Idempotency-Key": "none"},
    ],
)
def test_headers_mean_what_they_mean_to_fastapi(client: TestClient, path: str, headers: dict[str, str]) -> None:
    require_equal(client, path, b"{}", headers)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(
    [
        *("filter", "select", "snapshot_id", "ref", "as_of", "limit", "strict", "page_size", "page_token", "nan"),
        *("files", "plan_task", "task_files", "aggregates", "snapshot-id", "case-sensitive", "min-rows-requested"),
        *("stats-fields", "start-snapshot-id", "plan-task", "unknown"),
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.sampled_from(PATHS[:6]), body=st.dictionaries(NAMES, VALUES, max_size=3))
def test_any_body_has_the_answer_of_fastapi(client: TestClient, path: str, body: dict[str, Any]) -> None:
    require_equal(client, path, json.dumps(body).encode("utf-8", "surrogatepass"), {})


@pytest.mark.parametrize("path", PATHS[:5])
def test_plain_requests_do_not_come_to_fastapi(client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    body = {"aggregates": ["count"]} if path.endswith("statistics") else {}
    assert require_equal(client, path, orjson.dumps(body), {})[0] == 200
    monkeypatch.setattr("fastapi.routing.solve_dependencies", None)
    assert answered(client, path, orjson.dumps(body), {})[0] == 200
    assert answered(client, f"{path}?any=1", orjson.dumps(body), {})[0] == 500
