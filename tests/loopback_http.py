"""A small HTTP server on the loopback address, in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from socketserver import BaseRequestHandler
from typing import Self


class LoopbackServer:
    """A server that uses ``handler`` within a block."""

    def __init__(self, handler: type[BaseRequestHandler]) -> None:
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128


@contextmanager
def listening(handler: type[BaseRequestHandler]) -> Iterator[int]:
    """Run a server that uses ``handler``; yield its port."""
    with LoopbackServer(handler) as server:
        yield server.port
