"""The job that counts the live contents of snapshots that older versions published without counts."""

from __future__ import annotations

from lakemuster.index import Index
from lakemuster.ingest.counting import count_next
from lakemuster.jobs.job import Run

BATCH_SIZE = 100
"""Snapshots read by one query."""


class CountSnapshots:
    """Fills in the figures of tables that were indexed before figures existed; later runs find nothing to do."""

    name = "counts"
    every_seconds = 900.0
    first_seconds = 2.0

    def __init__(self, index: Index) -> None:
        self._index = index

    def run(self, run: Run) -> str:
        """Count all such snapshots, as long as the run may go on."""
        counted, after = 0, 0
        while run.goes_on():
            some, last = count_next(self._index, after, BATCH_SIZE)
            counted += some
            if last is None:
                break
            after = last
        return f"{counted} snapshots counted"
