"""Convert the health of tables to documents of the native API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from lakemuster.index.health import HealthDay, HealthSummary, StoredHealth
from lakemuster.index.table_record import ListedTable
from lakemuster.metadata.health import Component, Gain, Limits, Status, worst
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import json_integer
from lakemuster.wire.native.health import (
    ComponentOut,
    DayComponentOut,
    GainOut,
    HealthDayOut,
    HealthOut,
    LimitsOut,
)
from lakemuster.wire.native.thresholds import ThresholdOut

_SHOWN: tuple[Status, ...] = ("critical", "warning", "unknown")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def health_out(
    name: str, found: StoredHealth, days: Sequence[HealthDay] | None, stale: str | None, *, is_due: bool
) -> HealthOut:
    """Return the health of one table."""
    return HealthOut(
        name=name,
        health=found.status,
        is_due=is_due,
        components=[_component(one, found.computed_at_ms[one.name]) for one in found.components],
        history=None if days is None else [_day(one) for one in days],
        stale=stale,
    )


def table_health_document(table: ListedTable, found: HealthSummary | None) -> dict[str, object]:
    """Return a row of ``/health``: the JSON of ``TableHealthOut`` without the model, which takes most of the time."""
    figures, record = table.figures, table.record
    committed = figures.last_committed_at_ms
    return {
        "name": record.name,
        "format": record.format,
        "health": None if found is None else worst(found.statuses.values()),
        "since": None if found is None else format_instant(found.since_ms),
        **{status: [] if found is None else found.named(status) for status in _SHOWN},
        "computed_at": None if found is None else format_instant(found.computed_at_ms),
        "data_files": None if figures.data_files is None else json_integer(figures.data_files),
        "total_bytes": None if figures.total_bytes is None else json_integer(figures.total_bytes),
        "last_committed_at": None if committed is None else format_instant(committed),
    }


def _component(one: Component, computed_at_ms: int) -> ComponentOut:
    measured = one.measured
    return ComponentOut(
        name=measured.name,
        value=measured.value,
        unit=measured.unit,
        threshold=ThresholdOut(**asdict(one.threshold)),
        status=one.status,
        since=format_instant(one.since_ms),
        reason=measured.reason,
        remedy=measured.remedy,
        gain=None if measured.gain is None else _gain(measured.gain),
        computed_at=format_instant(computed_at_ms),
    )


def _gain(gain: Gain) -> GainOut:
    return GainOut(
        files=_limits(gain.files),
        bytes=_limits(gain.bytes),
        merges=_limits(gain.merges),
        manifests=_limits(gain.manifests),
        snapshots=_limits(gain.snapshots),
    )


def _limits(found: Limits | None) -> LimitsOut | None:
    if found is None:
        return None
    return LimitsOut(lower=found.lower, upper=found.upper, exact=found.exact, reason=found.reason)


def _day(day: HealthDay) -> HealthDayOut:
    components = [DayComponentOut(name=name, status=status, value=v) for name, (status, v) in day.components.items()]
    return HealthDayOut(
        day=(_EPOCH + timedelta(days=day.day)).date().isoformat(),
        health=worst(status for status, _ in day.components.values()),
        components=components,
    )
