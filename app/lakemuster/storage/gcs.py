"""Storage source for Google Cloud Storage.

gcsfs resolves the credentials and the endpoint. This module makes the requests itself, to the JSON API: reads of gcsfs
cost a second request, and have retries of their own. Objects are verified against their MD5, which all objects but
composite ones have.

Source: Cloud Storage JSON API v1, "Objects: get", "Objects: list".
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp
from gcsfs import retry
from gcsfs.core import GCSFileSystem
from google.auth import exceptions as google

from lakemuster.errors import CatalogError, ConfigInvalid, ObjectMissing, StorageDenied, StorageError
from lakemuster.storage.backend import AdmittedRead, StorageEntry
from lakemuster.storage.content_digests import ContentDigests
from lakemuster.storage.failures import checked_options, unanswered
from lakemuster.storage.http_requests import (
    HttpRequests,
    body_of,
    failure_of_status,
    header_ms,
    http_failure_of,
    read_document,
)
from lakemuster.storage.locations import Location, redacted
from lakemuster.storage.remote import ObjectSource, SourcePage

_PAGE = "items(name,size,updated),prefixes,nextPageToken"
_MOST_PAGE_BYTES = 64 << 20
# gcsfs < 2026.2 has no NonRetryableError.
_NO_CREDENTIALS = (google.GoogleAuthError, retry.HttpError, getattr(retry, "NonRetryableError", retry.HttpError))


class GcsSource(ObjectSource):
    """The objects of all buckets that one set of gcsfs options opens."""

    lists_deep = True

    def __init__(self, options: Mapping[str, Any], deadline_seconds: float) -> None:
        checked_options("gs", GCSFileSystem.__init__, options)
        try:
            self._files: Any = GCSFileSystem(**options, skip_instance_cache=True, use_listings_cache=False)
        except Exception as cause:
            raise ConfigInvalid(f"STORAGE: the options for gs are invalid ({type(cause).__name__})") from cause
        self._requests = HttpRequests(deadline_seconds, options.get("session_kwargs"))
        self._digests = ContentDigests()

    async def ready(self) -> None:
        """Refresh the credentials in a thread: google-auth makes blocking requests for this."""
        known = self._files.credentials
        if known.credentials is not None and not known.credentials.valid:
            await asyncio.get_running_loop().run_in_executor(None, known.maybe_refresh)

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object."""
        where, bucket = wanted.where, wanted.location.bucket
        if not wanted.location.key:
            raise ObjectMissing(f"{where}: a bucket, not an object")
        url = f"{self._files._location}/download/storage/v1/{_object(wanted.location)}"  # noqa: SLF001
        async with self._requests.answer("GET", self._with(url, alt="media"), self._headers()) as answered:
            if answered.status != 200:
                raise failure_of_status(answered.status, where)
            body = await body_of(answered, wanted)
            self._digests.check(bucket, where, _md5_of(answered), body.md5, refused)
            return body.data

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the object at a location, or the folder if there are objects below it; None if there is neither."""
        name = location.key.rpartition("/")[2] or location.bucket
        if location.key:
            url = self._with(self._files.base + _object(location), fields="name,size,updated")
            found = await self._json(url, redacted(location.text))
            if found is not None:
                return _entry(found, name)
        page = await self._listed(location, None, deep=True, most=1)
        return StorageEntry(name, 0, True, None) if page.entries else None

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Return a page of a listing."""
        return await self._listed(location, token, deep=deep, most=None)

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error to a CatalogError."""
        if isinstance(error, google.TransportError):
            return unanswered(error, where)
        if isinstance(error, _NO_CREDENTIALS):
            return StorageDenied(f"{where}: no credentials for Google Cloud Storage ({type(error).__name__})")
        return http_failure_of(error, where)

    async def _listed(self, location: Location, token: str | None, *, deep: bool, most: int | None) -> SourcePage:
        prefix = f"{location.key}/" if location.key else ""
        query = {"prefix": prefix, "fields": _PAGE}
        query |= {} if deep else {"delimiter": "/"}
        query |= {} if token is None else {"pageToken": token}
        query |= {} if most is None else {"maxResults": str(most)}
        where = redacted(location.text)
        url = self._with(f"{self._files.base}b/{quote(location.bucket, safe='')}/o", **query)
        async with self._requests.answer("GET", url, self._headers()) as answered:
            if answered.status == 404:
                raise ObjectMissing(f"{where}: no such bucket")
            found = await _parsed(answered, where)
            now_ms = header_ms(answered.headers, "Date")
        entries = [_entry(item, item["name"][len(prefix) :]) for item in found.get("items", ())]
        entries += [StorageEntry(name[len(prefix) : -1], 0, True, None) for name in found.get("prefixes", ())]
        return SourcePage(entries, found.get("nextPageToken"), now_ms)

    async def _json(self, url: str, where: str) -> dict[str, Any] | None:
        async with self._requests.answer("GET", url, self._headers()) as answered:
            return None if answered.status == 404 else await _parsed(answered, where)

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        if self._files.credentials.credentials is not None:
            self._files.credentials.credentials.apply(headers)
        return headers

    def _with(self, url: str, **query: str) -> str:
        # Add the parameters that the options require for every request, such as the project that pays.
        return f"{url}?{urlencode(self._files._get_params(query), quote_via=quote)}"  # noqa: SLF001


def _object(location: Location) -> str:
    return f"b/{quote(location.bucket, safe='')}/o/{quote(location.key, safe='')}"


async def _parsed(answered: aiohttp.ClientResponse, where: str) -> dict[str, Any]:
    if answered.status != 200:
        raise failure_of_status(answered.status, where)
    data = await read_document(answered, _MOST_PAGE_BYTES, where)
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise StorageError(f"{where}: storage gives no JSON object")
    return found


def _entry(item: Mapping[str, Any], name: str) -> StorageEntry:
    updated = item.get("updated")
    modified = None if updated is None else int(datetime.fromisoformat(updated).timestamp() * 1000)
    return StorageEntry(name, int(item.get("size") or 0), False, modified)


def _md5_of(answered: aiohttp.ClientResponse) -> str | None:
    """Return the MD5 of the body in hex from a response; None if it has none, or one of differently encoded bytes."""
    if answered.headers.get("x-goog-stored-content-encoding", "identity") != "identity":
        return None
    for value in answered.headers.getall("x-goog-hash", ()):
        for part in value.split(","):
            kind, _, digest = part.strip().partition("=")
            if kind == "md5":
                try:
                    return base64.b64decode(digest, validate=True).hex()
                except binascii.Error:
                    return None
    return None
