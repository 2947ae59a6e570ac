"""Storage source for Azure Data Lake Storage Gen2 and Blob Storage.

adlfs resolves the account and the credentials; Azure's SDK makes the requests, with its retries and redirects disabled.
Objects are verified against the MD5 that is stored with them, if there is one.

A location may name its account (``abfs://container@account.dfs.core.windows.net/…``). A secret of one account (a key, a
SAS token, a connection string) opens locations of this account only; an identity opens those of any account.

Source: Blob Storage REST API, "Get Blob", "List Blobs"; folders of accounts with a hierarchical namespace are objects
whose metadata has ``hdi_isfolder``.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from adlfs.spec import AzureBlobFileSystem
from azure.core import exceptions as azure
from azure.storage.blob import BlobProperties

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LocationRefused,
    ObjectMissing,
    StorageDenied,
    StorageUnavailable,
)
from lakemuster.storage.backend import AdmittedRead, StorageEntry
from lakemuster.storage.content_digests import ContentDigests
from lakemuster.storage.failures import check_size, checked_options, failure_of, unanswered
from lakemuster.storage.http_requests import (
    failure_of_status,
    header_ms,
    http_failure_of,
    milliseconds,
    patience_seconds,
)
from lakemuster.storage.locations import Location, redacted
from lakemuster.storage.remote import ObjectSource, SourcePage

_UNREACHABLE = (azure.ServiceRequestError, azure.ServiceResponseError, azure.DecodeError)
_CHANGED = 412
_RANGES_AT_ONCE = 8
"""Ranges of an object that are fetched concurrently, of 4 MiB each, the SDK's chunk size."""


