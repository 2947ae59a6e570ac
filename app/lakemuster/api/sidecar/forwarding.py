"""Forward a request to an attached catalog, and stream its response back.

Bodies are neither buffered nor parsed; only the body of a request that needs a signature is buffered.

aiohttp sends these requests, since its parser is compiled (see ``benchmarks/README.md``, W17).
"""

from __future__ import annotations

import asyncio
import string
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import aiohttp
import httpx
from starlette.requests import ClientDisconnect, Request
from yarl import URL

from lakemuster.api.sidecar.connections import Connector, send_once
from lakemuster.api.sidecar.requests import MAX_BODY_BYTES, SAFE
from lakemuster.errors import RequestInvalid, UpstreamFailed, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.failure_reasons import reason_of
from lakemuster.proxies import proxy_of
from lakemuster.upstream.protocol import CONNECT_SECONDS
from lakemuster.upstream.rest import RestCatalog
from lakemuster.upstream.sigv4 import SigV4

READ_SECONDS = 60.0
"""Timeout of a catalog that sends nothing, before and within the response to a request that changes nothing."""
WRITE_SECONDS = 600.0
"""Like ``READ_SECONDS``, for requests that may change something: commits wait for object storage."""
BODY_SECONDS = 60.0
"""Timeout of sending a request's body to the catalog; the server's own timeout for its client is the same."""
REACH_SECONDS = 3 * CONNECT_SECONDS
"""Timeout of resolving a host's name and connecting to it, TLS included."""
LOOK_SECONDS = 1.0
"""Time without a byte after which a read of the body is repeated."""
_PART_BYTES = 2**17
_MAX_HEADER_BYTES = 2**16
_OF_THIS_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_REPLACED = frozenset({b"host", b"cookie", b"expect", b"x-request-id"})
_REDIRECTING = frozenset(
    {b"x-http-method", b"x-http-method-override", b"x-method-override", b"x-original-url", b"x-rewrite-url"}
)
"""Headers by which some servers replace the method or the path, from which this server determines what is allowed."""
_OURS = frozenset({b"date", b"server"})
_OF_AN_ORIGIN = frozenset(
    {
        b"alt-svc",
        b"clear-site-data",
        b"content-security-policy",
        b"content-security-policy-report-only",
        b"cross-origin-embedder-policy",
        b"cross-origin-opener-policy",
        b"cross-origin-resource-policy",
        b"nel",
        b"permissions-policy",
        b"refresh",
        b"report-to",
        b"reporting-endpoints",
        b"set-cookie",
        b"strict-transport-security",
        b"x-frame-options",
    }
)
"""Response headers about the server that sends them: cookies, other addresses, and what browsers may do."""
_CORS = b"access-control-"
_WITHOUT_BODY = frozenset({204, 304})
_LAST_STATUS = 599
_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ASCII = string.digits + string.ascii_letters + string.punctuation

Headers = list[tuple[bytes, bytes]]
"""Names in lower case, and values."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A catalog's response, whose body is not read yet.

    Attributes:
        headers: without hop-by-hop headers, ``Date``, ``Server``, and those that are about the catalog's own origin.
    """

    status: int
    headers: Headers
    response: aiohttp.ClientResponse

    def header(self, name: str) -> str | None:
        """Return the value of a header, given its name in lower case, or None."""
        wanted = name.encode()
        return next((value.decode("latin-1") for key, value in self.headers if key == wanted), None)

    async def part(self) -> bytes:
        """Return the next chunk of the body as received, with its content encoding; empty at the end.

        Raises:
            UpstreamTimedOut, UpstreamUnavailable: the rest of the body does not arrive.
        """
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    return await self.response.content.readany()
            except aiohttp.ServerTimeoutError as cause:
                raise UpstreamTimedOut("the catalog has not sent its whole answer in time") from cause
            except aiohttp.ClientError as cause:
                raise UpstreamUnavailable(f"the connection to the catalog broke: {reason_of(cause)}") from cause
            except RuntimeError as cause:
                raise UpstreamUnavailable("the answer of the catalog is malformed") from cause
            except TimeoutError:
                # aiohttp closes the connection of a malformed body without waking a waiting read; the next read raises
                # RuntimeError.
                continue


