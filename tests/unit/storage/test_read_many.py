"""Reading many objects is bounded and complete, with every kind of filesystem."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import fsspec
import pytest
from fsspec.asyn import AsyncFileSystem
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import CatalogError, ConfigInvalid, ObjectMissing, StorageDenied, StorageUnavailable
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.polling import until


class Slow(AsyncFileSystem):  # type: ignore[misc]
    """An asynchronous filesystem in which an object's name determines its behaviour."""

    protocol = "slow"
    under_way = 0
    most_under_way = 0

    async def _info(self, path: str, **_: object) -> dict[str, Any]:
        name = path.rpartition("/")[2]
        if name == "missing":
            raise FileNotFoundError(path)
        if name == "denied":
            raise PermissionError("hunter2")
        if name == "hang":
            await asyncio.sleep(60)
        size = int(name.partition("-")[0])
        return {"name": path, "size": size, "type": "file", "updated": "2024-05-01T00:00:00.5Z"}

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: object) -> bytes:
        size = int(path.rpartition("/")[2].partition("-")[0])
        Slow.under_way += size
        Slow.most_under_way = max(Slow.most_under_way, Slow.under_way)
        await asyncio.sleep(0.001)
        Slow.under_way -= size
        return b"x" * size

    async def _ls(self, path: str, detail: bool = True, **_: object) -> list[dict[str, Any]]:
        if path.endswith("hang"):
            await asyncio.sleep(60)
        return [{"name": f"{path}/b", "size": None, "type": "file"}, {"name": f"{path}/a/", "type": "directory"}]


class Blocking(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A synchronous filesystem that blocks until ``let_go`` is set."""

    protocol = "blocking"
    let_go = threading.Event()

    def info(self, path: str, **_: object) -> dict[str, Any]:
        Blocking.let_go.wait(60)
        return {"name": path, "size": 0, "type": "file"}


@pytest.fixture(autouse=True)
def _filesystems() -> Iterator[None]:
    fsspec.register_implementation("slow", Slow, clobber=True)
    fsspec.register_implementation("blocking", Blocking, clobber=True)
    Slow.under_way = Slow.most_under_way = 0
    Blocking.let_go.clear()
    yield
    Blocking.let_go.set()


sizes = st.lists(st.integers(0, 40), max_size=30)


@given(sizes, st.integers(1, 100), st.integers(1, 8))
def test_all_objects_arrive_within_the_in_flight_limit(sizes: list[int], budget: int, concurrency: int) -> None:
    Slow.under_way = Slow.most_under_way = 0
    requests = [ReadRequest(f"slow://lake/{size}-{number}", size) for number, size in enumerate(sizes)]
    store = ObjectStore(["slow://lake"], {})
    arrived = dict(store.read_many(requests, in_flight_bytes=budget, concurrency=concurrency))
    assert arrived == {request: b"x" * (request.expected_length or 0) for request in requests}
    assert Slow.most_under_way <= max(budget, *sizes, 0)


def test_untaken_objects_count_as_in_flight() -> None:
    store = ObjectStore(["slow://lake"], {})
    requests = [ReadRequest(f"slow://lake/10-{number}", 10) for number in range(10)]
    reading = store.read_many(requests, in_flight_bytes=30)
    next(reading)
    until(lambda: store.counts.reads >= 3)
    time.sleep(0.05)
    assert store.counts.reads == 3


def test_failures_are_yielded_in_place_of_their_objects() -> None:
    names = {"missing": ObjectMissing, "denied": StorageDenied, "hang": StorageUnavailable}
    store = ObjectStore(["slow://lake"], {}, deadline_seconds=0.2)
    requests = [ReadRequest(f"slow://lake/{name}") for name in (*names, "3", "4")]
    outcomes = {request.location.rpartition("/")[2]: outcome for request, outcome in store.read_many(requests)}
    for name, kind in names.items():
        outcome = outcomes[name]
        assert type(outcome) is kind
        assert f"slow://lake/{name}" in str(outcome)
        assert "hunter2" not in str(outcome)
    assert (outcomes["3"], outcomes["4"]) == (b"xxx", b"xxxx")


def test_an_asynchronous_filesystem_meets_the_deadline() -> None:
    store = ObjectStore(["slow://lake"], {}, deadline_seconds=0.2)
    for probe in (store.read, store.stat, store.list):
        started = time.monotonic()
        with pytest.raises(StorageUnavailable, match=r"no answer within 0\.2 s"):
            probe("slow://lake/hang")
        assert time.monotonic() - started < 2


def test_a_blocking_filesystem_meets_the_deadline() -> None:
    store = ObjectStore(["blocking://lake"], {}, deadline_seconds=0.1)
    before = threading.active_count()
    started = time.monotonic()
    outcomes = [outcome for _, outcome in store.read_many([ReadRequest(f"blocking://lake/{n}") for n in range(64)])]
    assert time.monotonic() - started < 5
    assert all(isinstance(outcome, StorageUnavailable) for outcome in outcomes)
    assert threading.active_count() - before <= 17


def test_listings_of_other_filesystems_have_the_same_shape() -> None:
    store = ObjectStore(["slow://lake"], {})
    assert [(child.location, child.is_folder, child.size) for child in store.list("slow://lake/t")] == [
        ("slow://lake/t/a", True, 0),
        ("slow://lake/t/b", False, 0),
    ]
    info = store.stat("slow://lake/5")
    assert info is not None
    assert info.modified_ms == 1_714_521_600_500


def test_options_are_not_shared_between_stores() -> None:
    one, two = (ObjectStore(["memory://apart"], {"memory": {"global_store": False}}) for _ in range(2))
    for store in (one, two):
        with pytest.raises(ObjectMissing):
            store.read("memory://apart/x")
    assert one._remote.get("memory") is not two._remote.get("memory")
    assert one._remote.get("memory") is one.allowing("memory://more")._remote.get("memory")


@pytest.mark.parametrize("scheme", ["simplecache", "reference", "dir"])
def test_wrapping_filesystems_are_refused(scheme: str) -> None:
    with pytest.raises(CatalogError):
        ObjectStore([f"{scheme}://lake"], {}).read(f"{scheme}://lake/etc/passwd")
    with pytest.raises(ConfigInvalid, match=scheme):
        ObjectStore([f"{scheme}://lake"], {}).check_options()
