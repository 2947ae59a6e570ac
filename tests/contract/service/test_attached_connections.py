"""Connections to an attached catalog: which are reused, which requests are retried, and which bytes pass unchanged."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
from aiohttp.connector import Connection
from starlette.testclient import TestClient

from lakemuster.api.sidecar import forwarding
from lakemuster.catalog.services import Services
from lakemuster.upstream.breaker import FAILURES
from tests.apps import create_app
from tests.certificates import write_certificate
from tests.contract.service.backends import catalog, settings
from tests.polling import until
from tests.raw_catalog import RawCatalog, RawRequest, answer, raw_catalog

VIEWS = "/iceberg/v1/prod/namespaces/shop/views"
TABLE = "/iceberg/v1/prod/namespaces/shop/tables/orders"


def services(folder: Path, uri: str, **properties: str) -> Any:
    prod = {"type": "rest", "uri": uri, "roots": [f"{folder}"], **properties}
    return catalog(settings(folder, role="api", catalogs={"prod": prod}))


@contextmanager
def serving(found: Services) -> Iterator[TestClient]:
    with TestClient(create_app(found), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def raw() -> Iterator[RawCatalog]:
    with raw_catalog() as found:
        yield found


@pytest.fixture
def client(raw: RawCatalog, tmp_path: Path) -> Iterator[TestClient]:
    with services(tmp_path, raw.uri) as found, serving(found) as client:
        yield client


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A list that grows by one at each read of a response body from the catalog."""
    found: list[None] = []
    limit = asyncio.timeout

    def look(seconds: float | None) -> asyncio.Timeout:
        if seconds == forwarding.LOOK_SECONDS:
            found.append(None)
        return limit(seconds)

    monkeypatch.setattr(forwarding, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(asyncio, "timeout", look)
    return found


def in_loop(client: TestClient, method: str, path: str, before: Any) -> httpx.Response:
    """Send a request from the server's event loop, which reads no socket between ``before`` and the request."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as inner:
            before()
            return await inner.request(method, path, content=b"{}")

    assert client.portal is not None
    found: httpx.Response = client.portal.call(ask)
    return found


def test_a_commit_is_not_sent_to_a_connection_that_the_catalog_has_closed(client: TestClient, raw: RawCatalog) -> None:
    assert client.get(VIEWS).status_code == 200
    found = in_loop(client, "POST", VIEWS, raw.close_all)
    assert found.status_code == 200, found.text
    assert [one.line.split()[0] for one in raw.asked] == ["GET", "POST"]


def test_an_answer_that_nobody_asked_for_is_nobodys(client: TestClient, raw: RawCatalog) -> None:
    assert client.get(VIEWS).status_code == 200
    raw.asked[0].connection.sendall(answer(b'{"of":"another"}', status=408))

    async def turn() -> None:
        """Let the event loop run once."""

    assert client.portal is not None
    for _ in range(3):
        client.portal.call(turn)
    found = client.post(VIEWS, json={})
    assert (found.status_code, found.content) == (200, b"{}")
    found = in_loop(client, "POST", VIEWS, lambda: raw.asked[-1].connection.sendall(answer(b"!", status=408)))
    assert (found.status_code, found.content) == (200, b"{}")


def test_connections_are_used_again(client: TestClient, raw: RawCatalog) -> None:
    for method in ("GET", "POST", "GET", "HEAD", "DELETE"):
        raw.answers = lambda asked: answer(b"") if asked.line.startswith("HEAD") else answer()
        assert client.request(method, VIEWS).status_code == 200
    assert len({id(one.connection) for one in raw.asked}) == 1


@pytest.mark.parametrize(
    ("method", "times"), [("GET", 2), ("HEAD", 2), ("POST", 1), ("PUT", 1), ("DELETE", 1), ("OPTIONS", 1)]
)
def test_only_what_changes_nothing_is_sent_again(client: TestClient, raw: RawCatalog, method: str, times: int) -> None:
    raw.answers = lambda _: b"" if len(raw.asked) == 1 else answer(b"")
    found = client.request(method, VIEWS)
    assert (found.status_code, len(raw.asked)) == (200 if times == 2 else 502, times)


def test_a_read_is_sent_twice_at_most(client: TestClient, raw: RawCatalog) -> None:
    raw.answers = lambda _: b""
    found = client.get(VIEWS)
    assert (found.status_code, len(raw.asked)) == (502, 2)
    assert "ServerDisconnectedError" in found.json()["error"]["message"]


def test_a_catalog_that_cannot_be_reached_has_carried_out_nothing(
    client: TestClient, raw: RawCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: object) -> Connection:
        raise TimeoutError

    monkeypatch.setattr(aiohttp.TCPConnector, "connect", silent)
    found = client.post(VIEWS, json={})
    assert (found.status_code, raw.asked) == (504, [])
    assert found.json()["error"]["message"] == "the catalog prod cannot be reached in time"


def test_a_malformed_body_ends(client: TestClient, raw: RawCatalog, looks: list[None]) -> None:
    def malformed(asked: RawRequest) -> bytes:
        asked.connection.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
        until(lambda: looks)
        return b"zz\r\n{}\r\n"

    raw.answers = malformed
    found = client.get(TABLE)
    assert found.status_code == 502
    assert "malformed" in found.json()["error"]["message"]


def test_a_slow_body_passes_whole(client: TestClient, raw: RawCatalog, looks: list[None]) -> None:
    def slow(asked: RawRequest) -> bytes:
        asked.connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nfirst")
        until(lambda: len(looks) >= 4)
        return b"other"

    raw.answers = slow
    assert client.get(VIEWS).content == b"firstother"


def test_bodies_and_headers_pass_byte_for_byte(client: TestClient, raw: RawCatalog) -> None:
    packed = gzip.compress(b"body" * 1000)
    raw.answers = lambda _: answer(packed, "Content-Encoding: gzip", "X-Two: a", "X-Two: b", "Keep-Alive: timeout=5")
    sent = [("X-One", "1"), ("X-One", "2"), ("Content-Encoding", "gzip"), ("Accept-Encoding", "gzip")]
    hops = {"expect": "100-continue", "connection": "x-hop", "x-hop": "1"}
    sent += hops.items()
    with client.stream("POST", VIEWS, content=packed, headers=httpx.Headers(sent)) as found:
        assert b"".join(found.iter_raw()) == packed
        assert found.headers.get_list("x-two") == ["a", "b"]
        assert "keep-alive" not in found.headers
    (asked,) = raw.asked
    assert asked.body == packed
    lower = [(name.lower(), value) for name, value in asked.headers]
    assert [value for name, value in lower if name == "x-one"] == ["1", "2"]
    assert [value for name, value in lower if name == "content-length"] == [str(len(packed))]
    assert not {"transfer-encoding", *hops} & set(dict(lower))


def test_bodies_of_unknown_length_pass_in_chunks(client: TestClient, raw: RawCatalog) -> None:
    parts = [b"a" * 70_000, b"b" * 70_000]
    assert client.post(VIEWS, content=iter(parts)).status_code == 200
    (asked,) = raw.asked
    assert asked.body == b"".join(parts)
    names = {name.lower() for name, _ in asked.headers}
    assert ("transfer-encoding" in names, "content-length" in names) == (True, False)


@pytest.mark.parametrize("status", [204, 304])
def test_a_response_without_a_body_has_no_length(client: TestClient, raw: RawCatalog, status: int) -> None:
    # RFC 9110, section 8.6: a 304 may state the length of the body that a 200 would have.
    raw.answers = lambda _: f'HTTP/1.1 {status} X\r\nContent-Length: 500\r\nETag: "a"\r\n\r\n'.encode()
    found = client.get(VIEWS)
    assert (found.status_code, found.headers["etag"], "content-length" in found.headers) == (status, '"a"', False)


def test_an_unknown_status_is_the_catalogs_failure(client: TestClient, raw: RawCatalog) -> None:
    raw.answers = lambda _: answer(status=999)
    found = client.post(TABLE, json={})
    assert (found.status_code, len(raw.asked)) == (502, 1)
    assert "it may have carried out the request" in found.json()["error"]["message"]


def test_what_a_catalog_says_of_its_own_connection_and_origin_does_not_pass(
    client: TestClient, raw: RawCatalog
) -> None:
    of_theirs = ("X-Hop", "Set-Cookie", "Access-Control-Allow-Origin", "Alt-Svc", "Strict-Transport-Security")
    raw.answers = lambda _: answer(
        b"{}", "Connection: X-Hop", "X-New: 1", "Content-Security-Policy: script-src *", *(f"{x}: x" for x in of_theirs)
    )
    found = client.get(VIEWS, headers={"Origin": "http://elsewhere.example"}).headers
    assert {name for name in of_theirs if name in found} == set()
    assert (found["x-new"], found["content-security-policy"]) == ("1", "default-src 'none'; frame-ancestors 'none'")


def test_headers_that_replace_the_method_or_the_path_do_not_pass(client: TestClient, raw: RawCatalog) -> None:
    given = {"X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/v1/namespaces/hidden", "X-New": "1"}
    client.get(VIEWS, headers=given)
    asked = {name.lower() for name, _ in raw.asked[0].headers}
    assert {name for name in given if name.lower() in asked} == {"X-New"}


def test_signed_requests_keep_their_headers(raw: RawCatalog, tmp_path: Path) -> None:
    keys = {"client.access-key-id": "AKIA", "client.secret-access-key": "s", "rest.signing-region": "here"}
    signing = {"rest.sigv4-enabled": "true", **keys}
    with services(tmp_path, raw.uri, **signing, **{"header.Realm": "ours"}) as found, serving(found) as client:
        headers = [(b"X-One", "é".encode()), (b"X-One", b"2"), (b"Realm", b"mine")]
        assert client.post(VIEWS, content=b"{}", headers=httpx.Headers(headers)).status_code == 200
    (asked,) = raw.asked
    lower = [(name.lower(), value.encode("latin-1").decode()) for name, value in asked.headers]
    assert [value for name, value in lower if name == "x-one"] == ["é", "2"]
    assert [value for name, value in lower if name == "realm"] == ["ours"]
    assert dict(lower)["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA/")
    assert asked.body == b"{}"


@pytest.mark.parametrize("is_trusted", [True, False])
def test_certificates_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_trusted: bool) -> None:
    certificate = write_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with raw_catalog(certificate) as raw, services(tmp_path, raw.uri) as found:
        upstream = found.refresher.upstreams.rest("prod")
        assert upstream is not None
        # Another client, which trusts the certificate, fetches the configuration.
        upstream.endpoint()
        if not is_trusted:
            monkeypatch.delenv("SSL_CERT_FILE")
        with serving(found) as client:
            assert client.post(VIEWS, json={}).status_code == (200 if is_trusted else 502)
            assert len(raw.asked) == (1 if is_trusted else 0)


@pytest.mark.parametrize("is_bypassed", [False, True])
def test_the_environments_proxy_is_used(
    raw: RawCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_bypassed: bool
) -> None:
    monkeypatch.setenv("http_proxy", raw.uri if not is_bypassed else "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1" if is_bypassed else "")
    uri = raw.uri if is_bypassed else "http://catalog.invalid"
    with services(tmp_path, uri) as found, serving(found) as client:
        assert client.post(VIEWS, json={}).status_code == 200
    (asked,) = raw.asked
    assert asked.line.startswith("POST /v1/" if is_bypassed else "POST http://catalog.invalid/v1/")


def test_a_body_after_the_response_to_a_head_request_opens_no_circuit_breaker(
    client: TestClient, raw: RawCatalog
) -> None:
    raw.answers = lambda asked: answer(b"<html>", status=400) if asked.line.startswith("HEAD") else answer()
    for _ in range(FAILURES):
        assert client.head(VIEWS).status_code == 502
    assert client.get(VIEWS).status_code == 200


def test_an_open_circuit_breaker_is_in_the_metrics(client: TestClient, raw: RawCatalog) -> None:
    def is_told(number: str) -> bool:
        return f'lakemuster_upstream_breakers_open{{catalog="prod"}} {number}\n' in client.get("/metrics").text

    assert is_told("0.0")
    raw.answers = lambda _: b""
    for _ in range(FAILURES):
        assert client.post(VIEWS, json={}).status_code == 502
    assert is_told("1.0")
