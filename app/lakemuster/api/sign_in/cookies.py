"""The session's cookie, and the middleware that replaces it with the bearer token of its session.

The cookie is for requests below ``/api/v1`` from the server's own pages: a request with an Authorization header, or
from another origin, is handled as if it had no cookie. The cookie is removed from every request, so that it never
reaches an attached catalog. A request that changes something also needs the session's CSRF token in a header.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.sign_in.sessions import Sessions
from lakemuster.catalog.browser_sessions import SESSION_SECONDS, csrf_token_of
from lakemuster.errors import NotAuthorised

COOKIE = "lakemuster_session"
STATE = "session_cookie"
"""Key of the cookie's value in the state of requests below ``/session``."""
CSRF_HEADER = "X-Lakemuster-CSRF"
_API = "/api/v1/"
_PAGES = "/session"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_MAX_CHARACTERS = 100


class SessionCookies:
    """ASGI middleware that runs before admission.

    Args:
        sessions: the browser sessions; None if callers do not sign in, and the cookie is only removed.
    """

    def __init__(self, app: ASGIApp, sessions: Sessions | None) -> None:
        self._app, self._sessions = app, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request.

        Raises:
            NotAuthorised: the CSRF token is missing or wrong.
            CatalogError: the session cannot be read, or its token cannot be renewed.
        """
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is None or "cookie" not in headers:
            await self._app(scope, receive, send)
            return
        cookie, kept = _taken(headers.getlist("cookie"))
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
        scope["headers"] += [(b"cookie", kept.encode("latin-1"))] if kept else []
        if cookie is not None and scope["path"].startswith(_PAGES) and not is_foreign(headers):
            scope["state"][STATE] = cookie
        if cookie is None or self._sessions is None or not _may_use(scope, headers):
            await self._app(scope, receive, send)
            return
        token = await self._sessions.token(cookie)
        if token is not None:
            require_csrf(scope["method"], headers, cookie)
            scope["headers"].append((b"authorization", b"Bearer " + token.encode("latin-1", "replace")))
        await self._app(scope, receive, _varying(send))


def is_foreign(headers: Headers) -> bool:
    """Return whether a request comes from a page of another origin, according to the browser."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


def require_csrf(method: str, headers: Headers, cookie: str) -> None:
    """Check a session's request. Raises: NotAuthorised: it changes something, and its CSRF token is wrong."""
    given = headers.get(CSRF_HEADER, "").encode()
    if method not in _SAFE_METHODS and not hmac.compare_digest(given, csrf_token_of(cookie).encode()):
        raise NotAuthorised(f"send the session's CSRF token in the header {CSRF_HEADER}; GET /session shows it")


def set_cookie(response: Response, value: str, root_path: str, *, is_secure: bool) -> None:
    """Set the cookie of a browser's session."""
    _set(response, value, round(SESSION_SECONDS), root_path, is_secure=is_secure)


def clear_cookie(response: Response, root_path: str, *, is_secure: bool) -> None:
    """Delete the cookie."""
    _set(response, "", 0, root_path, is_secure=is_secure)


def _set(response: Response, value: str, seconds: int, root_path: str, *, is_secure: bool) -> None:
    response.set_cookie(
        COOKIE, value, seconds, path=f"{root_path}/", secure=is_secure, httponly=True, samesite="strict"
    )


def _may_use(scope: Scope, headers: Headers) -> bool:
    return scope["path"].startswith(_API) and "authorization" not in headers and not is_foreign(headers)


def _taken(cookies: Iterable[str]) -> tuple[str | None, str]:
    """Return the session cookie's value, None if it is absent, repeated or invalid; and all other cookies."""
    pairs = [pair.strip() for header in cookies for pair in header.split(";")]
    own = [pair.partition("=")[2] for pair in pairs if pair.partition("=")[0] == COOKIE]
    kept = "; ".join(pair for pair in pairs if pair and pair.partition("=")[0] != COOKIE)
    is_one = len(own) == 1 and 0 < len(own[0]) <= _MAX_CHARACTERS and own[0].isascii()
    return own[0] if is_one else None, kept


def _varying(send: Send) -> Send:
    """Add ``Vary: Cookie`` to responses: a browser's cache must not serve them to its next user."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Cookie")
        await send(message)

    return sent
