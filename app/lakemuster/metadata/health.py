"""The health of a table: components, each with a number, thresholds, a status, and the command that repairs it.

Pure. There is no score: a table's health is the worst status of its components. A status gets worse as soon as the
number reaches a threshold, and better once it is at most 90 % of it, so that a number that swings around a threshold
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lakemuster.table_settings import HealthRules, Threshold

Status = Literal["ok", "unknown", "warning", "critical"]
RANKS: dict[Status, int] = {"ok": 0, "unknown": 1, "warning": 2, "critical": 3}
"""Statuses, better ones first."""
STATUSES: tuple[Status, ...] = tuple(RANKS)
RECOVERY = 0.9
"""The fraction of a threshold down to which a status stays."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a number; ``upper`` is None if it has no upper limit.

    Attributes:
        reason: why the number is not exact; None if it is.
    """

    lower: int
    upper: int | None
    reason: str | None = None

    @classmethod
    def exactly(cls, number: int) -> Limits:
        """Return the limits of a number that is known."""
        return cls(number, number)

    @property
    def exact(self) -> bool:
        """Whether both limits are equal."""
        return self.lower == self.upper


@dataclass(frozen=True, slots=True)
class Gain:
    """How much a remedy would reduce each number; None where that is not estimated.

    Attributes:
        files, bytes: of live data and delete files.
        merges: data files that reads would no longer merge with deletes or with one another.
        manifests, snapshots: of the table's metadata.
    """

    files: Limits | None = None
    bytes: Limits | None = None
    merges: Limits | None = None
    manifests: Limits | None = None
    snapshots: Limits | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured value of one component.

    Attributes:
        name: one of ``table_settings.THRESHOLDS``.
        value: None if it is not known.
        reason: why the value is not known, or what determines the status besides thresholds.
        remedy: a Spark command that repairs it, without a semicolon; None if there is none, or nothing to repair.
        concerned: the number of files behind a share of files, which is ``ok`` while they are few; None for others.
        is_critical: the status is critical, whatever the value.
    """

    name: str
    value: float | None
    unit: str
    reason: str | None = None
    remedy: str | None = None
    gain: Gain | None = None
    concerned: int | None = None
    is_critical: bool = False


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a table's health.

    Attributes:
        since_ms: since when the status holds, Unix milliseconds.
    """

    measured: Measured
    threshold: Threshold
    status: Status
    since_ms: int

    @property
    def name(self) -> str:
        """The component's name."""
        return self.measured.name


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a component's status; None before it appeared, or after it disappeared."""

    component: str
    previous: Status | None
    status: Status | None


def judge(measured: Measured, rules: HealthRules, previous: Status | None) -> Status:
    """Return the status of a component, given its previous one."""
    if measured.is_critical:
        return "critical"
    value, threshold = measured.value, rules.thresholds[measured.name]
    if value is None:
        return "unknown"
    if measured.concerned is not None and measured.concerned < rules.least_files:
        return "ok"
    levels: tuple[tuple[Status, float | None], ...] = (
        ("critical", threshold.critical),
        ("warning", threshold.warning),
    )
    for status, limit in levels:
        if limit is None:
            continue
        was_as_bad = previous is not None and RANKS[previous] >= RANKS[status]
        if value >= limit or (was_as_bad and value > limit * RECOVERY):
            return status
    return "ok"


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; ``ok`` without any."""
    return max(statuses, key=RANKS.__getitem__, default="ok")


def changes(before: Iterable[Component], now: Iterable[Component]) -> list[Change]:
    """Return the statuses that differ. A new component that is ``ok`` or ``unknown`` does not count."""
    old = {one.name: one.status for one in before}
    new = {one.name: one.status for one in now}
    found = [Change(name, old.get(name), new.get(name)) for name in {**old, **new}]
    return [one for one in found if one.previous != one.status and not _is_quiet(one)]


def _is_quiet(change: Change) -> bool:
    return {change.previous, change.status} <= {None, "ok", "unknown"} and None in {change.previous, change.status}
