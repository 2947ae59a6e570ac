"""Ask a catalog whether a caller may load a table (``auth = "forward"``), before any response about the table.

The request has the caller's own ``Authorization``, and its own values of the headers that the settings name for the
catalog (``header.X``); none of this server's. A permission is cached for some seconds, by these headers and the table.
A refusal is not cached, and removes a cached permission.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import httpx
from starlette.datastructures import Headers
from starlette.requests import Request

from lakemuster.api.sidecar.endpoints import endpoint_of
from lakemuster.api.sidecar.requests import note_upstream
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamFailed, UpstreamRefused, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.failure_reasons import reason_of
from lakemuster.metadata.names import Levels
from lakemuster.upstream.connections import (
    FAILURES,
    AsyncEnvironmentTransport,
    limits,
    no_cookies,
    timeouts,
    without_location_async,
)
from lakemuster.upstream.decoding import decoded
from lakemuster.upstream.json_members import NotAnObject
from lakemuster.upstream.protocol import ANSWER_SECONDS, overloaded
from lakemuster.upstream.rest import ONLY_REFS, REFS_UNSUPPORTED, TOKEN_REFUSED, RestCatalog

REMEMBERED_SECONDS = 30.0
MAX_REMEMBERED = 100_000
WHOLE_SECONDS = 20.0
"""Timeout of a check at the catalog."""
MAX_REFUSAL_BYTES = 2**20
REQUESTS = 24
"""Limit of the concurrent requests to one catalog."""
PERMIT_SECONDS = 1.0
"""Timeout of the semaphore of these requests: callers of a hanging catalog must not occupy others' request slots."""
_REFUSALS = TOKEN_REFUSED | {403, 404}
_OF_REFUSALS = frozenset({"content-type", "www-authenticate", "retry-after"})

_Key = tuple[str, Levels, bytes]


@dataclass(slots=True)
class _CatalogClient:
    """The connections to one catalog, and the semaphore of its requests."""

    permits: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(REQUESTS))
    client: httpx.AsyncClient = field(
        default_factory=lambda: httpx.AsyncClient(
            timeout=timeouts(ANSWER_SECONDS),
            transport=AsyncEnvironmentTransport(limits(REQUESTS)),
            cookies=no_cookies(),
            event_hooks={"response": [without_location_async]},
        )
    )


class Rights:
    """Checks at catalogs what callers may load, and caches permissions. Belongs to one event loop."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._until: OrderedDict[_Key, float] = OrderedDict()
        self._clients: dict[str, _CatalogClient] = {}

    async def require(self, catalog: RestCatalog, levels: Levels, request: Request) -> None:
        """Require that the caller of a request may load a table.

        Args:
            levels: the levels of the table's name at the catalog.

        Raises:
            UpstreamRefused: the catalog does not let this caller load the table.
            UpstreamFailed: the catalog does not respond, or violates its protocol.
            Overloaded: too many requests wait for the catalog.
        """
        signed_in = _signs_in(catalog, request.headers)
        key = _key(catalog, levels, signed_in)
        began = self._clock.monotonic()
        if began < self._until.get(key, 0.0):
            return
        self._until.pop(key, None)
        try:
            async with self._permit(catalog.name) as client:
                endpoint = await endpoint_of(catalog)
                began = self._clock.monotonic()
                await self._ask(catalog, client, endpoint.url(endpoint.table(levels)), signed_in)
        finally:
            note_upstream(request, catalog, self._clock.monotonic() - began)
        self._remember(key, began)

    def note_load(self, catalog: RestCatalog, levels: Levels, headers: Headers, status: int, seconds: float) -> None:
        """Update the cache from the response to a caller's own request for a table.

        Args:
            seconds: since the request.
        """
        key = _key(catalog, levels, _signs_in(catalog, headers))
        if status == 200:
            self._remember(key, self._clock.monotonic() - seconds)
        elif status in _REFUSALS:
            self._until.pop(key, None)

    def _remember(self, key: _Key, began: float) -> None:
        self._until[key] = began + REMEMBERED_SECONDS
        self._until.move_to_end(key)
        while len(self._until) > MAX_REMEMBERED:
            self._until.popitem(last=False)

    @asynccontextmanager
    async def _permit(self, name: str) -> AsyncIterator[httpx.AsyncClient]:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = _CatalogClient()
        try:
            async with asyncio.timeout(PERMIT_SECONDS):
                await client.permits.acquire()
        except TimeoutError:
            raise overloaded(name) from None
        try:
            yield client.client
        finally:
            client.permits.release()

    async def _ask(
        self, catalog: RestCatalog, client: httpx.AsyncClient, url: str, signed_in: list[tuple[str, str]]
    ) -> None:
        catalog.breaker.check()
        try:
            with anyio.fail_after(WHOLE_SECONDS):
                status, kept, body = await self._exchange(client, url, ONLY_REFS, signed_in)
                if status == REFS_UNSUPPORTED:
                    status, kept, body = await self._exchange(client, url, {}, signed_in)
        except (httpx.TimeoutException, TimeoutError) as cause:
            catalog.breaker.failed()
            raise UpstreamTimedOut(f"the catalog {catalog.name} has not answered in time") from cause
        except FAILURES as cause:
            catalog.breaker.failed()
            raise UpstreamUnavailable(f"the catalog {catalog.name} does not answer: {reason_of(cause)}") from cause
        catalog.breaker.succeeded()
        if status == 200:
            return
        if status < 400:
            raise UpstreamFailed(f"the catalog {catalog.name} answers with status {status}", catalog=catalog.name)
        raise UpstreamRefused(
            f"the catalog {catalog.name} does not let this caller load the table: status {status}",
            status=status,
            body=body,
            headers=kept,
        )

    async def _exchange(
        self, client: httpx.AsyncClient, url: str, parameters: Mapping[str, str], signed_in: list[tuple[str, str]]
    ) -> tuple[int, dict[str, str], bytes]:
        headers = [*signed_in, ("Accept", "application/json"), ("Accept-Encoding", "identity")]
        async with client.stream("GET", url, params=parameters, headers=headers) as answer:
            body = bytearray()
            if answer.status_code != 200:
                async for part in answer.aiter_raw():
                    body += part
                    if len(body) > MAX_REFUSAL_BYTES:
                        break
            kept = {name: value for name, value in answer.headers.items() if name in _OF_REFUSALS}
            try:
                text = decoded(bytes(body), answer.headers.get("content-encoding"), MAX_REFUSAL_BYTES)
            except NotAnObject:
                text = b""
            return answer.status_code, kept, text[:MAX_REFUSAL_BYTES]

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.client.aclose()


def _signs_in(catalog: RestCatalog, headers: Headers) -> list[tuple[str, str]]:
    """Return the headers by which a catalog identifies a caller."""
    names = {"authorization", *(name.lower() for name in catalog.headers)}
    return [(name, value) for name, value in headers.items() if name in names]


def _key(catalog: RestCatalog, levels: Levels, signed_in: list[tuple[str, str]]) -> _Key:
    return catalog.name, levels, hashlib.sha256(repr(sorted(signed_in)).encode()).digest()
