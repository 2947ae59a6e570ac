"""HTTP connections to attached catalogs.

Cookies of responses are discarded, since they would be sent with the next caller's request.
"""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from lakemuster.upstream.protocol import CONNECT_SECONDS


def limits(connections: int) -> httpx.Limits:
    """Limits of a connection pool with keep-alive."""
    return httpx.Limits(max_connections=connections, max_keepalive_connections=connections)


def timeouts(silence_seconds: float) -> httpx.Timeout:
    """The limits of a request's time.

    Args:
        silence_seconds: limit of the time in which no byte comes or goes.
    """
    return httpx.Timeout(silence_seconds, connect=CONNECT_SECONDS)


def no_cookies() -> CookieJar:
    """A jar that keeps no cookie."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))