class Forwarder:
    """Forwards requests to one catalog. Belongs to the event loop in which it was created."""

    def __init__(self, catalog: RestCatalog) -> None:
        self._catalog = catalog
        is_https = urlsplit(catalog.base).scheme == "https"
        self._session = aiohttp.ClientSession(
            # The catalog's request slots limit the connections. The TLS context is httpx's, so that all clients of a
            # catalog trust the same certificates.
            connector=Connector(ssl=httpx.create_ssl_context() if is_https else True),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_AUTOMATIC,
            middlewares=(send_once,),
            proxy=proxy_of(catalog.base),
            read_bufsize=_PART_BYTES,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
        )

    @asynccontextmanager
    async def answer(self, request: Request, url: str, changes: Mapping[str, str | None]) -> AsyncIterator[Answer]:
        """Forward a request, and yield the response once its head has arrived.

        Args:
            url: at the catalog, with the query.
            changes: values in place of those of the client's headers, by names in lower case; None removes a header.

        Raises:
            UpstreamFailed: the catalog does not respond; it may have executed the request.
            RequestInvalid: the body is too large, or a header is not UTF-8.
        """
        target, headers = _ascii(url), _headers(request, changes)
        body = _Body(request) if _has_body(request) else None
        sent: bytes | _Body | None = body
        if self._catalog.signer is not None:
            sent = b"" if body is None else b"".join([part async for part in body])
            target, headers = _signed(self._catalog.signer, request.method, target, headers, sent)
        self._catalog.breaker.check()
        silence = READ_SECONDS if request.method in SAFE else WRITE_SECONDS
        response = await self._send(request.method, target, headers, sent or None, silence)
        try:
            if response.status in _REDIRECTS and "location" in response.headers:
                name = self._catalog.name
                raise UpstreamFailed(f"the catalog {name} redirects elsewhere", catalog=name)
            if response.status > _LAST_STATUS:
                name, status = self._catalog.name, response.status
                raise UpstreamFailed(
                    f"the catalog {name} answers with the unknown status {status}; it may have carried out the request",
                    catalog=name,
                )
            yield Answer(response.status, _end_to_end(response.status, response.raw_headers), response)
        finally:
            # This closes the connection, unless the body was read to its end.
            response.close()

    async def _send(
        self, method: str, url: str, headers: list[tuple[str, str]], body: bytes | _Body | None, silence: float
    ) -> aiohttp.ClientResponse:
        breaker, name = self._catalog.breaker, self._catalog.name
        try:
            # aiohttp's read timeout begins only when the body has been sent.
            async with asyncio.timeout(BODY_SECONDS + silence):
                response = await self._session.request(
                    method,
                    URL(url, encoded=True),
                    headers=headers,
                    data=body,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(
                        total=None, connect=REACH_SECONDS, sock_connect=CONNECT_SECONDS, sock_read=silence
                    ),
                )
        except aiohttp.ConnectionTimeoutError as cause:
            breaker.failed()
            raise UpstreamTimedOut(f"the catalog {name} cannot be reached in time", catalog=name) from cause
        except TimeoutError as cause:
            breaker.failed()
            raise UpstreamTimedOut(
                f"the catalog {name} has not answered in time; it may have carried out the request", catalog=name
            ) from cause
        except aiohttp.ClientConnectorError as cause:
            breaker.failed()
            raise UpstreamUnavailable(f"the catalog {name} cannot be reached", catalog=name) from cause
        except aiohttp.ClientError as cause:
            if isinstance(body, _Body) and body.failure is not None:
                # The client caused the failure.
                raise body.failure from cause
            if not isinstance(cause, aiohttp.ClientResponseError):
                # A malformed response is one: some servers answer HEAD with a body, and any caller may send HEAD.
                breaker.failed()
            reason = type(cause.__cause__ or cause).__name__
            raise UpstreamUnavailable(
                f"the connection to the catalog {name} broke ({reason}); the catalog may have carried out the request",
                catalog=name,
            ) from cause
        breaker.succeeded()
        return response

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


