"""A local segment store."""

from __future__ import annotations

import errno
import gc
import os
import threading
from pathlib import Path
from weakref import ref

import pyarrow as pa
import pytest

from lakemuster.caching import Cache
from lakemuster.errors import ConfigInvalid, IndexUnavailable, SegmentCorrupt, SegmentMissing
from lakemuster.failure_reasons import operator_message
from lakemuster.index.segment_store import SegmentStore
from lakemuster.index.segments import segment_name, write_segment
from tests.caches import memory_limit

TABLE = pa.table({"status": pa.array([0, 1, 2], pa.int8())})
NAMES = [segment_name(f"m{number}", 5) for number in range(6)]


def put(store: SegmentStore, name: str, table: pa.Table = TABLE) -> None:
    path = store.workspace / name
    write_segment(table, path)
    store.put(name, path)


@pytest.fixture
def store(tmp_path: Path) -> SegmentStore:
    return SegmentStore(str(tmp_path / "segments"), max_open=3)


def test_a_segment_exists_after_put(store: SegmentStore) -> None:
    assert not store.exists(NAMES[0])
    put(store, NAMES[0])
    assert store.exists(NAMES[0])
    assert store.open(NAMES[0]).table().equals(TABLE)
    assert list(store.workspace.iterdir()) == []


def test_a_file_url_is_a_local_folder(tmp_path: Path) -> None:
    put(SegmentStore(f"file://{tmp_path}/segments"), NAMES[0])
    assert SegmentStore(str(tmp_path / "segments")).open(NAMES[0]).num_rows == 3


@pytest.mark.parametrize("url", ["s3:/x", "s3:x", "s3//x", "file:/x", "gs:/x?secret=hunter2"])
def test_a_mistyped_url_is_no_folder(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigInvalid, match=r"SEGMENTS_URL: .*://") as told:
        SegmentStore(url)
    assert "hunter2" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_the_operator_is_told_which_folder_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable) as told:
        SegmentStore(str(tmp_path / "file/segments"))
    assert str(tmp_path) not in told.value.message
    assert f"Not a directory: {tmp_path}/file/segments" in operator_message(told.value)


def test_files_beside_the_segments_appear_whole_and_are_no_segments(store: SegmentStore) -> None:
    assert store.keys("jobs") == []
    with pytest.raises(SegmentMissing):
        store.read("jobs/a-1.part")
    store.write("jobs/a-1.part", b"one")
    store.write("jobs/a-1.part", b"two")
    assert store.read("jobs/a-1.part") == b"two"
    assert store.keys("jobs") == ["jobs/a-1.part"]
    assert [(file.key, file.name) for file in store.files()] == [("jobs/a-1.part", None)]
    store.delete("jobs/a-1.part")
    assert store.keys("jobs") == []


def test_a_missing_segment_is_reported(store: SegmentStore) -> None:
    with pytest.raises(SegmentCorrupt, match="missing"):
        store.open(NAMES[0])


def test_a_damaged_segment_is_not_served(store: SegmentStore) -> None:
    put(store, NAMES[0])
    (file,) = store.files()
    path = store.workspace.parent / file.key
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SegmentCorrupt):
        store.open(NAMES[0])


def test_putting_a_segment_again_serves_the_new_one(store: SegmentStore) -> None:
    put(store, NAMES[0])
    old = store.open(NAMES[0])
    put(store, NAMES[0], TABLE.slice(1))
    assert store.open(NAMES[0]).num_rows == 2
    assert old.table().equals(TABLE)


def test_an_overwritten_segment_is_mapped_again_and_caches_are_cleared(store: SegmentStore) -> None:
    cache: Cache[str, int] = Cache("test", lambda *_: 1)
    for name in NAMES[:2]:
        put(store, name)
    opened = [store.open(name) for name in NAMES[:2]]
    cache.put("x", 1)
    assert [store.open(name) for name in NAMES[:2]] == opened
    assert "x" in cache
    for one in opened:
        whole = Path(one.path).read_bytes()
        with Path(one.path).open("r+b") as file:
            file.write(whole)
    assert store.open(NAMES[0]) is not opened[0]
    assert "x" not in cache
    cache.put("x", 1)
    assert store.open(NAMES[1]) is not opened[1]
    assert "x" in cache


