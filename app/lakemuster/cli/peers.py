"""The connections of a server process: how many each peer and each caller may have, and until when each must move.

A connection counts for its peer's address until a request on it names a caller, and for that caller from then on. Peers
behind one proxy therefore share a number only until they say who they are. Workers do not see each other's connections:
each has its share of the numbers.

One timer a process looks at every connection once a second; a timer for every request would cost each one some
microseconds.
"""

from __future__ import annotations

import asyncio
import ipaddress
import resource
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Protocol
from weakref import WeakKeyDictionary


@dataclass(frozen=True, slots=True)
class Limits:
    """What connections may take; numbers are of all workers together, times in seconds.

    Attributes:
        head: from the first byte of a request, or from the connection, to the end of the request's head.
        body: from there to the end of its body.
        body_progress, body_progress_bytes: of a body, at least so many bytes arrive in each such time. A body has at
            most 1 MiB: no link that carries a query is slower.
        write: a client that is sent to takes something in this time. Clients stop reading while they work on what they
            have, but seldom that long; what is buffered for those that stopped for good is given back after it.
        per_peer: connections of one address whose caller is not known.
        per_caller: connections of one caller.
        total: connections of one process, at most half of the files that it may open.
        look: between two looks at the connections.
    """

    head: float = 10.0
    body: float = 60.0
    body_progress: float = 10.0
    body_progress_bytes: int = 1024
    write: float = 30.0
    per_peer: int = 512
    per_caller: int = 1024
    total: int = 4096
    look: float = 1.0


class Watched(Protocol):
    """A connection that is looked at."""

    def look(self, now: float) -> None:
        """End the connection if it is late."""
        ...


class Peers:
    """The connections of one server process. Of one event loop."""

    _of_servers: ClassVar[WeakKeyDictionary[object, Peers]] = WeakKeyDictionary()

    def __init__(self, limits: Limits, workers: int, loop: asyncio.AbstractEventLoop) -> None:
        self._limits = limits
        self._per_peer = max(1, limits.per_peer // workers)
        self._per_caller = max(1, limits.per_caller // workers)
        self._total = min(limits.total, _open_files() // 2)
        self._loop = loop
        self._owners: dict[Watched, str] = {}
        self._counts: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, server: object, limits: Limits, workers: int, loop: asyncio.AbstractEventLoop) -> Peers:
        """Those of a server, by what all its connections share."""
        known = cls._of_servers.get(server)
        if known is None:
            known = cls._of_servers[server] = cls(limits, workers, loop)
        return known

    def add(self, connection: Watched, peer: str) -> bool:
        """Count a new connection; False, and it is not counted, when its peer or the process has too many."""
        key = f"new {peer}"
        if len(self._owners) >= self._total or self._counts[key] >= self._per_peer:
            return False
        self._owners[connection] = key
        self._counts[key] += 1
        if self._timer is None:
            self._timer = self._loop.call_later(self._limits.look, self._look)
        return True

    def claim(self, connection: Watched, owner: str) -> bool:
        """Count a connection for a caller; False, and it stays as it was, when they have too many."""
        before = self._owners.get(connection)
        if before == owner or before is None:
            return True
        if self._counts[owner] >= self._per_caller:
            return False
        self._forget(before)
        self._owners[connection] = owner
        self._counts[owner] += 1
        return True

    def remove(self, connection: Watched) -> None:
        """Count a connection no longer."""
        owner = self._owners.pop(connection, None)
        if owner is not None:
            self._forget(owner)

    def _forget(self, owner: str) -> None:
        self._counts[owner] -= 1
        if not self._counts[owner]:
            del self._counts[owner]

    def _look(self) -> None:
        now = self._loop.time()
        for connection in list(self._owners):
            connection.look(now)
        self._timer = self._loop.call_later(self._limits.look, self._look) if self._owners else None


def network_of(address: str) -> str:
    """What one peer has of addresses: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))


def _open_files() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else soft
