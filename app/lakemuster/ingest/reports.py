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
    """Work done since the start, for metrics."""

    refreshes: int = 0
    failures: int = 0
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    snapshots_published: int = 0
    snapshots_quarantined: int = 0
