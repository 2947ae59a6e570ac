"""Vectored bodies arrive unchanged at any reading speed, and end when the client disconnects."""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import socket
import time
from collections.abc import Iterator
from itertools import count

import pyarrow as pa
import pytest
from starlette.types import Message, Receive, Scope, Send

from lakemuster.api.vectored_body import VECTORED, Buffer, VectoredBody
from lakemuster.cli.vectored_write import MAX_BUFFERS
from tests.unit.cli.bounded_server import LOOPS, serving

LARGE = 3 * 2**20
TEXT = hashlib.shake_128(b"text").digest(LARGE)
BODIES: dict[str, list[list[Buffer]]] = {
    "/small": [[b"one ", b"", b"two"], [b"three"]],
    "/many": [[TEXT[at : at + 7] for at in range(0, 7 * 3 * MAX_BUFFERS, 7)]],
    "/large": [[TEXT], [b"", memoryview(TEXT)[1:], b"x", pa.py_buffer(TEXT)], [pa.py_buffer(TEXT)] * 9],
}
told: list[str] = []


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with the path's body; ``/endless`` ends on disconnect, ``/mixed`` mixes vectored bodies and bytes."""
    assert VECTORED in scope["extensions"]
    headers: list[tuple[bytes, bytes]] = []
    parts: Iterator[list[Buffer]] = iter(BODIES.get(scope["path"], []))
    if scope["path"] == "/endless":
        parts = ([TEXT] for _ in count())
    if scope["path"] == "/length":
        parts, headers = iter([[b"four", b"five"]]), [(b"Content-Length", b"8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if scope["path"] == "/mixed":
        for body in (
            b"a" * LARGE,
            VectoredBody([b"b" * LARGE, b"c"]),
            b"d" * LARGE,
            VectoredBody([]),
            VectoredBody([b"e"]),
        ):
            await send({"type": "http.response.body", "body": body, "more_body": True})
    if scope["path"] == "/last":
        await send({"type": "http.response.body", "body": VectoredBody([b"all ", b"of it"])})
        return
    ended = asyncio.ensure_future(_ended(receive))
    for some in parts:
        if ended.done():
            break
        await send({"type": "http.response.body", "body": VectoredBody(some), "more_body": True})
        await asyncio.sleep(0)
    told.append(f"{scope['path']} {'left' if ended.done() else 'sent'}")
    await send({"type": "http.response.body", "body": b""})
    ended.cancel()


async def _ended(receive: Receive) -> None:
    message: Message = {}
    while message.get("type") != "http.disconnect":
        message = await receive()


@pytest.fixture(scope="module", params=LOOPS)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with serving(app, request.param) as found:
        yield found


def body_of(connection: http.client.HTTPConnection, path: str, seconds: float = 0.0, method: str = "GET") -> bytes:
    """Return a body, read in parts with pauses."""
    connection.request(method, path)
    with connection.getresponse() as response:
        found = bytearray()
        while some := response.read(1 << 20):
            found += some
            time.sleep(seconds)
    return bytes(found)


@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_all_pieces_come_in_order_on_one_connection(port: int, seconds: float):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.connect()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    for path in ("/small", "/large", "/many", "/small"):
        expected = b"".join(bytes(piece) for some in BODIES[path] for piece in some)
        assert body_of(connection, path, seconds) == expected
    connection.close()


def test_pieces_and_bytes_keep_their_order(port: int):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    expected = b"a" * LARGE + b"b" * LARGE + b"c" + b"d" * LARGE + b"e"
    assert body_of(connection, "/mixed", 0.01) == expected
    assert body_of(connection, "/length") == b"fourfive"
    assert body_of(connection, "/last") == b"all of it"
    assert body_of(connection, "/large", method="HEAD") == b""
    assert body_of(connection, "/small") == b"one twothree"
    connection.close()


def test_a_client_that_goes_away_ends_the_sending(port: int):
    told.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        time.sleep(0.1)
    deadline = time.monotonic() + 10
    while not told and time.monotonic() < deadline:
        time.sleep(0.01)
    assert told == ["/endless left"]


def test_others_are_answered_while_one_does_not_read_on(port: int):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(1 << 16)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        assert body_of(connection, "/small") == b"one twothree"
        connection.close()
