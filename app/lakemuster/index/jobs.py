"""Background jobs in the database: a lease for each job, and the outcome of its last runs.

A lease is free if it was released, if its holder is a dead process of this machine, or if a waiting process has seen no
renewal for :data:`TTL_SECONDS` by its own monotonic clock. No wall clock is involved, so a clock that steps cannot give
a job a second holder. A holder stops if it could not renew its leases for that long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from sqlalchemy import select, update

from lakemuster.clock import SYSTEM, Clock
from lakemuster.index.database import Database, NowMs
from lakemuster.index.lease_owner import is_dead
from lakemuster.index.orm import JobRow
from lakemuster.index.statements import insert_new

TTL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as stored in the database. Times are by the database's clock.

    Attributes:
        holder: the owner of its lease (see ``lease_owner``); None if no process holds it.
        place: host and process of its holder.
        renewed_at_ms: when the lease was last renewed.
        failures_in_a_row: number of failed runs since the last successful one.
        started_at_ms: when the run in progress began; None if there is none.
        report: summary of the last successful run.
        error: why the last run failed; None if it succeeded.
        now_ms: when the record was read.
    """

    name: str
    holder: str | None
    place: str | None
    renewed_at_ms: int
    runs: int
    failures: int
    failures_in_a_row: int
    started_at_ms: int | None
    ended_at_ms: int | None
    succeeded_at_ms: int | None
    duration_ms: int | None
    next_at_ms: int | None
    report: str | None
    error: str | None
    now_ms: int

    @property
    def was_held(self) -> bool:
        """Whether a process ever held it: it is a background job, and not work by request."""
        return self.renewed_at_ms > 0

    @property
    def is_held(self) -> bool:
        """Whether a process that may be alive holds it."""
        is_late = self.now_ms - self.renewed_at_ms > TTL_SECONDS * 1000
        return self.holder is not None and not is_late and not is_dead(self.holder)


@dataclass(frozen=True, slots=True)
class JobState:
    """The state that a job's holder records with a renewal. Times are in seconds from now, negative in the past."""

    runs: int = 0
    failures: int = 0
    failures_in_a_row: int = 0
    started_in: float | None = None
    ended_in: float | None = None
    succeeded_in: float | None = None
    duration: float | None = None
    next_in: float | None = None
    report: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, record: JobRecord) -> JobState:
        """Return the state that an earlier holder recorded, without a run in progress."""

        def seconds_until(at_ms: int | None) -> float | None:
            return None if at_ms is None else (at_ms - record.now_ms) / 1000

        return cls(
            record.runs,
            record.failures,
            record.failures_in_a_row,
            ended_in=seconds_until(record.ended_at_ms),
            succeeded_in=seconds_until(record.succeeded_at_ms),
            duration=None if record.duration_ms is None else record.duration_ms / 1000,
            next_in=seconds_until(record.next_at_ms),
            report=record.report,
            error=record.error,
        )

    def after(self, seconds: float) -> JobState:
        """Return the same state as of some seconds later."""

        def moved(seconds_from_now: float | None) -> float | None:
            return None if seconds_from_now is None else seconds_from_now - seconds

        return replace(
            self,
            started_in=moved(self.started_in),
            ended_in=moved(self.ended_in),
            succeeded_in=moved(self.succeeded_in),
            next_in=moved(self.next_in),
        )


_STORED = tuple(field.name for field in fields(JobRecord) if field.name != "now_ms")
_ALL = select(*(getattr(JobRow, name) for name in _STORED), NowMs()).order_by(JobRow.name)


def list_jobs(database: Database) -> list[JobRecord]:
    """Return all jobs by name.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    return [JobRecord(*row) for row in database.rows(_ALL, {})]


def record_success(database: Database, name: str) -> None:
    """Record that a job's work was done by request, under a name that no process holds.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with database.session() as session:
        insert_new(session, JobRow, [_new(name)])
        session.execute(
            update(JobRow)
            .where(JobRow.name == name)
            .values(runs=JobRow.runs + 1, ended_at_ms=NowMs(), succeeded_at_ms=NowMs())
            .execution_options(synchronize_session=False)
        )


