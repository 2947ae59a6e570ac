"""Which hosts are this machine itself, as an address to listen on and as a name in the Host header."""

from __future__ import annotations

from ipaddress import ip_address

_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


def is_loopback(host: str) -> bool:
    """Return whether a host is ``localhost``, or an address in 127.0.0.0/8 or ``::1``."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_names(host: str) -> frozenset[str]:
    """Return the names that the Host header may have at a server on a loopback host: its own address among them."""
    return _NAMES | {f"[{host}]" if ":" in host else host}