def test_no_more_segments_stay_open_than_allowed(store: SegmentStore) -> None:
    for name in NAMES:
        put(store, name)
    kept = {name: store.open(name) for name in NAMES}
    for name in NAMES[-2:]:
        assert store.open(name) is kept[name]
    assert store.open(NAMES[0]) is not kept[NAMES[0]]
    assert store.open(NAMES[-3]) is not kept[NAMES[-3]]
    assert kept[NAMES[0]].table().equals(TABLE)


def test_threads_share_one_open_segment(store: SegmentStore) -> None:
    put(store, NAMES[0])
    opened: list[object] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        opened.append(store.open(NAMES[0]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 8
    assert len({id(segment) for segment in opened}) == 1


def test_files_tell_segments_from_leftovers(store: SegmentStore) -> None:
    put(store, NAMES[0])
    (store.workspace / "crawl.part").write_bytes(b"half")
    found = {file.name: file for file in store.files()}
    assert set(found) == {NAMES[0], None}
    assert found[NAMES[0]].size > 100
    store.delete(found[None].key)
    assert [file.name for file in store.files()] == [NAMES[0]]


def test_a_deleted_segment_stays_readable_while_open(store: SegmentStore) -> None:
    put(store, NAMES[0])
    segment = store.open(NAMES[0])
    for file in store.files():
        store.delete(file.key)
        store.delete(file.key)
    assert segment.table().equals(TABLE)
    assert not store.exists(NAMES[0])


def test_a_store_that_cannot_be_created_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable):
        SegmentStore(str(tmp_path / "file" / "segments"))


def test_a_store_that_vanished_is_not_ready(tmp_path: Path, store: SegmentStore) -> None:
    store.check()
    (tmp_path / "segments").rename(tmp_path / "gone")
    with pytest.raises(IndexUnavailable):
        store.check()
    # Nothing is written there: its disk may be unmounted.
    with pytest.raises(IndexUnavailable, match="folder is missing"):
        _ = store.workspace
    assert not (tmp_path / "segments").exists()


def test_a_url_unknown_to_fsspec_is_an_invalid_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="SEGMENTS_URL"):
        SegmentStore("nosuch://bucket/x", {}, tmp_path / "cache")


@pytest.mark.parametrize("url", ["s3://", "s3://bucket/../x", "s3://key:hunter2@bucket/x"])
def test_a_url_that_is_no_location_is_an_invalid_setting(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="SEGMENTS_URL: location") as told:
        SegmentStore(url, {}, tmp_path / "cache")
    assert "hunter2" not in str(told.value)


def test_open_segments_share_the_budget_of_all_caches(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path / "segments"))
    for name in NAMES:
        put(store, name)
    weight = store.open(NAMES[0]).weight
    with memory_limit(3 * (weight + 1_000)):
        opened = [ref(store.open(name)) for name in NAMES]
        gc.collect()
        assert 1 <= sum(one() is not None for one in opened) <= 3
        for name in NAMES:
            assert store.open(name).table().equals(TABLE)


def test_a_segment_that_is_in_use_is_not_mapped_twice(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path / "segments"))
    put(store, NAMES[0])
    with memory_limit(0):
        used = store.open(NAMES[0])
        assert store.open(NAMES[0]) is used


def test_a_wider_or_longer_segment_weighs_more(store: SegmentStore) -> None:
    wide = pa.table({f"count.{number}": pa.array([1, 2, 3], pa.int64()) for number in range(100)})
    put(store, NAMES[0])
    put(store, NAMES[1], wide)
    put(store, NAMES[2], pa.concat_tables([wide] * 3_000))
    narrow, wide_one, long_one = (store.open(name).weight for name in NAMES[:3])
    assert narrow < wide_one / 10
    assert wide_one < long_one < 2 * wide_one


def test_a_folder_on_a_read_only_disk_is_refused_with_the_reason(
    store: SegmentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(IndexUnavailable, match="Read-only file system"), store.working_folder("crawl-"):
        pass


def test_a_working_folder_is_removed(store: SegmentStore) -> None:
    with store.working_folder("crawl-") as folder:
        Path(folder, "half").write_bytes(b"")
    assert list(store.workspace.iterdir()) == []
