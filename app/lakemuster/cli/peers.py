"""Limit the connections of a server process: their number for each peer and each caller, and their timeouts.

A connection counts for its peer's address until a request on it authenticates a caller, and then for that caller. Peers
behind one proxy therefore share a limit only until they authenticate. Workers do not see each other's connections:
each has its share of the limits.

One timer per process checks all connections once a second; a timer for each request would cost some
microseconds each.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Protocol
from weakref import WeakKeyDictionary


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of connections: timeouts in seconds; numbers for all workers together.

    Attributes:
        head: timeout from the connection, or the first byte of a request, to the end of the request's head.
        body: timeout from there to the end of its body.
        body_progress, body_progress_bytes: in each such period, at least this many bytes of a body must arrive. A body
            has at most 1 MiB: no link that carries a query is slower.
        write: timeout for a client to read some bytes of a response. Clients stop reading while they process data,
            but rarely this long; after it, the buffers of stopped clients are freed.
        per_peer: connections of one address whose caller is unknown.
        per_caller: connections of one caller.
        total: connections of one process, at most half of the files that it may open.
        look: the interval of checks.
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
    """A connection whose timeouts are checked."""

    def look(self, now: float) -> None:
        """Close the connection if it exceeds a timeout."""
        ...


class Peers:
    """The connections of one server process, on one event loop."""

    _of_servers: ClassVar[WeakKeyDictionary[object, Peers]] = WeakKeyDictionary()

    def __init__(self, limits: ConnectionLimits, workers: int, loop: asyncio.AbstractEventLoop) -> None:
        self._limits = limits
        self._per_peer = max(1, limits.per_peer // workers)
        self._per_caller = max(1, limits.per_caller // workers)
        self._total = min(limits.total, _open_files() // 2)
        self._loop = loop
        self._owners: dict[Watched, str] = {}
        self._counts: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, server: object, limits: ConnectionLimits, workers: int, loop: asyncio.AbstractEventLoop) -> Peers:
        """Return the instance of a server, identified by the state that all of its connections share."""
        known = cls._of_servers.get(server)
        if known is None:
            known = cls._of_servers[server] = cls(limits, workers, loop)
        return known

    def add(self, connection: Watched, peer: str) -> bool:
        """Count a new connection; False, without counting it, if its peer or the process has too many."""
        key = f"new {peer}"
        if len(self._owners) >= self._total or self._counts[key] >= self._per_peer:
            return False
        self._owners[connection] = key
        self._counts[key] += 1
        if self._timer is None:
            self._timer = self._loop.call_later(self._limits.look, self._look)
        return True

    def claim(self, connection: Watched, owner: str) -> bool:
        """Count a connection for a caller; False, without a change, if the caller has too many."""
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
        """Stop counting a connection."""
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


def _open_files() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else soft
