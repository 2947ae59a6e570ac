"""Compete for the leases of jobs with all workers and replicas, renew them, and run the jobs that are held."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import operator_message
from lakemuster.index.database import Database
from lakemuster.index.jobs import TTL_SECONDS, JobLeases, JobState
from lakemuster.index.lease_owner import new_owner
from lakemuster.jobs.job import Job
from lakemuster.jobs.runner import JobMeasures, Runner

BEATS_OF_A_LEASE = 4
STOP_SECONDS = 5.0

__all__ = ["Held", "JobState", "Supervisor"]

LOG = logging.getLogger("lakemuster.jobs")


@dataclass(frozen=True, slots=True)
class Held:
    """A job that this process holds, and the state of its runs."""

    name: str
    state: JobState


class Supervisor:
    """Holds and runs the background jobs of one process. Thread-safe.

    Args:
        jobs: all jobs for these settings; other processes may hold some of them.
        ttl_seconds: how long a lease lasts without renewal.

    Attributes:
        measures: the measures of the runs that end in this process.
    """

    def __init__(
        self, database: Database, jobs: Sequence[Job], clock: Clock = SYSTEM, ttl_seconds: float = TTL_SECONDS
    ) -> None:
        self.measures = JobMeasures()
        self._jobs = {job.name: job for job in jobs}
        place = f"{socket.gethostname()}:{os.getpid()}"
        self._leases = JobLeases(database, new_owner(), place, clock, ttl_seconds)
        self._clock = clock
        self._ttl_seconds = ttl_seconds
        self._runners: dict[str, Runner] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread that acquires and renews leases."""
        self._stopped.clear()
        self._thread = threading.Thread(target=self._serve, name="jobs", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Start no more runs, give those in progress ``seconds`` to end, and release the leases.

        The lease of a run that does not end in time is not released, since the run may still write.
        """
        until = self._clock.monotonic() + seconds
        with self._lock:
            self._stopped.set()
            runners, self._runners = self._runners, {}
        for runner in runners.values():
            runner.end()
        if self._thread is not None:
            self._thread.join(seconds)
        ended = {name: runner for name, runner in runners.items() if runner.join(until - self._clock.monotonic())}
        try:
            self._leases.renew({name: runner.state() for name, runner in ended.items()})
            self._leases.release(list(ended))
        except CatalogError as error:
            LOG.warning("leases of jobs were not released, and expire: %s", operator_message(error))

    def held(self) -> list[Held]:
        """Return the jobs that this process holds now, by name."""
        with self._lock:
            runners = sorted(self._runners.items())
        return [Held(name, runner.state()) for name, runner in runners if not runner.is_over]

    def beat(self) -> None:
        """Renew the leases that this process holds, and acquire the free ones.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        began = self._clock.monotonic()
        with self._lock:
            runners = dict(self._runners)
        try:
            kept = self._leases.renew({name: runner.state() for name, runner in runners.items()})
        except CatalogError:
            kept = {name for name, runner in runners.items() if began < runner.held_until}
            self._let_go(runners, kept)
            raise
        for name in kept:
            runners[name].held_until = began + self._ttl_seconds
        self._let_go(runners, kept)
        began = self._clock.monotonic()
        with self._lock:
            wanted = [name for name in self._jobs if name not in self._runners]
        for name, state in self._leases.take_free(wanted).items():
            with self._lock:
                if self._stopped.is_set():
                    self._leases.release([name])
                    continue
                until = began + self._ttl_seconds
                runner = Runner(self._jobs[name], state, until, self._clock, self.measures)
                self._runners[name] = runner
                runner.start()

    def _let_go(self, runners: dict[str, Runner], kept: set[str]) -> None:
        """Stop the runners whose leases were lost; remove those that have ended."""
        for name, runner in runners.items():
            if name not in kept:
                runner.end()
            if runner.is_over:
                with self._lock:
                    self._runners.pop(name, None)

    def _serve(self) -> None:
        has_failed = False
        while True:
            try:
                self.beat()
                has_failed = False
            except Exception as error:  # noqa: BLE001 - nothing would start this thread again
                if not has_failed:
                    said = operator_message(error) if isinstance(error, CatalogError) else type(error).__name__
                    LOG.warning("the leases of jobs cannot be renewed: %s", said)
                has_failed = True
            if self._stopped.wait(self._ttl_seconds / BEATS_OF_A_LEASE):
                return
