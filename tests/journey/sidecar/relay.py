"""A relay between the server and its upstream catalog that loses, delays or truncates responses to commits."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from tests.fake_catalog import Asked, FakeCatalog, Reply, fake_catalog

LATE_SECONDS = 1.0
_OF_THIS_HOP = frozenset({"host", "connection", "transfer-encoding", "content-length", "content-encoding", "date"})
_COMMITS = ("/tables/", "/transactions/commit")

Fault = Callable[[Callable[[], Reply]], Reply]


def refused(_: Callable[[], Reply]) -> Reply:
    """Break the connection without executing the commit."""
    return Reply(breaks="before")


def lost(carry_out: Callable[[], Reply]) -> Reply:
    """Execute the commit, and break the connection before its response."""
    carry_out()
    return Reply(breaks="before")


def cut(carry_out: Callable[[], Reply]) -> Reply:
    """Execute the commit, and break the connection within its response."""
    done = carry_out()
    return Reply(done.status, done.body, done.headers, breaks="within")


def late(carry_out: Callable[[], Reply]) -> Reply:
    """Execute the commit, and delay its response."""
    done = carry_out()
    time.sleep(LATE_SECONDS)
    return done


def failing(carry_out: Callable[[], Reply]) -> Reply:
    """Execute the commit, and respond like a gateway whose timeout has expired."""
    carry_out()
    return Reply(504, {"error": {"message": "planted", "type": "GatewayTimeout", "code": 504}})


FAULTS: dict[str, Fault] = {fault.__name__: fault for fault in (refused, lost, cut, late, failing)}


@dataclass
class Relay:
    """A relay.

    Attributes:
        upstream: the upstream's URI.
        next: the fault of the next commit.
        commits: the number of commits that reached the relay.
        met: the number of commits by fault.
    """

    upstream: str
    fake: FakeCatalog
    next: Fault | None = None
    commits: int = 0
    met: Counter[str] = field(default_factory=Counter)

    @property
    def uri(self) -> str:
        """The URI of the relay."""
        return self.fake.uri

    def pass_on(self, asked: Asked) -> Reply:
        """Forward a request to the upstream; apply the next fault if it is a commit."""
        headers = {name: value for name, value in asked.headers.items() if name not in _OF_THIS_HOP}

        def carry_out() -> Reply:
            answer = httpx.request(
                asked.method, f"{self.upstream}{asked.path}", headers=headers, content=asked.body, timeout=60
            )
            kept = {name: value for name, value in answer.headers.items() if name not in _OF_THIS_HOP}
            kept.pop("content-type", None)
            return Reply(answer.status_code, answer.content, kept)

        if asked.method != "POST" or not any(part in asked.path for part in _COMMITS) or "metrics" in asked.path:
            return carry_out()
        self.commits += 1
        fault, self.next = self.next, None
        if fault is None:
            return carry_out()
        self.met[getattr(fault, "__name__", "other")] += 1
        return fault(carry_out)


@contextmanager
def relay_to(upstream: str) -> Iterator[Relay]:
    """Run a relay on 127.0.0.1."""
    with fake_catalog() as fake:
        relay = Relay(upstream, fake)
        fake.fault = relay.pass_on
        yield relay
