"""Admission middleware: authenticate the caller from the request's head, before any other work.

A request without a known caller reaches neither the body, nor the response cache, nor a slot, nor a route. The
request's state gets the caller as ``asking``, its name as ``caller``, and ``owner``, by which connections, streams and
slots are counted: the caller, or the peer's address if the server has no tokens. The body of an admitted request is
read whole before the request waits for anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from lakemuster.api.bodies import given_again
from lakemuster.api.connection import CONNECTION, Connection
from lakemuster.api.errors import problem
from lakemuster.api.identity.authenticator import Authenticator, bearer_token
from lakemuster.api.identity.callers import ANYONE, Caller
from lakemuster.errors import CatalogError, Overloaded, RequestInvalid

OPEN_PATHS = frozenset({"/", "/healthz", "/readyz", "/docs", "/openapi.json", "/iceberg/v1/oauth/tokens"})
"""Paths that need no caller: health, documentation, and the refusal to issue tokens."""
MAX_BODY_BYTES = 2**20
MAX_BODIES_BYTES = 128 * 2**20
"""Limit on the bodies of all requests in progress in a process."""


class Admission:
    """ASGI middleware that admits the requests of known callers.

    Args:
        authenticator: tells whose a token is; None admits everybody as ``ANYONE``.
    """

    def __init__(self, app: ASGIApp, authenticator: Authenticator | None) -> None:
        self._app = app
        self._authenticator = authenticator
        self._bodies = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an admitted request on; answer any other with its error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = scope.get("extensions", {}).get(CONNECTION)
        state = scope["state"]
        peer = connection.peer if connection is not None else (scope.get("client") or ("",))[0]
        state["owner"] = f"peer {peer}"
        if scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        held = _Held()
        try:
            await self._identify(scope, connection)
            if _has_body(scope):
                receive = await self._read(receive, held)
        except CatalogError as error:
            self._bodies -= held.size
            await problem(error, scope["path"])(scope, receive, send)
            return
        except BaseException:
            self._bodies -= held.size
            raise
        try:
            await self._app(scope, receive, send)
        finally:
            self._bodies -= held.size

    async def _identify(self, scope: Scope, connection: Connection | None) -> None:
        caller, state = await self._caller(scope), scope["state"]
        state["asking"], state["caller"] = caller, caller.name
        if self._authenticator is not None:
            state["owner"] = "caller " + caller.name
        if connection is not None and not connection.claim(state["owner"]):
            raise Overloaded("too many connections of one caller; close some, or try again in a moment")

    async def _caller(self, scope: Scope) -> Caller:
        if self._authenticator is None:
            return ANYONE
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        token = bearer_token(given[0].decode("latin-1") if len(given) == 1 else None)
        return self._authenticator.known(token) or await self._authenticator.examine(token)

    async def _read(self, receive: Receive, held: _Held) -> Receive:
        """Read the whole body, and return a ``receive`` that replays it."""
        parts: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            part = message.get("body", b"")
            parts.append(part)
            held.size += len(part)
            self._bodies += len(part)
            if held.size > MAX_BODY_BYTES:
                raise RequestInvalid(f"a body has at most {MAX_BODY_BYTES} bytes")
            if self._bodies > MAX_BODIES_BYTES:
                raise Overloaded("too many large requests at once; try again in a moment")
            if not message.get("more_body"):
                return given_again(parts[0] if len(parts) == 1 else b"".join(parts), receive)


@dataclass(slots=True)
class _Held:
    """The bytes read of one request's body."""

    size: int = 0


def _has_body(scope: Scope) -> bool:
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False
