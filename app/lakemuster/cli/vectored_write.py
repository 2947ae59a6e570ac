"""Send response bodies in buffers with ``writev``: the kernel copies them once, Python does not."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.vectored_body import VECTORED, Buffer, VectoredBody

if TYPE_CHECKING:
    from uvicorn.protocols.http.flow_control import FlowControl

MAX_BUFFERS = 1024
"""The limit of buffers in one ``writev`` call (Linux, macOS)."""

WAITING_BYTES = 16 * 2**10
"""Bytes passed to asyncio's transport when the socket is full: its flow control signals when sending can resume."""

_WITHOUT_BODY = frozenset({204, 304})


class HttpConnection(Protocol):
    """The attributes of uvicorn's protocols that are used here."""

    transport: asyncio.Transport
    flow: FlowControl


def vectored(connection: HttpConnection, app: ASGIApp) -> ASGIApp:
    """Wrap an ASGI app so that its responses on a connection may have bodies in buffers."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_plain(connection.transport):
            await app(scope, receive, send)
            return
        is_chunked = False

        async def send_pieces(message: Message) -> None:
            nonlocal is_chunked
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                is_chunked = (
                    scope["method"] != "HEAD"
                    and message["status"] not in _WITHOUT_BODY
                    and not names & {b"content-length", b"transfer-encoding"}
                )
            body = message.get("body")
            if not isinstance(body, VectoredBody):
                await send(message)
            elif is_chunked and message.get("more_body") and len(body):
                await _send_chunk(connection, body)
            else:
                await send({**message, "body": body.joined()})

        scope.setdefault("extensions", {})[VECTORED] = {}
        await app(scope, receive, send_pieces)

    return answering


def _is_plain(transport: asyncio.Transport) -> bool:
    """Tell whether the socket can be written directly: no TLS, and ``writev`` exists."""
    return hasattr(os, "writev") and transport.get_extra_info("sslcontext") is None


async def _send_chunk(connection: HttpConnection, body: VectoredBody) -> None:
    """Send a chunk of a body after earlier output; do nothing if the connection is closed."""
    transport, flow = connection.transport, connection.flow
    transport.set_write_buffer_limits(0)  # from now on, drain() waits until the transport's buffer is empty
    rest: list[Buffer] = [b"%x\r\n" % len(body), *body.buffers, b"\r\n"]
    at = 0
    while at < len(rest):
        if flow.write_paused:
            await flow.drain()
        if transport.is_closing():
            return
        try:
            sent = os.writev(transport.get_extra_info("socket").fileno(), rest[at : at + MAX_BUFFERS])
        except BlockingIOError:
            sent = 0
        except OSError:
            transport.abort()
            return
        while at < len(rest) and sent >= (size := len(rest[at])):
            sent -= size
            at += 1
        if at < len(rest):
            waiting = memoryview(rest[at])[sent:]
            transport.write(waiting[:WAITING_BYTES])
            rest[at] = waiting[WAITING_BYTES:]
