"""The recently planned tables, with the columns of their filters but no values; stored in the segment store.

Each server process writes its own file into the segment store. A server that starts reads the files of all processes,
and loads these tables into its caches. A sweep removes a file that was not rewritten for a day.
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

FOLDER = "recent-plans"
MAX_COLUMNS = 8
"""Maximum columns recorded for a table: those that filters named first."""
MAX_TABLES = 1_000
MAX_FILES = 64
_HALF_LIFE_MS = 3_600_000.0


@dataclass(slots=True)
class PlannedTable:
    """The recent plans of a table.

    Attributes:
        plans: their number.
        planned_at_ms: the time of the last one, since the Unix epoch.
        columns: ids of the fields that filters named.
    """

    table_id: int
    plans: int = 0
    planned_at_ms: int = 0
    columns: tuple[int, ...] = ()

    def add(self, plans: int, planned_at_ms: int, columns: Iterable[int]) -> None:
        """Add other plans of the table."""
        self.plans += plans
        self.planned_at_ms = max(self.planned_at_ms, planned_at_ms)
        if not set(columns) <= set(self.columns):
            self.columns = tuple(dict.fromkeys([*self.columns, *columns]))[:MAX_COLUMNS]

    def score(self, now_ms: float) -> float:
        """Return a score of how likely another plan is: the number of plans, halved for each hour since the last."""
        halves = min(64.0, max(0.0, now_ms - self.planned_at_ms) / _HALF_LIFE_MS)
        return float(self.plans * 0.5**halves)


@dataclass(slots=True)
class RecentPlans:
    """The tables that this process planned. Thread-safe."""

    clock: Clock = SYSTEM
    _tables: dict[int, PlannedTable] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _key: str = field(default_factory=lambda: f"{FOLDER}/{uuid4().hex}.json")
    _recorded: int = 0
    _saved: int = 0

    def record(self, view: View, bound: Bound) -> None:
        """Record a plan of the view's table with a predicate."""
        table_id, now = view.table.table_id, self.clock.wall_ms()
        with self._lock:
            found = self._tables.get(table_id)
            if found is None:
                if len(self._tables) >= 2 * MAX_TABLES:
                    self._tables = {one.table_id: one for one in likeliest(self._tables.values(), now)}
                found = self._tables[table_id] = PlannedTable(table_id)
            # Walking a large predicate takes longer than all the rest.
            found.add(1, now, references(bound) if len(found.columns) < MAX_COLUMNS else ())
            self._recorded += 1

    def save(self, store: SegmentStore) -> None:
        """Write the likeliest tables into the segment store, if plans were recorded since the last time.

        Raises:
            IndexUnavailable: the store cannot be written.
        """
        with self._lock:
            recorded = self._recorded
            if recorded == self._saved:
                return
            tables = likeliest(self._tables.values(), self.clock.wall_ms())
            rows = [[one.table_id, one.plans, one.planned_at_ms, list(one.columns)] for one in tables]
        store.write(self._key, json.dumps(rows).encode())
        self._saved = recorded


def read_recent_plans(store: SegmentStore, now_ms: float) -> list[PlannedTable]:
    """Return the tables that all processes planned, the likeliest first; at most ``MAX_TABLES``.

    Raises:
        IndexUnavailable: the store does not answer.
    """
    found: dict[int, PlannedTable] = {}
    for key in store.keys(FOLDER)[:MAX_FILES]:
        try:
            rows = json.loads(store.read(key))
            for table_id, plans, planned_at_ms, columns in rows:
                one = found.setdefault(int(table_id), PlannedTable(int(table_id)))
                one.add(int(plans), int(planned_at_ms), [int(number) for number in columns])
        except (SegmentMissing, ValueError, TypeError, RecursionError):
            continue  # swept meanwhile, or of another version
    return likeliest(found.values(), now_ms)


def likeliest(tables: Iterable[PlannedTable], now_ms: float) -> list[PlannedTable]:
    """Return the tables with the highest scores, the highest first; at most ``MAX_TABLES``."""
    return sorted(tables, key=lambda one: (-one.score(now_ms), one.table_id))[:MAX_TABLES]
