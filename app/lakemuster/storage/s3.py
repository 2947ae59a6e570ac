"""Storage backend for S3 and compatible stores, through s3fs.

s3fs provides the session, the options and the event loop. The requests are made here, one at a time: s3fs's own
reads cost a second request, cache listings, have a retry layer of their own, and have no deadline, so a peer that
sends a byte now and then is waited for without end. The retries of botocore and s3fs are off; those here are the
only ones. Every operation (a page, for listings) ends within the deadline.

Objects are verified against their ETag where it is the MD5 of the content: Avro and JSON have no checksums, so bytes
changed or lost in transit could decode to another list of files. Source: S3 API reference, "Object": the ETag is the
MD5 of the content unless the object was uploaded in parts, encrypted with KMS or customer keys, or stored in a
directory bucket.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, TypeVar

import aiohttp
from botocore import exceptions as boto
from botocore.parsers import ResponseParserError
from s3fs import S3FileSystem

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LimitExceeded,
    LocationRefused,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
)
from lakemuster.storage.attempts import persist
from lakemuster.storage.backend import AdmittedRead, ListedPage, StorageEntry
from lakemuster.storage.content_digests import ContentDigests
from lakemuster.storage.failures import check_size, checked_options, failure_of
from lakemuster.storage.locations import Location, redacted
from lakemuster.storage.s3_pages import listed_page, milliseconds
from lakemuster.storage.s3_requests import Repeated, watching
from lakemuster.storage.s3_session import NoRedirectSession, new_session

T = TypeVar("T")

_CONNECT_SECONDS, _SILENCE_SECONDS, _SESSION_SECONDS = 5.0, 5.0, 30.0
_CONNECTIONS, _OF_A_BUCKET = 256, 64
_CHUNK_BYTES = 1 << 20
_MOST_NAMES = 2_000_000
_NO_BUCKET = {"NoSuchBucket"}
_NO_OBJECT = {"NoSuchKey", "NoSuchVersion", "404"}
_DENIED = {
    "AccessDenied", "AccountProblem", "AllAccessDisabled", "ExpiredToken", "InvalidAccessKeyId", "InvalidSecurity",
    "InvalidToken", "NotSignedUp", "RequestTimeTooSkewed", "SignatureDoesNotMatch", "TokenRefreshRequired",
}  # fmt: skip
_BUSY = {"InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling", "TooManyRequests"}
_NO_CREDENTIALS = (
    boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError, boto.NoAuthTokenError,
    boto.TokenRetrievalError, boto.SSOError, boto.MetadataRetrievalError,
    getattr(boto, "LoginError", boto.SSOError),  # botocore has it from 1.41 on
)  # fmt: skip
_PASSING = (
    boto.ConnectionError, boto.HTTPClientError, boto.IncompleteReadError, boto.FlexibleChecksumError,
    ResponseParserError, aiohttp.ClientError,
)  # fmt: skip
_BAD_NAME = (
    boto.ParamValidationError, boto.InvalidDNSNameError, boto.InvalidHostLabelError, boto.EndpointProviderError,
)  # fmt: skip


class S3Objects:
    """The objects of all buckets reached with one set of options."""

    def __init__(self, options: Mapping[str, Any], deadline_seconds: float) -> None:
        checked_options("s3", S3FileSystem.__init__, options, "profile")
        self._deadline = deadline_seconds
        config: dict[str, Any] = {
            "connect_timeout": min(_CONNECT_SECONDS, deadline_seconds / 2),
            "read_timeout": min(_SILENCE_SECONDS, deadline_seconds / 2),
            "max_pool_connections": _CONNECTIONS,
            **dict(options.get("config_kwargs") or {}),
            "retries": {"total_max_attempts": 1},
            "http_session_cls": NoRedirectSession,
        }
        plain = {name: value for name, value in options.items() if name not in ("config_kwargs", "profile")}
        try:
            self._files: Any = S3FileSystem(
                **plain,
                config_kwargs=config,
                session=new_session(options.get("profile")),
                skip_instance_cache=True,
                use_listings_cache=False,
            )
            places = min(_OF_A_BUCKET, config["max_pool_connections"])
            # A semaphore per bucket: one that hangs leaves connections to the others.
            self._places: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
                lambda: threading.BoundedSemaphore(places)
            )
        except (KeyError, TypeError, ValueError) as cause:
            raise _wrong_options(cause) from cause
        self._files.retries = 1
        self._digests = ContentDigests()
        self._repeated: dict[tuple[str, str], Repeated] = {}

    def check(self) -> None:
        """Open the session."""
        self._wait(self._start(self._ready("s3://"), ""))

    def read(self, wanted: AdmittedRead) -> bytes:
        """Read a whole object."""
        return self._wait(self.start_read(wanted))

    def start_read(self, wanted: AdmittedRead) -> Future[bytes]:
        """Like :meth:`read`, in the background."""
        refused: set[str] = set()
        work = self._persist(lambda: self._get(wanted, refused), wanted.where)
        return self._start(work, wanted.location.bucket)

    def stat(self, location: Location) -> StorageEntry | None:
        """The object or folder at a location."""
        attempts = self._persist(lambda: self._head(location), redacted(location.text))
        return self._wait(self._start(attempts, location.bucket))

    def children(self, location: Location) -> list[StorageEntry]:
        """List one level, all pages, by name."""
        return self._wait(self.start_children(location), pages=True)

    def start_children(self, location: Location) -> Future[list[StorageEntry]]:
        """Like :meth:`children`, in the background."""
        return self._start(self._all_pages(location), location.bucket)

    def pages(self, location: Location) -> Iterator[ListedPage]:
        """List all objects below a folder in the order of their keys, one request after the other."""
        where, prefix = redacted(location.text), _prefix(location)
        call = partial(self._call, "list_objects_v2", Bucket=location.bucket, Prefix=prefix)
        token: str | None = None
        while True:
            attempt = call if token is None else partial(call, ContinuationToken=token)
            answer = self._wait(self._start(self._persist(attempt, where), location.bucket))
            page = listed_page(answer, len(prefix))
            if token is None and not answer.get("Contents"):
                raise ObjectMissing(f"{where}: no such folder, or it is empty")
            yield page
            before, token = token, answer.get("NextContinuationToken")
            if not answer.get("IsTruncated"):
                return
            if not token or token == before:
                raise StorageError(f"{where}: storage does not continue its listing")

    def _start(self, work: Coroutine[Any, Any, T], bucket: str) -> Future[T]:
        # Acquire the semaphore before the operation's deadline begins: the queue is ours, not storage's.
        places = self._places[bucket]
        if not places.acquire(timeout=self._deadline + _SESSION_SECONDS):
            work.close()
            raise StorageUnavailable("too many concurrent requests to S3")
        future = asyncio.run_coroutine_threadsafe(work, self._files.loop)
        future.add_done_callback(lambda _: places.release())
        return future

    def _wait(self, future: Future[T], *, pages: bool = False) -> T:
        try:
            return future.result(None if pages else self._deadline + _SESSION_SECONDS)
        except (TimeoutError, CancelledError) as cause:
            raise StorageUnavailable("storage does not answer: its event loop is stuck") from cause
        finally:
            future.cancel()

    async def _persist(self, attempt: Callable[[], Awaitable[T]], where: str) -> T:
        """Retry until an attempt succeeds or fails permanently, or the deadline passes."""
        await self._ready(where)
        return await persist(attempt, where, self._deadline, _failure_of)

    async def _ready(self, where: str) -> None:
        """Open the session; outside the deadline, since it reads botocore's models and may request credentials."""
        try:
            async with asyncio.timeout(_SESSION_SECONDS):
                await self._files.set_session()
        except (boto.ProfileNotFound, boto.NoRegionError, TypeError, ValueError) as error:
            raise _wrong_options(error) from error
        except Exception as error:
            raise _failure_of(error, where) from error

    async def _call(self, method: str, **arguments: object) -> dict[str, Any]:
        # Adds what the options require for every request: requester pays, customer keys, the bucket's region.
        answer: dict[str, Any] = await self._files._call_s3(method, **arguments)  # noqa: SLF001
        return answer

    async def _get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Make one attempt; ``refused`` holds the digests of earlier attempts' bytes that did not match the ETag."""
        where = wanted.where
        if not wanted.location.key:
            raise ObjectMissing(f"{where}: a bucket, not an object")
        answer = await self._call("get_object", Bucket=wanted.location.bucket, Key=wanted.location.key)
        body = answer["Body"]
        try:
            length = answer.get("ContentLength")
            if length is not None:
                check_size(length, wanted.expected_length, wanted.max_bytes, where)
            chunks: list[bytes] = []
            digest, received = hashlib.md5(usedforsecurity=False), 0
            while chunk := await body.read(_CHUNK_BYTES):
                received += len(chunk)
                if received > wanted.max_bytes:
                    raise LimitExceeded(f"{where}: longer than the limit of {wanted.max_bytes} bytes")
                chunks.append(chunk)
                digest.update(chunk)
            if length is None:
                check_size(received, wanted.expected_length, wanted.max_bytes, where)
            self._digests.check(wanted.location.bucket, where, _md5_of(answer), digest.hexdigest(), refused)
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        finally:
            body.close()

    async def _head(self, location: Location) -> StorageEntry | None:
        name = location.key.rpartition("/")[2] or location.bucket
        if location.key:
            try:
                answer = await self._head_object(location)
                return StorageEntry(name, answer["ContentLength"], False, milliseconds(answer.get("LastModified")))
            except FileNotFoundError:
                pass
        page = await self._page(location, MaxKeys=1)
        return StorageEntry(name, 0, True, None) if page.get("Contents") or page.get("CommonPrefixes") else None

    async def _head_object(self, location: Location) -> dict[str, Any]:
        known = location.bucket, "HeadObject"
        if (repeated := self._repeated.get(known)) is not None:
            if (found := await repeated.head(location.key)) is not None:
                return found
            self._repeated.pop(known, None)
        call = partial(self._call, "head_object", Bucket=location.bucket, Key=location.key)
        return await self._watched(known, location.key, call)

    async def _names(self, location: Location, token: str | None) -> dict[str, Any]:
        known = location.bucket, "ListObjectsV2"
        if (repeated := self._repeated.get(known)) is not None:
            if (found := await repeated.page(_prefix(location), token)) is not None:
                return found
            self._repeated.pop(known, None)
        more = {} if token is None else {"ContinuationToken": token}
        return await self._watched(known, "", partial(self._page, location, **more))

    async def _watched(
        self, known: tuple[str, str], key: str, call: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Make a request through botocore, and remember how to repeat it."""
        bucket, operation = known
        client = await self._files.get_s3(bucket)
        with watching(client) as seen:
            answer = await call()
        if (repeated := Repeated.of(operation, seen, key, client)) is not None:
            self._repeated[known] = repeated
        return answer

    async def _page(self, location: Location, **more: object) -> dict[str, Any]:
        return await self._call(
            "list_objects_v2", Bucket=location.bucket, Prefix=_prefix(location), Delimiter="/", **more
        )

    async def _all_pages(self, location: Location) -> list[StorageEntry]:
        where = redacted(location.text)
        start = len(location.key) + 1 if location.key else 0
        found: list[StorageEntry] = []
        current: str | None = None
        while True:
            page = await self._persist(lambda: self._names(location, current), where)  # noqa: B023
            found += [StorageEntry(item["Prefix"][start:-1], 0, True, None) for item in page.get("CommonPrefixes", ())]
            found += [
                StorageEntry(item["Key"][start:], item["Size"], False, milliseconds(item.get("LastModified")))
                for item in page.get("Contents", ())
            ]
            if len(found) > _MOST_NAMES:
                raise LimitExceeded(f"{where}: more than {_MOST_NAMES} names in one folder")
            token = page.get("NextContinuationToken")
            if not page.get("IsTruncated"):
                return sorted((item for item in found if item.name), key=lambda item: item.name)
            if not token or token == current:
                raise StorageError(f"{where}: storage does not continue its listing")
            current = token


def _prefix(location: Location) -> str:
    return f"{location.key}/" if location.key else ""


def _md5_of(answer: Mapping[str, Any]) -> str | None:
    """The MD5 of an object's content in hex, or None if its ETag is not one."""
    etag = str(answer.get("ETag", "")).strip('"').lower()
    other = answer.get("SSECustomerAlgorithm") or "kms" in str(answer.get("ServerSideEncryption", ""))
    return etag if re.fullmatch(r"[0-9a-f]{32}", etag) and not other else None


def _wrong_options(error: Exception) -> ConfigInvalid:
    return ConfigInvalid(f"STORAGE: the options for s3 are invalid ({type(error).__name__})")


def _failure_of(error: BaseException, where: str) -> CatalogError:
    if isinstance(error, CatalogError):
        return error
    told = error if isinstance(error, boto.ClientError) else error.__cause__
    if isinstance(told, boto.ClientError):
        return _failure_told(told, where)
    if isinstance(error, _NO_CREDENTIALS):
        return StorageDenied(f"{where}: no credentials for S3 ({type(error).__name__})")
    if isinstance(error, _PASSING):
        return StorageUnavailable(f"{where}: S3 is unreachable or closed the connection ({type(error).__name__})")
    if isinstance(error, _BAD_NAME):
        return LocationRefused(f"location {where!r} is refused: not a valid S3 bucket name")
    return failure_of(error, where)


def _failure_told(error: boto.ClientError, where: str) -> CatalogError:
    """Map an S3 error by its code, without its message."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    code = code if re.fullmatch(r"[A-Za-z0-9.]{1,64}", code) else str(status)
    if code in _NO_BUCKET:
        return ObjectMissing(f"{where}: no such bucket")
    if code in _NO_OBJECT or status == 404:
        return ObjectMissing(f"{where}: no such object")
    if code in _BUSY or status == 429 or status >= 500:
        return StorageUnavailable(f"{where}: S3 failed ({code})")
    if code in _DENIED or status in (401, 403):
        return StorageDenied(f"{where}: access denied ({code})")
    if 300 <= status < 400 or code == "AuthorizationHeaderMalformed":
        return StorageError(f"{where}: the bucket is not in the region or at the endpoint that STORAGE names ({code})")
    return StorageError(f"{where}: S3 refused the request ({code})")
