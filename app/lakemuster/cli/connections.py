"""An HTTP/1.1 protocol for uvicorn (llhttp) that limits header bytes, numbers of connections, and times.

A request head is limited to the bytes that a legitimate client may need. A slow head, body or reader closes its
connection; ``peers.ConnectionLimits`` has the timeouts.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import termios
from typing import Any, Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from lakemuster.api.connection import CONNECTION, network_of
from lakemuster.api.draining import DRAIN
from lakemuster.cli.peers import ConnectionLimits, Peers
from lakemuster.cli.vectored_write import vectored

MAX_HEAD_BYTES = 64 * 1024
"""Limit of a request's line and headers, and of other bytes outside of the body: chunk ends and trailers."""

_RESET = struct.pack("ii", 1, 0)
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits; without them it reads heads of any length and waits forever."""

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = vectored(self, self.app)
        self.peer = ""
        self._peers = Peers.of(self.server_state, self.limits, self.config.workers, self.loop)
        self._pending = self._told = 0
        self._is_further = False
        self.is_stopping = False
        self._reading: Literal["head", "body"] | None = None
        self._since = self._mark = 0.0
        self._moved = 0
        self._unsent, self._stuck = 0, 0.0

    @property
    def is_gone(self) -> bool:
        """Whether either side has closed the connection."""
        return self.transport.is_closing()

    def shutdown(self) -> None:
        """Close the connection as soon as its response has ended."""
        self.is_stopping = True
        super().shutdown()

    def claim(self, owner: str) -> bool:
        """Count the connection for a caller; False if the caller has too many."""
        return self._peers.claim(self, owner)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register a new connection; close it if its peer or the process has too many."""
        super().connection_made(transport)
        self.peer = network_of(self.client[0]) if self.client else ""
        self._await_head()
        if not self._peers.add(self, self.peer):
            transport.write(_TOO_MANY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self._peers.remove(self)
        super().connection_lost(exc)

    def look(self, now: float) -> None:
        """Close the connection if its client exceeds a timeout in sending the request or in reading the response."""
        self._look_at_writing(now)
        if self.transport.is_closing() or self.pipeline:
            return  # pipelined requests wait because of us
        if self._reading == "head" and now - self._since > self.limits.head:
            self._end_late(is_told=self._pending > 0)
        elif self._reading == "body":
            if now - self._mark >= self.limits.body_progress:
                is_late = self._moved < self.limits.body_progress_bytes
                self._mark, self._moved = now, 0
            else:
                is_late = now - self._since > self.limits.body
            if is_late:
                self._end_late(is_told=not self.cycle.response_started)

    def _end_late(self, *, is_told: bool) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()
            return
        if is_told:
            self.transport.write(_TOO_LATE)
        self.transport.close()

    def _look_at_writing(self, now: float) -> None:
        if not self.transport.get_write_buffer_size():
            self._stuck = now
            return
        unsent = self.transport.get_write_buffer_size() + _in_kernel(self.transport)
        if unsent != self._unsent:
            self._unsent, self._stuck = unsent, now
        elif now - self._stuck > self.limits.write:
            # Send a reset: otherwise the kernel retains the unsent bytes and retries for minutes.
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; count them until they complete a head, a piece of a body, or a request."""
        if self._reading is None:
            self._await_head()
        self._is_further = False
        super().data_received(data)
        self._pending = 0 if self._is_further else self._pending + len(data)
        if self._pending > MAX_HEAD_BYTES and not self.transport.is_closing():
            cycle: RequestResponseCycle | None = self.cycle
            if cycle is None or cycle.response_complete:
                self.send_400_response("The head of the request is too long.")
            else:
                self.transport.abort()

    def _await_head(self) -> None:
        self._reading, self._since = "head", self.loop.time()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._told = 0
        if self._reading is None:
            self._await_head()
        super().on_message_begin()
        extensions: dict[str, Any] = {CONNECTION: self}
        self.scope["extensions"] = extensions

    def on_url(self, url: bytes) -> None:
        """Count a part of the request's line."""
        self._tell(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header; ignore it if it is a trailer, which proxies before this server may not have checked."""
        self._tell(len(name) + len(value))
        if self._reading != "body":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the timeouts of the body: the head is complete."""
        self._is_further = True
        self._reading, self._moved = "body", 0
        self._since = self._mark = self.loop.time()
        super().on_headers_complete()
        if DRAIN.has_begun and self.cycle is not None:
            # Clients with persistent connections must leave as well.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Count a piece of the body."""
        self._is_further = True
        self._moved += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request's timeouts."""
        self._is_further = True
        self._reading = None
        super().on_message_complete()

    def _tell(self, size: int) -> None:
        self._told += size
        if self._told > MAX_HEAD_BYTES:
            raise ValueError("a head that is too long")  # the parser converts it to its own error, a 400


def _in_kernel(transport: asyncio.Transport) -> int:
    """Return the unacknowledged bytes in the kernel's send buffer; 0 if the system does not report them."""
    try:
        found: tuple[int] = struct.unpack(
            "i", fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
        )
    except (OSError, AttributeError):
        return 0
    return found[0]
