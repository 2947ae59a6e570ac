"""HTTP connections of the server to other services: attached catalogs, OpenID providers, receivers of webhooks.

Cookies of responses are discarded, since they would be sent with the next caller's request.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from lakemuster.proxies import proxy_of
from lakemuster.upstream.protocol import CONNECT_SECONDS

FAILURES = (httpx.HTTPError, ssl.SSLError)
"""What a request may raise: an asynchronous client of httpx does not convert TLS errors after the handshake."""


def without_location(response: httpx.Response) -> None:
    """Remove the target of a redirect: httpx parses it even if it is not followed, and some invalid ones raise."""
    response.headers.pop("location", None)


async def without_location_async(response: httpx.Response) -> None:
    """See :func:`without_location`."""
    without_location(response)


def limits(connections: int) -> httpx.Limits:
    """Return the limits of a connection pool with keep-alive."""
    return httpx.Limits(max_connections=connections, max_keepalive_connections=connections)


def timeouts(silence_seconds: float) -> httpx.Timeout:
    """Return the timeouts of a request.

    Args:
        silence_seconds: maximum time without a byte sent or received.
    """
    return httpx.Timeout(silence_seconds, connect=CONNECT_SECONDS)


def no_cookies() -> CookieJar:
    """Return a cookie jar that stores no cookies."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


class EnvironmentTransport(httpx.BaseTransport):
    """Sends each request through the environment's proxy for its URL, and trusts the environment's certificates.

    Raises:
        OSError: the certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read.
    """

    def __init__(self, limits: httpx.Limits) -> None:
        self._tls, self._limits = httpx.create_ssl_context(), limits
        self._transports: dict[str | None, httpx.HTTPTransport] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. Raises: httpx.TransportError, also if the proxy cannot be used."""
        proxy = proxy_of(str(request.url))
        transport = self._transports.get(proxy)
        if transport is None:
            with _usable_proxy():
                made = httpx.HTTPTransport(self._tls, limits=self._limits, proxy=proxy)
            # Another thread may have made one.
            transport = self._transports.setdefault(proxy, made)
        return transport.handle_request(request)

    def close(self) -> None:
        """Close the connections."""
        for transport in self._transports.values():
            transport.close()


class AsyncEnvironmentTransport(httpx.AsyncBaseTransport):
    """Like :class:`EnvironmentTransport`, on an event loop.

    Args:
        tls: the trusted certificates; None for the environment's.
    """

    def __init__(self, limits: httpx.Limits, tls: ssl.SSLContext | None = None) -> None:
        self._tls, self._limits = tls or httpx.create_ssl_context(), limits
        self._transports: dict[str | None, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. Raises: httpx.TransportError, also if the proxy cannot be used."""
        proxy = proxy_of(str(request.url))
        transport = self._transports.get(proxy)
        if transport is None:
            with _usable_proxy():
                transport = httpx.AsyncHTTPTransport(self._tls, limits=self._limits, proxy=proxy)
            self._transports[proxy] = transport
        return await transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        for transport in self._transports.values():
            await transport.aclose()


@contextmanager
def _usable_proxy() -> Iterator[None]:
    try:
        yield
    except (ImportError, ValueError, httpx.InvalidURL):
        raise httpx.ProxyError("the environment's proxy cannot be used") from None
