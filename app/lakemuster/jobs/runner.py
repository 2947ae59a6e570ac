"""Run one job in its own thread while this process holds the job's lease."""

from __future__ import annotations

import logging
import threading
import traceback
from dataclasses import dataclass, field, replace

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import operator_message
from lakemuster.index.jobs import JobState
from lakemuster.jobs.job import Job, Run
from lakemuster.measures import Measure

SHORTEST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0

LOG = logging.getLogger("lakemuster.jobs")


@dataclass(frozen=True, slots=True)
class JobMeasures:
    """The durations, in seconds, of all runs that ended in this process, and of those that failed."""

    runs: Measure = field(default_factory=lambda: Measure("name"))
    failures: Measure = field(default_factory=lambda: Measure("name"))


def pause_after(failures_in_a_row: int, every_seconds: float) -> float:
    """Return the pause before the next run: the interval, or after failures a backoff that doubles up to five minutes.

    A job with a longer interval is retried before its next run would be due.
    """
    if failures_in_a_row == 0:
        return every_seconds
    shortest = min(max(every_seconds, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS / 8)
    return float(min(LONGEST_PAUSE_SECONDS, shortest * 2 ** min(failures_in_a_row, 32)))


class Runner:
    """Runs a job repeatedly until the lease is lost or the process stops. A run that fails is retried after a pause.

    Args:
        state: the state that the job's last holder recorded.
        held_until: when the lease expires, by the monotonic clock.

    Attributes:
        held_until: extended by the supervisor with every renewal.
    """

    def __init__(
        self,
        job: Job,
        state: JobState,
        held_until: float,
        clock: Clock = SYSTEM,
        measures: JobMeasures | None = None,
    ) -> None:
        self.job = job
        self._measures = measures or JobMeasures()
        self.held_until = held_until
        self._clock = clock
        self._state = state
        self._as_of = clock.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"job {job.name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Stop the run in progress, and start no other."""
        self._ended.set()

    def join(self, seconds: float) -> bool:
        """Wait for the thread; return whether it has ended."""
        self._thread.join(max(0.0, seconds))
        return not self._thread.is_alive()

    @property
    def is_over(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    def state(self) -> JobState:
        """Return the job's state, with its times relative to now."""
        with self._lock:
            passed = self._clock.monotonic() - self._as_of
            return self._state.after(passed)

    def _goes_on(self) -> bool:
        return not self._ended.is_set() and self._clock.monotonic() < self.held_until

    def _serve(self) -> None:
        pause = self._first_pause()
        while not self._ended.wait(pause) and self._goes_on():
            started = self._clock.monotonic()
            self._note(self.state(), started_in=0.0, next_in=None)
            try:
                report = self.job.run(Run(self._goes_on))
            except BaseException as error:  # noqa: BLE001 - a job that crashes must not end its thread
                self._failed(error, started)
            else:
                self._succeeded(report, started)
            pause = max(0.0, self.state().next_in or 0.0)

    def _first_pause(self) -> float:
        """Return the rest of the last holder's pause, limited to the usual pause in case a clock has stepped."""
        state, job = self._state, self.job
        if state.next_in is None:
            pause = 0.0 if state.runs else job.first_seconds
        else:
            pause = min(max(0.0, state.next_in), pause_after(state.failures_in_a_row, job.every_seconds))
        self._note(state, next_in=pause)
        return pause

    def _succeeded(self, report: str, started: float) -> None:
        state, took = self.state(), self._clock.monotonic() - started
        next_in = max(0.0, self.job.every_seconds - took)
        changes = {"report": report, "error": None, "failures_in_a_row": 0, "succeeded_in": 0.0, "next_in": next_in}
        self._note(state, runs=state.runs + 1, started_in=None, ended_in=0.0, duration=took, **changes)
        self._measures.runs.record(took, self.job.name)

    def _failed(self, error: BaseException, started: float) -> None:
        state, took = self.state(), self._clock.monotonic() - started
        in_a_row = state.failures_in_a_row + 1
        pause = pause_after(in_a_row, self.job.every_seconds)
        text = _describe(error)
        changes = {
            "error": text,
            "failures": state.failures + 1,
            "failures_in_a_row": in_a_row,
            "next_in": pause,
        }
        self._note(state, runs=state.runs + 1, started_in=None, ended_in=0.0, duration=took, **changes)
        self._measures.runs.record(took, self.job.name)
        self._measures.failures.record(took, self.job.name)
        told = f"{error.code}: {operator_message(error)}" if isinstance(error, CatalogError) else text
        where = "" if isinstance(error, CatalogError) else raised_at(error)
        LOG.warning("job %s failed, %d times in a row: %s%s", self.job.name, in_a_row, told, where)

    def _note(self, state: JobState, **changes: object) -> None:
        with self._lock:
            self._state, self._as_of = replace(state, **changes), self._clock.monotonic()  # type: ignore[arg-type]


def raised_at(error: BaseException) -> str:
    """Return where an unexpected exception was raised, for a log line: its message may hold anything."""
    frame = (traceback.extract_tb(error.__traceback__) or [None])[-1]
    return "" if frame is None else f" at {frame.filename}:{frame.lineno}"


def _describe(error: BaseException) -> str:
    return f"{error.code}: {error.message}" if isinstance(error, CatalogError) else f"internal: {type(error).__name__}"
