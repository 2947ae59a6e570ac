"""Serve an ASGI app with the server's HTTP protocol class, on a free port, with asyncio or uvloop."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
import uvloop

from lakemuster.cli.connections import BoundedProtocol

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
"""The event loops under test; uvicorn uses uvloop where it is installed."""


@contextmanager
def serving(app: Any, loop: str, protocol: type[BoundedProtocol] = BoundedProtocol) -> Iterator[int]:
    """Serve an app while the block runs; yield the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, lifespan="off", log_level="critical"))

    def run() -> None:
        with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
            runner.run(server.serve([listener]))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)
