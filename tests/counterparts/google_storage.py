"""Google Cloud Storage: gcp-storage-emulator on a free port of this machine, in a thread."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from gcp_storage_emulator.server import create_server

from tests.object_stores import Bucket

# Otherwise gcsfs asks a service that the emulator lacks whether a bucket has folders, and waits a minute for it.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"

_BUCKETS = count(1)


def _asked(url: str, method: str = "GET", data: bytes | None = None, kind: str = "application/octet-stream") -> Any:
    request = Request(url, data, {"Content-Type": kind}, method=method)
    with urlopen(request, timeout=30) as answer:
        body = answer.read()
    return json.loads(body) if body else None


def new_bucket(endpoint: str, name: str | None = None) -> Bucket:
    """Create a bucket, which tests write with the JSON API."""
    name = name or f"lake-{next(_BUCKETS)}"
    api = f"{endpoint}/storage/v1/b"
    _asked(f"{api}?project=lakes", "POST", json.dumps({"name": name}).encode(), "application/json")

    def put(key: str, data: bytes) -> None:
        # A multipart upload, since the emulator accepts empty objects only in this form.
        parts = [("application/json", json.dumps({"name": key}).encode()), ("application/octet-stream", data)]
        body = b"".join(b"--part\r\nContent-Type: %s\r\n\r\n%s\r\n" % (kind.encode(), part) for kind, part in parts)
        url = f"{endpoint}/upload/storage/v1/b/{name}/o?uploadType=multipart"
        _asked(url, "POST", body + b"--part--", "multipart/related; boundary=part")

    def remove(key: str) -> None:
        _asked(f"{api}/{name}/o/{quote(key, safe='')}", "DELETE")

    def keys() -> list[str]:
        return [item["name"] for item in _asked(f"{api}/{name}/o").get("items", [])]

    storage: dict[str, dict[str, Any]] = {"gs": {"endpoint_url": endpoint, "token": "anon", "project": "lakes"}}
    return Bucket(f"gs://{name}", storage, put, remove, keys)


@pytest.fixture(scope="session")
def google_endpoint() -> Iterator[str]:
    """The URL of a server that runs for the test session."""
    with create_server("127.0.0.1", 0, in_memory=True) as server:
        yield f"http://127.0.0.1:{server._api._httpd.server_port}"


@pytest.fixture
def google_bucket(google_endpoint: str) -> Bucket:
    """A new bucket of Google Cloud Storage."""
    return new_bucket(google_endpoint)
