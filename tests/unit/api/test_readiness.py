"""Readiness checks have deadlines, are shared between requests, and report reasons."""

from __future__ import annotations

import asyncio
import threading
import time
from unittest.mock import Mock

import pytest

from lakemuster.api.readiness import MAX_SKEW_SECONDS, Clocks, Readiness
from lakemuster.errors import IndexUnavailable


def test_a_hanging_check_is_reported_and_runs_once() -> None:
    release, runs = threading.Event(), []

    def hang() -> None:
        runs.append(1)
        assert release.wait(60)

    readiness = Readiness({"database": hang, "segments": lambda: None}, patience=0.05)

    async def ask() -> list[dict[str, str]]:
        return list(await asyncio.gather(*(readiness.states() for _ in range(20))))

    try:
        for states in asyncio.run(ask()) + asyncio.run(ask()):
            assert states["segments"] == "ok"
            assert states["database"].startswith("index_unavailable: no answer for ")
        assert len(runs) == 1
    finally:
        release.set()
    deadline = time.monotonic() + 30
    while asyncio.run(readiness.states())["database"] != "ok":
        assert time.monotonic() < deadline


def test_failures_are_reported_and_unexpected_ones_without_their_text() -> None:
    def gone() -> None:
        raise IndexUnavailable("the database file is gone")

    def broken() -> None:
        raise ValueError("secret")

    states = asyncio.run(Readiness({"database": gone, "segments": broken}).states())
    assert states == {"database": "index_unavailable: the database file is gone", "segments": "internal: ValueError"}


class Times:
    """Clocks that the test sets."""

    def __init__(self) -> None:
        self.steady = 5_000.0
        self.wall = self.database = 1_700_000_000.0
        self.clocks = Clocks(lambda: int(self.database * 1000), lambda: self.wall, lambda: self.steady)

    def go(self, seconds: float) -> None:
        self.steady += seconds
        self.wall += seconds
        self.database += seconds


@pytest.mark.parametrize(("ahead", "words"), [(1, "20 minutes ahead of"), (-1, "20 minutes behind")])
def test_a_clock_difference_to_the_database_is_reported(ahead: int, words: str) -> None:
    times = Times()
    times.clocks.check()
    times.database += ahead * (MAX_SKEW_SECONDS - 5)
    times.clocks.check()
    times.database = times.wall + ahead * 20 * 60
    with pytest.raises(IndexUnavailable, match=f"the database's clock is {words}"):
        times.clocks.check()


@pytest.mark.parametrize(("step", "words"), [(1, "20 minutes forward"), (-1, "20 minutes back")])
def test_a_step_of_the_clock_is_reported_for_a_while(step: int, words: str) -> None:
    times = Times()
    times.wall += step * 60
    times.clocks.check()
    for clock in ("wall", "database"):
        setattr(times, clock, getattr(times, clock) + step * 20 * 60)
    for _ in range(3):
        with pytest.raises(IndexUnavailable, match=f"clock was stepped {words}|clock was stepped 21"):
            times.clocks.check()
        times.go(60)
    times.go(MAX_SKEW_SECONDS)
    times.clocks.check()
    times.go(10 * MAX_SKEW_SECONDS)
    times.clocks.check()


def test_a_check_that_found_no_thread_is_repeated() -> None:
    readiness = Readiness({"database": lambda: None})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        assert asyncio.run(readiness.states()) == {"database": "overloaded: no thread can be started"}
    assert asyncio.run(readiness.states()) == {"database": "ok"}
