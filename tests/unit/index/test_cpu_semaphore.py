"""Turns at computing: at most so many at once, and nobody waits for a turn for good."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lakemuster.index import cpu_semaphore
from lakemuster.index.cpu_semaphore import CpuSemaphore
from lakemuster.index.segment_cache import SegmentCache


def side_by_side(count: int, turns: CpuSemaphore) -> int:
    """How many of some threads were in their turn at once."""
    inside, most, lock, begin = 0, 0, threading.Lock(), threading.Barrier(count)

    def compute() -> None:
        nonlocal inside, most
        begin.wait(10)
        for _ in range(20):
            with turns.taken():
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


def test_a_turn_within_a_turn_is_the_same_one():
    turns = CpuSemaphore(1)
    with turns.taken(), turns.taken():
        turns.leave()
        turns.leave()
    assert side_by_side(3, turns) == 1


def test_whoever_raises_gives_its_turn_back():
    turns = CpuSemaphore(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="mine"), turns.taken():
            raise ValueError("mine")
    assert side_by_side(3, turns) == 1


def test_whoever_leaves_lets_another_in_and_takes_no_other_turn():
    turns = CpuSemaphore(1)
    entered = threading.Event()

    def other() -> None:
        with turns.taken():
            entered.set()

    with turns.taken():
        thread = threading.Thread(target=other)
        thread.start()
        assert not entered.wait(0.05)
        turns.leave()
        assert entered.wait(10)
    thread.join(10)
    assert side_by_side(4, turns) == 1


def test_whoever_waits_comes_before_whoever_had_a_turn():
    own, order = CpuSemaphore(1), list[str]()

    def other() -> None:
        with own.taken():
            order.append("waited")

    thread = threading.Thread(target=other)
    with own.taken():
        thread.start()
        threading.Event().wait(0.2)
    for _ in range(3):
        with own.taken():
            order.append("again")
    thread.join(10)
    assert order[0] == "waited"


def test_patience_ends(monkeypatch: pytest.MonkeyPatch):
    stuck, own = CpuSemaphore(1), []

    def other() -> None:
        with stuck.taken():
            own.append(True)

    with monkeypatch.context() as patched, stuck.taken():
        patched.setattr(cpu_semaphore, "PATIENCE_SECONDS", 0.01)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(10)
        assert own == [True]
    assert side_by_side(3, stuck) == 1


def test_waiting_for_a_segment_is_not_computing(tmp_path: Path):
    """While a segment is on its way, all turns are free."""
    cache = SegmentCache(tmp_path, 1 << 20)
    free: list[int] = []

    def download(target: Path) -> None:
        target.write_bytes(b"x")
        free.append(side_by_side(8, cpu_semaphore.CPU))

    with cpu_semaphore.CPU.taken():
        cache.get("ab", download)
    with cpu_semaphore.CPU.taken():
        cache.get("ab", download)
    assert free == [side_by_side(8, cpu_semaphore.CPU)]
