"""A relay between a server of ours and its upstream, that loses, delays or cuts the answers to commits."""

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
    """The connection breaks, and nothing is carried out."""
    return Reply(breaks="before")


def lost(carry_out: Callable[[], Reply]) -> Reply:
    """The commit is carried out, and the connection breaks before its answer."""
    carry_out()
    return Reply(breaks="before")


def cut(carry_out: Callable[[], Reply]) -> Reply:
    """The commit is carried out, and the connection breaks within its answer."""
    done = carry_out()
    return Reply(done.status, done.body, done.headers, breaks="within")


def late(carry_out: Callable[[], Reply]) -> Reply:
    """The commit is carried out, and its answer is late."""
    done = carry_out()
    time.sleep(LATE_SECONDS)
    return done


def failing(carry_out: Callable[[], Reply]) -> Reply:
    """The commit is carried out, and a gateway of the upstream answers for it."""
    carry_out()
    return Reply(504, {"error": {"message": "planted", "type": "GatewayTimeout", "code": 504}})


FAULTS: dict[str, Fault] = {fault.__name__: fault for fault in (refused, lost, cut, late, failing)}


@dataclass
class Relay:
    """A relay.

    Attributes:
        uri: that stands for the upstream's.
        next: the fault of the next commit.
        commits: how many have reached it.
    """

    upstream: str
    fake: FakeCatalog
    next: Fault | None = None
    commits: int = 0
    met: Counter[str] = field(default_factory=Counter)

    @property
    def uri(self) -> str:
        """Where it listens."""
        return self.fake.uri

    def pass_on(self, asked: Asked) -> Reply:
        """Answer as the upstream does, or with the next fault."""
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
    """A relay on 127.0.0.1, for the length of a block."""
    with fake_catalog() as fake:
        relay = Relay(upstream, fake)
        fake.fault = relay.pass_on
        yield relay
