"""Admission middleware: authenticate the caller from the request's head, before any other work.

Except on open paths, the body of a request without a known caller is not read, and the request reaches neither the
response cache, nor a slot, nor a route. The request's state gets the caller as ``principal``, its name as ``caller``,
and ``owner``, by which connections, streams and slots are counted: the caller, or the peer's address if the server has
no tokens. The body of an admitted request is read completely before the request waits for anything, unless the request
is forwarded to a catalog.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from lakemuster.api.bodies import replay_body
from lakemuster.api.connection import CONNECTION, Connection, network_of
from lakemuster.api.errors import problem
from lakemuster.api.identity.authenticator import Authenticator, bearer_token, caller_of_token
from lakemuster.api.identity.callers import ANYONE, Caller, forwarded_caller
from lakemuster.api.identity.rate_limits import RateLimits
from lakemuster.api.sidecar.requests import MAX_BODY_BYTES as PASSED_BODY_BYTES
from lakemuster.api.sidecar.requests import STATE as SIDECAR
from lakemuster.api.sidecar.requests import SidecarRequest, sidecar_request
from lakemuster.errors import CatalogError, NotAuthenticated, Overloaded, RequestInvalid
from lakemuster.metadata.names import format_name
from lakemuster.upstream.registry import Upstreams

SIGN_IN_PATHS = frozenset({"/session", "/session/oidc", "/session/callback"})
OPEN_PATHS = SIGN_IN_PATHS | {"/", "/healthz", "/readyz", "/docs", "/openapi.json", "/iceberg/v1/oauth/tokens"}
"""Paths that need no authentication: console, health, documentation, sign-in, and the refusal to issue tokens."""
OPEN_FOLDER = "/assets/"
"""Paths below this one need no authentication either: the files of the console, which every installed package has."""
MAX_BODY_BYTES = 2**20
MAX_BODIES_BYTES = 128 * 2**20
"""Limit on the bodies of all requests in progress in a process."""


def is_open(path: str) -> bool:
    """Return whether a path needs no authentication."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


