"""What a connection may send that is no body has a bound; whatever is well formed and within it is answered."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from lakemuster.cli.connections import MAX_HEAD_BYTES, BoundedProtocol

SENT_BYTES = 20 * 2**20


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Tells how much of a body came."""
    size = len(await Request(scope, receive).body())
    await PlainTextResponse(f"{scope['method']} {len(scope['headers'])} headers {size} bytes\n")(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=BoundedProtocol, lifespan="off", log_level="critical"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)


def answer(port: int, *pieces: bytes) -> bytes:
    """All that comes back until the server closes, as it is asked to."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        for piece in pieces:
            client.sendall(piece)
        return b"".join(iter(lambda: client.recv(1 << 16), b""))


def accepted(port: int, begin: bytes, endless: bytes) -> tuple[int, bytes]:
    """How much of something endless is taken before the server hangs up, and what it says."""
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
    assert taken < 2 * 2**20, "what the system holds of a connection besides"
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