class JobLeases:
    """The leases that one process holds on jobs, and those that it waits for.

    Args:
        owner: this process's owner name, see ``lease_owner.new_owner``.
        place: host and process, for display.
    """

    def __init__(
        self, database: Database, owner: str, place: str, clock: Clock = SYSTEM, ttl_seconds: float = TTL_SECONDS
    ) -> None:
        self._database, self._owner, self._place = database, owner, place
        self._clock = clock
        self._ttl_seconds = ttl_seconds
        self._seen: dict[str, tuple[str | None, int, float]] = {}

    def take_free(self, names: Sequence[str]) -> dict[str, JobState]:
        """Take the free leases among some names; return the last recorded states of their jobs.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        known = {record.name: record for record in list_jobs(self._database)}
        missing = [name for name in names if name not in known]
        if missing:
            with self._database.session() as session:
                insert_new(session, JobRow, [_new(name) for name in missing])
            known = {record.name: record for record in list_jobs(self._database)}
        # Sorted, so that two processes cannot deadlock.
        free = [known[name] for name in sorted(names) if name in known and self._is_free(known[name])]
        if not free:
            return {}
        with self._database.session() as session:
            taken = [
                session.execute(
                    update(JobRow)
                    .where(
                        JobRow.name == record.name,
                        JobRow.holder.is_not_distinct_from(record.holder),
                        JobRow.renewed_at_ms == record.renewed_at_ms,
                    )
                    .values(holder=self._owner, place=self._place, renewed_at_ms=NowMs(), started_at_ms=None)
                    .returning(JobRow.name)
                    .execution_options(synchronize_session=False)
                ).scalar()
                for record in free
            ]
        return {record.name: JobState.of(record) for record, name in zip(free, taken, strict=True) if name is not None}

    def renew(self, states: Mapping[str, JobState]) -> set[str]:
        """Renew leases, and record their jobs' states; return the names of those that this process still holds.

        Raises:
            IndexUnavailable: the database does not answer; nothing is renewed.
        """
        if not states:
            return set()
        with self._database.session() as session:
            # Sorted, so that two processes cannot deadlock.
            renewed = [
                session.execute(
                    update(JobRow)
                    .where(JobRow.name == name, JobRow.holder == self._owner)
                    .values(renewed_at_ms=NowMs(), **_values(states[name]))
                    .returning(JobRow.name)
                    .execution_options(synchronize_session=False)
                ).scalar()
                for name in sorted(states)
            ]
        return {name for name in renewed if name is not None}

    def release(self, names: Sequence[str]) -> None:
        """Release leases that this process still holds, so that another process may take them at once.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        if not names:
            return
        with self._database.session() as session:
            session.execute(
                update(JobRow)
                .where(JobRow.name.in_(sorted(names)), JobRow.holder == self._owner)
                .values(holder=None, started_at_ms=None)
                .execution_options(synchronize_session=False)
            )

    def _is_free(self, record: JobRecord) -> bool:
        if record.holder is None or record.holder == self._owner or is_dead(record.holder):
            return True
        seen = self._seen.get(record.name)
        if seen is None or seen[:2] != (record.holder, record.renewed_at_ms):
            self._seen[record.name] = (record.holder, record.renewed_at_ms, self._clock.monotonic())
            return False
        return self._clock.monotonic() - seen[2] > self._ttl_seconds


def _new(name: str) -> dict[str, object]:
    return {"name": name, "renewed_at_ms": 0, "runs": 0, "failures": 0, "failures_in_a_row": 0}


def _values(state: JobState) -> dict[str, object]:
    def at(seconds: float | None) -> object:
        return None if seconds is None else NowMs() + round(seconds * 1000)

    return {
        "runs": state.runs,
        "failures": state.failures,
        "failures_in_a_row": state.failures_in_a_row,
        "started_at_ms": at(state.started_in),
        "ended_at_ms": at(state.ended_in),
        "succeeded_at_ms": at(state.succeeded_in),
        "duration_ms": None if state.duration is None else round(state.duration * 1000),
        "next_at_ms": at(state.next_in),
        "report": state.report,
        "error": state.error,
    }
