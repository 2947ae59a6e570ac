"""ASGI middleware that forwards requests to attached catalogs; requests about planning reach this server's routes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from lakemuster.api.errors import problem
from lakemuster.api.identity.policy import Policy
from lakemuster.api.shared import Api
from lakemuster.api.sidecar import etags, response_rewrites
from lakemuster.api.sidecar.access import DELEGATION, may_have_credentials, require_access
from lakemuster.api.sidecar.changes import Copied, changed_by, names_tables_in_body
from lakemuster.api.sidecar.endpoints import endpoint_of, own_authorization
from lakemuster.api.sidecar.forwarding import Answer, Forwarders, Headers
from lakemuster.api.sidecar.marks import Marks
from lakemuster.api.sidecar.page_tokens import PageTokens
from lakemuster.api.sidecar.requests import SAFE, STATE, SidecarRequest, note_upstream
from lakemuster.api.sidecar.response_rewrites import Change, Shown, Signer
from lakemuster.api.sidecar.rights import Rights
from lakemuster.api.slots import QUEUE, WAIT_SECONDS, Slots
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import CatalogError, Overloaded, UpstreamFailed, UpstreamTimedOut
from lakemuster.upstream.decoding import decoded
from lakemuster.upstream.json_members import NotAnObject
from lakemuster.upstream.protocol import MAX_BYTES
from lakemuster.upstream.rest import TOKEN_REFUSED

REQUESTS = 256
"""Limit of concurrent requests that a process forwards to one catalog."""
REQUESTS_PER_CALLER = 192
HELD_BYTES = 512 * 2**20
"""Limit of all response bodies that a process buffers, to change them."""
HOLD_SECONDS = 120.0
"""Timeout of receiving such a body."""
LARGE_BYTES = 2**17
"""A body of this size is changed in a thread, one of each catalog at a time: other requests do not wait for it."""
_HELD_HEADERS = frozenset(
    {
        b"accept-ranges",
        b"content-digest",
        b"content-encoding",
        b"content-length",
        b"content-md5",
        b"digest",
        b"etag",
        b"last-modified",
        b"repr-digest",
    }
)
"""Headers about a body as the catalog sent it."""
_WHOLE: Mapping[str, str | None] = {
    "accept-encoding": "identity",
    "if-modified-since": None,
    "if-range": None,
    "range": None,
}
"""Headers that request a whole body, which can be changed."""


@dataclass(frozen=True, slots=True)
class _Route:
    """The route of forwarded requests in metrics and logs."""

    path: str
    name: str = "iceberg_passed_on"


_ROUTE = _Route("/iceberg/v1/{catalog}/…")


class Sidecar:
    """Forwards requests to catalogs.

    Args:
        planning: the endpoints of planning, as the protocol names them.
        marks, forwarders: their creator closes them.
    """

    def __init__(
        self, app: ASGIApp, policy: Policy, planning: tuple[str, ...], marks: Marks, forwarders: Forwarders
    ) -> None:
        self._app = app
        self._marks = marks
        self._policy = policy
        self._planning = planning
        self._forwarders = forwarders
        # By catalog: a hanging one occupies only its own slots.
        self._slots: dict[str, Slots] = {}
        self._held = 0
        self._changing: dict[str, CapacityLimiter] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to its catalog; hand any other to the application."""
        found: SidecarRequest | None = scope.get("state", {}).get(STATE)
        if found is not None and self._is_hidden(found, scope):
            # The routes then answer as if no such catalog were attached.
            found = scope["state"][STATE] = None
        if found is None or not found.is_passed_on:
            await self._app(scope, receive, send)
            return
        scope["route"] = _ROUTE
        request, is_started = Request(scope, receive, send), False

        async def sending(message: Mapping[str, object]) -> None:
            nonlocal is_started
            is_started = True
            await send(dict(message))

        owner, name = scope["state"]["owner"], found.catalog.name
        slots = self._slots.get(name)
        if slots is None:
            slots = self._slots[name] = Slots(REQUESTS, REQUESTS_PER_CALLER, QUEUE, WAIT_SECONDS)
        try:
            await slots.acquire(owner)
            try:
                await self._answer(request, found, sending)
            finally:
                slots.release(owner)
        except CatalogError as error:
            if is_started:
                raise
            await problem(error, scope["path"])(scope, receive, send)

    def _is_hidden(self, found: SidecarRequest, scope: Scope) -> bool:
        """Return whether this server decides what the caller may see, and it may see no table of the catalog."""
        return not (
            found.is_forwarded or self._policy.sees_namespace(scope["state"]["principal"], (found.catalog.name,))
        )

    async def _answer(self, request: Request, found: SidecarRequest, send: Send) -> None:
        # The catalog's configuration has the separator of namespace levels, which is needed to parse the path.
        tokens = await self._page_tokens(request, found)
        query = found.query(request.scope["query_string"], None if tokens is None else tokens.unseal)
        url = await self._url(found) + (f"?{query.decode('latin-1')}" if query else "")
        headers: dict[str, str | None] = {}
        if not found.is_forwarded:
            for reading in found.readings:
                require_access(self._policy, request.state.principal, request.method, reading)
            own = await own_authorization(found.catalog)
            headers |= {"authorization": None, **{name.lower(): value for name, value in own.items()}}
            if not self._may_have_credentials(request, found):
                headers[DELEGATION] = None
        change = self._change_of(request, found, tokens)
        if change is not None:
            headers |= _WHOLE
            if (given := request.headers.get("if-none-match")) is not None:
                headers["if-none-match"] = None if change.form is None else etags.their_etags(given, change.form)
        copied = None
        if found.may_change(request.method) and names_tables_in_body(found):
            copied = Copied(request.receive)
            request = Request(request.scope, copied)
        began, is_marked = time.perf_counter(), not found.may_change(request.method)
        try:
            async with self._forwarders.of(found.catalog).answer(request, url, headers) as answer:
                seconds = time.perf_counter() - began
                note_upstream(request, found.catalog, seconds)
                if not is_marked:
                    is_marked = True
                    await self._mark(found, copied)
                self._note(request, found, answer.status, seconds)
                await self._send(request, found, answer, change, send)
        finally:
            if not is_marked:
                # The catalog may have committed even if its response was lost or the client has disconnected.
                await self._mark(found, copied)

    def _note(self, request: Request, found: SidecarRequest, status: int, seconds: float) -> None:
        """Discard our token if the response rejects it; update the cached rights of a caller that loads a table."""
        if not found.is_forwarded:
            if status in TOKEN_REFUSED:
                found.catalog.tokens.forget()
        elif found.is_load and request.method == "GET" and len(found.readings) == 1:
            rights: Rights = request.app.state.rights
            rights.note_load(found.catalog, found.table or (), request.headers, status, seconds)

    async def _url(self, found: SidecarRequest) -> str:
        catalog = found.catalog
        if found.is_config or found.is_token_exchange:
            return f"{catalog.base}/{found.rest}"
        return (await endpoint_of(catalog)).url(found.rest)

    async def _page_tokens(self, request: Request, found: SidecarRequest) -> PageTokens | None:
        """Return what encrypts the page tokens of a list that this server may filter; None if the catalog decides."""
        if found.is_forwarded or not found.is_list or request.method not in SAFE:
            return None
        api: Api = request.app.state.api
        signer = await to_thread.run_sync(lambda: api.token_signer)
        return PageTokens(signer.key, found.catalog.name, request.state.principal.name)

    def _change_of(self, request: Request, found: SidecarRequest, tokens: PageTokens | None) -> Change | None:
        """Return the change that the response needs; None: it is streamed unchanged."""
        shown, is_read = self._shown(request, found), request.method in SAFE
        if found.is_config and is_read:
            return Change(f"config {shown}", partial(self._config, found.catalog.name, shown))
        if found.is_load and is_read:
            mode = None if found.catalog.name_of(found.table or ()) is not None else "client"
            return Change(f"table {mode} {shown}", partial(self._table, found, mode, shown))
        if found.is_creation and request.method == "POST":
            return Change("created", partial(self._table, found, None, shown))
        if tokens is not None:
            name, policy, caller = found.catalog.name, self._policy, request.state.principal
            if not policy.may_all(caller, "read", (name,)):
                apply = partial(
                    response_rewrites.listing,
                    shows_namespace=lambda levels: policy.sees_namespace(caller, (name, *levels)),
                    shows=lambda levels: policy.sees(caller, (name, *levels)),
                    seal=tokens.seal,
                )
                # The catalog's ETag also changes with names that the caller does not see.
                return Change(None, apply)
        return None

    def _shown(self, request: Request, found: SidecarRequest) -> Shown:
        if found.is_forwarded:
            return response_rewrites.ALL
        return Shown(session=False, storage=self._may_have_credentials(request, found))

    def _may_have_credentials(self, request: Request, found: SidecarRequest) -> bool:
        policy, caller = self._policy, request.state.principal
        return all(may_have_credentials(policy, caller, reading) for reading in found.readings)

    def _config(self, name: str, shown: Shown, body: bytes) -> bytes:
        return response_rewrites.config(body, name, self._planning, shown)

    def _table(self, found: SidecarRequest, mode: str | None, shown: Shown, body: bytes) -> bytes:
        endpoint = found.catalog.last_endpoint
        theirs = f"v1/{endpoint.prefix}/" if endpoint is not None and endpoint.prefix else "v1/"
        signer = Signer(found.catalog.base, theirs, f"v1/{found.catalog.name}/")
        return response_rewrites.table(body, mode, shown, signer)

    async def _mark(self, found: SidecarRequest, copied: Copied | None) -> None:
        """Mark the tables that this request may have changed. The response does not depend on the outcome."""
        await self._marks.mark(found.catalog.name, changed_by(found, None if copied is None else copied.body))

    async def _send(
        self, request: Request, found: SidecarRequest, answer: Answer, change: Change | None, send: Send
    ) -> None:
        if change is None:
            await self._send_on(answer, send, None)
        elif not 200 <= answer.status < 300 or answer.status == HTTPStatus.NO_CONTENT:
            await self._send_on(answer, send, change.form)
        elif request.method == "HEAD":
            await _start(send, answer.status, _changed_headers(answer, change))
            await send({"type": "http.response.body", "body": b""})
        else:
            await self._send_changed(found.catalog.name, answer, change, send, is_needed=request.method in SAFE)

    async def _send_changed(self, catalog: str, answer: Answer, change: Change, send: Send, *, is_needed: bool) -> None:
        """Change the response and send it.

        Args:
            is_needed: whether a response that cannot be changed is an error; otherwise it is sent unchanged, as the
                response to a commit must be.
        """
        body = bytearray()
        held = 0
        try:
            if not await self._hold(answer, body, is_needed=is_needed):
                await self._send_on(answer, send, None, bytes(body))
                return
            theirs = bytes(body)
            try:
                after = await self._changed(catalog, change, theirs, answer.header("content-encoding"))
                held = len(after)
                self._held += held
            except NotAnObject as cause:
                if is_needed:
                    raise UpstreamFailed(f"the catalog's answer does not follow the protocol: {cause}") from None
                await self._send_on(answer, send, None, theirs)
                return
            headers = [*_changed_headers(answer, change), (b"content-length", b"%d" % len(after))]
            await _start(send, answer.status, headers)
            await send({"type": "http.response.body", "body": after})
        finally:
            self._held -= len(body) + held

    async def _changed(self, catalog: str, change: Change, body: bytes, encoding: str | None) -> bytes:
        """Return a changed body without its content encoding. Raises: NotAnObject."""

        def work() -> bytes:
            return change.apply(decoded(body, encoding, min(MAX_BYTES, HELD_BYTES - self._held)))

        def work_in_turn() -> bytes:
            with CPU.permit():
                return work()

        if len(body) < LARGE_BYTES and encoding is None:
            return work()
        limiter = self._changing.setdefault(catalog, CapacityLimiter(1))
        return await to_thread.run_sync(work_in_turn, limiter=limiter)

    async def _hold(self, answer: Answer, body: bytearray, *, is_needed: bool) -> bool:
        """Buffer a whole body; return False if it is too large and the change is not needed."""
        try:
            async with asyncio.timeout(HOLD_SECONDS):
                while part := await answer.part():
                    body += part
                    self._held += len(part)
                    if len(body) > MAX_BYTES or self._held > HELD_BYTES:
                        if not is_needed:
                            return False
                        if len(body) > MAX_BYTES:
                            raise UpstreamFailed(f"the catalog answers with more than {MAX_BYTES} bytes")
                        raise Overloaded("too many large answers at once; try again in a moment")
        except TimeoutError as cause:
            raise UpstreamTimedOut("the catalog has not sent its whole answer in time") from cause
        return True

    async def _send_on(self, answer: Answer, send: Send, form: str | None, begun: bytes = b"") -> None:
        """Stream a response as it arrives.

        Args:
            form: the form of the client's cached response, for the ETag of a 304; None: the response is never changed.
            begun: the part of the body that was already read.
        """
        headers = answer.headers
        if form is not None and answer.status == HTTPStatus.NOT_MODIFIED:
            headers = [(name, _own(value, form) if name == b"etag" else value) for name, value in headers]
        await _start(send, answer.status, headers)
        if begun:
            await send({"type": "http.response.body", "body": begun, "more_body": True})
        while part := await answer.part():
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def _changed_headers(answer: Answer, change: Change) -> Headers:
    """Return the headers of a changed response, without its length."""
    headers = [(name, value) for name, value in answer.headers if name not in _HELD_HEADERS]
    etag = answer.header("etag")
    if etag is not None and change.form is not None:
        headers.append((b"etag", etags.own_etag(etag, change.form).encode("latin-1")))
    return headers


def _own(etag: bytes, form: str) -> bytes:
    return etags.own_etag(etag.decode("latin-1"), form).encode("latin-1")


async def _start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
