"""Share looks between requests: each table has one look at a time, and failed looks are cached."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    CatalogError,
    CompanionNotFound,
    IndexUnavailable,
    StorageError,
    StorageUnavailable,
    TableNotFound,
)
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.ages import Ages
from lakemuster.ingest.flights import Flights, Patience
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.ingest.unchanged_looks import UnchangedLooks
from lakemuster.storage.locations import redacted
from lakemuster.table_settings import TableRules

SHORTEST_MEMORY_SECONDS = 1.0
FEW_FAILURES = 256
"""Number of cached failures above which expired ones are removed."""


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """The timeouts of requests that wait for a look, and for the refresh that follows it.

    Attributes:
        known: the timeouts if the index has an earlier state to answer from.
        unknown: the timeouts if it has none.
        segment_stall: the timeout of a remote segment, in seconds without new bytes.
    """

    known: Patience
    unknown: Patience
    segment_stall: float = float("inf")


SERVER_WAITS = WaitPolicy(Patience(storage=1.0, stall=1.0, total=10.0), Patience(stall=3.0, total=60.0), 5.0)
"""For servers: wait a second for storage if there is an earlier state, else until storage stalls for three seconds."""

NO_LIMITS = WaitPolicy(Patience(), Patience())
"""For the command line: no limits, since storage has its own timeouts."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: CatalogError
    until: float


class SharedLooks:
    """Looks at tables for requests, and refreshes those whose state is new.

    Args:
        rules_of: returns the settings of a table by its name. A failed look is cached for the table's ``staleness``,
            but at least for a second.
    """

    def __init__(
        self,
        tables: TableRefresher,
        flights: Flights,
        rules_of: Callable[[str], TableRules],
        waiting: WaitPolicy = SERVER_WAITS,
        clock: Clock = SYSTEM,
    ) -> None:
        self.waiting = waiting
        self._tables = tables
        self._looker = tables.looker
        self._flights = flights
        self._ages: Ages = tables.ages
        self._rules_of = rules_of
        self._clock = clock
        self._unchanged = UnchangedLooks(tables.index.database, tables.ages, clock)
        self._failures: dict[int, _Failure] = {}
        self._most_failures = FEW_FAILURES
        self._lock = threading.Lock()

    def look(self, table: TableRecord, *, now: bool = False) -> str | None:
        """Look at the pointer, and wait for the look and its refresh as long as ``waiting`` allows.

        Args:
            now: whether to require a look that begins after this call, since the index lacks what was requested.

        Returns:
            Why the newest state is not available; None if the index has it.

        Raises:
            TableNotFound, CompanionNotFound: the table was removed, or the companion cannot be served.
            CatalogError: the look failed, and the table was never read.
        """
        totals, has_state = self._tables.totals, table.metadata_location is not None
        remembered = self.failure(table)
        if remembered is not None:
            totals.looks_remembered += 1
            return _stale_reason(remembered, has_state=has_state)
        # A look that began before a commit may have missed it.
        is_shareable = not now and not self._ages.has_changed(table)
        began = self._clock.monotonic() - (self._rules_of(table.name).staleness if is_shareable else 0.0)
        flight, is_shared = self._flights.join(
            ("look", table.table_id), self._tables.bucket_of(table), lambda: self.look_now(table), began
        )
        totals.looks_shared += is_shared
        if not flight.wait(self.waiting.known if has_state and not now else self.waiting.unknown):
            totals.looks_overdue += 1
            overdue = StorageUnavailable(
                f"{redacted(table.location)}: {flight.overdue}; the read of the pointer continues in the background"
            )
            return _stale_reason(overdue, has_state=has_state)
        if flight.error is not None:
            return _stale_reason(flight.error, has_state=has_state)
        reason = flight.result
        assert reason is None or isinstance(reason, str)
        return reason

    def close(self) -> None:
        """Record the looks that are not recorded yet."""
        self._unchanged.close()

    def failure(self, table: TableRecord) -> CatalogError | None:
        """Return the cached error of the last look at a table; None if it succeeded or the error has expired."""
        found = self._failures.get(table.table_id)
        return None if found is None or self._clock.monotonic() >= found.until else found.error

    def forget(self, table: TableRecord) -> None:
        """Remove the cached failure of a table, because a later look succeeded."""
        with self._lock:
            self._failures.pop(table.table_id, None)

    def is_certain(self, table: TableRecord, reason: str | None) -> bool:
        """Return whether the index has a table's current metadata.

        It has if the table is not stale, or only because its newest snapshot was read and quarantined.

        Args:
            reason: why the table is stale; None if it is not.
        """
        if reason is None:
            return True
        return self._looker.quarantine_reason(table) == reason

    def look_now(self, table: TableRecord, *, is_unfinished: bool = False) -> str | None:
        """Look, and refresh the table if its state is new; return why the newest state is not visible, or None.

        A first refresh that failed or was killed is completed, although the pointer is the same.

        Args:
            is_unfinished: whether the index lacked the current snapshot, which is read again from the index.
        """
        self._tables.totals.looks += 1
        try:
            current = self._tables.now(table)
            began = self._clock.monotonic()
            pointer = self._looker.look(self._tables.store_for(current), current)
            is_same = pointer.token == current.pointer
            is_settled = current.stale_reason is None and not self._ages.has_changed(current) and not is_unfinished
            if is_same and is_settled:
                self._unchanged.add(current, began)
                reason = None
            elif is_same and self._looker.is_unfinished(current):
                self._tables.refresh_alone(current)
                reason = self._tables.now(current).stale_reason
            elif is_same:
                reason = self._looker.record_unchanged(current, began)
                if reason is not None and self._retried(current):
                    reason = self._tables.now(current).stale_reason
            else:
                self._tables.refresh_alone(current, unless=pointer.token)
                reason = self._tables.now(current).stale_reason
        except (TableNotFound, CompanionNotFound):
            self.forget(table)
            raise
        except CatalogError as error:
            self.note_failure(table, error)
            raise
        self.forget(table)
        return reason

    def _retried(self, table: TableRecord) -> int:
        """Retry the quarantined snapshots that are due; return their number. A failed retry does not fail the look."""
        with contextlib.suppress(StorageError, IndexUnavailable):
            return self._tables.retry(self._tables.now(table))
        return 0

    def note_failure(self, table: TableRecord, error: CatalogError) -> None:
        """Count a failed look, and cache its error."""
        self._tables.totals.looks_failed += 1
        # Cache failures of the database only briefly: every request queries the database anyway.
        longer = 0.0 if isinstance(error, IndexUnavailable) else self._rules_of(table.name).staleness
        until = self._clock.monotonic() + max(SHORTEST_MEMORY_SECONDS, longer)
        with self._lock:
            if len(self._failures) >= self._most_failures:
                now = self._clock.monotonic()
                self._failures = {key: one for key, one in self._failures.items() if one.until > now}
                self._most_failures = max(FEW_FAILURES, 2 * len(self._failures))
            self._failures[table.table_id] = _Failure(error, until)


def _stale_reason(error: BaseException, *, has_state: bool) -> str:
    """Return a failure as the reason for staleness if there is an earlier state; otherwise raise it."""
    is_ours = isinstance(error, CatalogError) and not isinstance(error, TableNotFound | CompanionNotFound)
    if not has_state or not is_ours:
        # Many threads raise the same exception: start each with an empty traceback.
        raise error.with_traceback(None)
    assert isinstance(error, CatalogError)
    return f"{error.code}: {error}"
