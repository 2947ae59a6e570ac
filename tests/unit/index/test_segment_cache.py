"""The cache of remote segments: within its budget, never partial, evicted copies stay readable."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from lakemuster.errors import IndexUnavailable
from lakemuster.index import segment_cache
from lakemuster.index.segment_cache import SegmentCache
from tests.polling import until

NAMES = [f"{number:02x}{'0' * 62}" for number in range(40)]


def download(size: int) -> Callable[[Path], None]:
    def write(target: Path) -> None:
        target.write_bytes(b"x" * size)

    return write


def copies(folder: Path) -> dict[str, int]:
    return {path.name.removesuffix(".arrow"): path.stat().st_size for path in folder.glob("*/*.arrow")}


def use(cache: SegmentCache, name: str, size: int = 100) -> Path:
    path = cache.get(name, download(size))
    time.sleep(0.002)  # makes access times differ
    return path


def test_a_copy_is_downloaded_once(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    assert use(cache, NAMES[0]).read_bytes() == b"x" * 100

    def again(target: Path) -> None:
        raise AssertionError("downloaded twice")

    cache.get(NAMES[0], again)
    SegmentCache(tmp_path, 1000).get(NAMES[0], again)


def test_the_least_recently_used_are_evicted_first(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    for name in NAMES[:10]:
        use(cache, name)
    use(cache, NAMES[0])
    use(cache, NAMES[10])
    kept = copies(tmp_path)
    assert NAMES[0] in kept
    assert NAMES[10] in kept
    assert NAMES[1] not in kept
    assert sum(kept.values()) <= 1000


def test_the_budget_holds_after_any_number_of_downloads(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    for number, name in enumerate(NAMES):
        use(cache, name, 10 + number * 5)
        assert sum(copies(tmp_path).values()) <= 1000 + 50


def test_a_process_that_starts_later_counts_what_it_finds(tmp_path: Path) -> None:
    for name in NAMES[:9]:
        use(SegmentCache(tmp_path, 10_000), name)
    use(SegmentCache(tmp_path, 500), NAMES[9])
    assert sum(copies(tmp_path).values()) <= 500


def test_a_segment_above_the_budget_is_still_served(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 50)
    assert use(cache, NAMES[0], 200).stat().st_size == 200
    use(cache, NAMES[1], 200)
    assert set(copies(tmp_path)) == {NAMES[1]}


def test_an_evicted_copy_stays_readable_while_open(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 150)
    with use(cache, NAMES[0]).open("rb") as reader:
        use(cache, NAMES[1])
        assert NAMES[0] not in copies(tmp_path)
        assert reader.read() == b"x" * 100


def test_a_broken_download_leaves_nothing(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)

    def broken(target: Path) -> None:
        target.write_bytes(b"half")
        raise IndexUnavailable("gone")

    with pytest.raises(IndexUnavailable):
        cache.get(NAMES[0], broken)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert use(cache, NAMES[0]).stat().st_size == 100


def test_concurrent_threads_download_a_segment_once(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    calls: list[Path] = []

    def slow(target: Path) -> None:
        calls.append(target)
        time.sleep(0.05)
        target.write_bytes(b"x")

    threads = [threading.Thread(target=cache.get, args=(NAMES[0], slow)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_callers_do_not_wait_for_a_download_that_has_stalled_and_it_continues(tmp_path: Path) -> None:
    cache, calls = SegmentCache(tmp_path, 1000, stall_seconds=0.01), list[Path]()
    answers = threading.Event()

    def stalled(target: Path) -> None:
        calls.append(target)
        assert answers.wait(60)
        target.write_bytes(b"x")

    for _ in range(3):
        with pytest.raises(IndexUnavailable, match="has not arrived in time"):
            cache.get(NAMES[0], stalled)
    answers.set()
    until(lambda: copies(tmp_path))
    assert cache.get(NAMES[0], stalled).read_bytes() == b"x"
    assert len(calls) == 1
    until(lambda: not list(tmp_path.rglob("*.part")))


def test_callers_wait_for_a_download_that_receives_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_cache, "_POLL_SECONDS", 0.001)
    now, looks = [0.0], [0]

    def clock() -> float:
        looks[0] += 1
        return now[0]

    def await_looks() -> None:
        seen = looks[0] + 3
        until(lambda: looks[0] > seen)

    def slow(target: Path) -> None:
        with target.open("wb", buffering=0) as file:
            for _ in range(5):
                file.write(b"x")
                await_looks()
                now[0] += 9.0

    cache = SegmentCache(tmp_path, 1000, stall_seconds=10.0, clock=clock)
    assert cache.get(NAMES[0], slow).stat().st_size == 5


def test_concurrent_downloads_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_cache, "MAX_DOWNLOADS", 2)
    cache, answers = SegmentCache(tmp_path, 1000, stall_seconds=0.01), threading.Event()

    def stalled(_: Path) -> None:
        assert answers.wait(60)

    for name in NAMES[:2]:
        with pytest.raises(IndexUnavailable, match="in time"):
            cache.get(name, stalled)
    with pytest.raises(IndexUnavailable, match="too many downloads"):
        cache.get(NAMES[2], stalled)
    answers.set()

    def is_downloaded() -> bool:
        with suppress(IndexUnavailable):
            cache.get(NAMES[2], download(1))
        return NAMES[2] in copies(tmp_path)

    until(is_downloaded)


def test_threads_under_a_tight_budget_always_get_a_whole_copy(tmp_path: Path) -> None:
    caches = [SegmentCache(tmp_path, 350), SegmentCache(tmp_path, 350)]
    wrong: list[object] = []

    def work(seed: int) -> None:
        for turn in range(60):
            name = NAMES[(seed * 7 + turn * 3) % 12]
            for _ in range(20):
                try:
                    data = caches[seed % 2].get(name, download(100)).read_bytes()
                except FileNotFoundError:
                    continue  # evicted in the meantime: readers retry
                break
            else:
                wrong.append("starved")
                return
            if data != b"x" * 100:
                wrong.append(data)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_dropped_copy_is_fetched_again(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    use(cache, NAMES[0], 5)
    assert cache.drop(NAMES[0])
    assert not cache.drop(NAMES[0])
    assert use(cache, NAMES[0], 7).stat().st_size == 7


def test_a_folder_that_cannot_be_created_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable):
        SegmentCache(tmp_path / "file", 10)


def test_opening_a_copy_makes_it_recently_used(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    path = use(cache, NAMES[0])
    os.utime(path, (5, 5))
    use(cache, NAMES[0])
    assert path.stat().st_atime > 5
    assert path.stat().st_mtime == 5


def test_a_deleted_cache_folder_is_created_again(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path / "cache", 1000)
    use(cache, NAMES[0])
    shutil.rmtree(tmp_path / "cache")
    assert use(cache, NAMES[0], 7).stat().st_size == 7
    shutil.rmtree(tmp_path / "cache")
    assert cache.workspace.is_dir()
    (written := tmp_path / "written").write_bytes(b"x")
    shutil.rmtree(tmp_path / "cache")
    cache.keep(NAMES[1], written)
    assert copies(tmp_path / "cache") == {NAMES[1]: 1}


def test_a_copy_on_a_disk_that_became_read_only_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = SegmentCache(tmp_path, 1000)
    path = use(cache, NAMES[0])

    def refuse(_: Path, *, ns: tuple[int, int]) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "utime", refuse)
    assert use(cache, NAMES[0]) == path


def test_a_full_disk_evicts_copies_and_the_download_is_tried_again(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path, 1000)
    closed: list[str] = []
    cache.close = closed.append
    for name in NAMES[:4]:
        use(cache, name)
    tries = []

    def full_at_first(target: Path) -> None:
        tries.append(target)
        target.write_bytes(b"part")
        if len(tries) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))

    cache.get(NAMES[4], full_at_first)
    assert copies(tmp_path) == {NAMES[2]: 100, NAMES[3]: 100, NAMES[4]: 4}
    assert closed == NAMES[:2]


def test_a_disk_that_stays_full_fails_with_its_reason(tmp_path: Path) -> None:
    def full(target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))

    with pytest.raises(OSError, match="No space"):
        SegmentCache(tmp_path, 1000).get(NAMES[0], full)


def test_half_of_the_copies_makes_room_on_a_full_disk_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = SegmentCache(tmp_path, 1000)
    for name in NAMES[:4]:
        use(cache, name)
    free = 2**40
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert not cache.make_room()
    free = 4096
    assert cache.make_room()
    assert sorted(copies(tmp_path)) == NAMES[2:4]
