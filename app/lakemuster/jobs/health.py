"""The job that computes the health of tables: at once after a change, otherwise every hour."""

from __future__ import annotations

import logging

from lakemuster.catalog.health import evaluate
from lakemuster.catalog.services import Services
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, TableNotFound
from lakemuster.index.health import due_tables, postpone, prune_history
from lakemuster.jobs.job import Run
from lakemuster.jobs.runner import raised_at

BATCH_SIZE = 100
MIN_PAUSE_FACTOR = 20
"""The minimum pause between two computations for a table, as a multiple of the time that the first one took."""
RETRY_MS = 300_000
PRUNE_BATCH_SIZE = 2000
PRUNE_SECONDS = 3600.0

LOG = logging.getLogger("lakemuster.jobs")


class ComputeHealth:
    """Computes the health of tables that are due; a table that fails is due again later, without delaying others."""

    name = "health"
    every_seconds = 2.0
    first_seconds = 5.0

    def __init__(self, services: Services, clock: Clock = SYSTEM) -> None:
        self._services, self._clock = services, clock
        self._not_before: dict[int, float] = {}
        self._prune_at = float("-inf")
        self._computed = self._failed = 0

    def run(self, run: Run) -> str:
        """Compute the health of all due tables, as long as the run may go on.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        seen: set[int] = set()
        while run.goes_on():
            with self._services.index.database.reading() as session:
                due = due_tables(session, self._services.index.database.clock_ms(), BATCH_SIZE + len(self._not_before))
            now = self._clock.monotonic()
            self._not_before = {one: at for one, at in self._not_before.items() if at > now}
            chosen = [one for one in due if one not in seen and one not in self._not_before][:BATCH_SIZE]
            if not chosen:
                break
            for table_id in chosen:
                if not run.goes_on():
                    break
                seen.add(table_id)
                self._compute(table_id)
        pruned = self._prune(run)
        return f"since the start {self._computed} tables computed, {self._failed} failed; {pruned} old days removed"

    def _compute(self, table_id: int) -> None:
        began = self._clock.monotonic()
        try:
            evaluate(self._services, table_id)
            self._computed += 1
        except TableNotFound:
            # The table was removed, or never read: its first refresh makes it due.
            self._later(table_id, None)
        except Exception as error:  # noqa: BLE001 - one table's failure must not affect others
            # If it is the database that does not answer, this raises; other failures concern one table.
            self._later(table_id, RETRY_MS)
            self._failed += 1
            if not isinstance(error, CatalogError):
                kind, where = type(error).__name__, raised_at(error)
                LOG.warning("the health of a table failed with an unexpected error: %s%s", kind, where)
        took = self._clock.monotonic() - began
        self._not_before[table_id] = began + took * (MIN_PAUSE_FACTOR + 1)

    def _later(self, table_id: int, pause_ms: int | None) -> None:
        database = self._services.index.database
        due_at_ms = None if pause_ms is None else database.clock_ms() + pause_ms
        with database.session() as session:
            postpone(session, [table_id], due_at_ms)

    def _prune(self, run: Run) -> int:
        if self._clock.monotonic() < self._prune_at:
            return 0
        removed, database = 0, self._services.index.database
        while run.goes_on():
            with database.session() as session:
                some = prune_history(session, database.clock_ms(), PRUNE_BATCH_SIZE)
            removed += some
            if some < PRUNE_BATCH_SIZE:
                self._prune_at = self._clock.monotonic() + PRUNE_SECONDS
                break
        return removed
