"""What a server tells the application of the connection that a request came by: an ASGI extension of ours.

Servers put a :class:`Connection` under :data:`CONNECTION` in a scope's ``extensions``.
"""

from __future__ import annotations

from typing import Protocol

CONNECTION = "lakemuster.connection"


class Connection(Protocol):
    """One client's connection."""

    @property
    def peer(self) -> str:
        """The address at its other end, or the network of it; no header can change it."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed it."""
        ...

    def claim(self, owner: str) -> bool:
        """Count the connection as ``owner``'s from now on, no longer as its peer's; False: they have too many."""
        ...
