"""Storage source for plain HTTP(S) servers, read-only.

An object's name is the literal path of its URL, which is percent-encoded for the request. Redirects are not followed.
HTTP cannot list folders: listings raise :class:`ListingUnsupported`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp

from lakemuster.errors import CatalogError, ConfigInvalid, ListingUnsupported
from lakemuster.storage.backend import AdmittedRead, StorageEntry
from lakemuster.storage.http_requests import (
    HttpRequests,
    body_of,
    encoded,
    failure_of_status,
    header_ms,
    http_failure_of,
)
from lakemuster.storage.locations import Location, redacted
from lakemuster.storage.remote import ObjectSource, SourcePage

_OPTIONS = {"headers", "client_kwargs"}
_NO_HEAD = (405, 501)


class HttpSource(ObjectSource):
    """The objects of all HTTP servers that are read with one set of options.

    Args:
        options: fsspec's options: ``headers`` of every request, and ``client_kwargs`` for ``aiohttp.ClientSession``.
    """

    def __init__(self, scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> None:
        unknown = sorted(set(options) - _OPTIONS)
        if unknown:
            raise ConfigInvalid(f"STORAGE: unknown options for {scheme}: {', '.join(unknown)}")
        try:
            session_options = dict(options.get("client_kwargs") or {})
            headers = {**(session_options.pop("headers", None) or {}), **(options.get("headers") or {})}
        except (TypeError, ValueError) as cause:
            names = "client_kwargs and headers"
            raise ConfigInvalid(f"STORAGE: the options for {scheme} are invalid: {names} must be objects") from cause
        if not all(isinstance(value, str) for value in headers.values()):
            raise ConfigInvalid(f"STORAGE: the options for {scheme} are invalid: headers must be texts")
        self._requests = HttpRequests(deadline_seconds, {**session_options, "headers": headers})

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object."""
        async with self._requests.answer("GET", _url(wanted.location)) as answered:
            if answered.status != 200:
                raise failure_of_status(answered.status, wanted.where)
            return (await body_of(answered, wanted)).data

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the object at a location; None if there is none. Sends HEAD, or GET if the server lacks HEAD."""
        for method in ("HEAD", "GET"):
            async with self._requests.answer(method, _url(location)) as answered:
                if method == "HEAD" and answered.status in _NO_HEAD:
                    continue
                return _entry(answered, location)
        return None

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Raise ListingUnsupported."""
        raise ListingUnsupported(f"{redacted(location.text)}: folders cannot be listed over HTTP")

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error to a CatalogError."""
        return http_failure_of(error, where)


def _url(location: Location) -> str:
    return f"{location.scheme}://{location.bucket}/{encoded(location.key)}"


def _entry(answered: aiohttp.ClientResponse, location: Location) -> StorageEntry | None:
    if answered.status in (404, 410):
        return None
    if answered.status != 200:
        raise failure_of_status(answered.status, redacted(location.text))
    name = location.key.rpartition("/")[2] or location.bucket
    return StorageEntry(name, answered.content_length or 0, False, header_ms(answered.headers, "Last-Modified"))
