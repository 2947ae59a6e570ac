"""What plans are asked for: tables and the columns of their filters, without any value; kept beside the segments.

Each server process writes a file of its own into the segment store, and every server that starts reads those of all:
it can load what its first requests will need. A sweep removes files that nobody has written again for a day.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import uuid4

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import SegmentMissing
from lakemuster.index.segment_store import SegmentStore
from lakemuster.planner.view import View
from lakemuster.predicates import Bound
from lakemuster.predicates.tree import references

FOLDER = "asked"
MAX_COLUMNS = 8
"""Columns kept for a table: the first ones that filters named."""
MAX_TABLES = 1_000
MAX_FILES = 64
_HALF_LIFE_MS = 3_600_000.0


@dataclass(slots=True)
class AskedTable:
    """How a table was asked for.

    Attributes:
        plans: how often.
        asked_at_ms: when it was last.
        columns: field ids that filters named.
    """

    table_id: int
    plans: int = 0
    asked_at_ms: int = 0
    columns: tuple[int, ...] = ()

    def add(self, plans: int, asked_at_ms: int, columns: Iterable[int]) -> None:
        """Add what is known of it from elsewhere."""
        self.plans += plans
        self.asked_at_ms = max(self.asked_at_ms, asked_at_ms)
        if not set(columns) <= set(self.columns):
            self.columns = tuple(dict.fromkeys([*self.columns, *columns]))[:MAX_COLUMNS]

    def score(self, now_ms: float) -> float:
        """Tell how likely it is to be asked for again: its plans, which count half after an hour."""
        halves = min(64.0, max(0.0, now_ms - self.asked_at_ms) / _HALF_LIFE_MS)
        return float(self.plans * 0.5**halves)


@dataclass(slots=True)
class AskedTables:
    """The tables that this process was asked to plan. Safe from any thread."""

    clock: Clock = SYSTEM
    _tables: dict[int, AskedTable] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _key: str = field(default_factory=lambda: f"{FOLDER}/{uuid4().hex}.json")
    _is_written: bool = True

    def note(self, view: View, bound: Bound) -> None:
        """Note that a plan of the view's table was asked for with a predicate."""
        table_id, now = view.table.table_id, self.clock.wall_ms()
        with self._lock:
            found = self._tables.get(table_id)
            if found is None:
                if len(self._tables) >= 2 * MAX_TABLES:
                    self._tables = {one.table_id: one for one in likeliest(self._tables.values(), now)}
                found = self._tables[table_id] = AskedTable(table_id)
            # Walking a large predicate takes longer than all the rest.
            found.add(1, now, references(bound) if len(found.columns) < MAX_COLUMNS else ())
            self._is_written = False

    def write(self, store: SegmentStore) -> None:
        """Write the likeliest tables into the segment store, unless nothing was noted since.

        Raises:
            IndexUnavailable: the store refuses.
        """
        with self._lock:
            if self._is_written:
                return
            self._is_written = True
            tables = likeliest(self._tables.values(), self.clock.wall_ms())
            rows = [[one.table_id, one.plans, one.asked_at_ms, list(one.columns)] for one in tables]
        store.write(self._key, json.dumps(rows).encode())


def read_asked(store: SegmentStore, now_ms: float) -> list[AskedTable]:
    """Return the tables that all servers were asked to plan, the likeliest first; at most ``MAX_TABLES``.

    Raises:
        IndexUnavailable: the store does not answer.
    """
    found: dict[int, AskedTable] = {}
    for key in store.keys(FOLDER)[:MAX_FILES]:
        try:
            rows = json.loads(store.read(key))
            for table_id, plans, asked_at_ms, columns in rows:
                one = found.setdefault(int(table_id), AskedTable(int(table_id)))
                one.add(int(plans), int(asked_at_ms), [int(number) for number in columns])
        except (SegmentMissing, ValueError, TypeError, RecursionError):
            continue  # swept meanwhile, or of another version
    return likeliest(found.values(), now_ms)


def likeliest(tables: Iterable[AskedTable], now_ms: float) -> list[AskedTable]:
    """Return the tables that are most likely to be asked for again, the likeliest first; at most ``MAX_TABLES``."""
    return sorted(tables, key=lambda one: (-one.score(now_ms), one.table_id))[:MAX_TABLES]
