"""Callers are authenticated from the request head, before the body, the response cache and any route."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.admission import OPEN_PATHS, Admission
from lakemuster.api.identity.callers import ANYONE, Caller, Grant
from lakemuster.api.response_cache import ResponseCache, cache_until_changed
from lakemuster.errors import NotAuthenticated
from tests.unit.api.conftest import Connect, FakeServices

PLAN = "/api/v1/tables/shop.orders/plan"
RECORD: Any = object()


class Known:
    """An authenticator with a mapping of tokens to callers."""

    def __init__(self) -> None:
        self.callers: dict[str, Caller] = {}

    def known(self, token: str) -> Caller | None:
        return self.callers.get(token)

    async def examine(self, token: str) -> Caller:
        raise NotAuthenticated("unknown token")


def reader(name: str, namespace: str) -> Caller:
    return Caller(name, (Grant.of("read", [namespace]),))


def request(
    app: ASGIApp,
    path: str = PLAN,
    method: str = "POST",
    headers: Sequence[tuple[bytes, bytes]] = (),
    body: bytes | None = None,
) -> tuple[int, bytes]:
    """Send one request and return status and body; with a body of None, reading the body fails."""

    async def receive() -> Message:
        assert body is not None, "the body was read"
        return {"type": "http.request", "body": body, "more_body": False}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8181),
        "state": {},
    }
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", [PLAN, "/api/v1/tables", "/iceberg/v1/namespaces/a/tables/b/plan", "/no/such"])
@pytest.mark.parametrize("headers", [(), ((b"authorization", b"Bearer wrong"),)])
def test_an_unknown_caller_is_refused_before_the_body_is_read(
    with_tokens: TestClient, path: str, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    assert request(with_tokens.app, path, headers=headers)[0] == 401  # type: ignore[arg-type]


def test_two_authorization_headers_are_refused(with_tokens: TestClient) -> None:
    twice = ((b"authorization", b"Bearer a"), (b"authorization", b"Bearer a"))
    assert request(with_tokens.app, "/api/v1/tables", "GET", twice[:1], b"")[0] == 200  # type: ignore[arg-type]
    assert request(with_tokens.app, "/api/v1/tables", "GET", twice, b"")[0] == 401  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sorted(OPEN_PATHS))
def test_open_paths_need_no_caller(with_tokens: TestClient, path: str) -> None:
    answer = with_tokens.post(path) if path.endswith("/tokens") else with_tokens.get(path)
    assert answer.status_code != 401


def test_a_cached_response_is_for_one_caller_with_the_same_rights() -> None:
    answered: list[Caller] = []

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        cache_until_changed(Request(scope), RECORD)
        answered.append(scope["state"]["principal"])
        await PlainTextResponse(f"{len(answered)}")(scope, receive, send)

    async def stands(_: object) -> bool:
        return True

    tokens = Known()
    app = Admission(ResponseCache(route, stands), tokens)

    def ask(token: str) -> tuple[int, bytes]:
        return request(app, headers=[(b"authorization", b"Bearer " + token.encode())], body=b"{}")

    tokens.callers["one"] = tokens.callers["also-one"] = reader("reader", "shop")
    tokens.callers["two"] = reader("other", "shop")
    # A response is cached on the second request.
    assert [ask("one"), ask("one"), ask("also-one")] == [(200, b"1"), (200, b"2"), (200, b"2")]
    assert [ask("two"), ask("two"), ask("one"), ask("two")] == [(200, b"3"), (200, b"4"), (200, b"2"), (200, b"4")]
    tokens.callers["one"] = reader("reader", "web")
    assert ask("one") == (200, b"5"), "changed rights need another response"
    del tokens.callers["two"]
    assert ask("two")[0] == 401, "a revoked token"
    assert [caller.name for caller in answered] == ["reader", "reader", "other", "other", "reader"]


def test_without_authentication_every_caller_is_anonymous(connect: Connect, services: FakeServices) -> None:
    seen: list[Any] = []

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["state"]["principal"])
        await PlainTextResponse("")(scope, receive, send)

    assert request(Admission(route, None))[0] == 200
    assert seen == [ANYONE]


def test_refusals_have_cors_headers(connect: Connect, tmp_path: Any) -> None:
    from lakemuster.api.identity.tokens import token_entry

    (tmp_path / "tokens.toml").write_text(token_entry("reader", "r"), "utf-8")
    client = connect(tokens=str(tmp_path / "tokens.toml"), cors_origins=("https://boards.example",))
    origin = {"Origin": "https://boards.example"}
    preflight = client.options("/api/v1/tables", headers={**origin, "Access-Control-Request-Method": "GET"})
    refused = client.get("/api/v1/tables", headers=origin)
    assert (preflight.status_code, refused.status_code) == (200, 401)
    assert refused.headers["access-control-allow-origin"] == "https://boards.example"
