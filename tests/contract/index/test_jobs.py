"""One process holds a job at a time, independent of clocks, and results of runs outlive the holder."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from lakemuster.clock import Clock
from lakemuster.errors import IndexUnavailable
from lakemuster.index.database import Database
from lakemuster.index.jobs import TTL_SECONDS, JobLeases, JobState, list_jobs
from lakemuster.index.lease_owner import new_owner
from lakemuster.jobs.job import Job, Run
from lakemuster.jobs.listing import jobs_out
from lakemuster.jobs.runner import Runner
from lakemuster.jobs.supervisor import Supervisor
from tests.clocks import SteppedClock
from tests.polling import until

NAMES = ("retries", "sweep")
ELSEWHERE = "0123 another-machine/pid:[1] 1 1"
"""An owner on another machine, whose process cannot be checked."""


def leases(database: Database, clock: Clock, owner: str | None = None) -> JobLeases:
    return JobLeases(database, owner or new_owner(), "here:1", clock)


class Counting:
    """A job that counts its runs, and fails a given number of times."""

    first_seconds = 0.0

    def __init__(self, name: str, every_seconds: float = 0.01, failures: int = 0) -> None:
        self.name, self.every_seconds, self.failures = name, every_seconds, failures
        self.runs = 0

    def run(self, run: Run) -> str:
        self.runs += 1
        if self.runs <= self.failures:
            raise RuntimeError("the password is 1234")
        return f"run {self.runs}"


@contextmanager
def supervised(database: Database, *jobs: Job, ttl_seconds: float = TTL_SECONDS) -> Iterator[Supervisor]:
    supervisor = Supervisor(database, jobs, ttl_seconds=ttl_seconds)
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()


def test_of_many_that_ask_at_once_one_gets_each_lease(database: Database) -> None:
    taken: list[dict[str, JobState]] = []
    asking = [leases(database, SteppedClock()) for _ in range(8)]
    threads = [threading.Thread(target=lambda one=one: taken.append(one.take_free(NAMES))) for one in asking]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(name for found in taken for name in found) == sorted(NAMES)


def test_a_lease_that_is_renewed_is_not_taken_whatever_the_wall_clock_does(database: Database) -> None:
    holder, clock = leases(database, SteppedClock(), ELSEWHERE), SteppedClock()
    other = leases(database, clock)
    assert set(holder.take_free(NAMES)) == set(NAMES)
    for stepped_ms in (0, 3_600_000, -7_200_000, 0):
        with database.session() as session:
            # The database's clock was set: earlier records are in its future, or long ago.
            session.execute(text("UPDATE job SET renewed_at_ms = renewed_at_ms + :ms"), {"ms": stepped_ms})
        assert not other.take_free(NAMES)
        clock.pass_seconds(TTL_SECONDS * 0.9)
        assert holder.renew(dict.fromkeys(NAMES, JobState())) == set(NAMES)
        assert not other.take_free(NAMES)
        clock.pass_seconds(TTL_SECONDS * 0.9)
        assert not other.take_free(NAMES)


def test_a_lease_that_is_not_renewed_for_its_time_is_taken_and_its_holder_learns_of_it(database: Database) -> None:
    holder, clock = leases(database, SteppedClock(), ELSEWHERE), SteppedClock()
    other = leases(database, clock)
    holder.take_free(NAMES)
    holder.renew({"sweep": JobState(runs=7, failures=2, failures_in_a_row=1, next_in=40.0, error="e", report="r")})
    assert not other.take_free(NAMES)
    clock.pass_seconds(TTL_SECONDS + 0.1)
    found = other.take_free(NAMES)
    assert set(found) == set(NAMES)
    state = found["sweep"]
    assert state.next_in is not None
    assert 0 < state.next_in <= 40.0
    assert replace(state, next_in=None) == JobState(runs=7, failures=2, failures_in_a_row=1, error="e", report="r")
    assert holder.renew(dict.fromkeys(NAMES, JobState(runs=100))) == set()
    holder.release(NAMES)
    assert not leases(database, SteppedClock()).take_free(NAMES)
    assert {record.name: record.runs for record in list_jobs(database)} == {"retries": 0, "sweep": 7}


def test_leases_that_are_released_or_of_dead_processes_are_free_at_once(database: Database) -> None:
    first, second = (leases(database, SteppedClock()) for _ in range(2))
    first.take_free(NAMES)
    first.release(["sweep"])
    assert set(second.take_free(NAMES)) == {"sweep"}
    dead = new_owner().rsplit(" ", 1)[0] + " 1"  # this process's id with another start time
    with database.session() as session:
        session.execute(text("UPDATE job SET holder = :dead"), {"dead": dead})
    assert not [record for record in list_jobs(database) if record.is_held]
    assert set(second.take_free(NAMES)) == set(NAMES)


def test_supervisors_run_each_job_in_one_place_and_hand_it_on_when_they_stop(database: Database) -> None:
    jobs = [[Counting(name) for name in NAMES] for _ in range(3)]
    with ExitStack() as stack:
        stacks = [ExitStack() for _ in jobs]
        held = [stack.enter_context(own).enter_context(supervised(database, *several, ttl_seconds=3.0))
                for own, several in zip(stacks, jobs, strict=True)]  # fmt: skip
        for remaining in (3, 2, 1):
            until(lambda: sorted(one.name for each in held for one in each.held()) == sorted(NAMES))
            names = {id(each): [one.name for one in each.held()] for each in held}
            before = [[job.runs for job in several] for several in jobs]
            until(lambda before=before: sum(job.runs for several in jobs for job in several) > sum(map(sum, before)))  # type: ignore[misc]
            for own, several, count, each in zip(stacks, jobs, before, held, strict=True):
                for job, runs in zip(several, count, strict=True):
                    assert job.runs == runs or job.name in names[id(each)]
                if names[id(each)] and remaining > 1:
                    own.close()
    assert not [record for record in list_jobs(database) if record.holder is not None]


def test_a_job_that_crashes_each_time_leaves_the_others_running_and_is_shown(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    sick, well = Counting("sick", failures=10**9), Counting("well")
    with supervised(database, sick, well, ttl_seconds=3.0) as supervisor:
        until(lambda: sick.runs >= 2 and well.runs >= 20)
        until(lambda: any(row.failures >= 2 for row in jobs_out(database, ())))
        shown = {row.name: row for row in jobs_out(database, ())}
        assert {one.name for one in supervisor.held()} == {"sick", "well"}
    assert shown["sick"].outcome == "failed"
    assert shown["sick"].error == "internal: RuntimeError"
    assert shown["sick"].failures == shown["sick"].failures_in_a_row == shown["sick"].runs
    assert shown["sick"].next_run_at is not None
    assert shown["well"].outcome == "succeeded"
    assert shown["well"].failures == 0
    assert shown["well"].runs > shown["sick"].runs
    assert "1234" not in caplog.text
    assert "test_jobs.py" in caplog.text


def test_a_holder_that_cannot_renew_ends_its_runs_within_the_lease(database: Database) -> None:
    going: list[bool] = []
    ended = threading.Event()

    def run(run: Run) -> str:
        while run.goes_on():
            going.append(True)
            threading.Event().wait(0.01)
        ended.set()
        return ""

    job = SimpleNamespace(name="long", every_seconds=1.0, first_seconds=0.0, run=run)
    with supervised(database, job, ttl_seconds=0.5) as supervisor:
        until(lambda: going)

        def silent(states: object) -> set[str]:
            raise IndexUnavailable("no answer")

        supervisor._leases.renew = silent  # type: ignore[method-assign]
        supervisor._leases.take_free = lambda names: {}  # type: ignore[method-assign]
        assert ended.wait(60)
        until(lambda: not supervisor.held())


def test_a_run_that_does_not_end_keeps_its_lease_when_the_process_stops(database: Database) -> None:
    begun, release = threading.Event(), threading.Event()

    def run(_: Run) -> str:
        begun.set()
        release.wait(60)
        return ""

    job = SimpleNamespace(name="deaf", every_seconds=1.0, first_seconds=0.0, run=run)
    supervisor = Supervisor(database, [job, Counting("other")])
    supervisor.start()
    assert begun.wait(60)
    supervisor.stop(0.2)
    holders = {record.name: record.holder for record in list_jobs(database)}
    release.set()
    assert holders["deaf"] is not None
    assert holders["other"] is None


def test_the_next_run_of_another_holders_job_comes_when_it_is_due(database: Database) -> None:
    job = Counting("daily", every_seconds=86_400.0)
    with supervised(database, job):
        until(lambda: job.runs == 1)
    again = Counting("daily", every_seconds=86_400.0)
    with supervised(database, again) as supervisor:
        until(supervisor.held)
        (held,) = supervisor.held()
        assert held.state.next_in is not None
        assert 86_000 < held.state.next_in <= 86_400
    assert again.runs == 0
    # A clock set back by a year does not delay the run by more than the usual interval.
    runner = Runner(again, JobState(runs=1, next_in=365 * 86_400.0), held_until=time.monotonic() + 60)
    runner.start()
    until(lambda: (runner.state().next_in or 0) <= 86_400)
    runner.end()
    assert runner.join(60)
