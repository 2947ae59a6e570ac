"""How connections are read: by llhttp, and of a request's head never more than anyone has to send."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from lakemuster.cli.gathering import gathering

MAX_HEAD_BYTES = 64 * 1024
"""Of a request's line and headers, and of whatever else is no body: ends of chunks, what follows the last one."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself reads heads of any length."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = gathering(self, self.app)
        self._pending = self._told = 0
        self._is_further = False

    def data_received(self, data: bytes) -> None:
        """Bytes, which count until a head is complete, or a piece of a body, or a request."""
        self._is_further = False
        super().data_received(data)
        self._pending = 0 if self._is_further else self._pending + len(data)
        if self._pending > MAX_HEAD_BYTES and not self.transport.is_closing():
            cycle: RequestResponseCycle | None = self.cycle
            if cycle is None or cycle.response_complete:
                self.send_400_response("The head of the request is too long.")
            else:
                self.transport.abort()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._told = 0
        super().on_message_begin()

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
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._is_further = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The end of a request."""
        self._is_further = True
        super().on_message_complete()

    def _tell(self, size: int) -> None:
        self._told += size
        if self._told > MAX_HEAD_BYTES:
            raise ValueError("a head that is too long")  # which the parser turns into its own error, a 400
