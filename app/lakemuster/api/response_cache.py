"""Response cache: the same request gets the same response until its table's record changes.

A route declares the table record that its response depends on (:func:`cache_until_changed`). A cached response is valid
while the table's record has the same state, and the last look at its pointer is within the allowed staleness. Every
change of a response changes the record, since metadata and current snapshots become visible together (see
``ingest.table_refresh``); a look that finds no new state changes only the time of the look. The cache key is the
request's bytes, without a few headers that no response depends on, and the authenticated caller with its rights in
place of the token. Streams are never cached. Other responses are cached at the second request for them: the filters of
most plans occur only once, and caching their responses would evict scan indexes and segments.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.bodies import replay_body
from lakemuster.api.sidecar.requests import STATE as SIDECAR
from lakemuster.caching import Cache, SeenKeys
from lakemuster.catalog import TableRecord
from lakemuster.catalog.services import Services
from lakemuster.errors import TableNotFound

MAX_ANSWER_BYTES = 2**20
_OVERHEAD = 2048
_PREFIXES = ("/api/v1/tables/", "/iceberg/v1/")
_METHODS = frozenset({"GET", "POST"})
_NO_PART = frozenset(
    {
        b"host",
        b"authorization",
        b"connection",
        b"content-length",
        b"x-request-id",
        b"accept-encoding",
        b"traceparent",
        b"tracestate",
    }
)
"""Headers outside the cache key: no response depends on them, except through the caller (``authorization``)."""

CacheKey = tuple[object, ...]
IsCurrent = Callable[[TableRecord], Awaitable[bool]]


def cache_until_changed(request: Request, table: TableRecord) -> None:
    """Make the response cacheable while the table's record is unchanged.

    Responses to callers that an attached catalog authenticates are not cached: the catalog authorizes each request.
    """
    found = getattr(request.state, SIDECAR, None)
    if found is not None and found.is_forwarded:
        return
    request.state.cache_until_changed = table


def is_current(services: Services) -> IsCurrent:
    """Return a function that checks that a record is the table's current state, and within the allowed staleness."""

    async def asked(table: TableRecord) -> bool:
        try:
            now = services.peek(table.name)
            if now is None:
                now = await run_in_threadpool(services.table, table.name)
        except TableNotFound:
            return False
        if now.state != table.state:
            return False
        is_fresh = services.refresher.is_fresh_at_once(now)
        return await run_in_threadpool(services.refresher.is_fresh, now) if is_fresh is None else is_fresh

    return asked


@dataclass(frozen=True, slots=True)
class _Entry:
    """A cached response.

    Attributes:
        table: the record that it depends on.
        scope: the fields of the ASGI scope that the access log and the metrics need.
    """

    table: TableRecord
    start: Message
    body: bytes
    scope: Mapping[str, Any]
    key_bytes: int

    @property
    def weight(self) -> int:
        """The approximate size in bytes."""
        return len(self.body) + self.key_bytes


class ResponseCache:
    """ASGI middleware that caches responses.

    Args:
        is_current: returns whether a record is its table's current state, and fresh.
    """

    def __init__(self, app: ASGIApp, is_current: IsCurrent) -> None:
        self._app = app
        self._still_so = is_current
        self._responses: Cache[CacheKey, _Entry] = Cache("responses", lambda _, cached: cached.weight)
        self._seen = SeenKeys("responses")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the cached response, or call the app and cache its response."""
        if scope["type"] != "http" or scope["method"] not in _METHODS or not scope["path"].startswith(_PREFIXES):
            await self._app(scope, receive, send)
            return
        body = await _whole(receive) if scope["method"] == "POST" else b""
        key = _key(scope, body)
        cached = self._responses.get(key)
        if cached is not None:
            is_valid = await self._still_so(cached.table)
            if is_valid:
                scope.update(cached.scope)
                await send({**cached.start, "headers": list(cached.start["headers"])})
                await send({"type": "http.response.body", "body": cached.body})
                return
            # During the await, another request may have replaced the entry.
            if self._responses.get(key) is cached:
                self._responses.remove(key)
        recorder = _Recorder(send)
        await self._app(scope, replay_body(body, receive) if scope["method"] == "POST" else receive, recorder.send)
        table = scope["state"].get("cache_until_changed")
        if table is not None and recorder.body is not None and self._seen.add(key):
            about = {name: scope[name] for name in ("route", "path_params") if name in scope}
            cached = _Entry(table, recorder.start, recorder.body, about, len(body) + _OVERHEAD)
            if cached.weight <= MAX_ANSWER_BYTES:
                self._responses.replace(key, cached)
            else:
                self._responses.remove(key)


class _Recorder:
    """Wraps ``send``: records a response of status 200 whose body is a single message."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.start: Message = {}
        self.body: bytes | None = None
        self._pieces = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = {**message, "headers": list(message["headers"])}
        elif message["type"] == "http.response.body":
            self._pieces += 1
            is_whole = self._pieces == 1 and not message.get("more_body") and self.start["status"] == 200
            self.body = bytes(message.get("body", b"")) if is_whole else None
        await self._send(message)


def _key(scope: Scope, body: bytes) -> CacheKey:
    headers = tuple(sorted(pair for pair in scope["headers"] if pair[0] not in _NO_PART))
    return scope["method"], scope["path"], scope["query_string"], headers, scope["state"].get("principal"), body


async def _whole(receive: Receive) -> bytes:
    """Read a request's whole body."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)
