"""Storage source for S3 and compatible stores, through s3fs.

s3fs provides the session and the options. This module makes the requests itself: reads of s3fs cost a second request,
cache listings, have retries of their own, and have no deadline, so a peer that sends a byte now and then would block
them forever. The retries of botocore and s3fs are disabled.

Objects are verified against their ETag if it is the MD5 of the content: Avro and JSON have no checksums, so bytes
changed or lost in transit could decode to another list of files. Source: S3 API reference, "Object": the ETag is the
MD5 of the content unless the object was uploaded in parts, encrypted with KMS or customer keys, or stored in a
directory bucket.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import aiohttp
from botocore import exceptions as boto
from botocore.parsers import ResponseParserError
from s3fs import S3FileSystem

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LocationRefused,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
)
from lakemuster.failure_reasons import reason_of
from lakemuster.storage.backend import AdmittedRead, StorageEntry
from lakemuster.storage.content_digests import ContentDigests
from lakemuster.storage.failures import checked_options, failure_of
from lakemuster.storage.http_requests import CONNECTIONS, header_ms, milliseconds, patience_seconds, read_body
from lakemuster.storage.locations import Location
from lakemuster.storage.remote import ObjectSource, SourcePage
from lakemuster.storage.s3_requests import Repeated, watching
from lakemuster.storage.s3_session import NoRedirectSession, new_session

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


class S3Source(ObjectSource):
    """The objects of all buckets that one set of s3fs options opens."""

    name, lists_deep, checked_at = "S3", True, "s3://"

    def __init__(self, options: Mapping[str, Any], deadline_seconds: float) -> None:
        checked_options("s3", S3FileSystem.__init__, options, "profile")
        config: dict[str, Any] = {
            "connect_timeout": patience_seconds(deadline_seconds),
            "read_timeout": patience_seconds(deadline_seconds),
            "max_pool_connections": CONNECTIONS,
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
            self.places = min(self.places, config["max_pool_connections"])
        except (KeyError, TypeError, ValueError) as cause:
            raise _wrong_options(cause) from cause
        self._files.retries = 1
        self._digests = ContentDigests()
        self._repeated: dict[tuple[str, str], Repeated] = {}

    async def ready(self) -> None:
        """Open the session: botocore reads its models, and may request credentials."""
        try:
            await self._files.set_session()
        except (boto.ProfileNotFound, boto.NoRegionError, AttributeError, TypeError, ValueError) as error:
            raise _wrong_options(error) from error

    async def get(self, wanted: AdmittedRead, refused: set[str]) -> bytes:
        """Read a whole object."""
        where, location = wanted.where, wanted.location
        if not location.key:
            raise ObjectMissing(f"{where}: a bucket, not an object")
        answer = await self._call("get_object", Bucket=location.bucket, Key=location.key)
        try:
            body = await read_body(answer["Body"].read, answer.get("ContentLength"), wanted)
            self._digests.check(location.bucket, where, _md5_of(answer), body.md5, refused)
            return body.data
        finally:
            answer["Body"].close()

    async def stat(self, location: Location) -> StorageEntry | None:
        """Return the object at a location, or the folder if there are objects below it; None if there is neither."""
        name = location.key.rpartition("/")[2] or location.bucket
        if location.key:
            call = partial(self._call, "head_object", Bucket=location.bucket, Key=location.key)
            try:
                answer = await self._again(location, "HeadObject", lambda known: known.head(location.key), call)
                return StorageEntry(name, answer["ContentLength"], False, milliseconds(answer.get("LastModified")))
            except FileNotFoundError:
                pass
        page = await self._listed(location, Delimiter="/", MaxKeys=1)
        return StorageEntry(name, 0, True, None) if page.get("Contents") or page.get("CommonPrefixes") else None

    async def page(self, location: Location, token: str | None, *, deep: bool) -> SourcePage:
        """Return a page of a listing."""
        prefix = _prefix(location)
        more = {} if token is None else {"ContinuationToken": token}
        if deep:
            answer = await self._listed(location, **more)
        else:
            call = partial(self._listed, location, Delimiter="/", **more)
            answer = await self._again(location, "ListObjectsV2", lambda known: known.page(prefix, token), call)
        start = len(prefix)
        entries = [StorageEntry(item["Prefix"][start:-1], 0, True, None) for item in answer.get("CommonPrefixes", ())]
        entries += [
            StorageEntry(item["Key"][start:], item["Size"], False, milliseconds(item.get("LastModified")))
            for item in answer.get("Contents", ())
        ]
        following = (answer.get("NextContinuationToken") or "") if answer.get("IsTruncated") else None
        headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        return SourcePage(entries, following, header_ms(headers, "date"))

    def failure_of(self, error: BaseException, where: str) -> CatalogError:
        """Map an error to a CatalogError."""
        if isinstance(error, CatalogError):
            return error
        told = error if isinstance(error, boto.ClientError) else error.__cause__
        if isinstance(told, boto.ClientError):
            return _failure_told(told, where)
        if isinstance(error, _NO_CREDENTIALS):
            return StorageDenied(f"{where}: no credentials for S3 ({type(error).__name__})")
        if isinstance(error, _PASSING):
            return StorageUnavailable(f"{where}: S3 is unreachable or closed the connection ({reason_of(error)})")
        if isinstance(error, _BAD_NAME):
            return LocationRefused(f"location {where!r} is refused: not a valid S3 bucket name")
        return failure_of(error, where)

    async def _call(self, method: str, **arguments: object) -> dict[str, Any]:
        # s3fs adds what the options require for every request: requester pays, customer keys, the bucket's region.
        answer: dict[str, Any] = await self._files._call_s3(method, **arguments)  # noqa: SLF001
        return answer

    async def _listed(self, location: Location, **more: object) -> dict[str, Any]:
        return await self._call("list_objects_v2", Bucket=location.bucket, Prefix=_prefix(location), **more)

    async def _again(
        self,
        location: Location,
        operation: str,
        repeat: Callable[[Repeated], Awaitable[dict[str, Any] | None]],
        call: Callable[[], Awaitable[dict[str, Any]]],
    ) -> dict[str, Any]:
        """Make a request from the bucket's template; without one, make it through botocore, and store a template."""
        known = location.bucket, operation
        if (repeated := self._repeated.get(known)) is not None:
            if (found := await repeat(repeated)) is not None:
                return found
            self._repeated.pop(known, None)
        client = await self._files.get_s3(location.bucket)
        with watching(client) as seen:
            answer = await call()
        key = location.key if operation == "HeadObject" else ""
        if (repeated := Repeated.of(operation, seen, key, client)) is not None:
            self._repeated[known] = repeated
        return answer


def _prefix(location: Location) -> str:
    return f"{location.key}/" if location.key else ""


def _md5_of(answer: Mapping[str, Any]) -> str | None:
    """Return the MD5 of an object's content in hex; None if its ETag is not an MD5."""
    etag = str(answer.get("ETag", "")).strip('"').lower()
    other = answer.get("SSECustomerAlgorithm") or "kms" in str(answer.get("ServerSideEncryption", ""))
    return etag if re.fullmatch(r"[0-9a-f]{32}", etag) and not other else None


def _wrong_options(error: Exception) -> ConfigInvalid:
    return ConfigInvalid(f"STORAGE: the options for s3 are invalid ({type(error).__name__})")


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
