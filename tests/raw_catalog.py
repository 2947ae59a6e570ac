"""A catalog on raw sockets: tests choose the bytes of its responses, and when it closes connections."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import TypeAlias

from tests.loopback_http import LoopbackServer

CONFIG = b'{"defaults":{},"overrides":{}}'


def answer(body: bytes = b"{}", *headers: str, status: int = 200) -> bytes:
    """Return the bytes of a response with ``Content-Length``."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@dataclass
class RawRequest:
    """A received request, and its connection."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: socket.socket


Answers: TypeAlias = Callable[[RawRequest], bytes]
"""Returns the bytes of a response; if empty, the connection is closed."""


@dataclass
class RawCatalog:
    """The catalog's responses and recorded requests. Requests for its configuration are not recorded."""

    uri: str = ""
    answers: Answers = field(default=lambda _: answer())
    asked: list[RawRequest] = field(default_factory=list)
    open: list[socket.socket] = field(default_factory=list)

    def close_all(self) -> None:
        """Shut all connections down; the peers' kernel knows before this returns."""
        for connection in self.open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def raw_catalog(certificate: tuple[Path, Path] | None = None) -> Iterator[RawCatalog]:
    """Run a catalog on 127.0.0.1.

    Args:
        certificate: a certificate and key for TLS.
    """
    catalog = RawCatalog()
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)

    class Handler(StreamRequestHandler):
        disable_nagle_algorithm = True

        def setup(self) -> None:
            if context is not None:
                self.request = context.wrap_socket(self.request, server_side=True)
            super().setup()
            catalog.open.append(self.connection)

        def handle(self) -> None:
            with suppress(OSError):
                while (found := _read(self.rfile, self.connection)) is not None:
                    is_config = "/config" in found.line
                    if not is_config:
                        catalog.asked.append(found)
                    given = answer(CONFIG) if is_config else catalog.answers(found)
                    if not given:
                        return
                    self.wfile.write(given)

        def finish(self) -> None:
            catalog.open.remove(self.connection)
            super().finish()

    with LoopbackServer(Handler) as server:
        catalog.uri = f"{'http' if certificate is None else 'https'}://127.0.0.1:{server.port}"
        try:
            yield catalog
        finally:
            catalog.close_all()


def _read(stream: BufferedIOBase, connection: socket.socket) -> RawRequest | None:
    line = stream.readline().decode().strip()
    if not line:
        return None
    headers = []
    while text := stream.readline().decode("latin-1").strip():
        name, _, value = text.partition(":")
        headers.append((name, value.strip()))
    lower = {name.lower(): value for name, value in headers}
    if lower.get("transfer-encoding") == "chunked":
        body = b"".join(iter(partial(_chunk, stream), b""))
    else:
        body = stream.read(int(lower.get("content-length", 0)))
    return RawRequest(line, headers, body, connection)


def _chunk(stream: BufferedIOBase) -> bytes:
    part = stream.read(int(stream.readline(), 16))
    stream.readline()
    return part
