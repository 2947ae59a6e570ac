"""The job that reads quarantined snapshots again when they are due."""

from __future__ import annotations

from lakemuster.ingest.refresh import Refresher
from lakemuster.jobs.job import Run


class RetryQuarantined:
    """Starts the retries that are due; they run in the threads of their buckets, each under its table's lease."""

    name = "retries"
    every_seconds = 1.0
    first_seconds = 0.0

    def __init__(self, refresher: Refresher) -> None:
        self._refresher = refresher

    def run(self, run: Run) -> str:
        """Start the retries that are due."""
        return f"retries begun of {self._refresher.retry_due()} tables"
