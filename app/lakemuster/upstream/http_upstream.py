"""Catalogs with an HTTP API. Requests have limits of bytes, of silence and of total time, and follow no redirects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import reason_of
from lakemuster.upstream.connections import EnvironmentTransport, limits, no_cookies, timeouts, without_location
from lakemuster.upstream.decoding import decoded
from lakemuster.upstream.json_members import NotAnObject
from lakemuster.upstream.protocol import ANSWER_SECONDS, MAX_BYTES, Upstream

WHOLE_SECONDS = 60.0
"""Timeout of a whole response."""
_CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A catalog's response with its whole body.

    Attributes:
        sent_at: seconds since 1970, by the sender's clock, or by this server's if the response has no date.
    """

    status: int
    body: bytes
    sent_at: float = 0.0


class HttpUpstream(Upstream):
    """One attached catalog with an HTTP API."""

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        self.headers = {
            key.removeprefix("header."): value
            for key, value in settings.properties.items()
            if key.startswith("header.")
        }
        self._client = httpx.Client(
            timeout=timeouts(ANSWER_SECONDS),
            transport=EnvironmentTransport(limits(_CONNECTIONS)),
            cookies=no_cookies(),
            event_hooks={"response": [without_location]},
        )

    def _answer(
        self, url: str, parameters: Mapping[str, str], headers: Mapping[str, str], signer: httpx.Auth | None = None
    ) -> HttpAnswer:
        """Send a GET request and read its response. Call it within :meth:`_request`."""
        return self._exchanged(self._client.build_request("GET", url, params=parameters, headers=headers), signer)

    def _posted(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> HttpAnswer:
        """Send a form and read the response. Call it within :meth:`_request`."""
        return self._exchanged(self._client.build_request("POST", url, data=dict(form), headers=headers), None)

    def _exchanged(self, request: httpx.Request, signer: httpx.Auth | None) -> HttpAnswer:
        request.headers.update({"Accept": "application/json", "Accept-Encoding": "gzip, deflate"})
        until = self._clock.monotonic() + WHOLE_SECONDS
        answer = self._client.send(request, stream=True, auth=signer)
        try:
            body = bytearray()
            for part in answer.iter_raw():
                body += part
                if len(body) > MAX_BYTES:
                    raise self._failed(f"it answers with more than {MAX_BYTES} bytes")
                if self._clock.monotonic() > until:
                    raise self._timed_out()
            whole = decoded(bytes(body), answer.headers.get("content-encoding"), MAX_BYTES)
            return HttpAnswer(answer.status_code, whole, _time_of(answer))
        except NotAnObject as cause:
            raise self._failed(f"its answer cannot be decoded: {cause}") from None
        finally:
            answer.close()

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        if isinstance(cause, httpx.TimeoutException):
            return self._timed_out()
        if isinstance(cause, httpx.HTTPError | httpx.InvalidURL):
            return self._unavailable(reason_of(cause))
        return None

    def close(self) -> None:
        """See :meth:`Upstream.close`."""
        self._client.close()


def _time_of(answer: httpx.Response) -> float:
    try:
        return parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return time.time()
