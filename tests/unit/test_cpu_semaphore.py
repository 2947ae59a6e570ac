"""The CPU semaphore limits concurrent threads, is first come first served, and bounds every wait."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lakemuster import cpu_semaphore
from lakemuster.cpu_semaphore import CpuSemaphore
from lakemuster.index.segment_cache import SegmentCache
from tests.polling import until


def side_by_side(count: int, semaphore: CpuSemaphore) -> int:
    """Return how many of ``count`` threads held a permit at once."""
    inside, most, lock, begin = 0, 0, threading.Lock(), threading.Barrier(count)

    def compute() -> None:
        nonlocal inside, most
        begin.wait(10)
        for _ in range(20):
            with semaphore.permit():
                with lock:
                    inside += 1
                    most = max(most, inside)
                threading.Event().wait(0.0005)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=compute) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return most


def test_so_many_compute_at_once_and_no_more():
    assert side_by_side(12, CpuSemaphore(3)) == 3


def test_nested_blocks_share_one_permit():
    semaphore = CpuSemaphore(1)
    with semaphore.permit(), semaphore.permit():
        semaphore.release()
        semaphore.release()
    assert side_by_side(3, semaphore) == 1


def test_an_exception_releases_the_permit():
    semaphore = CpuSemaphore(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="mine"), semaphore.permit():
            raise ValueError("mine")
    assert side_by_side(3, semaphore) == 1


def test_a_released_permit_is_taken_by_another_thread():
    semaphore = CpuSemaphore(1)
    entered = threading.Event()

    def other() -> None:
        with semaphore.permit():
            entered.set()

    with semaphore.permit():
        thread = threading.Thread(target=other)
        thread.start()
        assert not entered.wait(0.05)
        semaphore.release()
        assert entered.wait(10)
    thread.join(10)
    assert side_by_side(4, semaphore) == 1


def test_a_waiting_thread_comes_before_a_new_one():
    own, order = CpuSemaphore(1), list[str]()

    def other() -> None:
        with own.permit():
            order.append("waited")

    thread = threading.Thread(target=other)
    with own.permit():
        thread.start()
        until(own._next.locked)
    for _ in range(3):
        with own.permit():
            order.append("again")
    thread.join(10)
    assert order[0] == "waited"


def test_after_the_timeout_a_thread_goes_on_without_a_permit(monkeypatch: pytest.MonkeyPatch):
    stuck, own = CpuSemaphore(1), []

    def other() -> None:
        with stuck.permit():
            own.append(True)

    with monkeypatch.context() as patched, stuck.permit():
        patched.setattr(cpu_semaphore, "TIMEOUT_SECONDS", 0.01)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(10)
        assert own == [True]
    assert side_by_side(3, stuck) == 1


def test_a_thread_that_waits_for_a_segment_holds_no_permit(tmp_path: Path):
    """During a segment's download, all permits are free."""
    cache = SegmentCache(tmp_path, 1 << 20)
    free: list[int] = []

    def download(target: Path) -> None:
        target.write_bytes(b"x")
        free.append(side_by_side(8, cpu_semaphore.CPU))

    with cpu_semaphore.CPU.permit():
        cache.get("ab", download)
    with cpu_semaphore.CPU.permit():
        cache.get("ab", download)
    assert free == [side_by_side(8, cpu_semaphore.CPU)]
