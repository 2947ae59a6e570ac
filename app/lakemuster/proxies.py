"""Which proxy of the environment a URL is reached through: one rule for every HTTP client of this package."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def proxy_of(url: str) -> str | None:
    """Return the environment's proxy for a URL; None without one.

    httpx chooses among the same variables, but fails for networks of IPv6 in NO_PROXY. aiohttp would also take
    passwords from .netrc.
    """
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc) or (":" in (parts.hostname or "") and proxy_bypass(str(parts.hostname))):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"
