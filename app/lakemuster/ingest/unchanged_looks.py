"""Record looks that found no new state, for many tables in one transaction.

Most looks find no change. A transaction for each look costs ten times the look itself, and SQLite runs one transaction
at a time. So looks are buffered for up to a second and recorded together. This process knows their ages at once; other
processes, and this one after a crash, see an older look, which costs another look.
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
    """A buffer of looks that are not recorded yet. Thread-safe."""

    def __init__(
        self, database: Database, ages: Ages, clock: Clock = SYSTEM, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._database, self._ages, self._clock = database, ages, clock
        self._wait_seconds = wait_seconds
        self._looks: dict[int, tuple[float, str | None]] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def add(self, table: TableRecord, began: float) -> None:
        """Buffer a look, to be recorded soon.

        Args:
            table: its record from before the look.
            began: the start of the look by the monotonic clock, in seconds.
        """
        self._ages.looked_unrecorded(table, began)
        with self._lock:
            is_first = not self._looks and not self._is_closed
            self._looks[table.table_id] = began, table.pointer
        if is_first:
            timer = threading.Timer(self._wait_seconds, self.record)
            timer.daemon = True
            timer.start()

    def record(self) -> None:
        """Record all buffered looks now. If the database does not answer, they are lost, which costs other looks."""
        with self._lock:
            looks, self._looks = self._looks, {}
        if not looks:
            return
        began = min(since for since, _ in looks.values())
        pointers = {table_id: pointer for table_id, (_, pointer) in looks.items()}
        try:
            with self._database.session() as session:
                recorded = record_unchanged(session, pointers, lambda: self._clock.monotonic() - began)
        except CatalogError:
            return
        for table_id, checked_at_ms in recorded.items():
            self._ages.looked(table_id, checked_at_ms, looks[table_id][0])

    def close(self) -> None:
        """Record the buffered looks; later ones are not recorded."""
        self._is_closed = True
        self.record()
