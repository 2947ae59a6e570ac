"""Settings of HTTP connections to attached catalogs.

Cookies of responses are discarded, since they would be sent with the next caller's request.
"""

from __future__ import annotations

import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

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
