"""Bucket threads: bounded, fair, and separate for each bucket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from lakemuster.errors import Overloaded
from lakemuster.ingest.threads import BucketThreads

IN_TIME = 20.0


def blocked(go: threading.Event, begun: threading.Semaphore) -> Callable[[], None]:
    def work() -> None:
        begun.release()
        assert go.wait(IN_TIME)

    return work


def test_a_bucket_that_hangs_takes_its_own_threads_only():
    threads, go, begun = BucketThreads(of_a_bucket=2, in_all=3), threading.Event(), threading.Semaphore(0)
    for _ in range(5):
        assert threads.run("sick", blocked(go, begun))
    for _ in range(2):
        assert begun.acquire(timeout=IN_TIME)
    assert not begun.acquire(blocking=False)
    assert threads.counts() == {"busy": 2, "queued": 3, "full_buckets": 1}
    done = threading.Event()
    threads.run("sound", done.set)
    assert done.wait(IN_TIME)
    go.set()
    for _ in range(3):
        assert begun.acquire(timeout=IN_TIME)
    threads.close(IN_TIME)
    assert threads.counts() == {"busy": 0, "queued": 0, "full_buckets": 0}
    assert not threads.run("sound", done.set)


def test_all_buckets_together_are_bounded_and_take_turns():
    threads, go, begun = BucketThreads(of_a_bucket=2, in_all=2), threading.Event(), threading.Semaphore(0)
    for _ in range(2):
        threads.run("sick", blocked(go, begun))
    order: list[str] = []
    for name in ("a", "a", "b"):
        threads.run(name, lambda name=name: order.append(name))  # type: ignore[misc]
    assert threads.counts()["queued"] == 3
    go.set()
    threads_end = threading.Event()
    threads.run("end", threads_end.set)
    assert threads_end.wait(IN_TIME)
    threads.close(IN_TIME)
    assert sorted(order) == ["a", "a", "b"]


def test_work_that_fails_gives_its_thread_back(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    threads, done = BucketThreads(of_a_bucket=1), threading.Event()

    def fail() -> None:
        raise RuntimeError("planted")

    threads.run("a", fail)
    threads.run("a", done.set)
    assert done.wait(IN_TIME)


def test_a_thread_that_cannot_be_started_takes_no_room():
    threads, done = BucketThreads(of_a_bucket=1), threading.Event()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        with pytest.raises(Overloaded):
            threads.run("one", done.set)
    assert threads.counts()["busy"] == 0
    assert threads.run("one", done.set)
    assert done.wait(IN_TIME)
    threads.close(IN_TIME)
