"""The storages that the contract holds for."""

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
from tests.storage_servers import S3Server


@dataclass(frozen=True)
class Lake:
    """A folder of one kind of storage, written to by other means than what is under test."""

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


@pytest.fixture(params=["local", "memory", "s3"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    if request.param == "local":
        return _local(tmp_path)
    return _memory() if request.param == "memory" else _s3(request.getfixturevalue("s3_server"))


@pytest.fixture(scope="module")
def _one_faulty_server() -> Iterator[FaultyServer]:
    with FaultyServer() as server:
        yield server


@pytest.fixture
def faulty_server(_one_faulty_server: FaultyServer) -> FaultyServer:
    _one_faulty_server.start_over()
    return _one_faulty_server
