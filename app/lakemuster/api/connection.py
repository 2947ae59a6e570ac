"""An ASGI extension of Lakemuster that provides the client connection of a request.

Servers put a :class:`Connection` under :data:`CONNECTION` in a scope's ``extensions``.
"""

from __future__ import annotations

import ipaddress
from typing import Protocol

CONNECTION = "lakemuster.connection"


class Connection(Protocol):
    """One client's connection."""

    @property
    def peer(self) -> str:
        """The client's address or network; no header can change it."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed it."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the server is stopping, and waits for the connection's response to end."""
        ...

    def claim(self, owner: str) -> bool:
        """Count the connection for ``owner`` from now on, not for its peer; return False if the owner has too many."""
        ...


def network_of(address: str) -> str:
    """Return the network that identifies a peer: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