class AzureSource(ObjectSource):
    """The objects of all containers that one set of adlfs options opens."""

    lists_deep = True

    def __init__(self, options: Mapping[str, Any], deadline_seconds: float) -> None:
        checked_options("abfs", AzureBlobFileSystem.__init__, options)
        self._options = dict(options)
        self._drivers: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._digests = ContentDigests()
        self._once: dict[str, Any] = {
            "retry_total": 0,
            "permit_redirects": False,
            "connection_timeout": patience_seconds(deadline_seconds),
            "read_timeout": patience_seconds(deadline_seconds),
        }
        if {"account_name", "connection_string"} & options.keys():
            self._driver("")

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object: the first 32 MiB in one request, the rest in concurrent ones."""
        where, location = wanted.where, wanted.location
        if not location.key:
            raise ObjectMissing(f"{where}: a container, not an object")
        blob = self._container(location).get_blob_client(location.key)
        with _closing_unfinished() as hook:
            download = await blob.download_blob(max_concurrency=_RANGES_AT_ONCE, raw_response_hook=hook, **self._once)
            if _is_folder(download.properties):
                raise ObjectMissing(f"{where}: a folder, not an object")
            check_size(download.size, wanted.expected_length, wanted.max_bytes, where)
            data: bytes = await download.readall()
            if len(data) != download.size:
                raise StorageUnavailable(f"{where}: {len(data)} bytes arrived of {download.size}")
        told = download.properties.content_settings.content_md5
        found = hashlib.md5(data, usedforsecurity=False).hexdigest()
        self._digests.check(location.bucket, where, bytes(told).hex() if told else None, found, refused)
        return data

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the object or folder at a location; None if there is neither."""
        name = location.key.rpartition("/")[2] or location.bucket
        if location.key:
            try:
                found = await self._container(location).get_blob_client(location.key).get_blob_properties(**self._once)
            except azure.ResourceNotFoundError:
                pass
            else:
                return _entry(found, name)
        page = await self._listed(location, None, deep=True, most=1)
        return StorageEntry(name, 0, True, None) if page.entries else None

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Return a page of a listing."""
        found = await self._listed(location, token, deep=deep, most=None)
        if deep:
            return SourcePage([one for one in found.entries if not one.is_folder], found.token, found.now_ms)
        return found

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error to a CatalogError."""
        error = _of_answer(error)
        if isinstance(error, azure.ClientAuthenticationError):
            return StorageDenied(f"{where}: access denied, or no credentials for Azure ({type(error).__name__})")
        if isinstance(error, azure.ResourceNotFoundError):
            return ObjectMissing(f"{where}: no such object")
        if isinstance(error, _UNREACHABLE):
            return unanswered(error, where)
        if isinstance(error, azure.HttpResponseError):
            status = error.status_code or 503
            # 412: the object was replaced while its parts were read. 2xx: the response was invalid.
            return failure_of_status(503 if status == _CHANGED or status < 300 else status, where)
        if isinstance(error, ValueError):
            return failure_of(ConnectionError(), where)
        return http_failure_of(error, where)

    async def _listed(self, location: Location, token: str | None, *, deep: bool, most: int | None) -> SourcePage:
        prefix = f"{location.key}/" if location.key else ""
        container = self._container(location)
        heads: list[Mapping[str, str]] = [{}]
        asked: dict[str, Any] = {
            "name_starts_with": prefix,
            "include": ["metadata"],
            "results_per_page": most,
            "raw_response_hook": lambda answer: heads.append(answer.http_response.headers),
            **self._once,
        }
        listing = container.list_blobs(**asked) if deep else container.walk_blobs(delimiter="/", **asked)
        pager = listing.by_page(continuation_token=token)
        entries: list[StorageEntry] = []
        try:
            async for page in pager:
                entries = [_entry(item, item.name[len(prefix) :]) async for item in page]
                break
        except azure.ResourceNotFoundError as cause:
            raise ObjectMissing(f"{redacted(location.text)}: no such container") from cause
        return SourcePage(entries, pager.continuation_token or None, header_ms(heads[-1], "Date"))

    def _container(self, location: Location) -> Any:
        container, _, account = location.bucket.partition("@")
        return self._driver(account).service_client.get_container_client(container)

    def _driver(self, account: str) -> Any:
        """Return the filesystem of an account as a location names it; "" for the account of the options.

        Raises:
            ConfigInvalid: the options are wrong, or name no account.
            LocationRefused: the options' secret belongs to another account.
        """
        with self._lock:
            if account not in self._drivers:
                self._drivers[account] = self._opened(account)
            return self._drivers[account]

    def _opened(self, account: str) -> Any:
        own = (
            _open(self._options) if not account else _open({"account_name": account.partition(".")[0]} | self._options)
        )
        name, _, zone = account.partition(".")
        if not account or own.service_client.account_name == name:
            return own
        if own.account_key or own.sas_token or own.connection_string:
            raise LocationRefused(f"location of the account {account!r} is refused: STORAGE has another's credentials")
        host = {"account_host": f"{name}.{zone.replace('dfs.', 'blob.', 1)}"} if zone else {}
        return _open({**self._options, "account_name": name, **host})


@contextmanager
def _closing_unfinished() -> Iterator[Callable[[Any], None]]:
    """Yield a response hook. If the block fails, close the responses' connections: the SDK leaves bodies half read."""
    answers: list[Any] = []
    try:
        yield answers.append
    except BaseException:
        for answer in answers:
            answer.http_response.internal_response.close()
        raise


def _of_answer(error: BaseException) -> BaseException:
    """Return the error of an HTTP response: the SDK raises a TypeError for a response with a code but no message."""
    told: BaseException | None = error if isinstance(error, TypeError) else None
    while told is not None:
        if isinstance(told, azure.HttpResponseError):
            return told
        told = told.__context__
    return error


def _open(options: Mapping[str, Any]) -> Any:
    try:
        return AzureBlobFileSystem(**options, skip_instance_cache=True, use_listings_cache=False)
    except Exception as cause:
        raise ConfigInvalid(f"STORAGE: the options for abfs are invalid ({type(cause).__name__})") from cause


def _is_folder(found: Any) -> bool:
    return (found.get("metadata") or {}).get("hdi_isfolder") == "true"


def _entry(found: Any, name: str) -> StorageEntry:
    """Return an entry of a listing; an item that is not a blob is a prefix, and so a folder.

    The name of a blob keeps a slash at its end, which marks a folder in accounts without a hierarchical namespace.
    """
    if not isinstance(found, BlobProperties) or _is_folder(found):
        return StorageEntry(name.rstrip("/"), 0, True, None)
    return StorageEntry(name, found.size or 0, False, milliseconds(found.last_modified))
