"""Send a request on to an attached catalog, and stream its answer back.

Bodies are neither held nor read. Nothing is sent twice, since the catalog may have carried out what it did not answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from starlette.requests import ClientDisconnect, Request

from lakemuster.api.sidecar.requests import SAFE, SidecarRequest
from lakemuster.api.threads import run_for
from lakemuster.errors import RequestInvalid, UpstreamFailed, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.upstream.connections import limits, no_cookies
from lakemuster.upstream.protocol import CONNECT_SECONDS, overloaded
from lakemuster.upstream.rest import Endpoint, RestCatalog

MAX_BODY_BYTES = 64 * 2**20
"""Limit of a request's body."""
READ_SECONDS = 60.0
"""Limit of a catalog's silence before and within the answer to a request that changes nothing."""
WRITE_SECONDS = 600.0
"""The same for requests that may change something: commits wait for object storage."""
_CONNECTIONS = 256
_OF_THIS_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_REPLACED = frozenset({"host", "cookie", "expect", "x-request-id"})
_OURS = frozenset({"date", "server"})

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A catalog's answer, its body still to be read.

    Attributes:
        headers: without those of the connection.
    """

    status: int
    headers: Headers
    response: httpx.Response

    def header(self, name: str) -> str | None:
        """The value of a header, by its name in lower case."""
        return next((value for key, value in self.headers if key == name), None)


class Passing:
    """Sends requests on to one catalog. Belongs to one event loop."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(follow_redirects=False, limits=limits(_CONNECTIONS), cookies=no_cookies())

    @asynccontextmanager
    async def answer(
        self, request: Request, found: SidecarRequest, url: str, changes: Mapping[str, str | None]
    ) -> AsyncIterator[Answer]:
        """Send a request on, and give the answer's head.

        Args:
            url: at the catalog, without the query.
            changes: headers with another value than the client's; None: left out.

        Raises:
            UpstreamFailed: the catalog does not answer; it may have carried out the request.
            RequestInvalid: the body is too large.
        """
        catalog, method = found.catalog, request.method
        seconds = READ_SECONDS if method in SAFE else WRITE_SECONDS
        # Client.build_request would add Accept-Encoding, and callers would get compressed responses unasked.
        sent = httpx.Request(
            method,
            httpx.URL(url, query=found.query(request.scope["query_string"]) or None),
            headers=_headers(request, changes),
            content=_body(request) if _has_body(request) else None,
            extensions={"timeout": httpx.Timeout(seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS).as_dict()},
        )
        catalog.breaker.check()
        response = await self._send(sent, catalog)
        try:
            if response.has_redirect_location:
                raise UpstreamFailed(f"the catalog {catalog.name} redirects elsewhere", catalog=catalog.name)
            yield Answer(response.status_code, _end_to_end(response.headers.multi_items()), response)
        finally:
            await response.aclose()

    async def _send(self, sent: httpx.Request, catalog: RestCatalog) -> httpx.Response:
        try:
            response = await self._client.send(sent, stream=True, auth=catalog.signer)
        except httpx.PoolTimeout as cause:
            # Nothing was sent.
            raise overloaded(catalog.name) from cause
        except httpx.TimeoutException as cause:
            catalog.breaker.failed()
            raise UpstreamTimedOut(
                f"the catalog {catalog.name} has not answered in time; it may have carried out the request",
                catalog=catalog.name,
            ) from cause
        except httpx.ConnectError as cause:
            catalog.breaker.failed()
            raise UpstreamUnavailable(f"the catalog {catalog.name} cannot be reached", catalog=catalog.name) from cause
        except (httpx.HTTPError, httpx.InvalidURL) as cause:
            catalog.breaker.failed()
            raise UpstreamUnavailable(
                f"the catalog {catalog.name} has broken off ({type(cause).__name__}); it may have carried out the "
                "request",
                catalog=catalog.name,
            ) from cause
        catalog.breaker.succeeded()
        return response

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def own_authorization(catalog: RestCatalog) -> Mapping[str, str]:
    """The headers of this server's principal. Raises: UpstreamFailed."""
    if catalog.tokens.is_known:
        return catalog.authorization()
    return await run_for(f"catalog {catalog.name}", catalog.authorization)


async def endpoint_of(catalog: RestCatalog) -> Endpoint:
    """Where a catalog's requests go. Raises: UpstreamFailed."""
    known = catalog.known_endpoint
    return await run_for(f"catalog {catalog.name}", catalog.endpoint) if known is None else known


def _headers(request: Request, changes: Mapping[str, str | None]) -> Headers:
    named = (
        {word.strip().lower() for value in request.headers.getlist("connection") for word in value.split(",")}
        | _OF_THIS_HOP
        | _REPLACED
        | {name.lower() for name in changes}
    )
    kept = [(name, value) for name, value in request.headers.items() if name not in named]
    kept.append(("x-request-id", request.state.request_id))
    return kept + [(name, value) for name, value in changes.items() if value is not None]


def _end_to_end(headers: Iterable[tuple[str, str]]) -> Headers:
    return [
        (name.lower(), value)
        for name, value in headers
        if name.lower() not in _OF_THIS_HOP and name.lower() not in _OURS
    ]


def _has_body(request: Request) -> bool:
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


async def _body(request: Request) -> AsyncIterator[bytes]:
    size = 0
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise RequestInvalid(f"a body that is passed on has at most {MAX_BODY_BYTES} bytes")
        if part:
            yield part
        if not message.get("more_body"):
            return
