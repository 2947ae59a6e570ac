"""Record looks that found nothing new, for many tables in one transaction.

Requests look at far more tables than change. A transaction for each look costs ten times the look itself, and SQLite
does one at a time. Here, looks wait up to a second and are recorded together. This process knows their ages at once;
for other processes, and after a crash, the tables seem to have been looked at earlier, which costs another look.
"""

from __future__ import annotations

import threading

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError
from lakemuster.index.database import Database
from lakemuster.index.tables import TableRecord, record_unchanged
from lakemuster.ingest.ages import Ages

WAIT_SECONDS = 1.0


class UnchangedLooks:
    """Looks that are not recorded yet. Safe from any thread."""

    def __init__(
        self, database: Database, ages: Ages, clock: Clock = SYSTEM, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._database, self._ages, self._clock = database, ages, clock
        self._wait_seconds = wait_seconds
        self._began: dict[int, float] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def add(self, table: TableRecord, began: float) -> None:
        """Have a look recorded soon.

        Args:
            table: its record as it was before the look.
            began: the start of the look by the monotonic clock, in seconds.
        """
        self._ages.looked_unrecorded(table, began)
        with self._lock:
            is_first = not self._began and not self._is_closed
            self._began[table.table_id] = began
        if is_first:
            timer = threading.Timer(self._wait_seconds, self.record)
            timer.daemon = True
            timer.start()

    def record(self) -> None:
        """Record all looks now. When the database does not answer, they are lost: the tables are looked at again."""
        with self._lock:
            looks, self._began = self._began, {}
        if not looks:
            return
        began = min(looks.values())
        try:
            with self._database.session() as session:
                recorded = record_unchanged(session, list(looks), lambda: self._clock.monotonic() - began)
        except CatalogError:
            return
        for table_id, checked_at_ms in recorded.items():
            self._ages.looked(table_id, checked_at_ms, looks[table_id])

    def close(self) -> None:
        """Record the remaining looks; later ones are not recorded."""
        self._is_closed = True
        self.record()
