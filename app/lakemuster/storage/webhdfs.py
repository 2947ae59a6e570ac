"""Storage source for HDFS through WebHDFS, or an HttpFS gateway.

``hdfs://`` locations are read through the name nodes of the option ``webhdfs``; if one is on standby or does not
answer, the next one is used. ``webhdfs://host:port`` (``swebhdfs`` with TLS) names its own name node. A read costs two
requests: the name node redirects to the data node that has the object. Only this redirect is followed, and only once.

Source: Hadoop, "WebHDFS REST API": OPEN, GETFILESTATUS, LISTSTATUS.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import aiohttp

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
)
from lakemuster.storage.backend import AdmittedRead, StorageEntry
from lakemuster.storage.drivers import webhdfs_urls, with_hadoop_user
from lakemuster.storage.http_requests import (
    HttpRequests,
    body_of,
    encoded,
    failure_of_status,
    header_ms,
    http_failure_of,
    read_document,
)
from lakemuster.storage.locations import Location, redacted
from lakemuster.storage.remote import ObjectSource, SourcePage

_OPTIONS = {"user", "password", "token", "proxy_to", "data_proxy", "session_verify", "session_cert"}
_OF_FSSPEC = {"host", "port", "use_https"}
"""Options that fsspec's driver needs besides the location, for segments and executors."""
_MOST_PAGE_BYTES = 256 << 20
_MOST_ERROR_BYTES = 1 << 16
_REDIRECTS = (302, 303, 307, 308)
_MISSING = {"FileNotFoundException"}
_DENIED = {"AccessControlException", "SecurityException", "AuthenticationException", "InvalidToken"}
_NOT_NOW = {"StandbyException", "RetriableException", "SafeModeException", "ServerTooBusyException"}


