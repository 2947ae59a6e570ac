"""The report of one refresh, and a process's counters and measures of refreshes for metrics."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakemuster.measures import Measure


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The results of one refresh.

    Attributes:
        published: ids of the snapshots that became visible.
        quarantined: ids of the snapshots that could not be read, with the reasons.
        lists_fetched, manifests_fetched: objects read from storage.
        entries_decoded: manifest entries written to segments.
        seconds: wall-clock duration, including the wait for the lease.
    """

    table: str
    published: tuple[str, ...] = ()
    quarantined: tuple[tuple[str, str], ...] = ()
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RefreshMeasures:
    """Measures of refreshes.

    Attributes:
        seconds: duration of each refresh, including the wait for the lease, by outcome: ``ok`` or an error's code.
        lag: seconds from a commit, by its writer's clock, to its publication here; not for a table's first refresh.
    """

    seconds: Measure = field(default_factory=lambda: Measure("outcome"))
    lag: Measure = field(default_factory=Measure)


@dataclass(slots=True)
class Totals:
    """Counters since the process started, for metrics.

    Attributes:
        looks: looks at tables' pointers.
        looks_shared: requests that shared a look started by another request.
        looks_failed: looks that failed, including those whose refresh failed.
        looks_remembered: requests answered from the cached failure of a look.
        looks_overdue: requests that timed out waiting for a look.
        snapshots_retried: quarantined snapshots that were read again automatically.
    """

    refreshes: int = 0
    failures: int = 0
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    snapshots_published: int = 0
    snapshots_quarantined: int = 0
    segments_lost: int = 0
    segments_damaged: int = 0
    segments_repaired: int = 0
    sweeps: int = 0
    sweep_failures: int = 0
    segments_swept: int = 0
    snapshots_retried: int = 0
    looks: int = 0
    looks_shared: int = 0
    looks_failed: int = 0
    looks_remembered: int = 0
    looks_overdue: int = 0
