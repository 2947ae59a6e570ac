"""A background thread that retries quarantined snapshots when they are due."""

from __future__ import annotations

import threading

from lakemuster.errors import CatalogError
from lakemuster.index.retries import tables_with_due
from lakemuster.ingest.flights import Flights
from lakemuster.ingest.indexing import Indexer

POLL_SECONDS = 1.0


class Retrier:
    """A thread that starts retries; bucket threads run them, under the table's lease."""

    def __init__(self, indexer: Indexer, flights: Flights, poll_seconds: float = POLL_SECONDS) -> None:
        self._indexer = indexer
        self._flights = flights
        self._poll_seconds = poll_seconds
        self._ended = threading.Event()

    def start(self) -> None:
        """Start the thread; it ends with the process, or when it is closed."""
        threading.Thread(target=self._run, name="retries", daemon=True).start()

    def close(self) -> None:
        """Stop the thread."""
        self._ended.set()

    def start_due(self) -> int:
        """Start the retries that are due now; return the number of tables.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        with self._indexer.index.database.reading() as session:
            tables = tables_with_due(session)
        for table in tables:
            key, bucket = ("retry", table.table_id), self._indexer.bucket_of(table)
            self._flights.join(key, bucket, lambda table=table: self._indexer.retry(table))  # type: ignore[misc]
        return len(tables)

    def _run(self) -> None:
        while not self._ended.wait(self._poll_seconds):
            try:
                self.start_due()
            except CatalogError:
                # The next poll queries the database again.
                continue
