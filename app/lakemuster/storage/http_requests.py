"""Single HTTP requests to storage: without redirects, decompression and retries, and with a limit on body sizes."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import aiohttp
from fsspec.asyn import get_loop
from yarl import URL

from lakemuster.errors import (
    CatalogError,
    LimitExceeded,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
)
from lakemuster.failure_reasons import reason_of
from lakemuster.storage.backend import AdmittedRead
from lakemuster.storage.failures import check_size, failure_of

CONNECTIONS = 256
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Body:
    """An object's bytes, and their MD5 in hex."""

    data: bytes
    md5: str


class HttpRequests:
    """An HTTP session on fsspec's event loop, opened when it is first used.

    Args:
        session_options: arguments of ``aiohttp.ClientSession``.
        tls: verifies the servers' certificates; None for the system's authorities.
    """

    def __init__(
        self,
        deadline_seconds: float,
        session_options: Mapping[str, Any] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._options, self._tls = dict(session_options or {}), tls
        patience = patience_seconds(deadline_seconds)
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=patience, sock_read=patience)
        self._session: aiohttp.ClientSession | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session; to be used on the event loop only."""
        if self._session is None:
            options = {"connector": aiohttp.TCPConnector(limit=CONNECTIONS, ssl=self._tls or True), **self._options}
            self._session = aiohttp.ClientSession(
                timeout=self._timeout, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar(), **options
            )
            weakref.finalize(self, _close, self._session)
        return self._session

    @asynccontextmanager
    async def answer(
        self, method: str, url: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request and yield the response, whatever its status.

        Args:
            url: percent-encoded.
        """
        asked = {"Accept-Encoding": "identity", **(headers or {})}
        async with self.session.request(
            method, URL(url, encoded=True), headers=asked, allow_redirects=False
        ) as answered:
            yield answered


def patience_seconds(deadline_seconds: float) -> float:
    """Return the connect and read timeout of a request, such that two attempts fit into an operation's deadline."""
    return min(5.0, deadline_seconds / 2)


async def body_of(answered: aiohttp.ClientResponse, wanted: AdmittedRead) -> Body:
    """Return the body of a response that has an object's bytes. Raises as :func:`read_body`."""
    return await read_body(answered.content.read, answered.content_length, wanted)


async def read_body(read: Callable[[int], Awaitable[bytes]], length: int | None, wanted: AdmittedRead) -> Body:
    """Read an object's bytes to their end.

    Args:
        read: returns the next bytes, at most as many as its argument says; empty at the end.
        length: the length in bytes that the response's headers give, or None.

    Raises:
        WrongLength, LimitExceeded: the length is not the expected one, or above the maximum.
    """
    if length is not None:
        check_size(length, wanted.expected_length, wanted.max_bytes, wanted.where)
    chunks: list[bytes] = []
    digest, received = hashlib.md5(usedforsecurity=False), 0
    while chunk := await read(_CHUNK_BYTES):
        received += len(chunk)
        if received > wanted.max_bytes:
            raise LimitExceeded(f"{wanted.where}: longer than the limit of {wanted.max_bytes} bytes")
        chunks.append(chunk)
        digest.update(chunk)
    if length is None:
        check_size(received, wanted.expected_length, wanted.max_bytes, wanted.where)
    return Body(chunks[0] if len(chunks) == 1 else b"".join(chunks), digest.hexdigest())


async def read_document(answered: aiohttp.ClientResponse, most_bytes: int, where: str) -> bytes:
    """Read the body of a response that has no object's bytes, such as a listing or an error, to its end.

    Args:
        most_bytes: its maximum length.
        where: the location for messages.

    Raises:
        StorageError: it is longer.
    """
    chunks: list[bytes] = []
    received = 0
    # A single read returns the bytes that have arrived, which need not be all.
    while chunk := await answered.content.read(_CHUNK_BYTES):
        received += len(chunk)
        if received > most_bytes:
            raise StorageError(f"{where}: storage's answer is longer than the limit of {most_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def encoded(path: str) -> str:
    """Percent-encode a literal path, except its slashes."""
    return quote(path, safe="/~")


def header_ms(headers: Mapping[str, str], name: str) -> int | None:
    """Return the time in a header as milliseconds since the Unix epoch; None if there is none."""
    try:
        found = parsedate_to_datetime(headers[name])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return milliseconds(found if found.tzinfo else found.replace(tzinfo=UTC))


def milliseconds(moment: object) -> int | None:
    """Return a datetime as milliseconds since the Unix epoch; None for any other object."""
    return int(moment.timestamp() * 1000) if isinstance(moment, datetime) else None


def failure_of_status(status: int, where: str) -> CatalogError:
    """Return the error for an HTTP status."""
    if status in (404, 410):
        return ObjectMissing(f"{where}: no such object")
    if status in (401, 403, 407):
        return StorageDenied(f"{where}: access denied ({status})")
    if status in (408, 425, 429) or status >= 500:
        return StorageUnavailable(f"{where}: storage failed ({status})")
    if 300 <= status < 400:
        return StorageError(f"{where}: storage redirects elsewhere, which is not followed ({status})")
    return StorageError(f"{where}: storage refused the request ({status})")


def http_failure_of(error: BaseException, where: str) -> CatalogError:
    """Map an error of aiohttp to a CatalogError; others as :func:`~lakemuster.storage.failures.failure_of` does."""
    if isinstance(error, aiohttp.InvalidURL):
        return StorageError(f"{where}: its name gives no URL")
    if isinstance(error, aiohttp.ClientError):
        return StorageUnavailable(f"{where}: storage is unreachable or closed the connection ({reason_of(error)})")
    return failure_of(error, where)


def _close(session: aiohttp.ClientSession) -> None:
    loop = get_loop()
    if loop is not None and loop.is_running() and not session.closed:
        asyncio.run_coroutine_threadsafe(session.close(), loop)
