"""What refreshes did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What one refresh did.

    Attributes:
        published: ids of the snapshots that became visible.
        quarantined: ids and reasons of those that could not be read.
        lists_fetched, manifests_fetched: objects read from storage.
        entries_decoded: manifest entries written to segments.
        seconds: wall-clock time, waiting for the lease included.
    """

    table: str
    published: tuple[str, ...] = ()
    quarantined: tuple[tuple[str, str], ...] = ()
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Totals:
    """Work done since the start, for metrics.

    Attributes:
        looks: at tables' pointers.
        looks_shared: requests that took the result of a look that another had begun.
        looks_failed: looks, with the refreshes that followed from them, that failed.
        looks_remembered: requests that were answered from the memory of a failed look.
        looks_overdue: requests that did not wait for the end of a look.
        snapshots_retried: quarantined snapshots that were read again by themselves.
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
