"""The job that removes segments that no table needs any more."""

from __future__ import annotations

import logging
import random

from lakemuster.index import Index
from lakemuster.index.segments import GRACE_SECONDS, sweep
from lakemuster.ingest.reports import Totals
from lakemuster.jobs.job import Run

EVERY_SECONDS = 3600.0
FIRST_SECONDS = 120.0
"""Maximum time until the first sweep ever."""

LOG = logging.getLogger("lakemuster.jobs")


class SweepSegments:
    """Sweeps the segment store.

    Args:
        totals: where sweeps, failures and removed segments are counted.
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
        """Sweep; a sweep that does not go on ends after the files that it has begun."""
        try:
            swept = sweep(self._index.database, self._index.segments, grace_seconds=self._grace, goes_on=run.goes_on)
        except Exception:
            self._totals.sweep_failures += 1
            raise
        self._totals.sweeps += 1
        self._totals.segments_swept += swept.files
        if swept.files:
            LOG.info("swept %d segments, %d bytes", swept.files, swept.bytes)
        return f"{swept.files} segments removed, {swept.bytes} bytes"
