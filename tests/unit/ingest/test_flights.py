"""Shared runs: which run a caller joins, how long it waits, and the result that it gets."""

from __future__ import annotations

import threading
from unittest.mock import Mock

import pytest

from lakemuster.errors import IndexUnavailable, Overloaded, StorageUnavailable
from lakemuster.ingest.flights import Flights, Patience
from lakemuster.ingest.threads import BucketThreads
from lakemuster.log_lines import REQUEST_ID
from lakemuster.storage.storage_wait import waiting
from tests.clocks import SteppedClock

IN_TIME = 20.0
FOR_EVER = Patience()


class Work:
    """Work that blocks until ``go`` is set, as a storage wait if ``on_storage``."""

    def __init__(self, *, on_storage: bool = True) -> None:
        self.begun, self.go, self.runs = threading.Semaphore(0), threading.Event(), 0
        self._on_storage = on_storage

    def __call__(self) -> int:
        self.runs += 1
        self.begun.release()
        if self._on_storage:
            with waiting():
                assert self.go.wait(IN_TIME)
        else:
            assert self.go.wait(IN_TIME)
        return self.runs


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def flights(clock: SteppedClock) -> Flights:
    return Flights(BucketThreads(), clock)


def test_those_who_come_in_time_share_a_run_and_later_ones_the_next(flights: Flights, clock: SteppedClock) -> None:
    work = Work()
    first, shared = flights.join("t", "b", work)
    assert not shared
    assert work.begun.acquire(timeout=IN_TIME)
    assert flights.join("t", "b", work, first.began or 0.0) == (first, True)
    behind, shared = flights.join("t", "b", work, clock.monotonic())
    assert (behind is first, shared) == (False, False)
    assert flights.join("t", "b", work, clock.monotonic()) == (behind, True)
    other, _ = flights.join("u", "b", work)
    assert other is not first
    work.go.set()
    assert first.wait(FOR_EVER)
    assert behind.wait(FOR_EVER)
    assert other.wait(FOR_EVER)
    assert work.runs == 3
    again, shared = flights.join("t", "b", work)
    assert not shared
    assert again.wait(FOR_EVER)


def test_a_run_that_has_waited_for_storage_too_long_is_not_waited_for(flights: Flights, clock: SteppedClock) -> None:
    work = Work()
    flight, _ = flights.join("t", "b", work)
    assert work.begun.acquire(timeout=IN_TIME)
    clock.pass_seconds(100)
    behind, _ = flights.join("t", "b", work, clock.monotonic())
    for one in (flight, behind):
        for patience in (Patience(storage=1.0, stall=1.0), Patience(stall=3.0)):
            assert not one.wait(patience)
        assert one.overdue == "storage has not answered in time"
    work.go.set()
    assert flight.wait(FOR_EVER)


def test_a_run_that_waits_for_a_catalog_is_waited_for_as_long_by_those_who_know_no_state(
    flights: Flights, clock: SteppedClock
) -> None:
    def work() -> None:
        with waiting("its catalog", is_storage=False):
            begun.set()
            assert go.wait(IN_TIME)

    begun, go = threading.Event(), threading.Event()
    flight, _ = flights.join("t", "b", work)
    assert begun.wait(IN_TIME)
    clock.pass_seconds(5)
    assert not flight.wait(Patience(storage=1.0))
    assert flight.overdue == "its catalog has not answered in time"
    assert (flight.waits.spent >= 5, flight.waits.stalled) == (True, 0.0)
    go.set()
    assert flight.wait(Patience(stall=3.0))


def test_work_of_our_own_is_waited_for(flights: Flights, clock: SteppedClock) -> None:
    work = Work(on_storage=False)
    flight, _ = flights.join("t", "b", work)
    assert work.begun.acquire(timeout=IN_TIME)
    clock.pass_seconds(5)
    assert flight.overdue == "it takes longer than a request waits"
    told: list[bool] = []
    waiter = threading.Thread(target=lambda: told.append(flight.wait(Patience(storage=1.0, stall=1.0, total=10.0))))
    waiter.start()
    work.go.set()
    waiter.join(IN_TIME)
    assert told == [True]


def test_work_in_a_queue_for_threads_waits_for_storage(clock: SteppedClock) -> None:
    flights, work = Flights(BucketThreads(of_a_bucket=1), clock), Work()
    flights.join("t", "b", work)
    assert work.begun.acquire(timeout=IN_TIME)
    queued, _ = flights.join("u", "b", work)
    clock.pass_seconds(5)
    assert not queued.wait(Patience(storage=1.0, stall=1.0))
    flights.close()
    assert queued.wait(FOR_EVER)
    assert isinstance(queued.error, IndexUnavailable)
    work.go.set()


@pytest.mark.parametrize("error", [StorageUnavailable("planted"), RuntimeError("planted")])
def test_all_are_told_of_a_failure(flights: Flights, error: Exception) -> None:
    def fail() -> None:
        raise error

    flight, _ = flights.join("t", "b", fail)
    assert flight.wait(FOR_EVER)
    assert flight.error is error


def test_a_run_belongs_to_the_request_that_created_it(flights: Flights) -> None:
    token = REQUEST_ID.set("first")
    try:
        flight, _ = flights.join("t", "b", REQUEST_ID.get)
    finally:
        REQUEST_ID.reset(token)
    assert flight.wait(FOR_EVER)
    assert flight.result == "first"


def test_a_run_without_a_thread_fails_at_once_and_the_next_caller_begins_another():
    flights = Flights(BucketThreads())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        refused, _ = flights.join("key", "bucket", lambda: 1)
    assert refused.is_done
    assert isinstance(refused.error, Overloaded)
    flight, is_shared = flights.join("key", "bucket", lambda: 2)
    assert not is_shared
    assert flight.wait(FOR_EVER)
    assert flight.result == 2
