"""The object stores that a fault proxy can precede."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from tests import object_stores
from tests.counterparts import azure_blobs, google_storage, hdfs
from tests.http_files import HttpFiles
from tests.journey.faults.growing import Bucket
from tests.journey.servers import free_port

KEY, SECRET = "muster-key", "muster-secret"
_START_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class Store:
    """An object store and its server.

    Attributes:
        port: the server's port.
        url: returns a bucket's URL from its name and the proxy's port.
        storage: returns the STORAGE setting for a proxy's port.
        bucket: creates a bucket, and writes to it without the proxy.
        content: a pattern of the paths of requests for the bytes of an object.
        has_digests: the store reports digests of objects, so that changed bytes are detected.
        lists: the store lists folders.
    """

    port: int
    url: Callable[[str, int], str]
    storage: Callable[[int], dict[str, dict[str, Any]]]
    bucket: Callable[[str], Bucket]
    content: str
    has_digests: bool = True
    lists: bool = True


@dataclass(frozen=True, slots=True)
class _Written:
    """A bucket of a server or emulator, with the interface of :class:`Bucket`."""

    bucket: object_stores.Bucket

    def put(self, key: str, data: bytes) -> None:
        """See :meth:`Bucket.put`."""
        self.bucket.put(key, data)

    def delete(self, keys: Iterable[str]) -> None:
        """See :meth:`Bucket.delete`."""
        for key in keys:
            self.bucket.remove(key)


@dataclass(frozen=True, slots=True)
class _S3Bucket:
    client: Any
    name: str

    def put(self, key: str, data: bytes) -> None:
        """See :meth:`Bucket.put`."""
        self.client.put_object(Bucket=self.name, Key=key, Body=data)

    def delete(self, keys: Iterable[str]) -> None:
        """See :meth:`Bucket.delete`."""
        for key in keys:
            self.client.delete_object(Bucket=self.name, Key=key)


@contextmanager
def s3_process() -> Iterator[Store]:
    """Yield an S3 server in a separate process."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: _listens(port), _START_SECONDS, "moto")
        yield Store(
            port,
            lambda name, _: f"s3://{name}",
            lambda proxy: {"s3": {"endpoint_url": f"http://127.0.0.1:{proxy}", "key": KEY, "secret": SECRET}},
            lambda name: _s3_bucket(port, name),
            "^(?!.*list-type)",
        )
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def until(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until ``holds`` returns true.

    Raises:
        AssertionError: it does not within ``seconds``.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(0.05)


def _s3_bucket(port: int, name: str) -> _S3Bucket:
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
        # Objects have no checksum beside their ETag, as most writers leave them.
        config=Config(retries={"total_max_attempts": 3}, request_checksum_calculation="when_required"),
    )
    client.create_bucket(Bucket=name)
    return _S3Bucket(client, name)


def google(endpoint: str) -> Store:
    """Return the Google Cloud Storage at a URL."""
    port = _port_of(endpoint)
    return Store(
        port,
        lambda name, _: f"gs://{name}",
        lambda proxy: {"gs": {"endpoint_url": f"http://127.0.0.1:{proxy}", "token": "anon", "project": "lakes"}},
        lambda name: _Written(google_storage.new_bucket(endpoint, name)),
        "^/download/",
    )


def azure(endpoint: str) -> Store:
    """Return the Azure Blob Storage at a URL."""
    port = _port_of(endpoint)
    return Store(
        port,
        lambda name, _: f"abfs://{name}@{azure_blobs.ACCOUNT}.dfs.core.windows.net",
        lambda proxy: {
            "abfs": {"connection_string": azure_blobs.connection_string(f"http://127.0.0.1:{proxy}")},
        },
        lambda name: _Written(azure_blobs.new_container(endpoint, name)),
        "^(?!.*comp=list)",
    )


def hdfs_cluster(cluster: hdfs.Cluster) -> Store:
    """Return an HDFS cluster, accessed through WebHDFS."""
    return Store(
        _port_of(cluster.webhdfs),
        lambda name, _: f"{cluster.url}/{name}",
        lambda proxy: {"hdfs": {"webhdfs": f"http://127.0.0.1:{proxy}", "user": "lake"}},
        lambda name: _Written(hdfs.new_folder(cluster, name)),
        "op=OPEN",
        has_digests=False,
    )


def http(server: HttpFiles) -> Store:
    """Return a plain HTTP server."""

    def bucket(name: str) -> Bucket:
        files = server.files
        return _Written(
            object_stores.Bucket(
                f"{server.url}/{name}",
                {},
                lambda key, data: files.__setitem__(f"{name}/{key}", data),
                lambda key: files.pop(f"{name}/{key}"),
                lambda: list(files),
            )
        )

    return Store(
        _port_of(server.url),
        lambda name, proxy: f"http://127.0.0.1:{proxy}/{name}",
        lambda _: {"http": {}},
        bucket,
        "",
        has_digests=False,
        lists=False,
    )


def _port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port
