"""Ask a catalog whether a caller may load a table (``auth = "forward"``), before anything about it is answered.

The caller's own ``Authorization`` is sent. A permission is remembered for some seconds, for this caller and this table;
a refusal is not.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import httpx

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamRefused, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.metadata.names import Levels
from lakemuster.upstream.protocol import ANSWER_SECONDS, CONNECT_SECONDS, MAX_BYTES
from lakemuster.upstream.rest import Endpoint, RestCatalog

REMEMBERED_SECONDS = 30.0
MAX_REMEMBERED = 100_000

_Key = tuple[str, Levels, bytes]


class Rights:
    """What catalogs have let callers load. Belongs to one event loop."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._until: OrderedDict[_Key, float] = OrderedDict()
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS))

    async def require(
        self, catalog: RestCatalog, endpoint: Endpoint, levels: Levels, authorization: str | None
    ) -> None:
        """Let a request about a table pass.

        Args:
            levels: of the table's name at the catalog.
            authorization: the caller's header.

        Raises:
            UpstreamRefused: the catalog does not let this caller load the table.
            UpstreamFailed: the catalog does not answer.
        """
        key = (catalog.name, levels, hashlib.sha256((authorization or "").encode("latin-1")).digest())
        if self._clock.monotonic() < self._until.get(key, 0.0):
            return
        began = self._clock.monotonic()
        await self._ask(catalog, endpoint.url(endpoint.table(levels)), authorization)
        self._until[key] = began + REMEMBERED_SECONDS
        self._until.move_to_end(key)
        while len(self._until) > MAX_REMEMBERED:
            self._until.popitem(last=False)

    async def _ask(self, catalog: RestCatalog, url: str, authorization: str | None) -> None:
        headers = {**catalog.headers, "Accept": "application/json"}
        if authorization is not None:
            headers["Authorization"] = authorization
        catalog.breaker.check()
        try:
            async with self._client.stream("GET", url, params={"snapshots": "refs"}, headers=headers) as answer:
                catalog.breaker.succeeded()
                if answer.status_code == 200:
                    return
                body = bytearray()
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > MAX_BYTES:
                        break
        except httpx.TimeoutException as cause:
            catalog.breaker.failed()
            raise UpstreamTimedOut(f"the catalog {catalog.name} has not answered in time") from cause
        except httpx.HTTPError as cause:
            catalog.breaker.failed()
            raise UpstreamUnavailable(f"the catalog {catalog.name} does not answer: {type(cause).__name__}") from cause
        raise UpstreamRefused(
            f"the catalog {catalog.name} does not let this caller load the table",
            status=answer.status_code,
            body=bytes(body[:MAX_BYTES]),
            media_type=answer.headers.get("content-type", "application/json"),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
