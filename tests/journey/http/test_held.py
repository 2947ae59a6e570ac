"""Slow, silent and unauthenticated clients are disconnected, and do not delay other clients."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from lakemuster.api.identity.tokens import token_entry
from tests.journey.servers import Running, served

SOCKETS = 260
PLAN = "/api/v1/tables/shop.orders/plan"
LATE_SECONDS = 60.0
"""Far more than any deadline of the server."""


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the demo, without tokens."""
    folder = tmp_path_factory.mktemp("open")
    with served(folder, "--demo") as running:
        yield running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the demo, with one token."""
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "tokens.toml").write_text(token_entry("reader", "secret"), "utf-8")
    with served(folder, "--demo", TOKENS=str(folder / "tokens.toml")) as running:
        yield running


@contextmanager
def connected(running: Running, count: int, begin: bytes) -> Iterator[list[socket.socket]]:
    """Yield connections on which the start of a request has been sent."""
    address = urlsplit(running.uri)
    clients: list[socket.socket] = []
    try:
        for _ in range(count):
            client = socket.create_connection((address.hostname, address.port), timeout=20)
            clients.append(client)
            client.sendall(begin)
        yield clients
    finally:
        for client in clients:
            client.close()


def head(length: int, *headers: str) -> bytes:
    """Return the head of a plan request."""
    lines = [f"POST {PLAN} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {length}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode()


def answers(clients: list[socket.socket], drop: bytes) -> list[bytes]:
    """Return what each client receives until it is disconnected; repeatedly send ``drop`` meanwhile."""
    told = dict.fromkeys(clients, b"")
    waiting, until = set(clients), time.monotonic() + LATE_SECONDS
    while waiting and time.monotonic() < until:
        for client in list(waiting):
            client.settimeout(0.001)
            try:
                some = client.recv(1 << 12)
                told[client] += some
                if not some:
                    waiting.discard(client)
                elif drop:
                    client.sendall(drop)
            except TimeoutError:
                with suppress(OSError):
                    client.sendall(drop)
            except OSError:
                waiting.discard(client)
    assert not waiting, f"{len(waiting)} are still connected"
    return list(told.values())


def answered(running: Running, token: str | None = None) -> None:
    """Check that other clients get responses within their timeout."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=running.uri, timeout=5, headers=headers) as http:
        for body in ({}, {"filter": f"id > {time.monotonic_ns() % 1000}"}):
            assert http.post(PLAN, json=body).status_code == 200
        assert http.get("/api/v1/tables").status_code == 200
        assert http.get("/healthz").status_code == 200


def test_slow_bodies_block_nobody_and_time_out(open_server: Running) -> None:
    with connected(open_server, SOCKETS, head(1000) + b"{") as clients:
        answered(open_server)
        told = answers(clients, b" ")
    assert {some[:12] for some in told} <= {b"HTTP/1.1 408", b""}
    assert b"HTTP/1.1 408" in {some[:12] for some in told}
    answered(open_server)


def test_requests_without_a_token_are_refused_before_the_body(guarded: Running) -> None:
    with connected(guarded, SOCKETS, head(1000)) as clients:
        for client in clients:
            assert client.recv(1 << 12).startswith(b"HTTP/1.1 401 "), "before any of the body came"
        answered(guarded, "secret")
        answers(clients, b" ")
    answered(guarded, "secret")


def test_endless_request_heads_block_nobody_and_time_out(guarded: Running) -> None:
    with connected(guarded, SOCKETS, b"GET / HTTP/1.1\r\nHost: x\r\n") as clients:
        answered(guarded, "secret")
        assert {some[:12] for some in answers(clients, b"a:b\r\n")} <= {b"HTTP/1.1 408", b""}
    answered(guarded, "secret")


def test_many_clients_of_one_address_are_all_served(open_server: Running) -> None:
    def ask(number: int) -> set[int]:
        with httpx.Client(base_url=open_server.uri, timeout=60) as http:
            streams = [http.post(PLAN, json={}, headers={"Accept": "application/x-ndjson"}) for _ in range(5)]
            plans = [http.post(PLAN, json={"filter": f"id > {number * 100 + n}"}) for n in range(5)]
            return {answer.status_code for answer in (*streams, *plans)}

    with ThreadPoolExecutor(64) as threads:
        assert set().union(*threads.map(ask, range(64))) == {200}
