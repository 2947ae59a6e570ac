"""W11, concurrent clients: mixed selective plans while the table grows and is refreshed.

``python -m benchmarks.http_load`` writes a table and prints one JSON object: requests per second, and the median and
99th percentile of their milliseconds, of one client and of 32 clients, with and without refreshes, for repeated
requests and for new ones. For comparison, the same clients use empty endpoints of the same framework, in its event
loop and in a worker thread. Bounded in time and number, on 127.0.0.1 only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing.synchronize import Event
from pathlib import Path

from benchmarks.generate import append_manifest
from benchmarks.http_requests import always, clustered, day
from benchmarks.http_server import (
    HOST,
    NAME,
    Ask,
    Connection,
    Server,
    arguments,
    empty,
    length_of,
    plan,
    prepared,
    serving,
)

CLIENTS = 32
MOST_REQUESTS = 50_000
Make = Callable[[int], Ask]


def mixed(number: int) -> Ask:
    """Return a selective plan, new for each number: a clustered range, a partition, or a day and a range."""
    first, last = day(number)
    texts = (
        "id >= {} and id < {}".format(*clustered(number)),
        f"ts >= '{first}' and ts < '{last}' and user_id = {12345 + number}",
        f"ts >= '{first}' and ts < '{last}' and price < {-900 - number / 100}",
    )
    return plan(texts[number % len(texts)], page_size=100)


@dataclass(slots=True)
class _Client:
    """A connection with one request in progress."""

    socket: socket.socket
    started: float = 0.0
    head: bytes = b""
    missing: int | None = None


@dataclass(slots=True)
class Load:
    """Measurements of concurrent clients."""

    seconds: float = 0.0
    walls: list[float] = field(default_factory=list)
    failed: int = 0

    def figures(self) -> dict[str, float]:
        """Return requests per second, and milliseconds."""
        ordered = sorted(self.walls) or [0.0]
        return {
            "requests": len(self.walls),
            "per_second": round(len(self.walls) / self.seconds),
            "p50_ms": round(ordered[len(ordered) // 2], 2),
            "p99_ms": round(ordered[int(len(ordered) * 0.99)], 2),
            "failed": self.failed,
        }


def load(port: int, clients: int, seconds: float, make: Make) -> Load:
    """Run clients for some seconds; each sends its next request when it has the response."""
    found, numbers, selector = Load(), count(), selectors.DefaultSelector()
    started = time.perf_counter()
    for _ in range(clients):
        client = _Client(socket.create_connection((HOST, port), timeout=60))
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client.socket, selectors.EVENT_READ, client)
        _send(client, make(next(numbers)), port)
    while (now := time.perf_counter()) - started < seconds and len(found.walls) < MOST_REQUESTS:
        for key, _ in selector.select(1.0):
            if _answered(key.data, found):
                found.walls.append((time.perf_counter() - key.data.started) * 1000)
                _send(key.data, make(next(numbers)), port)
    found.seconds = now - started
    for key in list(selector.get_map().values()):
        key.data.socket.close()
    return found


def _send(client: _Client, ask: Ask, port: int) -> None:
    client.head, client.missing, client.started = b"", None, time.perf_counter()
    client.socket.sendall(ask.head(port))


def _answered(client: _Client, found: Load) -> bool:
    """Receive a part of a response, and tell whether the response is complete."""
    some = client.socket.recv(1 << 18)
    if not some:
        raise SystemExit("the server hung up")
    if client.missing is None:
        client.head += some
        head, end, rest = client.head.partition(b"\r\n\r\n")
        if not end:
            return False
        found.failed += not head.startswith(b"HTTP/1.1 200")
        client.missing, some = length_of(head) or 0, rest
    client.missing -= len(some)
    return client.missing <= 0


def _grow(table: str, port: int, begun: Event, done: Event) -> None:
    """Repeatedly add a manifest of 1,000 files to the table, and refresh it."""
    while not done.wait(0.5):
        append_manifest(table, files=1_000)
        with contextlib.suppress(SystemExit, OSError):
            connection = Connection(port)
            connection.ask(Ask("POST", f"/api/v1/tables/{NAME}/refresh"))
            connection.close()
            begun.set()


@contextmanager
def growing(table: Path, server: Server) -> Iterator[None]:
    """Let another process commit to and refresh the table continuously; enter the block after the first refresh."""
    context = multiprocessing.get_context("spawn")
    begun, done = context.Event(), context.Event()
    process = context.Process(target=_grow, args=(str(table), server.port, begun, done))
    process.start()
    if not begun.wait(60):
        raise SystemExit("the table is not refreshed")
    try:
        yield
    finally:
        done.set()
        process.join(60)


def measure(table: Path, folder: Path, workers: int, seconds: float, questions: int) -> Iterator[tuple[str, object]]:
    """Yield the limits, then one client, many clients, many clients during refreshes, and the limits again."""

    def limits(when: str) -> Iterator[tuple[str, object]]:
        with empty(folder, workers) as server:
            for path in ("/ready", "/thread"):
                make = partial(always, Ask("POST", path))
                yield f"limit {path}, {when}", load(server.port, CLIENTS, seconds, make).figures()
            yield f"limit /thread, {when}, one client", load(server.port, 1, seconds, make).figures()

    yield from limits("before")
    with serving(folder, table.parent, workers) as server:
        numbers = count(questions)
        kinds: dict[str, Make] = {"again": lambda n: mixed(n % questions), "new": lambda _: mixed(next(numbers))}
        load(server.port, CLIENTS, seconds, kinds["again"])
        for name, make in kinds.items():
            yield f"{name}, one client", load(server.port, 1, seconds, make).figures()
            yield f"{name}, {CLIENTS} clients", load(server.port, CLIENTS, seconds, make).figures()
        with growing(table, server):
            for name, make in kinds.items():
                yield f"{name}, {CLIENTS} clients, refreshes", load(server.port, CLIENTS, seconds, make).figures()
    yield from limits("after")


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.http_load", description=__doc__)
    arguments(parser)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement; at most a minute")
    parser.add_argument("--questions", type=int, default=60, help="that are asked again and again")
    given = parser.parse_args()
    with prepared(given) as (table, folder):
        results = dict(measure(table, folder, given.workers, min(given.seconds, 60.0), given.questions))
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
