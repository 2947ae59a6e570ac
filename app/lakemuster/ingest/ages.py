"""How long ago tables were looked at, by a clock that cannot step.

The index says when a table was looked at by the database's clock, which all processes share, and which may step as
any wall clock. So each process reads that time once for each look, its own from the clock that never steps, and
counts on by that clock. A look in the future says that the clock stepped back since: it is no look.
"""

from __future__ import annotations

from lakemuster.clock import SYSTEM, Clock
from lakemuster.index.database import Database, current_ms
from lakemuster.index.tables import TableRecord

_NEVER = float("inf")


class Ages:
    """The ages of looks, in seconds. Safe from any thread."""

    def __init__(self, database: Database, clock: Clock = SYSTEM) -> None:
        self._database = database
        self._clock = clock
        self._looks: dict[int, tuple[int, float]] = {}

    def looked(self, table_id: int, checked_at_ms: int, began: float) -> None:
        """Note a look of this process.

        Args:
            checked_at_ms: its time as the index has it.
            began: its time by the clock that never steps.
        """
        self._looks[table_id] = (checked_at_ms, began)

    def known(self, table: TableRecord) -> float | None:
        """The age of a table's last look, if it can be told without asking the database."""
        if table.checked_at_ms is None:
            return _NEVER
        found = self._looks.get(table.table_id)
        if found is None or found[0] != table.checked_at_ms:
            return None
        return self._clock.monotonic() - found[1]

    def of(self, table: TableRecord) -> float:
        """The age of a table's last look; infinite when there was none.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        known = self.known(table)
        if known is not None:
            return known
        assert table.checked_at_ms is not None
        with self._database.reading() as session:
            age = (current_ms(session) - table.checked_at_ms) / 1000
        now = self._clock.monotonic()
        self._looks[table.table_id] = (table.checked_at_ms, now - age if age >= 0 else -_NEVER)
        return age if age >= 0 else _NEVER
