"""Look at tables' pointers: one look at a table at a time, shared by all who wait, and remembered when it fails."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass

from sqlalchemy.orm import Session

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    CatalogError,
    CompanionNotFound,
    IndexUnavailable,
    SnapshotNotFound,
    StorageError,
    StorageUnavailable,
    TableNotFound,
)
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot
from lakemuster.index.tables import TableRecord, note_look
from lakemuster.ingest.flights import Flights, Patience
from lakemuster.ingest.indexing import Indexer
from lakemuster.storage.locations import shown

SHORTEST_MEMORY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long requests wait for a look, and for the refresh that follows from it.

    Attributes:
        known: of a table that can be answered as it was before.
        unknown: when there is nothing to answer with.
    """

    known: Patience
    unknown: Patience


SERVING = Waiting(Patience(storage=1.0, stall=1.0, total=10.0), Patience(stall=3.0, total=60.0))
"""A server's: what is known waits a second for storage, and what is not, until storage gives nothing for three."""

PATIENT = Waiting(Patience(), Patience())
"""The command line's: storage has its own deadlines."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: CatalogError
    until: float


class Looker:
    """Looks at tables' pointers, and has what changed indexed.

    Args:
        max_staleness: seconds; a failed look is remembered as long, and at least for a second.
    """

    def __init__(
        self,
        indexer: Indexer,
        flights: Flights,
        max_staleness: float,
        waiting: Waiting = SERVING,
        clock: Clock = SYSTEM,
    ) -> None:
        self.waiting = waiting
        self._indexer = indexer
        self._flights = flights
        self._max_staleness = max_staleness
        self._clock = clock
        self._failures: dict[int, _Failure] = {}
        self._lock = threading.Lock()

    def look(self, table: TableRecord, *, now: bool = False) -> str | None:
        """Have the pointer looked at, and wait for what follows from it as long as it is worth.

        Args:
            now: what is asked for is not known; a look that began earlier does not count.

        Returns:
            why the newest state could not be had, None when the index has it.

        Raises:
            CatalogError: it could not be had, and the table was never read.
        """
        totals, has_state = self._indexer.totals, table.metadata_location is not None
        remembered = self.failure(table)
        if remembered is not None:
            totals.looks_remembered += 1
            return _told(remembered, has_state=has_state)
        began = self._clock.monotonic() - (0.0 if now else self._max_staleness)
        flight, is_shared = self._flights.join(
            ("look", table.table_id), self._indexer.bucket_of(table), lambda: self._visit(table), began
        )
        totals.looks_shared += is_shared
        if not flight.wait(self.waiting.known if has_state and not now else self.waiting.unknown):
            totals.looks_overdue += 1
            where = shown(table.location)
            overdue = StorageUnavailable(f"{where}: storage has not answered in time; the look goes on without you")
            return _told(overdue, has_state=has_state)
        if flight.error is not None:
            return _told(flight.error, has_state=has_state)
        reason = flight.result
        assert reason is None or isinstance(reason, str)
        return reason

    def failure(self, table: TableRecord) -> CatalogError | None:
        """Why the last look at a table failed, while that is remembered."""
        found = self._failures.get(table.table_id)
        return None if found is None or self._clock.monotonic() >= found.until else found.error

    def forget(self, table: TableRecord) -> None:
        """Forget that a look failed: a later one did not."""
        with self._lock:
            self._failures.pop(table.table_id, None)

    def is_certain(self, table: TableRecord, reason: str | None) -> bool:
        """Whether the index has what a table's metadata says now, although there is a reason to call it stale.

        Then its newest snapshot was read, and is quarantined.
        """
        if reason is None:
            return True
        with self._indexer.index.database.reading() as session:
            head = _head(session, table)
        return head is not None and head.state == "quarantined" and head.error == reason

    def _visit(self, table: TableRecord) -> str | None:
        """Look now; why the newest state is not the one that is shown."""
        self._indexer.totals.looks += 1
        try:
            current = self._indexer.now(table)
            began = self._clock.monotonic()
            pointer = self._indexer.look(self._indexer.store_for(current), current)
            if pointer.token == current.pointer:
                reason = self._unchanged(current, began)
                if reason is not None and self._retried(current):
                    reason = self._indexer.now(current).stale_reason
            else:
                self._indexer.refresh_alone(current, unless=pointer.token)
                reason = self._indexer.now(current).stale_reason
        except (TableNotFound, CompanionNotFound):
            self.forget(table)
            raise
        except CatalogError as error:
            self._indexer.totals.looks_failed += 1
            self._remember(table, error)
            raise
        self.forget(table)
        return reason

    def _retried(self, table: TableRecord) -> int:
        """Read quarantined snapshots again whose time has come. The look succeeded, whatever comes of that."""
        with contextlib.suppress(StorageError, IndexUnavailable):
            return self._indexer.retry(self._indexer.now(table))
        return 0

    def _remember(self, table: TableRecord, error: CatalogError) -> None:
        # Of the database nothing is remembered for long: it is asked by every request anyway.
        longer = 0.0 if isinstance(error, IndexUnavailable) else self._max_staleness
        until = self._clock.monotonic() + max(SHORTEST_MEMORY_SECONDS, longer)
        with self._lock:
            self._failures[table.table_id] = _Failure(error, until)

    def _unchanged(self, table: TableRecord, began: float) -> str | None:
        """Note that the pointer is where it was; what is still quarantined behind it still is."""
        with self._indexer.index.database.session() as session:
            head = _head(session, table)
            reason = head.error if head is not None and head.state == "quarantined" else None
            looked = note_look(session, table.table_id, self._clock.monotonic() - began, reason)
        if looked is not None:
            self._indexer.ages.looked(table.table_id, looked, began)
        return reason


def _head(session: Session, table: TableRecord) -> SnapshotRecord | None:
    if table.current_snapshot_id is None:
        return None
    with contextlib.suppress(SnapshotNotFound):
        return get_snapshot(session, table.table_id, table.current_snapshot_id)
    return None


def _told(error: BaseException, *, has_state: bool) -> str:
    """A failure as the reason to be stale, where there is something to be shown; else it is raised."""
    is_ours = isinstance(error, CatalogError) and not isinstance(error, TableNotFound | CompanionNotFound)
    if not has_state or not is_ours:
        # Many threads raise the same one: each begins anew.
        raise error.with_traceback(None)
    assert isinstance(error, CatalogError)
    return f"{error.code}: {error}"
