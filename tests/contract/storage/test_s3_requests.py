"""Prepared S3 requests return what botocore returns, and delegate everything else to botocore."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from lakemuster.errors import ObjectMissing, StorageDenied
from lakemuster.storage import s3_requests
from lakemuster.storage.locations import Location
from lakemuster.storage.remote import RemoteObjects
from lakemuster.storage.s3 import S3Source
from tests.storage_servers import S3Server

T = TypeVar("T")
NAMES = [
    "a",
    "a b",
    "a+b",
    "a%2Fb",
    "é/ü",
    "c/d",
    "c/e",
    "&amp;<x>",
    "it's",
    "date=2020-01-01 00%3A00/x",
    "~tilde",
    "=?#",
]
LISTS, HEADS = ("ListObjectsV2", "HeadObject")


@pytest.fixture
def objects(s3_server: S3Server) -> RemoteObjects:
    for number, name in enumerate(NAMES):
        s3_server.client.put_object(Bucket=s3_server.bucket, Key=f"names/{name}", Body=b"x" * number)
    return RemoteObjects(S3Source(s3_server.storage["s3"], 30), 30)


def source_of(objects: RemoteObjects) -> S3Source:
    assert isinstance(objects.source, S3Source)
    return objects.source


def at(server: S3Server, key: str) -> Location:
    return Location.parse(f"s3://{server.bucket}/{key}")


def awaited(objects: RemoteObjects, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return asyncio.run_coroutine_threadsafe(work(), objects._loop).result()


def test_a_repeated_listing_is_botocores(objects: RemoteObjects, s3_server: S3Server) -> None:
    folder = at(s3_server, "names")
    first = objects.children(folder)
    repeated = source_of(objects)._repeated[s3_server.bucket, LISTS]
    assert objects.children(folder) == first
    assert source_of(objects)._repeated[s3_server.bucket, LISTS] is repeated, "the second request used botocore"
    assert len(first) == len({name.partition("/")[0] for name in NAMES})
    assert objects.children(at(s3_server, "names/nothing here")) == []
    assert [item.name for item in objects.children(at(s3_server, "names/é"))] == ["ü"]
    assert [item.is_folder for item in objects.children(at(s3_server, ""))] == [True] * len(
        objects.children(at(s3_server, ""))
    )


def test_pages_of_a_repeated_listing_are_botocores(objects: RemoteObjects, s3_server: S3Server) -> None:
    folder = at(s3_server, "names")
    objects.children(folder)
    kept = source_of(objects)._repeated[s3_server.bucket, LISTS]
    small = replace(kept, query={**kept.query, "max-keys": "3"})
    token: str | None = None
    for _ in range(4):
        more = {"ContinuationToken": token} if token else {}
        expected = awaited(objects, partial(source_of(objects)._listed, folder, Delimiter="/", MaxKeys=3, **more))
        found = awaited(objects, partial(small.page, "names/", token))
        assert found is not None
        assert found == {
            "CommonPrefixes": expected.get("CommonPrefixes", []),
            "Contents": [{name: one[name] for name in ("Key", "Size", "LastModified")} for one in expected["Contents"]],
            "IsTruncated": expected["IsTruncated"],
            "NextContinuationToken": expected.get("NextContinuationToken"),
        }
        token = found["NextContinuationToken"]
    assert token is None, "expected three full pages and a last one"


def test_a_repeated_stat_is_botocores(objects: RemoteObjects, s3_server: S3Server) -> None:
    first = [objects.stat(at(s3_server, f"names/{name}")) for name in ("a", "a b")]
    repeated = source_of(objects)._repeated[s3_server.bucket, HEADS]
    for number, name in enumerate(NAMES):
        found = objects.stat(at(s3_server, f"names/{name}"))
        assert found is not None
        assert (found.name, found.size) == (name.rpartition("/")[2], number)
    assert [objects.stat(at(s3_server, f"names/{name}")) for name in ("a", "a b")] == first
    assert source_of(objects)._repeated[s3_server.bucket, HEADS] is repeated, "the second request used botocore"


def test_a_missing_object_is_missing_and_a_folder_is_found(objects: RemoteObjects, s3_server: S3Server) -> None:
    assert objects.stat(at(s3_server, "names/a")) is not None
    assert objects.stat(at(s3_server, "names/none")) is None
    folder = objects.stat(at(s3_server, "names"))
    assert folder is not None
    assert folder.is_folder


def test_a_failure_is_told_as_botocore_tells_it(objects: RemoteObjects, s3_server: S3Server) -> None:
    client = s3_server.client
    client.create_bucket(Bucket="leaving")
    client.put_object(Bucket="leaving", Key="f/a", Body=b"")
    location = Location.parse("s3://leaving/f")
    assert len(objects.children(location)) == len(objects.children(location)) == 1
    client.delete_object(Bucket="leaving", Key="f/a")
    client.delete_bucket(Bucket="leaving")
    with pytest.raises(ObjectMissing, match="no such bucket"):
        objects.children(location)
    assert ("leaving", LISTS) not in source_of(objects)._repeated


def test_credentials_are_asked_for_each_request(
    objects: RemoteObjects, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects.children(at(s3_server, "names"))
    repeated = source_of(objects)._repeated[s3_server.bucket, LISTS]

    async def expired(*_: object) -> None:
        raise ClientError({"Error": {"Code": "ExpiredToken"}, "ResponseMetadata": {"HTTPStatusCode": 400}}, LISTS)  # type: ignore[typeddict-item]

    monkeypatch.setattr(repeated.signer._credentials, "get_frozen_credentials", expired)
    with pytest.raises(StorageDenied, match="ExpiredToken"):
        objects.children(at(s3_server, "names"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"<Error><Code>SlowDown</Code></Error>",
        b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
        b"<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
        b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>",
        b"<ListBucketResult><IsTruncated>no</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
    ],
)
def test_a_document_of_another_form_is_left_to_botocore(body: bytes) -> None:
    assert s3_requests._page(body) is None


def _signature(request: Any, secret: str) -> str:
    """Compute the signature of a sent request as Signature Version 4 specifies."""
    told = dict(part.strip().split("=", 1) for part in request.headers["Authorization"].partition(" ")[2].split(","))
    scope = told["Credential"].split("/")[1:]
    url = urlsplit(request.url)
    values = {name.lower(): value for name, value in request.headers.items()} | {"host": url.netloc}
    names = told["SignedHeaders"].split(";")
    canonical = "\n".join(
        [
            *(request.method, url.path or "/", "&".join(sorted(url.query.split("&")))),
            *(f"{name}:{_text(values[name])}" for name in names),
            *("", told["SignedHeaders"], hashlib.sha256(b"").hexdigest()),
        ]
    )
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{secret}".encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    signed = "\n".join(("AWS4-HMAC-SHA256", _text(values["x-amz-date"]), "/".join(scope), digest))
    assert hmac.digest(key, signed.encode(), "sha256").hex() == told["Signature"]
    return str(told["Signature"])


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def test_repeated_requests_are_signed_for_what_they_ask(
    objects: RemoteObjects, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects.children(at(s3_server, "names"))
    objects.stat(at(s3_server, "names/a"))
    session = source_of(objects)._repeated[s3_server.bucket, LISTS].session
    sent: list[Any] = []
    send = session.send

    async def sending(request: Any) -> Any:
        sent.append(request)
        return await send(request)

    monkeypatch.setattr(session, "send", sending)
    for name in NAMES:
        objects.children(at(s3_server, f"names/{name}"))
        objects.stat(at(s3_server, f"names/{name}"))
    secret = s3_server.storage["s3"]["secret"]
    assert len({_signature(request, secret) for request in sent}) == len(sent) == 2 * len(NAMES)
