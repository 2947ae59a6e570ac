"""ASGI middleware that answers the requests of attached catalogs; those about planning go on to our routes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from lakemuster.api.admission import MAX_BODY_BYTES as OWN_BODY_BYTES
from lakemuster.api.errors import problem
from lakemuster.api.identity.policy import Policy
from lakemuster.api.sidecar import answers
from lakemuster.api.sidecar.access import DELEGATION, may_have_credentials, require_access
from lakemuster.api.sidecar.passing import MAX_BODY_BYTES, Answer, Headers, Passing, endpoint_of, own_authorization
from lakemuster.api.sidecar.requests import STATE, SidecarRequest, sidecar_request
from lakemuster.api.slots import QUEUE, WAIT_SECONDS, Slots
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError, Overloaded, UpstreamFailed, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.upstream.json_members import NotAnObject
from lakemuster.upstream.protocol import MAX_BYTES
from lakemuster.upstream.registry import Upstreams

REQUESTS = 256
"""Concurrent requests of a process that are passed on."""
REQUESTS_PER_CALLER = 192
HELD_BYTES = 512 * 2**20
"""Limit of all answers that a process holds whole, to change them."""
_LISTS = frozenset({"namespaces", "tables", "views"})
_HELD_HEADERS = frozenset({"content-length", "content-encoding", "etag"})


@dataclass(frozen=True, slots=True)
class _Route:
    """What metrics and logs show as the route of a request that was passed on."""

    path: str
    name: str = "iceberg_passed_on"


_ROUTE = _Route("/iceberg/v1/{catalog}/…")


class Sidecar:
    """Passes requests on.

    Args:
        planning: the endpoints of planning, as the protocol names them.
    """

    def __init__(self, app: ASGIApp, services: Services, policy: Policy, planning: tuple[str, ...]) -> None:
        self._app = app
        self._services = services
        self._policy = policy
        self._planning = planning
        self._slots = Slots(REQUESTS, REQUESTS_PER_CALLER, QUEUE, WAIT_SECONDS)
        self._passing: Passing | None = None
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is passed on; hand on any other."""
        found = scope.get("state", {}).get(STATE)
        if found is None or not found.is_passed_on:
            await self._app(scope, receive, send)
            return
        scope["route"] = _ROUTE
        request, is_started = Request(scope, receive, send), False

        async def sending(message: Mapping[str, object]) -> None:
            nonlocal is_started
            is_started = True
            await send(dict(message))

        owner = scope["state"]["owner"]
        try:
            await self._slots.acquire(owner)
            try:
                await self._answer(request, found, sending)
            finally:
                self._slots.release(owner)
        except CatalogError as error:
            if is_started:
                raise
            await problem(error, scope["path"])(scope, receive, send)

    async def _answer(self, request: Request, found: SidecarRequest, send: Send) -> None:
        changes: dict[str, str | None] = {}
        if not found.is_forwarded:
            require_access(self._policy, request.state.asking, request.method, found)
            changes |= {"authorization": None, **await own_authorization(found.catalog)}
            if not may_have_credentials(self._policy, request.state.asking, found):
                changes[DELEGATION] = None
        change = self._change_of(request, found)
        if change is not None:
            changes["accept-encoding"] = "identity"
        if "if-none-match" in request.headers:
            changes["if-none-match"] = answers.their_etags(request.headers["if-none-match"])
        url = await self._url(request, found)
        self._passing = self._passing or Passing()
        began = time.perf_counter()
        try:
            async with self._passing.answer(request, found, url, changes) as answer:
                request.state.upstream_seconds = time.perf_counter() - began
                if found.may_change(request.method):
                    await self._mark(found)
                if change is not None and answer.status == 200:
                    await self._send_changed(answer, change, send)
                else:
                    given = request.headers.get("if-none-match", "")
                    await self._send_on(answer, send, is_of_changed=answers.is_own_etag(given))
        except UpstreamFailed:
            if found.may_change(request.method):
                await self._mark(found)
            raise

    async def _url(self, request: Request, found: SidecarRequest) -> str:
        catalog = found.catalog
        if found.is_config or found.is_token_exchange:
            return f"{catalog.base}/{found.rest}"
        return (await endpoint_of(catalog)).url(found.rest)

    def _change_of(self, request: Request, found: SidecarRequest) -> Callable[[bytes], bytes] | None:
        """What must be changed in the answer; None: nothing, it is streamed."""
        if request.method != "GET":
            return None
        if found.is_config:
            return lambda body: answers.config(body, found.catalog.name, self._planning)
        if found.table is not None and len(found.segments) == 4 and found.segments[2] == "tables":
            mode = None if found.catalog.name_of(found.table) is not None else "client"
            return lambda body: answers.table(body, mode)
        if found.segments[-1] in _LISTS and len(found.segments) in {1, 3} and not found.is_forwarded:
            name, policy, caller = found.catalog.name, self._policy, request.state.asking
            if not policy.may_all(caller, "read", (name,)):
                return lambda body: answers.listing(
                    body,
                    lambda levels: policy.sees_namespace(caller, (name, *levels)),
                    lambda levels: policy.sees(caller, (name, *levels)),
                )
        return None

    async def _mark(self, found: SidecarRequest) -> None:
        """Have requests look at what this one may have changed. The catalog's answer does not depend on it."""
        await run_in_threadpool(self._services.mark_changed, found.catalog.name, found.table)

    async def _send_changed(self, answer: Answer, change: Callable[[bytes], bytes], send: Send) -> None:
        body = bytearray()
        try:
            await self._hold(answer, body)
            before = bytes(body)
            try:
                after = change(before)
            except NotAnObject as cause:
                raise UpstreamFailed(f"the catalog's answer is not what the protocol says: {cause}") from None
            headers = [(name, value) for name, value in answer.headers if name not in _HELD_HEADERS]
            headers.append(("content-length", str(len(after))))
            etag = answer.header("etag")
            if etag is not None:
                headers.append(("etag", etag if after == before else answers.own_etag(etag)))
            await _start(send, answer.status, headers)
            await send({"type": "http.response.body", "body": after})
        finally:
            self._held -= len(body)

    async def _hold(self, answer: Answer, body: bytearray) -> None:
        """Read an answer whole."""
        try:
            async for part in answer.response.aiter_bytes():
                body += part
                self._held += len(part)
                if len(body) > MAX_BYTES:
                    raise UpstreamFailed(f"the catalog answers with more than {MAX_BYTES} bytes")
                if self._held > HELD_BYTES:
                    raise Overloaded("too many large answers at once; try again in a moment")
        except httpx.TimeoutException as cause:
            raise UpstreamTimedOut("the catalog has not sent its whole answer in time") from cause
        except httpx.HTTPError as cause:
            raise UpstreamUnavailable(f"the catalog has broken off: {type(cause).__name__}") from cause

    async def _send_on(self, answer: Answer, send: Send, *, is_of_changed: bool) -> None:
        headers = answer.headers
        if is_of_changed and answer.status == 304:
            headers = [(name, answers.own_etag(value) if name == "etag" else value) for name, value in headers]
        await _start(send, answer.status, headers)
        async for part in answer.response.aiter_raw():
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _start(send: Send, status: int, headers: Headers) -> None:
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})


def body_limit(scope: Scope, upstreams: Upstreams) -> int:
    """The limit of a request's body: more if it is passed on, and not held here."""
    try:
        found = sidecar_request(scope, upstreams)
    except CatalogError:
        return OWN_BODY_BYTES
    return MAX_BODY_BYTES if found is not None and found.is_passed_on else OWN_BODY_BYTES
