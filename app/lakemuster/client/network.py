"""Connections to one server, by the environment's proxies and certificates."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx


class NetworkSettingsInvalid(ValueError):
    """The environment names a proxy or certificates that cannot be used. The message shows no password."""


def proxy_to(uri: str) -> str | None:
    """Return the environment's proxy for a server; None without one.

    httpx chooses among the same variables, but fails for networks of IPv6 in NO_PROXY.
    """
    parts = urlsplit(uri)
    if proxy_bypass(parts.netloc) or (":" in (parts.hostname or "") and proxy_bypass(str(parts.hostname))):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"


def connections(proxy: str | None) -> httpx.BaseTransport:
    """Return a pool of connections.

    Raises:
        NetworkSettingsInvalid: the proxy or the certificates cannot be used.
    """
    try:
        return httpx.HTTPTransport(proxy=proxy)
    except ImportError:
        message = f"the proxy {without_password(proxy)} needs a package that is not installed: pip install socksio"
    except OSError as cause:
        message = f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read: {cause.strerror or cause}"
    except (httpx.InvalidURL, ValueError):
        message = f"the environment's proxy is no address: {without_password(proxy)}; http://host:3128 is one"
    raise NetworkSettingsInvalid(message)


def without_password(address: str | None) -> str:
    """Return an address as messages show it."""
    return re.sub("//.*@", "//…@", address or "")
