"""The rows that ``lakemuster jobs`` shows: where each job runs, how its last run ended, when the next one starts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from lakemuster.index.database import Database
from lakemuster.index.jobs import JobRecord, list_jobs
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import WireModel


class JobOut(WireModel):
    """One background job. Times are RFC 3339, by the database's clock."""

    name: str
    held_by: str | None = Field(description="Host and process of its holder; null when nobody holds it.")
    state: Literal["running", "waiting", "free"]
    started_at: str | None = Field(description="Of the run in progress.")
    last_run_at: str | None = Field(description="When the last run ended.")
    outcome: Literal["succeeded", "failed"] | None = Field(description="Of the last run.")
    report: str | None = Field(description="What the last successful run did.")
    error: str | None = Field(description="Why the last run failed.")
    seconds: float | None = Field(description="How long the last run took.")
    last_success_at: str | None
    next_run_at: str | None
    runs: int
    failures: int
    failures_in_a_row: int


def jobs_out(database: Database, names: Iterable[str]) -> list[JobOut]:
    """Return every job that was ever held, and the other jobs among ``names``.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    rows = {record.name: _row(record) for record in list_jobs(database) if record.was_held}
    rows |= {name: _never_held(name) for name in names if name not in rows}
    return [rows[name] for name in sorted(rows)]


def _row(record: JobRecord) -> JobOut:
    is_running = record.is_held and record.started_at_ms is not None
    outcome: Literal["succeeded", "failed"] = "succeeded" if record.error is None else "failed"
    return JobOut(
        name=record.name,
        held_by=record.place if record.is_held else None,
        state="running" if is_running else "waiting" if record.is_held else "free",
        started_at=_instant(record.started_at_ms) if is_running else None,
        last_run_at=_instant(record.ended_at_ms),
        outcome=outcome if record.ended_at_ms is not None else None,
        report=record.report,
        error=record.error,
        seconds=None if record.duration_ms is None else record.duration_ms / 1000,
        last_success_at=_instant(record.succeeded_at_ms),
        next_run_at=_instant(record.next_at_ms),
        runs=record.runs,
        failures=record.failures,
        failures_in_a_row=record.failures_in_a_row,
    )


def _never_held(name: str) -> JobOut:
    nothing = ("held_by", "started_at", "last_run_at", "outcome", "report", "error", "seconds")
    none = dict.fromkeys((*nothing, "last_success_at", "next_run_at"))
    return JobOut.model_validate(
        {"name": name, "state": "free", "runs": 0, "failures": 0, "failures_in_a_row": 0, **none}
    )


def _instant(at_ms: int | None) -> str | None:
    return None if at_ms is None else format_instant(at_ms)
