"""An HTTP server with scripted faults, which stands in for S3 and other object stores."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.loopback_http import LoopbackServer

Behaviour = Callable[[socket.socket, bool], None]
"""Serve a connection whose request was read. The second argument tells whether the request is a HEAD request."""

BODY = b"manifest bytes"


def answer(
    data: bytes = BODY, status: str = "200 OK", length: int | None = None, etag: str = "x", more: str = ""
) -> Behaviour:
    """Return a behaviour that sends a complete response.

    Args:
        length: the ``Content-Length``; by default the length of ``data``.
        more: further header lines.
    """
    head = _head(status, len(data) if length is None else length, etag, more)
    return lambda peer, head_only: peer.sendall(head if head_only else head + data)


def error(status: str, code: str = "") -> Behaviour:
    """Return a behaviour that sends an S3 error document whose text contains a secret."""
    body = f"<Error><Code>{code}</Code><Message>sig=hunter2</Message><AWSAccessKeyId>hunter2</AWSAccessKeyId></Error>"
    return answer(body.encode() if code else b"", status)


def redirect(status: str, url: str) -> Behaviour:
    """Return a behaviour that sends a redirect to ``url``."""
    head = f"HTTP/1.1 {status}\r\nLocation: {url}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    return lambda peer, head_only: peer.sendall(head)


def without_length(data: bytes) -> Behaviour:
    """Return a behaviour that sends a body without ``Content-Length`` and closes the connection."""
    return lambda peer, head_only: peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + data)


def in_parts(data: bytes, status: str = "200 OK") -> Behaviour:
    """Return a behaviour that sends a body in two chunks, one after the other, without ``Content-Length``."""
    half = len(data) // 2

    def send(peer: socket.socket, head_only: bool) -> None:
        peer.sendall(f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode())
        for part in (data[:half], data[half:]):
            peer.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            time.sleep(0.05)
        peer.sendall(b"0\r\n\r\n")

    return send


def endless(peer: socket.socket, head_only: bool) -> None:
    """Send a very long response without ``Content-Length``."""
    peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(1 << 16):
        peer.sendall(b"x" * (1 << 16))


def drip(peer: socket.socket, head_only: bool) -> None:
    """Send a body byte by byte, each within a socket's timeout."""
    peer.sendall(_head("200 OK", 10_000))
    for _ in range(10_000):
        peer.sendall(b"x")
        time.sleep(0.05)


def drip_head(peer: socket.socket, head_only: bool) -> None:
    """Send a header byte by byte, each within a socket's timeout."""
    peer.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(10_000):
        peer.sendall(b"x")
        time.sleep(0.05)


def hang(peer: socket.socket, head_only: bool) -> None:
    """Send nothing until the peer disconnects."""
    peer.settimeout(60)
    peer.recv(1)


def reset(peer: socket.socket, head_only: bool) -> None:
    """Reset the connection without a response."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_midway(peer: socket.socket, head_only: bool) -> None:
    """Reset the connection within the body."""
    peer.sendall(_head("200 OK", 10_000) + b"x" * 100)
    time.sleep(0.05)
    reset(peer, head_only)


def garbage(peer: socket.socket, head_only: bool) -> None:
    """Send a greeting of another protocol than HTTP."""
    peer.sendall(b"220 mail.example ESMTP\r\n")


def _head(status: str, length: int, etag: str = "x", more: str = "") -> bytes:
    told = f'Content-Length: {length}\r\nETag: "{etag}"\r\n{more}'
    return f"HTTP/1.1 {status}\r\n{told}Connection: close\r\n\r\n".encode()


class FaultyServer(LoopbackServer):
    """A server that applies the next behaviour of ``script`` to each request, and repeats the last one.

    It records requests in ``requests``.
    """

    def __init__(self) -> None:
        self.script: list[Behaviour] = [answer()]
        self.requests: list[str] = []
        self.open = 0
        self._lock = threading.Lock()
        owner = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                owner._serve(self.request)

        super().__init__(Handler)

    def start_over(self) -> None:
        """Wait up to ten seconds until all connections are closed, then reset the script and the recorded requests."""
        limit = time.monotonic() + 10
        while self.open and time.monotonic() < limit:
            time.sleep(0.01)
        self.script, self.requests = [answer()], []

    @property
    def storage(self) -> dict[str, dict[str, Any]]:
        """The ``STORAGE`` setting that makes this server the S3 endpoint."""
        return {"s3": {"endpoint_url": self.url, "key": "muster-key", "secret": "muster-secret"}}

    def _serve(self, peer: socket.socket) -> None:
        with self._lock:
            self.open += 1
        try:
            asked = b""
            while b"\r\n\r\n" not in asked:
                part = peer.recv(65536)
                if not part:
                    return
                asked += part
            with self._lock:
                self.requests.append(asked.decode("latin-1").partition("\r\n")[0])
                behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            behaviour(peer, asked.startswith(b"HEAD "))
        except OSError:
            pass
        finally:
            with self._lock:
                self.open -= 1
