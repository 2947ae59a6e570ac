"""Bodies in pieces, sent as they lie: the system copies them once, and nobody does before."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api.vectored_body import VECTORED, Piece, VectoredBody

if TYPE_CHECKING:
    from uvicorn.protocols.http.flow_control import FlowControl

MAX_PIECES = 1024
"""So many the system takes at once (Linux, macOS)."""

WAITING_BYTES = 16 * 2**10
"""What asyncio's transport is given when the connection takes no more: it tells when that is gone, and more may go."""

_WITHOUT_BODY = frozenset({204, 304})


class Connection(Protocol):
    """What is needed of uvicorn's protocols."""

    transport: asyncio.Transport
    flow: FlowControl


def vectored(connection: Connection, app: ASGIApp) -> ASGIApp:
    """The app, to whose answers on a connection bodies may belong that are in pieces."""

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
    """Whether what is written to the socket is what the other side reads."""
    return hasattr(os, "writev") and transport.get_extra_info("sslcontext") is None


async def _send_chunk(connection: Connection, body: VectoredBody) -> None:
    """A chunk of a body, after what was sent before; nothing when the other side is gone."""
    transport, flow = connection.transport, connection.flow
    transport.set_write_buffer_limits(0)  # waits, from now on, until all of what it was given is gone
    rest: list[Piece] = [b"%x\r\n" % len(body), *body.pieces, b"\r\n"]
    at = 0
    while at < len(rest):
        if flow.write_paused:
            await flow.drain()
        if transport.is_closing():
            return
        try:
            sent = os.writev(transport.get_extra_info("socket").fileno(), rest[at : at + MAX_PIECES])
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
