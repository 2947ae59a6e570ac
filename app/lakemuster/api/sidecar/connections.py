"""aiohttp connections for requests forwarded to attached catalogs: when they are reused, and what is sent twice.

A request that may change something is sent once: the catalog may have executed it even if no response came. GET and
HEAD are retried once if their connection breaks before the response (RFC 9110, section 9.2.2).
"""

from __future__ import annotations

import select
from asyncio import BaseTransport
from typing import Any
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from lakemuster.api.sidecar.requests import SAFE

KEEP_ALIVE_SECONDS = 4.0
"""Timeout of an idle connection; many servers close theirs after 5 s."""


class Connector(aiohttp.TCPConnector):
    """A connection pool without limits, which reuses a connection only if it is open and has no unread input.

    aiohttp notices a close only when its event loop next reads the socket, and until then would send a commit over the
    closed connection. It would take an unsolicited response, such as a 408, as that of the next request.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS, **options)
        self._used = WeakSet[ResponseHandler]()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's
    ) -> Connection:
        """Return an idle connection, or open one."""
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if protocol is None or protocol not in self._used:
                break
            if not protocol.should_close and not _has_input(connection.transport):
                return connection
            connection.close()
        if protocol is not None:
            self._used.add(protocol)
        return connection


def _has_input(transport: BaseTransport | None) -> bool:
    """Return whether bytes, or the end of the stream, can be read."""
    if transport is None:
        return True
    poll = select.poll()
    poll.register(transport.get_extra_info("socket"), select.POLLIN)
    return bool(poll.poll(0))


async def send_once(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keep aiohttp from retrying PUT, DELETE and OPTIONS, as client middleware."""
    try:
        return await send(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as cause:
        if request.method in SAFE:
            raise
        raise aiohttp.ClientConnectionError(str(cause)) from cause
