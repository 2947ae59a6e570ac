"""The middleware that replaces a session cookie with a bearer token."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers

from lakemuster.api.sign_in.cookies import CSRF_HEADER, STATE, SessionCookies
from lakemuster.catalog.browser_sessions import csrf_token_of
from lakemuster.errors import NotAuthorised

COOKIE = "s3cret"


class Sessions:
    """A session store with one session."""

    async def token(self, cookie: str) -> str | None:
        return "the token" if cookie == COOKIE else None


def passed(
    path: str, headers: dict[str, str], method: str = "GET", *, is_open: bool = False
) -> tuple[Headers, dict[str, Any], list[str]]:
    """Return a request's headers and state behind the middleware, and the Vary headers of its response."""
    found: list[Any] = []

    async def app(scope: Any, _: Any, send: Any) -> None:
        found.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"vary", b"Accept")]})

    async def send(message: Any) -> None:
        found.append(Headers(raw=message["headers"]).getlist("vary"))

    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw, "state": {}}
    middleware = SessionCookies(app, None if is_open else Sessions())  # type: ignore[arg-type]
    asyncio.run(middleware(scope, None, send))  # type: ignore[arg-type]
    return Headers(scope=found[0]), found[0]["state"], found[1]


def test_the_cookie_becomes_a_token_below_the_api() -> None:
    headers, _, vary = passed("/api/v1/tables", {"Cookie": f"a=1; lakemuster_session={COOKIE}; b=2"})
    assert headers["authorization"] == "Bearer the token"
    assert headers["cookie"] == "a=1; b=2"
    assert vary == ["Accept, Cookie"]


@pytest.mark.parametrize("path", ["/iceberg/v1/prod/namespaces", "/paimon/v1/config", "/metrics", "/api/v10/x", "/"])
def test_elsewhere_it_is_taken_away(path: str) -> None:
    headers, state, vary = passed(path, {"Cookie": f"lakemuster_session={COOKIE}"})
    assert not {"authorization", "cookie"} & set(headers)
    assert STATE not in state
    assert vary == ["Accept"]


@pytest.mark.parametrize(
    "cookies",
    [
        "lakemuster_session=other",
        "lakemuster_session=",
        f"lakemuster_session={'x' * 101}",
        f"lakemuster_session={COOKIE}; lakemuster_session={COOKIE}",
        f"lakemuster_sessions={COOKIE}",
        "lakemuster_session=\xff",
    ],
    ids=["unknown", "empty", "long", "twice", "other name", "not ASCII"],
)
def test_what_is_no_session_signs_nobody_in(cookies: str) -> None:
    assert "authorization" not in passed("/api/v1/tables", {"Cookie": cookies})[0]


def test_routes_of_the_session_get_the_cookie_itself() -> None:
    headers, state, _ = passed("/session", {"Cookie": f"lakemuster_session={COOKIE}"})
    assert state[STATE] == COOKIE
    assert "authorization" not in headers
    foreign = {"Cookie": f"lakemuster_session={COOKIE}", "Origin": "https://elsewhere.example", "Host": "here"}
    assert STATE not in passed("/session", foreign)[1]


def test_a_request_of_the_same_origin_is_none_of_others() -> None:
    own = {"Cookie": f"lakemuster_session={COOKIE}", "Host": "here:8181", "Origin": "http://here:8181"}
    assert "authorization" in passed("/api/v1/tables", own)[0]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "INVENTED"])
def test_unsafe_methods_need_the_csrf_token(method: str) -> None:
    cookie = {"Cookie": f"lakemuster_session={COOKIE}"}
    for given in ({}, {CSRF_HEADER: "x"}, {CSRF_HEADER: csrf_token_of("other")}):
        with pytest.raises(NotAuthorised):
            passed("/api/v1/tables", {**cookie, **given}, method)
    right = {**cookie, CSRF_HEADER: csrf_token_of(COOKIE)}
    assert "authorization" in passed("/api/v1/tables", right, method)[0]


def test_a_server_without_callers_only_takes_it_away() -> None:
    headers, _, _ = passed("/api/v1/tables", {"Cookie": f"lakemuster_session={COOKIE}"}, "POST", is_open=True)
    assert not {"authorization", "cookie"} & set(headers)
