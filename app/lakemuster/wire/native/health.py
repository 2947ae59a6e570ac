"""JSON models of tables' health."""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from lakemuster.wire.documents import EXTRA
from lakemuster.wire.model import InstantText, Long, WireModel
from lakemuster.wire.native.pages import ListPage
from lakemuster.wire.native.thresholds import HealthStatus, ThresholdOut

_INSTANT = pa.timestamp("ms", "UTC")
_NAMES = pa.list_(pa.string())
HEALTH = pa.schema(
    [
        ("name", pa.string()),
        ("format", pa.string()),
        ("health", pa.string()),
        ("since", _INSTANT),
        ("critical", _NAMES),
        ("warning", _NAMES),
        ("unknown", _NAMES),
        ("computed_at", _INSTANT),
        ("data_files", pa.int64()),
        ("total_bytes", pa.int64()),
        ("last_committed_at", _INSTANT),
        (EXTRA, pa.string()),
    ]
)


class LimitsOut(WireModel):
    """A number that is at least `lower` and at most `upper`."""

    lower: Long
    upper: Long | None = Field(description="Null: there is no limit.")
    exact: bool = Field(description="Whether both limits are the number.")
    reason: str | None = Field(description="Why it is not exact; null if it is.")


class GainOut(WireModel):
    """By how much each number falls when the remedy has run; null: it says nothing about that number."""

    files: LimitsOut | None = Field(description="Live data and delete files.")
    bytes: LimitsOut | None
    merges: LimitsOut | None = Field(
        description="Data files that a read need not merge with deletes, or with one another, any more."
    )
    manifests: LimitsOut | None
    snapshots: LimitsOut | None


class ComponentOut(WireModel):
    """One component of a table's health."""

    name: str
    value: float | None = Field(description="Null if it is not known.")
    unit: str
    threshold: ThresholdOut
    status: HealthStatus
    since: InstantText = Field(description="Since when the status holds, RFC 3339.")
    reason: str | None = Field(
        description="Why the value is not known, or what it follows from; null where the value says all."
    )
    remedy: str | None = Field(
        description="A statement for Spark that mends it, and runs as it is. Null: there is none, or nothing to mend."
    )
    gain: GainOut | None = Field(description="What the remedy gains; null without one, or if it cannot be told.")
    computed_at: InstantText = Field(description="When the value was computed, RFC 3339.")


class DayComponentOut(WireModel):
    """One component on one day."""

    name: str
    status: HealthStatus
    value: float | None


class HealthDayOut(WireModel):
    """A table's health as it was computed last on one day."""

    day: str = Field(description="Date in UTC, such as 2024-05-01.")
    health: HealthStatus
    components: list[DayComponentOut]


class HealthOut(WireModel):
    """A table's health: the worst status of its components."""

    name: str
    health: HealthStatus | None = Field(description="Null until it is computed.")
    is_due: bool = Field(description="The table has changed since, and a background job will compute the health anew.")
    components: list[ComponentOut]
    history: list[HealthDayOut] | None = Field(description="With `history`: the days, oldest first; null without.")
    stale: str | None = Field(description="Why the table's newest state could not be read; null if it could.")


class TableHealthOut(WireModel):
    """A table of the fleet, with its components that are not `ok`."""

    name: str
    format: str
    health: HealthStatus | None = Field(description="Null until it is computed.")
    since: InstantText | None = Field(
        description="Since when a component has that status, the earliest time, RFC 3339."
    )
    critical: list[str] = Field(description="Names of components.")
    warning: list[str]
    unknown: list[str]
    computed_at: InstantText | None = Field(description="When the component that is oldest was computed, RFC 3339.")
    data_files: Long | None
    total_bytes: Long | None
    last_committed_at: InstantText | None


class StatusCountsOut(WireModel):
    """Numbers of tables by status."""

    ok: int
    unknown: int
    warning: int
    critical: int


class ComponentCountsOut(StatusCountsOut):
    """Numbers of tables by the status of one component; tables that do not have it are not counted."""

    component: str


class TableCountsOut(StatusCountsOut):
    """Numbers of tables by their health."""

    pending: int = Field(description="Tables whose health is not computed yet.")


class HealthPage(ListPage):
    """A page of tables, the worst first unless `sort` says otherwise; and counts of all that the request chooses."""

    health: list[TableHealthOut]
    tables: TableCountsOut
    components: list[ComponentCountsOut]
