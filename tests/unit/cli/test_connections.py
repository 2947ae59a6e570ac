"""Everything but the body of a request has a size limit; well-formed requests within the limits are answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from lakemuster.api.connection import CONNECTION
from lakemuster.cli.connections import MAX_HEAD_BYTES, BoundedProtocol
from lakemuster.cli.peers import ConnectionLimits
from tests.unit.cli.bounded_server import LOOPS, serving

SENT_BYTES = 20 * 2**20


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with the length of the request's body."""
    size = len(await Request(scope, receive).body())
    await PlainTextResponse(f"{scope['method']} {len(scope['headers'])} headers {size} bytes\n")(scope, receive, send)


@pytest.fixture(scope="module", params=LOOPS)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with serving(app, request.param) as found:
        yield found


def answer(port: int, *pieces: bytes) -> bytes:
    """Send pieces and return all bytes until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        for piece in pieces:
            client.sendall(piece)
        return b"".join(iter(lambda: client.recv(1 << 16), b""))


def accepted(port: int, begin: bytes, endless: bytes) -> tuple[int, bytes]:
    """Send ``endless`` repeatedly; return the bytes sent before the server closed, and its response."""
    taken, said = 0, b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 14)
        client.sendall(begin)
        with suppress(OSError):
            while taken < SENT_BYTES:
                client.sendall(endless)
                taken += len(endless)
        with suppress(OSError):
            said = client.recv(1 << 16)
    return taken, said


def test_requests_are_answered_one_after_another_on_one_connection(port: int):
    first = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    second = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
    said = answer(port, first + second, first.replace(b"Host: x", b"Host: x\r\nConnection: close"))
    assert said.count(b"HTTP/1.1 200 OK") == 3
    assert b"POST 2 headers 5 bytes" in said


def test_a_trailer_is_no_header(port: int):
    request = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    closing = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    said = answer(port, request + b"X-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer x\r\n\r\n" + closing)
    assert b"POST 2 headers 5 bytes" in said
    assert b"GET 2 headers 0 bytes" in said


def test_bodies_may_be_long_and_come_in_pieces(port: int):
    body = b"x" * (4 * MAX_HEAD_BYTES)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    counted = answer(port, head + b"Content-Length: %d\r\n\r\n" % len(body), body[:100], body[100:])
    chunk = b"%x\r\n%s\r\n" % (len(body), body)
    chunked = answer(port, head + b"Transfer-Encoding: chunked\r\n\r\n", chunk, chunk, b"0\r\n\r\n")
    assert f" {len(body)} bytes".encode() in counted
    assert f" {2 * len(body)} bytes".encode() in chunked


def test_a_long_head_is_read(port: int):
    long = b"X-Long: " + b"v" * (MAX_HEAD_BYTES - 1000)
    assert b" 3 headers " in answer(port, b"GET / HTTP/1.1\r\nHost: x\r\n" + long + b"\r\nConnection: close\r\n\r\n")


def test_a_head_that_is_too_long_is_refused_even_if_it_comes_at_once(port: int):
    long = b"X-Long: " + b"v" * (MAX_HEAD_BYTES + 1000)
    said = answer(port, b"GET / HTTP/1.1\r\nHost: x\r\n" + long + b"\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 400 ")


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begin", "endless"),
    [
        pytest.param(b"GET /", b"a" * 1000, id="line"),
        pytest.param(b"GET / HTTP/1.1\r\nX-Long: ", b"a" * 1000, id="value"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"a" * 1000, id="name"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"X-Header: value\r\n" * 60, id="headers"),
        pytest.param(CHUNKED + b"5;e=", b"a" * 1000, id="end of a chunk's head"),
        pytest.param(CHUNKED + b"5\r\nhello\r\n0\r\nX-Last: ", b"a" * 1000, id="value after the body"),
        pytest.param(CHUNKED + b"5\r\nhello\r\n0\r\n", b"X-Last: value\r\n" * 60, id="headers after the body"),
    ],
)
def test_what_never_ends_is_cut(port: int, begin: bytes, endless: bytes):
    taken, said = accepted(port, begin, endless)
    assert taken < 2 * 2**20, "more was sent than socket buffers hold"
    assert said == b"" or said.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "odd",
    [
        b"NONSENSE\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(port: int, odd: bytes):
    assert answer(port, odd).startswith(b"HTTP/1.1 400 ")


class Hurried(BoundedProtocol):
    """The server's protocol with short deadlines."""

    limits = ConnectionLimits(
        head=0.3, body=1.5, body_progress=0.3, body_progress_bytes=100, write=0.3, per_peer=3, look=0.05
    )


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond to a POST with its body's length, and to a GET with an endless or a large body."""
    if scope["method"] == "POST":
        await app(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while scope["path"] == "/endless" and not scope["extensions"][CONNECTION].is_gone:
        await send({"type": "http.response.body", "body": b"x" * 2**16, "more_body": True})
    await send({"type": "http.response.body", "body": b"x" * 2**26})


@pytest.fixture(scope="module", params=LOOPS)
def hurried(request: pytest.FixtureRequest) -> Iterator[int]:
    with serving(endless, request.param, Hurried) as found:
        yield found


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"


def dripped(port: int, begin: bytes, drop: bytes, pause: float) -> bytes:
    """Return the response to a client that sends ``drop`` after every ``pause``."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(begin)
        client.settimeout(pause)
        for _ in range(1000):
            with suppress(OSError):
                client.sendall(drop)
            try:
                return client.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                return b""
    raise AssertionError("the server did not close the connection")


@pytest.mark.parametrize(
    ("begin", "drop", "said"),
    [
        pytest.param(b"", b"", b"", id="nothing"),
        pytest.param(b"", b"\r\n", b"HTTP/1.1 408 ", id="empty lines"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"a:b\r\n", b"HTTP/1.1 408 ", id="head"),
        pytest.param(HEAD % 1000, b"x", b"HTTP/1.1 408 ", id="body"),
        pytest.param(HEAD % 2**20, b"x" * 60, b"HTTP/1.1 408 ", id="body that makes progress"),
        pytest.param(
            HEAD.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked"),
            b"1\r\nx\r\n",
            b"HTTP/1.1 408 ",
            id="chunks",
        ),
    ],
)
def test_who_sends_too_slowly_is_cut(hurried: int, begin: bytes, drop: bytes, said: bytes):
    assert dripped(hurried, begin, drop, 0.02).startswith(said)


def test_a_second_head_on_a_connection_has_its_time_too(hurried: int):
    with socket.create_connection(("127.0.0.1", hurried), timeout=20) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
        said = b""
        while not said.endswith(b" bytes\n"):
            said += client.recv(1 << 16)
        assert said.startswith(b"HTTP/1.1 200 ")
        client.sendall(b"GET / HT")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 408 ")
        assert client.recv(1 << 16) == b""


def steadily(work: Callable[[Callable[[], None]], None]) -> None:
    """Do a client's work, which calls its argument at each step; repeat it if the machine suspended the client."""
    for _ in range(10):
        steps = [time.monotonic()]
        try:
            work(lambda steps=steps: steps.append(time.monotonic()))  # type: ignore[misc]
        except (AssertionError, OSError):
            pauses = [later - earlier for earlier, later in pairwise(steps)]
            if max(pauses, default=0.0) < Hurried.limits.write / 2:
                raise
        else:
            return
    raise AssertionError("the machine is too busy for this test")


def test_a_slow_body_that_keeps_moving_is_read(hurried: int):
    body = b"x" * 2000

    def send(step: Callable[[], None]) -> None:
        with socket.create_connection(("127.0.0.1", hurried), timeout=20) as client:
            client.sendall(HEAD % len(body))
            for at in range(0, len(body), 200):
                client.sendall(body[at : at + 200])
                client.settimeout(0.06)
                with suppress(TimeoutError):
                    assert client.recv(100).startswith(b"HTTP/1.1 200 ")
                step()
            client.settimeout(20)
            assert b"2000 bytes" in b"".join(iter(lambda: client.recv(1 << 16), b""))

    steadily(send)


@pytest.mark.parametrize("path", [b"/endless", b"/much"])
def test_who_does_not_read_is_cut(hurried: int, path: bytes):
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        client.settimeout(20)
        client.connect(("127.0.0.1", hurried))
        client.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        client.recv(1)
        until = time.monotonic() + 20
        while is_open(client) and time.monotonic() < until:
            time.sleep(0.02)
        assert not is_open(client)


def is_open(client: socket.socket) -> bool:
    """Return whether the kernel's state of a connection is ESTABLISHED; read nothing."""
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1


def test_who_reads_slowly_is_not(hurried: int):
    def read(step: Callable[[], None]) -> None:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
            client.settimeout(20)
            client.connect(("127.0.0.1", hurried))
            client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            until = time.monotonic() + 1.0  # three times the deadline
            while time.monotonic() < until:
                assert client.recv(1 << 14)
                time.sleep(0.01)
                step()

    steadily(read)


def test_a_peer_has_only_so_many_connections(hurried: int):
    clients = [socket.create_connection(("127.0.0.1", hurried), timeout=20) for _ in range(3)]
    try:
        said = b""
        with suppress(OSError):  # a reset may discard the response
            said = answer(hurried, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        assert said == b"" or said.startswith(b"HTTP/1.1 503 ")
    finally:
        for client in clients:
            client.close()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with suppress(OSError):
            if answer(hurried, HEAD % 2, b"hi").startswith(b"HTTP/1.1 200 "):
                return
    raise AssertionError("nobody is answered any more")