class WebHdfsSource(ObjectSource):
    """The files of one cluster, or of the hosts that ``webhdfs`` locations name."""

    def __init__(self, scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> None:
        unknown = sorted(set(options) - _OPTIONS - ({"webhdfs"} if scheme == "hdfs" else _OF_FSSPEC))
        if unknown:
            raise ConfigInvalid(f"STORAGE: unknown options for {scheme}: {', '.join(unknown)}")
        options = with_hadoop_user(options)
        self._urls = webhdfs_urls(options["webhdfs"]) if scheme == "hdfs" else []
        self._turn = 0
        self._query: dict[str, str] = {}
        user, password, token = options.get("user"), options.get("password"), options.get("token")
        if token is not None and (user is not None or options.get("proxy_to") is not None):
            raise ConfigInvalid(f"STORAGE: the options for {scheme} are invalid: a token names its own user")
        if token is not None:
            self._query["delegation"] = str(token)
        if user is not None and password is None:
            self._query["user.name"] = str(user)
        if options.get("proxy_to") is not None:
            self._query["doas"] = str(options["proxy_to"])
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {} if password is None else {"Authorization": f"Basic {basic}"}
        self._data_proxy = dict(options.get("data_proxy") or {})
        self._requests = HttpRequests(deadline_seconds, tls=_tls(scheme, options))

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object."""
        turn, url = self._url(wanted.location, "OPEN")
        try:
            async with self._requests.answer("GET", url, self._headers) as answered:
                if answered.status == 200:
                    return (await body_of(answered, wanted)).data
                if answered.status not in _REDIRECTS:
                    raise await _failure_told(answered, wanted.where)
                there = self._data_node(answered.headers.get("Location", ""), wanted.where)
        except (aiohttp.ClientError, StorageUnavailable):
            self._pass_turn(turn)
            raise
        headers = self._headers if urlsplit(there).netloc == urlsplit(url).netloc else {}
        async with self._requests.answer("GET", there, headers) as answered:
            if answered.status != 200:
                raise await _failure_told(answered, wanted.where)
            return (await body_of(answered, wanted)).data

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the file or folder at a location; None if there is neither."""
        try:
            found, _ = await self._asked(location, "GETFILESTATUS")
        except ObjectMissing:
            return None
        return _entry(found["FileStatus"], location.key.rpartition("/")[2] or location.bucket)

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Return one level of a folder as a single page."""
        try:
            found, now_ms = await self._asked(location, "LISTSTATUS")
        except ObjectMissing:
            return SourcePage([])
        # The listing of a file is the file itself, without a name.
        entries = [_entry(one, one["pathSuffix"]) for one in found["FileStatuses"]["FileStatus"]]
        return SourcePage(entries, None, now_ms)

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error to a CatalogError."""
        # aiohttp's error for a rejected certificate is a ValueError, too.
        if isinstance(error, KeyError | TypeError | ValueError) and not isinstance(error, aiohttp.ClientError):
            return StorageError(f"{where}: the answer is not one of WebHDFS ({type(error).__name__})")
        return http_failure_of(error, where)

    async def _asked(self, location: Location, operation: str) -> tuple[dict[str, Any], int | None]:
        where = redacted(location.text)
        turn, url = self._url(location, operation)
        try:
            async with self._requests.answer("GET", url, self._headers) as answered:
                if answered.status != 200:
                    raise await _failure_told(answered, where)
                found = json.loads(await read_document(answered, _MOST_PAGE_BYTES, where))
                return found, header_ms(answered.headers, "Date")
        except (aiohttp.ClientError, StorageUnavailable):
            self._pass_turn(turn)
            raise

    def _url(self, location: Location, operation: str) -> tuple[int, str]:
        turn = self._turn
        base = self._urls[turn % len(self._urls)] if self._urls else _own_url(location)
        query = urlencode({"op": operation, **self._query})
        return turn, f"{base}/webhdfs/v1/{encoded(location.key)}?{query}"

    def _pass_turn(self, turn: int) -> None:
        # A concurrent request may have switched meanwhile.
        if self._turn == turn:
            self._turn = turn + 1

    def _data_node(self, url: str, where: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise StorageError(f"{where}: the name node names no data node")
        proxy = self._data_proxy.get(parts.hostname)
        if proxy is None:
            return url
        return urlunsplit(parts._replace(netloc=parts.netloc.replace(parts.hostname, str(proxy), 1)))


def _own_url(location: Location) -> str:
    return f"{'https' if location.scheme == 'swebhdfs' else 'http'}://{location.bucket}"


def _tls(scheme: str, options: Mapping[str, Any]) -> ssl.SSLContext | None:
    verify, certificate = options.get("session_verify", True), options.get("session_cert")
    if verify is True and certificate is None:
        return None
    try:
        context = ssl.create_default_context(cafile=verify if isinstance(verify, str) else None)
        if verify is False:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate is not None:
            context.load_cert_chain(*([certificate] if isinstance(certificate, str) else certificate))
    except (OSError, TypeError, ValueError) as cause:
        raise ConfigInvalid(f"STORAGE: the options for {scheme} are invalid ({type(cause).__name__})") from cause
    return context


async def _failure_told(answered: aiohttp.ClientResponse, where: str) -> CatalogError:
    """Return the error for a response, by its exception's name or else by its status."""
    try:
        exception = json.loads(await read_document(answered, _MOST_ERROR_BYTES, where))["RemoteException"]
        told, message = exception["exception"], str(exception.get("message"))
    except (KeyError, TypeError, ValueError, StorageError):
        told, message = None, ""
    if told in _NOT_NOW:
        return StorageUnavailable(f"{where}: the name node does not serve now ({told})")
    # For a path below a file, HDFS denies access instead of reporting it as missing.
    if told in _MISSING or (told in _DENIED and "not a directory" in message):
        return ObjectMissing(f"{where}: no such object")
    if told in _DENIED:
        return StorageDenied(f"{where}: access denied ({told})")
    return failure_of_status(answered.status, where)


def _entry(status: Mapping[str, Any], name: str) -> StorageEntry:
    is_folder = status["type"] == "DIRECTORY"
    return StorageEntry(name, 0 if is_folder else int(status["length"]), is_folder, int(status["modificationTime"]))
