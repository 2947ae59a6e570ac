"""Send messages to one webhook receiver: one at a time, with timeouts and a size limit, without following redirects."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Self

import httpx

from lakemuster import __version__
from lakemuster.failure_reasons import reason_of
from lakemuster.upstream.connections import (
    FAILURES,
    AsyncEnvironmentTransport,
    limits,
    no_cookies,
    without_location_async,
)

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 15.0
"""Timeout from the start of a request to the headers of its response."""
DRAIN_SECONDS = 1.0
MAX_ANSWER_BYTES = 64 * 2**10
"""A longer or slower response body is not read to its end, and its connection is closed; only the status matters."""
_POLL_SECONDS = 0.25


class Stopped(Exception):
    """The try was abandoned because the process has lost the job or is stopping. The message may have been received."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one try.

    Attributes:
        status: the status of the response; None if there was none.
        error: why the try failed; None if it succeeded.
        retry_after: the response's ``Retry-After`` in seconds; None if it has none.
    """

    status: int | None
    error: str | None
    retry_after: float | None = None


class Sender:
    """The connection to one receiver, as a context manager. Not thread-safe.

    Args:
        goes_on: polled several times a second during a request; false cancels it.
    """

    def __init__(self, url: str, goes_on: Callable[[], bool], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._url, self._goes_on = url, goes_on
        self._answer_seconds = answer_seconds
        self._runner: asyncio.Runner | None = None
        self._client: httpx.AsyncClient | None = None

    def __enter__(self) -> Self:
        """Return the sender; the first message opens the connection."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        if self._runner is not None:
            if self._client is not None:
                self._runner.run(self._client.aclose())
            self._runner.close()

    def send(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Try to deliver a message.

        Raises:
            Stopped: ``goes_on`` was false before the response arrived.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._watched(headers, body))

    async def _watched(self, headers: Mapping[str, str], body: bytes) -> Answer:
        request = asyncio.create_task(self._try(headers, body))
        while not request.done():
            await asyncio.wait({request}, timeout=_POLL_SECONDS)
            if not request.done() and not self._goes_on():
                request.cancel()
                with suppress(asyncio.CancelledError):
                    await request
                raise Stopped
        return request.result()

    async def _try(self, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            client = self._client = self._client or self._new_client()
        except OSError:
            return Answer(None, "the authorities of TLS certificates cannot be read: see SSL_CERT_FILE")
        request = client.build_request("POST", self._url, content=body, headers=headers)
        try:
            async with asyncio.timeout(self._answer_seconds):
                response = await client.send(request, stream=True, follow_redirects=False)
        except (TimeoutError, httpx.TimeoutException):
            return Answer(None, "it has not answered in time")
        except FAILURES as cause:
            return Answer(None, _reason(cause))
        try:
            if not _has_stray_body(response):
                await _drain(response)
        finally:
            await response.aclose()
        return _answer(response)

    def _new_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            timeout=httpx.Timeout(self._answer_seconds, connect=CONNECT_SECONDS),
            transport=AsyncEnvironmentTransport(limits(1)),
            cookies=no_cookies(),
            headers={"User-Agent": f"lakemuster/{__version__}", "Accept": "*/*"},
            event_hooks={"response": [without_location_async]},
        )


def _has_stray_body(response: httpx.Response) -> bool:
    """Tell whether a body is announced where there can be none: some receivers send it, or the end of an empty one.

    It would be taken for the next response, so the connection must be closed instead of being reused.
    """
    headers = response.headers
    return response.status_code == 204 and ("transfer-encoding" in headers or headers.get("content-length", "0") != "0")


async def _drain(response: httpx.Response) -> None:
    """Read a short response body to its end, so that the connection can be reused."""
    received = 0
    with suppress(TimeoutError, *FAILURES):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for part in response.aiter_raw():
                received += len(part)
                if received > MAX_ANSWER_BYTES:
                    return


def _answer(response: httpx.Response) -> Answer:
    status = response.status_code
    if response.is_success:
        return Answer(status, None)
    error = "it redirects, which is not followed" if response.is_redirect else f"it answers with the status {status}"
    return Answer(status, error, _retry_after(response.headers.get("retry-after")))


def _retry_after(text: str | None) -> float | None:
    """Return the seconds of a ``Retry-After`` header, which holds seconds or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _reason(cause: Exception) -> str:
    """Describe a failure without the URL, which the exception's own message may hold."""
    if isinstance(cause, httpx.ConnectError):
        return f"no connection: {reason_of(cause)}"
    if isinstance(cause, httpx.NetworkError | httpx.RemoteProtocolError | ssl.SSLError):
        return "the connection broke before the answer"
    return f"the request failed: {reason_of(cause)}"
