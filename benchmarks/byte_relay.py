"""A relay that copies the bytes of connections to another port, as a bound for the cost of forwarding.

``python -m benchmarks.byte_relay --port P``; the environment variable ``RELAY_TO`` is the other port, on 127.0.0.1. It
does not read HTTP, so what a server does for a forwarded response is the difference to it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from typing import cast

from benchmarks.http_server import HOST

_BUFFER_BYTES = 2**18


class _Side(asyncio.Protocol):
    """One connection, whose bytes are written to the other."""

    def __init__(self, other: _Side | None = None) -> None:
        self.other = other
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(_BUFFER_BYTES)

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()


class _Accepted(_Side):
    """A client's connection, which opens the one to the other port."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._opening = asyncio.get_running_loop().create_task(self._open())

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self._early.append(data)
        super().data_received(data)

    async def _open(self) -> None:
        transport, self.other = await asyncio.get_running_loop().create_connection(
            lambda: _Side(self), HOST, self._port
        )
        transport.writelines(self._early)


async def _serve(port: int, to: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Accepted(to), HOST, port)
    await server.serve_forever()


def main() -> None:
    """Relay until the process is ended."""
    import uvloop  # noqa: PLC0415 - not on every platform

    parser = argparse.ArgumentParser(prog="benchmarks.byte_relay", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    uvloop.run(_serve(parser.parse_args().port, int(os.environ["RELAY_TO"])))


if __name__ == "__main__":
    main()
