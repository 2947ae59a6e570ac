"""Fixtures: a folder on each kind of storage that the contract tests cover."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
import pytest

from lakemuster.storage.store import ObjectStore
from tests.contract.storage.faulty_server import FaultyServer
from tests.http_files import HttpFiles
from tests.object_stores import BUCKETS, KINDS, Bucket
from tests.storage_servers import S3Server


@dataclass(frozen=True)
class Lake:
    """A folder of one kind of storage; tests write to it without the code under test."""

    root: str
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    options: dict[str, dict[str, Any]]

    def store(self, **more: Any) -> ObjectStore:
        return ObjectStore([self.root], self.options, **more)


_FOLDERS = itertools.count(1)


def _local(folder: Path) -> Lake:
    def put(name: str, data: bytes) -> None:
        path = folder / "lake" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return Lake(str(folder / "lake"), put, lambda name: (folder / "lake" / name).unlink(), {})


def _memory() -> Lake:
    memory = fsspec.filesystem("memory", skip_instance_cache=True)
    root = f"memory://lake-{next(_FOLDERS)}/db"
    return Lake(
        root, lambda name, data: memory.pipe_file(f"{root}/{name}", data), lambda name: memory.rm(f"{root}/{name}"), {}
    )


def _s3(server: S3Server) -> Lake:
    client = server.client
    return Lake(
        f"{server.url}/db",
        lambda name, data: client.put_object(Bucket=server.bucket, Key=f"db/{name}", Body=data),
        lambda name: client.delete_object(Bucket=server.bucket, Key=f"db/{name}"),
        server.storage,
    )


def _of(bucket: Bucket) -> Lake:
    return Lake(
        f"{bucket.url}/db",
        lambda name, data: bucket.put(f"db/{name}", data),
        lambda name: bucket.remove(f"db/{name}"),
        bucket.storage,
    )


def _http(server: HttpFiles) -> Lake:
    server.files.clear()
    return Lake(
        f"{server.url}/db",
        lambda name, data: server.files.__setitem__(f"db/{name}", data),
        lambda name: server.files.pop(f"db/{name}"),
        {},
    )


LISTING = ["local", "memory", "s3", *KINDS]


@pytest.fixture(params=LISTING)
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    """A folder of a storage that can list folders."""
    return _lake(request.param, request, tmp_path)


@pytest.fixture(params=[*LISTING, "http", "http_without_ranges"])
def readable(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    """A folder of any storage."""
    return _lake(request.param, request, tmp_path)


def _lake(kind: str, request: pytest.FixtureRequest, folder: Path) -> Lake:
    if kind == "local":
        return _local(folder)
    if kind == "memory":
        return _memory()
    if kind == "s3":
        return _s3(request.getfixturevalue("s3_server"))
    if kind.startswith("http"):
        return _http(request.getfixturevalue("http_files" if kind == "http" else "http_files_without_ranges"))
    return _of(request.getfixturevalue(BUCKETS[kind]))


@pytest.fixture(scope="module")
def http_files() -> Iterator[HttpFiles]:
    with HttpFiles() as server:
        yield server


@pytest.fixture(scope="module")
def http_files_without_ranges() -> Iterator[HttpFiles]:
    with HttpFiles(ranges=False, head=False) as server:
        yield server


@pytest.fixture(scope="module")
def _one_faulty_server() -> Iterator[FaultyServer]:
    with FaultyServer() as server:
        yield server


@pytest.fixture
def faulty_server(_one_faulty_server: FaultyServer) -> FaultyServer:
    _one_faulty_server.start_over()
    return _one_faulty_server
