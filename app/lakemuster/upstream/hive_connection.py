"""Thrift connections to a Hive Metastore, with the client that PyIceberg ships.

PyIceberg's own connection has no timeout, and belongs to one thread. Here each request has a connection of its own, a
timeout and a limit of bytes; if one address does not respond, the next one is tried, and first by later requests.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from hive_metastore.ThriftHiveMetastore import Client
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TSaslClientTransport, TTransportException

from lakemuster.clock import SYSTEM, Clock
from lakemuster.upstream.protocol import ANSWER_SECONDS, CONNECT_SECONDS, MAX_BYTES, T

WHOLE_SECONDS = 30.0
"""Timeout of a request."""
MAX_ITEMS = 1_000_000
"""Limit of the items of a list in a response."""
UNREADABLE = (TException, EOFError, ValueError, TypeError, OverflowError, struct.error)
"""Exceptions that Thrift raises for errors of the Metastore, and for bytes that are not a response."""

_Address = tuple[str, int]


class AnswerTooLarge(Exception):
    """A response has more bytes than the limit."""


class _BoundedSocket(TSocket):  # type: ignore[misc]
    """A socket whose reads have a deadline and a limit of bytes."""

    def __init__(self, host: str, port: int, clock: Clock) -> None:
        super().__init__(host, port)
        self._clock = clock
        self._until = clock.monotonic() + WHOLE_SECONDS
        self._bytes = 0

    def read(self, sz: int) -> bytes:
        remaining = self._until - self._clock.monotonic()
        if remaining <= 0:
            raise TTransportException(TTransportException.TIMED_OUT, "the answer takes too long")
        self.setTimeout(min(ANSWER_SECONDS, remaining) * 1000)
        data: bytes = super().read(sz)
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            raise AnswerTooLarge
        return data


class HiveConnections:
    """Connects to a Hive Metastore, once for each request.

    Args:
        properties: PyIceberg's: ``uri`` (several are separated by commas), ``ugi``, ``hive.kerberos-authentication``,
            ``hive.kerberos-service-name``.
    """

    def __init__(self, properties: Mapping[str, str], clock: Clock = SYSTEM) -> None:
        self._addresses = [_address(uri) for uri in properties["uri"].split(",")]
        self._ugi = properties["ugi"].split(":") if properties.get("ugi") else None
        self._is_kerberos = properties.get("hive.kerberos-authentication", "").lower() == "true"
        self._service = properties.get("hive.kerberos-service-name", "hive")
        self._clock = clock

    def call(self, ask: Callable[[Client], T]) -> T:
        """Send a request to the Metastore.

        Raises:
            TTransportException, OSError: it does not respond.
            AnswerTooLarge: the response has more than ``MAX_BYTES``.
            Exception: raised by ``ask``; see ``UNREADABLE``.
        """
        *others, last = self._addresses
        for address in others:
            try:
                return self._call(*address, ask)
            except (TTransportException, OSError):
                self._ask_last(address)
        try:
            return self._call(*last, ask)
        except (TTransportException, OSError):
            self._ask_last(last)
            raise

    def _ask_last(self, address: _Address) -> None:
        """Let the next requests begin with another address, so that each does not wait for this one."""
        first, *others = self._addresses
        if first == address:
            self._addresses = [*others, first]

    def _call(self, host: str, port: int, ask: Callable[[Client], T]) -> T:
        socket = _BoundedSocket(host, port, self._clock)
        socket.setTimeout(CONNECT_SECONDS * 1000)
        if self._is_kerberos:
            transport = TSaslClientTransport(socket, host=host, service=self._service)
        else:
            transport = TBufferedTransport(socket)
        try:
            transport.open()
            protocol = TBinaryProtocolAccelerated(
                transport, string_length_limit=MAX_BYTES, container_length_limit=MAX_ITEMS
            )
            client = Client(protocol)
            if self._ugi is not None:
                client.set_ugi(self._ugi[0], self._ugi[1:])
            return ask(client)
        finally:
            transport.close()


def is_timeout(cause: Exception) -> bool:
    """Return whether an exception is a timeout."""
    return isinstance(cause, TimeoutError) or (
        isinstance(cause, TTransportException) and cause.type == TTransportException.TIMED_OUT
    )


def _address(uri: str) -> _Address:
    parts = urlsplit(uri.strip())
    return parts.hostname or "", parts.port or 9083