class Forwarders:
    """A :class:`Forwarder` per catalog: a hanging one occupies only its own connections. Belongs to one event loop."""

    def __init__(self) -> None:
        self._forwarders: dict[str, Forwarder] = {}

    def of(self, catalog: RestCatalog) -> Forwarder:
        """Return the :class:`Forwarder` of a catalog."""
        forwarder = self._forwarders.get(catalog.name)
        if forwarder is None:
            forwarder = self._forwarders[catalog.name] = Forwarder(catalog)
        return forwarder

    async def close(self) -> None:
        """Close all connections."""
        for forwarder in self._forwarders.values():
            await forwarder.close()
        self._forwarders.clear()


def _headers(request: Request, changes: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Return the headers to send. Raises: RequestInvalid: one is not UTF-8, the encoding in which they are sent."""
    given: Headers = request.scope["headers"]
    left_out = _named_by_connection(given) | _OF_THIS_HOP | _REPLACED | _REDIRECTING
    left_out |= {name.encode() for name in changes}
    try:
        kept = [(name.decode(), value.decode()) for name, value in given if name not in left_out]
    except UnicodeDecodeError:
        raise RequestInvalid("a header is not UTF-8") from None
    kept.append(("x-request-id", request.state.request_id))
    return kept + [(name, value) for name, value in changes.items() if value is not None]


def _signed(
    signer: SigV4, method: str, url: str, headers: list[tuple[str, str]], body: bytes
) -> tuple[str, list[tuple[str, str]]]:
    """Return the URL and the headers of a request with its signature."""
    given = [(name.encode(), value.encode()) for name, value in headers]
    request = next(signer.auth_flow(httpx.Request(method, url, headers=given, content=body)))
    return str(request.url), [(name, value) for name, value in request.headers.multi_items() if name != "host"]


def _ascii(url: str) -> str:
    """Return a URL with bytes other than ASCII percent-encoded, and otherwise unchanged."""
    return url if url.isascii() else quote(url, safe=_ASCII, encoding="latin-1")


def _end_to_end(status: int, headers: tuple[tuple[bytes, bytes], ...]) -> Headers:
    lower = [(name.lower(), value) for name, value in headers]
    left_out = _named_by_connection(lower) | _OF_THIS_HOP | _OURS | _OF_AN_ORIGIN
    if status in _WITHOUT_BODY:
        # The length of the body that another response would have; the server would wait for such a body.
        left_out |= {b"content-length"}
    return [(name, value) for name, value in lower if name not in left_out and not name.startswith(_CORS)]


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    """Return the names of headers, in lower case, that ``Connection`` limits to this hop (RFC 9110, section 7.6.1)."""
    return frozenset(
        word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")
    )


def _has_body(request: Request) -> bool:
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


class _Body:
    """The chunks of a request's body as they arrive.

    Attributes:
        failure: the client's failure that ended the body early, or None.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._size = 0
        self._is_complete = False
        self.failure: ClientDisconnect | RequestInvalid | None = None

    def __aiter__(self) -> _Body:
        return self

    async def __anext__(self) -> bytes:
        while not self._is_complete:
            message = await self._request.receive()
            part: bytes = message.get("body", b"")
            self._size += len(part)
            if message["type"] == "http.disconnect":
                self.failure = ClientDisconnect()
            elif self._size > MAX_BODY_BYTES:
                self.failure = RequestInvalid(f"a body that is passed on has at most {MAX_BODY_BYTES} bytes")
            if self.failure is not None:
                raise self.failure
            self._is_complete = not message.get("more_body", False)
            if part:
                return part
        raise StopAsyncIteration
