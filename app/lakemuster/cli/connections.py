"""How connections are read and written: by llhttp, within bounds of bytes, of number and of time.

Of a request's head no more is read than anyone has to send. A head, a body and a reader that are late end their
connection; which times these are, ``peers.Limits`` says.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import termios
from typing import Any, Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from lakemuster.api.connection import CONNECTION
from lakemuster.cli.peers import Limits, Peers, network_of
from lakemuster.cli.vectored_write import vectored

MAX_HEAD_BYTES = 64 * 1024
"""Of a request's line and headers, and of whatever else is no body: ends of chunks, what follows the last one."""

_RESET = struct.pack("ii", 1, 0)
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself reads heads of any length and waits for ever."""

    limits = Limits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = vectored(self, self.app)
        self.peer = ""
        self._peers = Peers.of(self.server_state, self.limits, self.config.workers, self.loop)
        self._pending = self._told = 0
        self._is_further = False
        self._reading: Literal["head", "body"] | None = None
        self._since = self._mark = 0.0
        self._moved = 0
        self._unsent, self._stuck = 0, 0.0

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed the connection, or we have."""
        return self.transport.is_closing()

    def claim(self, owner: str) -> bool:
        """Count the connection for a caller."""
        return self._peers.claim(self, owner)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A new connection, if its peer may have one more."""
        super().connection_made(transport)
        self.peer = network_of(self.client[0]) if self.client else ""
        self._await_head()
        if not self._peers.add(self, self.peer):
            transport.write(_TOO_MANY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of a connection."""
        self._peers.remove(self)
        super().connection_lost(exc)

    def look(self, now: float) -> None:
        """End the connection if its client is late: with its request, or with taking the answer."""
        self._look_at_writing(now)
        if self.transport.is_closing() or self.pipeline:
            return  # what is read too early waits by our own doing
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
            # A reset: else the system keeps what the peer has not taken, and goes on trying for minutes.
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Bytes, which count until a head is complete, or a piece of a body, or a request."""
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
        """A request begins."""
        self._told = 0
        if self._reading is None:
            self._await_head()
        super().on_message_begin()
        extensions: dict[str, Any] = {CONNECTION: self}
        self.scope["extensions"] = extensions

    def on_url(self, url: bytes) -> None:
        """A part of a request's line."""
        self._tell(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._tell(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """A whole head."""
        self._is_further = True
        self._reading, self._moved = "body", 0
        self._since = self._mark = self.loop.time()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._is_further = True
        self._moved += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The end of a request."""
        self._is_further = True
        self._reading = None
        super().on_message_complete()

    def _tell(self, size: int) -> None:
        self._told += size
        if self._told > MAX_HEAD_BYTES:
            raise ValueError("a head that is too long")  # which the parser turns into its own error, a 400


def _in_kernel(transport: asyncio.Transport) -> int:
    """Bytes that the system has taken and the peer has not; 0 where it does not say."""
    try:
        found: tuple[int] = struct.unpack(
            "i", fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
        )
    except (OSError, AttributeError):
        return 0
    return found[0]
