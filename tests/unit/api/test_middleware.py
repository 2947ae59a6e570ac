"""Behaviour common to all requests: hosts, origins, ids, limits, errors, logs."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from lakemuster import errors
from lakemuster.api import middleware, slots
from lakemuster.api.errors import STATUS
from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.log_lines import JsonLines
from tests.unit.api.conftest import Connect, FakeServices

TABLES = "/api/v1/tables"


@pytest.mark.parametrize("host", ["127.0.0.1:8181", "127.0.0.1", "localhost:99", "LOCALHOST", "[::1]:8181"])
def test_loopback_host_names_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "x@127.0.0.1", "127.0.0.1:x", "", "[::2]", "127.0.0.1 "]
)
def test_other_host_names_are_refused(client: TestClient, host: str) -> None:
    answer = client.get(TABLES, headers={"Host": host})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "request_invalid"


def test_a_server_on_another_loopback_address_accepts_its_own_name_only(connect: Connect) -> None:
    client = connect(host="127.0.0.2")
    names = ("127.0.0.2:8181", "127.0.0.1", "127.0.0.3", "evil.example")
    found = [client.get("/healthz", headers={"Host": name}).status_code for name in names]
    assert found == [200, 200, 400, 400]


def test_with_tokens_any_host_name_is_accepted(with_tokens: TestClient) -> None:
    assert with_tokens.get("/healthz").status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://"])
def test_unsafe_requests_of_other_origins_are_refused(client: TestClient, services: FakeServices, origin: str) -> None:
    answer = client.post(f"{TABLES}/shop.orders/refresh", headers={"Origin": origin})
    assert answer.status_code == 403
    assert ("refresh", "shop.orders") not in services.calls
    assert "access-control-allow-origin" not in client.get(TABLES, headers={"Origin": origin}).headers


def test_unsafe_requests_of_the_own_origin_are_accepted(client: TestClient) -> None:
    assert client.post(f"{TABLES}/shop.orders/refresh", headers={"Origin": "http://127.0.0.1:8181"}).status_code == 200


def test_configured_origins_are_accepted(connect: Connect) -> None:
    client = connect(cors_origins=("https://boards.example",))
    headers = {"Origin": "https://boards.example"}
    assert client.get(TABLES, headers=headers).headers["access-control-allow-origin"] == "https://boards.example"
    assert client.post(f"{TABLES}/shop.orders/refresh", headers=headers).status_code == 200
    other = client.get(TABLES, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


def test_a_configured_wildcard_accepts_any_origin(connect: Connect) -> None:
    client = connect(cors_origins=("*",))
    headers = {"Origin": "https://anywhere.example"}
    assert client.get(TABLES, headers=headers).headers["access-control-allow-origin"] == "*"
    assert client.post(f"{TABLES}/shop.orders/refresh", headers=headers).status_code == 200


def test_responses_have_security_headers(client: TestClient) -> None:
    for path in (TABLES, "/no/such", "/healthz"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "cache-control" in headers


def test_a_request_keeps_its_id_or_gets_one(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-Id": "a.b-1"}).headers["x-request-id"] == "a.b-1"
    for odd in ("a b", "x" * 65, 'a"'):
        assert client.get("/healthz", headers={"X-Request-Id": odd}).headers["x-request-id"] != odd


def test_a_large_body_is_refused_unread(client: TestClient) -> None:
    for content in (b"x" * (2**20 + 1), iter([b"x" * 2**19] * 3)):
        answer = client.post(TABLES, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "request_invalid"
        assert "1048576" in answer.json()["error"]["message"]


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "9" * 30])
def test_an_invalid_content_length_is_refused(client: TestClient, length: str) -> None:
    assert client.post(TABLES, headers={"Content-Length": length}).status_code == 400


def test_overload_is_reported_and_health_still_answers(
    connect: Connect, services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "REQUESTS", 0)
    monkeypatch.setattr(slots, "QUEUE", 0)
    client = connect()
    answer = client.get(TABLES)
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "overloaded"
    assert int(answer.headers["retry-after"]) > 0
    assert client.get("/healthz").status_code == 200


def test_an_unexpected_error_reveals_and_logs_no_text_of_it(
    client: TestClient, services: FakeServices, caplog: pytest.LogCaptureFixture
) -> None:
    services.failure = RuntimeError("s3://bucket?X-Amz-Signature=secret")
    answer = client.get(TABLES)
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret" not in answer.text
    assert "secret" not in caplog.text
    assert "RuntimeError" in caplog.text
    assert answer.headers["x-request-id"] in caplog.text


@pytest.mark.parametrize("failure", [SegmentCorrupt("not as it was written"), RuntimeError("secret")])
def test_a_response_that_fails_midway_breaks_the_connection(
    client: TestClient, services: FakeServices, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    services.break_with = failure
    broken = TestClient(client.app, base_url="http://127.0.0.1", raise_server_exceptions=True)
    with pytest.raises(middleware.ResponseBroken) as raised, caplog.at_level(logging.ERROR):
        broken.get(f"{TABLES}/shop.orders/files", headers={"Accept": "application/x-ndjson"})
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert "secret" not in caplog.text
    assert "lakemuster_answers_broken_total 1.0" in client.get("/metrics").text


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/none", 404, "not_found"),
        ("GET", "/api/v1", 404, "not_found"),
        ("GET", "/api/v1/tables/", 404, "not_found"),
        ("GET", "/api/v1/tables/a.b/none", 404, "not_found"),
        ("PUT", "/api/v1/tables", 405, "method_not_allowed"),
        ("POST", "/api/v1/tables/shop.orders/files", 405, "method_not_allowed"),
    ],
)
def test_unknown_paths_and_methods_have_the_common_error_form(
    client: TestClient, method: str, path: str, status: int, code: str
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    ("path", "methods"),
    [(TABLES, "GET, POST"), (f"{TABLES}/shop.orders", "DELETE, GET"), (f"{TABLES}/shop.orders/plan", "POST")],
)
def test_a_method_that_is_not_allowed_gets_the_allowed_ones(client: TestClient, path: str, methods: str) -> None:
    answer = client.put(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, methods)


def test_a_body_nested_too_deeply_is_a_bad_request(client: TestClient) -> None:
    body = '{"filter":' + "[" * 100_000 + "]" * 100_000 + "}"
    answer = client.post(f"{TABLES}/shop.orders/plan", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "nested too deeply" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "path", [TABLES, f"{TABLES}/shop.orders", f"{TABLES}/shop.orders/files", f"{TABLES}/shop.orders/refs"]
)
def test_an_unknown_parameter_is_named(client: TestClient, path: str) -> None:
    answer = client.get(path, params={"nonsense": "1"})
    assert answer.status_code == 400
    assert "nonsense" in answer.text


def test_validation_errors_are_bounded(client: TestClient) -> None:
    body = {"x" * 5000 + str(i): "y" * 1000 for i in range(100)}
    answer = client.post(TABLES, json=body)
    assert answer.status_code == 400
    assert len(answer.content) < 8000


def test_the_log_has_no_query_and_no_secret(with_tokens: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="lakemuster.access"):
        with_tokens.get(f"{TABLES}/shop.orders/files?ref=hidden", headers={"Authorization": "Bearer r"})
        with_tokens.get(TABLES, headers={"Authorization": "Bearer wrong-secret"})
    first, second = [json.loads(record.message) for record in caplog.records if record.name == "lakemuster.access"]
    assert first["caller"] == "reader"
    assert first["route"] == "/api/v1/tables/{table}/files"
    assert (first["status"], second["status"]) == (200, 401)
    assert "hidden" not in caplog.text
    assert "wrong-secret" not in caplog.text
    assert first["bytes"] > 0


def test_only_probes_that_fail_are_logged_at_level_info(
    client: TestClient, services: FakeServices, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="lakemuster.access")
    client.get("/healthz")
    services.index.database.failure = IndexUnavailable("down")
    client.get("/readyz")
    client.get("/metrics")
    lines = [(record.levelname, json.loads(record.getMessage())) for record in caplog.records]
    assert [(level, line["path"], line["status"]) for level, line in lines] == [
        ("DEBUG", "/healthz", 200),
        ("INFO", "/readyz", 503),
        ("INFO", "/metrics", 200),
    ]


def test_what_is_logged_for_a_request_has_its_id_and_later_lines_do_not(
    client: TestClient, services: FakeServices
) -> None:
    lines: list[dict[str, object]] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(JsonLines().format(record)))

    logger, handler = logging.getLogger("lakemuster"), Lines()
    logger.addHandler(handler)
    try:
        services.failure = IndexUnavailable("the database does not answer")
        client.get(f"{TABLES}/shop.orders", headers={"X-Request-Id": "mine"})
        logger.warning("afterwards")
    finally:
        logger.removeHandler(handler)
    assert len(lines) > 1
    assert {line.get("request_id") for line in lines[:-1]} == {"mine"}
    assert "request_id" not in lines[-1]


def test_notes_of_an_error_are_logged_and_not_sent(
    client: TestClient, services: FakeServices, caplog: pytest.LogCaptureFixture
) -> None:
    services.failure = IndexUnavailable("the database does not answer")
    services.failure.add_note("db.internal:5432/lake: connection refused")
    for path in (f"{TABLES}/shop.orders", "/iceberg/v1/namespaces/shop/tables/orders"):
        assert "db.internal" not in client.get(path).text
    assert "index_unavailable: the database does not answer: db.internal:5432/lake: connection refused" in caplog.text


def test_every_error_has_a_status_and_a_code_of_its_own() -> None:
    def classes(kind: type[errors.CatalogError]) -> Iterator[type[errors.CatalogError]]:
        yield kind
        for below in kind.__subclasses__():
            yield from classes(below)

    ours = [kind for kind in classes(errors.CatalogError) if kind.__module__ == errors.__name__]
    assert set(ours) == set(STATUS)
    assert len({kind.code for kind in ours}) == len(ours)


def test_context_in_an_error_is_bounded_json(client: TestClient, services: FakeServices) -> None:
    deep: object = "x"
    for _ in range(10):
        deep = [deep]
    services.failure = errors.RequestInvalid(
        "m" * 10_000,
        code="spoofed",
        number=2**63,
        many=list(range(1000)),
        deep=deep,
        text="t\ud800" * 1000,
        other=object,
    )
    answer = client.get(TABLES)
    error = answer.json()["error"]
    assert error["code"] == "request_invalid"
    assert error["number"] == str(2**63)
    assert len(error["many"]) == 20
    assert len(answer.content) < 6000


def test_slow_requests_do_not_delay_health(client: TestClient, services: FakeServices) -> None:
    held = threading.Event()
    original = services.tables

    def tables(namespace: str | None = None) -> list[SimpleNamespace]:
        held.wait(5)
        return original(namespace)

    services.tables = tables  # type: ignore[method-assign]
    waiting = threading.Thread(target=client.get, args=(TABLES,))
    waiting.start()
    started = time.monotonic()
    assert client.get("/healthz").status_code == 200
    assert time.monotonic() - started < 4
    held.set()
    waiting.join()
