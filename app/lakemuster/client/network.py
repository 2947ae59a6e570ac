"""Connections to one server, by the environment's proxy and certificates."""

from __future__ import annotations

import re

import httpx


class NetworkSettingsInvalid(ValueError):
    """The environment names a proxy or certificates that cannot be used. The message shows no password."""


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
