"""Connections to a Hive Metastore over Thrift, with the client that PyIceberg brings.

PyIceberg's own connection waits without a limit, and belongs to one thread. Here each request has a connection of its
own, a limit of time and a limit of bytes; if one address does not answer, the next one is asked.
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
"""Limit of the time of a request."""
MAX_ITEMS = 1_000_000
"""Limit of the items of a list in an answer."""
UNREADABLE = (TException, EOFError, ValueError, TypeError, OverflowError, struct.error)
"""What Thrift raises for an error of the Metastore, and for bytes that are no answer."""


class AnswerTooLarge(Exception):
    """An answer has more bytes than the limit."""


class _BoundedSocket(TSocket):  # type: ignore[misc]
    """A socket that reads until a deadline, and up to a number of bytes."""

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
    """How to reach a Hive Metastore.

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
        """Ask the Metastore.

        Raises:
            TTransportException, OSError: it does not answer.
            AnswerTooLarge: it answers with more than ``MAX_BYTES``.
            Exception: what ``ask`` raises; see ``UNREADABLE``.
        """
        *others, last = self._addresses
        for host, port in others:
            try:
                return self._call(host, port, ask)
            except (TTransportException, OSError):
                continue
        return self._call(*last, ask)

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
    """Whether an exception says that the Metastore was silent for too long."""
    return isinstance(cause, TimeoutError) or (
        isinstance(cause, TTransportException) and cause.type == TTransportException.TIMED_OUT
    )


def _address(uri: str) -> tuple[str, int]:
    parts = urlsplit(uri.strip())
    return parts.hostname or "", parts.port or 9083
