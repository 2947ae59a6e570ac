"""Segments in object storage behind a local cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest

from lakemuster.errors import IndexUnavailable, SegmentCorrupt, SegmentMissing
from lakemuster.failure_reasons import operator_message
from lakemuster.index.database import Database
from lakemuster.index.segments import SegmentStore, segment_name, sweep, write_segment
from tests.object_stores import BUCKETS, KINDS, Bucket
from tests.storage_servers import S3Server, s3_endpoint, s3_server  # noqa: F401 - fixtures

TABLE = pa.table({"status": pa.array([0, 1, 2], pa.int8()), "file_path": ["a", "b", None]})
NAMES = [segment_name(f"m{number}", 5) for number in range(5)]


@dataclass(frozen=True)
class Remote:
    """A store's URL and options, and direct access to its files."""

    url: str
    options: dict[str, dict[str, Any]]
    keys: Callable[[], list[str]]
    damage: Callable[[str], object]

    def store(self, cache: Path, cache_bytes: int = 2**20) -> SegmentStore:
        return SegmentStore(self.url, self.options, cache, cache_bytes)


@pytest.fixture(params=["s3", "memory", *KINDS])
def remote(request: pytest.FixtureRequest) -> Iterator[Remote]:
    if request.param == "memory":
        system = fsspec.filesystem("memory")
        root = "/muster-segments"
        system.makedirs(root)
        yield Remote(
            f"memory:/{root}",
            {},
            lambda: list(system.find(root)),
            lambda key: system.pipe_file(key, b"ARROW1 and no more"),
        )
        system.rm(root, recursive=True)
        return
    if request.param in BUCKETS:
        bucket: Bucket = request.getfixturevalue(BUCKETS[request.param])
        yield Remote(
            f"{bucket.url}/segments/here",
            bucket.storage,
            bucket.keys,
            lambda key: bucket.put(key, b"ARROW1 and no more"),
        )
        return
    server: S3Server = request.getfixturevalue("s3_server")

    def keys() -> list[str]:
        return [found["Key"] for found in server.client.list_objects_v2(Bucket=server.bucket).get("Contents", [])]

    yield Remote(
        f"{server.url}/segments/here",
        server.storage,
        keys,
        lambda key: server.put(key, b"ARROW1 and no more"),
    )


def put(store: SegmentStore, name: str) -> None:
    write_segment(TABLE, store.workspace / name)
    store.put(name, store.workspace / name)


def test_a_segment_put_by_one_machine_is_read_by_another(remote: Remote, tmp_path: Path) -> None:
    one, other = remote.store(tmp_path / "one"), remote.store(tmp_path / "other")
    assert not other.exists(NAMES[0])
    put(one, NAMES[0])
    assert other.exists(NAMES[0])
    assert other.open(NAMES[0]).table().equals(TABLE)
    assert [file.name for file in other.files()] == [NAMES[0]]
    assert remote.keys()[0].endswith(f"{NAMES[0][:2]}/{NAMES[0]}.arrow")


def test_a_file_beside_the_segments_is_read_by_another_machine(remote: Remote, tmp_path: Path) -> None:
    one, other = remote.store(tmp_path / "one"), remote.store(tmp_path / "other")
    assert other.keys("jobs") == []
    with pytest.raises(SegmentMissing):
        other.read("jobs/a-1.part")
    put(one, NAMES[0])
    one.write("jobs/a-1.part", b"one")
    one.write("jobs/a-2.part", b"two")
    assert sorted(other.keys("jobs")) == ["jobs/a-1.part", "jobs/a-2.part"]
    assert other.read("jobs/a-2.part") == b"two"
    other.delete("jobs/a-1.part")
    assert one.keys("jobs") == ["jobs/a-2.part"]


def test_put_and_read_segments_are_cached_locally(remote: Remote, tmp_path: Path) -> None:
    one = remote.store(tmp_path / "one")
    put(one, NAMES[0])
    for file in one.files():
        one.delete(file.key)
    assert remote.keys() == []
    assert remote.store(tmp_path / "one").open(NAMES[0]).table().equals(TABLE)
    with pytest.raises(SegmentCorrupt, match="missing"):
        remote.store(tmp_path / "other").open(NAMES[0])


def test_a_damaged_copy_is_fetched_again(remote: Remote, tmp_path: Path) -> None:
    put(remote.store(tmp_path / "cache"), NAMES[0])
    (copy,) = (tmp_path / "cache").glob("*/*.arrow")
    copy.write_bytes(copy.read_bytes()[:50])
    assert remote.store(tmp_path / "cache").open(NAMES[0]).table().equals(TABLE)


def test_a_damaged_object_is_not_served(remote: Remote, tmp_path: Path) -> None:
    put(remote.store(tmp_path / "one"), NAMES[0])
    remote.damage(remote.keys()[0])
    with pytest.raises(SegmentCorrupt):
        remote.store(tmp_path / "other").open(NAMES[0])


def test_copies_stay_under_their_budget_and_stay_readable(remote: Remote, tmp_path: Path) -> None:
    writer = remote.store(tmp_path / "writer")
    for name in NAMES:
        put(writer, name)
    size = next(file.size for file in writer.files())
    store = remote.store(tmp_path / "cache", cache_bytes=2 * size)
    opened = [store.open(name) for name in NAMES]
    assert sum(path.stat().st_size for path in (tmp_path / "cache").glob("*/*.arrow")) <= 2 * size
    assert all(segment.table().equals(TABLE) for segment in opened)


def test_a_sweep_cleans_the_remote_folder(remote: Remote, tmp_path: Path, database: Database) -> None:
    store = remote.store(tmp_path / "cache")
    for name in NAMES:
        put(store, name)
    time.sleep(1.1)  # S3's times have a resolution of one second
    assert sweep(database, store, grace_seconds=3600).files == 0
    assert sweep(database, store, grace_seconds=0).files == len(NAMES)
    assert remote.keys() == []


def test_a_store_that_answers_is_ready(remote: Remote, tmp_path: Path) -> None:
    remote.store(tmp_path / "cache").check()


def test_a_silent_store_is_not_ready_and_its_secret_is_not_shown(tmp_path: Path) -> None:
    client = {"connect_timeout": 1, "retries": {"max_attempts": 0}}
    options = {"endpoint_url": "http://127.0.0.1:1", "key": "k", "secret": "hunter2", "config_kwargs": client}
    store = SegmentStore("s3://bucket/x", {"s3": options}, tmp_path / "cache")
    for attempt in (store.check, lambda: store.open(NAMES[0]), lambda: put(store, NAMES[0]), lambda: [*store.files()]):
        with pytest.raises(IndexUnavailable) as told:
            attempt()
        assert told.value.message == "the segment store does not answer: connection refused"
        assert operator_message(told.value).endswith("SEGMENTS_URL is s3://bucket/x")
    assert list((tmp_path / "cache").glob("*/*.arrow")) == []