class Admission:
    """ASGI middleware that admits the requests of known callers.

    Args:
        authenticator: identifies the caller of a token; None admits all requests as ``ANYONE``.
        limits: rate limits of wrong tokens, by peer.
        is_behind_proxy: whether the scope's client comes from a trusted proxy's header.
        keep_bodies: whether to store a request's body in its state, for the audit log.
        upstreams: the attached catalogs; requests for them may authenticate there.
    """

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator | None,
        limits: RateLimits | None = None,
        *,
        is_behind_proxy: bool = False,
        keep_bodies: bool = False,
        upstreams: Upstreams | None = None,
    ) -> None:
        self._app = app
        self._upstreams = upstreams or Upstreams({})
        self._limits = limits or RateLimits({})
        self._is_behind_proxy = is_behind_proxy
        self._keep_bodies = keep_bodies
        self._authenticator = authenticator
        self._bodies = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an admitted request to the app; respond to any other with its error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = scope.get("extensions", {}).get(CONNECTION)
        state = scope["state"]
        state["peer"] = peer = self._peer(scope, connection)
        state["owner"] = f"peer {peer}"
        try:
            attached = sidecar_request(scope, self._upstreams)
        except CatalogError as error:
            await problem(error, scope["path"])(scope, receive, send)
            return
        is_public = attached is None and is_open(scope["path"])
        is_passed_on = attached is not None and attached.is_passed_on
        held = _Held()
        try:
            if not is_public:
                await self._identify(scope, connection, attached)
            _require_length(scope, PASSED_BODY_BYTES if is_passed_on else MAX_BODY_BYTES)
            if _has_body(scope) and not (is_public or is_passed_on):
                receive = await self._read(receive, held, scope["state"])
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

    async def _identify(self, scope: Scope, connection: Connection | None, attached: SidecarRequest | None) -> None:
        state = scope["state"]
        if attached is not None and attached.is_forwarded and not await self._signs_in_here(scope, attached):
            caller = forwarded_caller(attached.catalog.name)
            state[SIDECAR], state["owner"] = attached, f"{caller.name} {_digest(scope)}"
        else:
            # The caller is authenticated by this server: its role for the catalog decides.
            state[SIDECAR] = None if attached is None or attached.is_native else attached
            caller = await self._caller(scope)
            if self._authenticator is not None:
                state["owner"] = "caller " + caller.name
        state["principal"], state["caller"] = caller, caller.name
        if attached is not None and attached.table is not None:
            state["table"] = format_name((attached.catalog.name, *attached.table))
        if connection is not None and not connection.claim(state["owner"]):
            raise Overloaded("too many connections from one caller; close some, or try again in a moment")

    async def _signs_in_here(self, scope: Scope, attached: SidecarRequest) -> bool:
        """Return whether this server authenticates the caller, although the catalog authenticates its callers itself.

        It does so for its own tokens, and for requests of the native API without a bearer token.

        Raises:
            NotAuthenticated: a token of this server would reach the catalog, or several Authorization headers would.
            IdentityUnavailable: the token cannot be verified now.
        """
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if not attached.is_native:
            self._refuse_own_tokens(scope, given)
        try:
            token = bearer_token(given[0].decode("latin-1") if len(given) == 1 else None)
        except NotAuthenticated:
            return attached.is_native
        if self._authenticator is None:
            return False
        if self._authenticator.known(token) is None:
            try:
                await self._authenticator.examine(token)
            except NotAuthenticated:
                return False
        if not attached.is_native:
            raise NotAuthenticated(f"this token is not for the catalog: use a token of {attached.catalog.name}")
        return True

    def _refuse_own_tokens(self, scope: Scope, given: Sequence[bytes]) -> None:
        """Reject a request that has one of this server's tokens in any header, under any scheme.

        Raises:
            NotAuthenticated: it has one; or several Authorization headers, of which the catalog could use any.
        """
        if len(given) > 1:
            raise NotAuthenticated("send one Authorization header")
        if self._authenticator is None:
            return
        for _, value in scope["headers"]:
            text = value.decode("latin-1").strip()
            if any(self._authenticator.known(word) for word in (text, text.rpartition(" ")[2], _password(text))):
                raise NotAuthenticated("a header has a token of this server, which the catalog must not see")

    async def _caller(self, scope: Scope) -> Caller:
        if self._authenticator is None:
            return ANYONE
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        token = bearer_token(given[0].decode("latin-1") if len(given) == 1 else None)
        return await caller_of_token(token, scope["state"]["peer"], self._authenticator, self._limits)

    def _peer(self, scope: Scope, connection: Connection | None) -> str:
        """Return the client's address: the connection's, or behind a trusted proxy the one that the proxy reports."""
        if connection is not None and not self._is_behind_proxy:
            return connection.peer
        return network_of((scope.get("client") or ("",))[0])

    async def _read(self, receive: Receive, held: _Held, state: dict[str, Any]) -> Receive:
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
                body = parts[0] if len(parts) == 1 else b"".join(parts)
                if self._keep_bodies:
                    state["body"] = body
                return replay_body(body, receive)


def _password(authorization: str) -> str:
    """Return the password of basic authentication; empty if the header has none."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return b64decode(encoded, validate=True).decode("latin-1").partition(":")[2]
    except ValueError:
        return ""


def _digest(scope: Scope) -> str:
    """Return a digest that distinguishes callers of a catalog by their credentials, which are not stored."""
    given = b"".join(value for name, value in scope["headers"] if name == b"authorization")
    return hashlib.sha256(given).hexdigest()[:16]


@dataclass(slots=True)
class _Held:
    """The number of bytes read of one request's body."""

    size: int = 0


def _require_length(scope: Scope, limit: int) -> None:
    """Refuse a Content-Length above a limit, or one that is not a number. Raises: RequestInvalid."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    if any(not length.isdigit() or int(length[:20]) > limit for length in lengths):
        raise RequestInvalid(f"a body has at most {limit} bytes")


def _has_body(scope: Scope) -> bool:
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False
