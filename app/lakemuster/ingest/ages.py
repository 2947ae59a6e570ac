"""The age of each table's last look, measured by a clock that cannot step.

The index records the time of a look by the database's clock. All processes share that clock, and it may step like any
wall clock. So each process converts the time of a look to its own monotonic clock once, and measures age by that clock;
it times its own looks by the monotonic clock from the start. A recorded look in the future means that the database's
clock has stepped back since: such a look is ignored.
"""

from __future__ import annotations

from lakemuster.caching import Cache
from lakemuster.clock import SYSTEM, Clock
from lakemuster.index.change_file import Change
from lakemuster.index.database import Database
from lakemuster.index.tables import TableRecord
from lakemuster.upstream.locations import EVERY_CATALOG

_NEVER = float("inf")
_BYTES = 200
"""Approximate memory of a cached look."""


_MAX_CHANGES = 10_000


class Ages:
    """The ages of looks, in seconds. Thread-safe.

    It also remembers the commits that passed through this process, or that the index's change file records.
    """

    def __init__(self, database: Database, clock: Clock = SYSTEM) -> None:
        self._database = database
        self._clock = clock
        # An evicted age is read from the database again.
        self._looks: Cache[int, tuple[int, float]] = Cache("ages", lambda *_: _BYTES)
        self._changes: dict[str, float] = {}
        self._changed_prefixes: dict[str, float] = {}

    def changed(self, location: str, *, is_prefix: bool = False) -> None:
        """Record that a commit passed just now; this invalidates looks that began before.

        Args:
            location: the table's location; with ``is_prefix``, the common prefix of all tables that may have changed.
        """
        changes = self._changed_prefixes if is_prefix else self._changes
        if len(changes) >= _MAX_CHANGES and location not in changes:
            # Replace the changes by one that covers every table.
            changes.clear()
            changes, location = self._changed_prefixes, ""
        changes[location] = self._clock.monotonic()

    def has_changed(self, table: TableRecord) -> bool:
        """Return whether a commit to the table passed since its last look began, or in the same millisecond."""
        changed, checked = table.changed_at_ms, table.checked_at_ms
        if changed is not None and (checked is None or checked <= changed):
            return True
        if self._database.changes is not None and table.location.startswith(EVERY_CATALOG):
            self._database.changes.read_new(self._heard)
        passed = self._passed(table.location)
        if passed is None:
            return False
        look = self._looks.get(table.table_id)
        return look is None or look[0] != table.checked_at_ms or look[1] <= passed

    def _heard(self, change: Change) -> None:
        self.changed(change.location or EVERY_CATALOG, is_prefix=change.name is None)

    def _passed(self, location: str) -> float | None:
        """Return the monotonic time, in seconds, of the last known commit to a table; None if none is known."""
        found = [self._changes[location]] if location in self._changes else []
        found += [at for prefix, at in list(self._changed_prefixes.items()) if location.startswith(prefix)]
        return max(found, default=None)

    def looked(self, table_id: int, checked_at_ms: int, began: float) -> None:
        """Record a look that this process made.

        Args:
            checked_at_ms: its time in the index.
            began: its start by the monotonic clock, in seconds.
        """
        self._looks.replace(table_id, (checked_at_ms, began))

    def looked_unrecorded(self, table: TableRecord, began: float) -> None:
        """Record a look that this process made and the index does not have yet.

        Args:
            table: its record as it is in the index.
            began: the start of the look by the monotonic clock, in seconds.
        """
        if table.checked_at_ms is not None:
            self._looks.replace(table.table_id, (table.checked_at_ms, began))

    def known(self, table: TableRecord) -> float | None:
        """Return the age of a table's last look, infinite after a commit; None if only the database has it."""
        if table.checked_at_ms is None or self.has_changed(table):
            return _NEVER
        found = self._looks.get(table.table_id)
        if found is None or found[0] != table.checked_at_ms:
            return None
        return self._clock.monotonic() - found[1]

    def of(self, table: TableRecord) -> float:
        """Return the age of a table's last look; infinite if there was none.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        known = self.known(table)
        if known is not None:
            return known
        assert table.checked_at_ms is not None
        age = (self._database.clock_ms() - table.checked_at_ms) / 1000
        now = self._clock.monotonic()
        self._looks.replace(table.table_id, (table.checked_at_ms, now - age if age >= 0 else -_NEVER))
        return age if age >= 0 else _NEVER
