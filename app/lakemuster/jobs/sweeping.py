"""The job that removes obsolete data: segments that no table refers to, and the oldest events."""

from __future__ import annotations

import logging
import random

from lakemuster.index import Index
from lakemuster.index.events import prune
from lakemuster.index.segments import GRACE_SECONDS, sweep
from lakemuster.ingest.reports import Totals
from lakemuster.jobs.job import Run

EVERY_SECONDS = 3600.0
FIRST_SECONDS = 120.0
"""Maximum delay before the first sweep ever; the actual one is random."""

MAX_EVENTS = 1_000_000
EVENT_DAYS = 30
"""Events beyond this number or age are removed, oldest first."""
EVENTS_AT_ONCE = 2000

LOG = logging.getLogger("lakemuster.jobs")


class SweepSegments:
    """Sweeps the segment store, and prunes the event log.

    Args:
        totals: counts sweeps, failures and removed segments.
        grace_seconds: see :func:`lakemuster.index.segments.sweep`.
    """

    name = "sweep"

    def __init__(
        self,
        index: Index,
        totals: Totals,
        *,
        every_seconds: float = EVERY_SECONDS,
        first_seconds: float = FIRST_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._index, self._totals = index, totals
        self.every_seconds = every_seconds
        self.first_seconds = random.uniform(0, first_seconds)
        self._grace = grace_seconds

    def run(self, run: Run) -> str:
        """Prune and sweep; if the run may not go on, stop after the current batch of files."""
        events = self._prune(run)
        try:
            swept = sweep(self._index.database, self._index.segments, grace_seconds=self._grace, goes_on=run.goes_on)
        except Exception:
            self._totals.sweep_failures += 1
            raise
        self._totals.sweeps += 1
        self._totals.segments_swept += swept.files
        if swept.files:
            LOG.info("swept %d segments, %d bytes", swept.files, swept.bytes)
        return f"{swept.files} segments removed, {swept.bytes} bytes; {events} events removed"

    def _prune(self, run: Run) -> int:
        """Remove the oldest events in small transactions, since each of them blocks writers of events."""
        removed = 0
        while run.goes_on():
            with self._index.database.session() as session:
                some = prune(session, keep=MAX_EVENTS, keep_ms=EVENT_DAYS * 86_400_000, limit=EVENTS_AT_ONCE)
            removed += some
            if some < EVENTS_AT_ONCE:
                break
        return removed
