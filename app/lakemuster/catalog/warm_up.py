"""Load what the first plans will need: views, scan indexes and columns of recently planned tables.

A table's first plan after a start reads its manifests from the database, opens segments and prepares the columns that
the filter names; later plans, whatever their values, find all of that in the caches.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from lakemuster.caching import MEMORY, Budget
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.recent_plans import PlannedTable, read_recent_plans
from lakemuster.catalog.services import Services
from lakemuster.clock import SYSTEM, Clock
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import operator_message
from lakemuster.index.snapshots import get_snapshot
from lakemuster.index.tables import TableRecord, tables_by_id
from lakemuster.metadata.snapshot import MAIN
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.scan.branches import plan_of
from lakemuster.planner.view import View

LOG = logging.getLogger("lakemuster.warm_up")
SAVE_SECONDS = 60.0
"""Interval at which a process stores its recent plans."""
STOP_SECONDS = 2.0
"""Timeout for which a stop waits for the segment store."""
_AT_ONCE = 50
_VALUES: dict[Kind, object] = {
    Kind.BOOLEAN: True,
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG), 0),
    **dict.fromkeys((Kind.FLOAT, Kind.DOUBLE), 0.0),
    Kind.DATE: "1970-01-01",
    Kind.TIME: "00:00:00.000000",
    Kind.TIMESTAMP: "1970-01-01T00:00:00.000000",
    Kind.TIMESTAMPTZ: "1970-01-01T00:00:00.000000+00:00",
    Kind.STRING: "",
    Kind.UUID: "00000000-0000-0000-0000-000000000000",
}
"""A value of each kind in Iceberg's JSON form; which one does not matter."""


class WarmUp:
    """Loads tables in a thread, likeliest first, until the time or half of the caches' memory is used.

    Then the thread stores the process's own recent plans at intervals, for servers that start later.

    Args:
        seconds: the time limit; at 0 nothing is loaded.
        budget: the memory budget of the caches.
    """

    def __init__(self, services: Services, seconds: float, clock: Clock = SYSTEM, budget: Budget = MEMORY) -> None:
        self._services, self._clock, self._budget = services, clock, budget
        self._seconds = seconds
        self._until = 0.0
        self._is_over = threading.Event()
        self._is_stopped = threading.Event()
        # A store that hangs must not keep the process alive.
        self._thread = threading.Thread(target=self._serve, name="warm-up", daemon=True)
        self.loaded = 0

    def start(self) -> None:
        """Start the thread, and the time limit."""
        self._until = self._clock.monotonic() + self._seconds
        self._thread.start()

    def stop(self) -> None:
        """Load no more tables, and store the recent plans; return after ``STOP_SECONDS`` at the latest."""
        self._is_stopped.set()
        self._thread.join(STOP_SECONDS)

    @property
    def is_over(self) -> bool:
        """Whether loading has ended or its time limit has passed: a thread that hangs does not delay readiness."""
        return self._is_over.is_set() or self._clock.monotonic() >= self._until

    def run(self) -> None:
        """Load the tables that all servers planned recently.

        Raises:
            IndexUnavailable: the database or the segment store does not answer.
        """
        planned = read_recent_plans(self._services.index.segments, self._clock.wall_ms())
        for start in range(0, len(planned), _AT_ONCE):
            some = planned[start : start + _AT_ONCE]
            with self._services.index.database.reading() as session:
                tables = {table.table_id: table for table in tables_by_id(session, [one.table_id for one in some])}
            for one in some:
                if not self._goes_on():
                    return
                if (table := tables.get(one.table_id)) is not None and table.current_snapshot_id is not None:
                    self._load(table, one)

    def _goes_on(self) -> bool:
        is_full = self._budget.bytes > self._budget.limit // 2
        return not is_full and not self._is_stopped.is_set() and self._clock.monotonic() < self._until

    def _load(self, table: TableRecord, planned: PlannedTable) -> None:
        assert table.current_snapshot_id is not None
        try:
            with self._services.index.database.reading() as session:
                record = get_snapshot(session, table.table_id, table.current_snapshot_id, MAIN)
            if record.state != "published":
                return  # making a view would index it first
            with CPU.permit():
                load(self._services, self._services.known_view(table), planned)
        except CatalogError as error:
            LOG.info("a table was not loaded at the start: %s", error.code)
        else:
            self.loaded += 1

    def _serve(self) -> None:
        began = self._clock.monotonic()
        try:
            self.run()
        except Exception as error:  # noqa: BLE001 - a start must not depend on it
            LOG.warning("not all tables were loaded at the start: %s", _reason(error))
        finally:
            self._is_over.set()
        if self.loaded:
            LOG.info("loaded %d tables in %.1f s", self.loaded, self._clock.monotonic() - began)
        while not self._is_stopped.wait(SAVE_SECONDS):
            self._save()
        self._save()

    def _save(self) -> None:
        try:
            self._services.recent_plans.save(self._services.index.segments)
        except Exception as error:  # noqa: BLE001 - the next interval tries again
            LOG.warning("recent plans were not stored: %s", _reason(error))


def _reason(error: Exception) -> str:
    return operator_message(error) if isinstance(error, CatalogError) else type(error).__name__


def load(services: Services, view: View, planned: PlannedTable) -> None:
    """Plan a table with some value for each of its recent filters' columns.

    Raises:
        CatalogError: it cannot be planned.
    """
    filter_of = filter_on(planned)
    plan = plan_of(
        services.index, view, lambda of: Filter(filter_of(of)).bound(of.schemas[0], history=of.written_schemas),
        lambda _: None,
    )  # fmt: skip
    _ = plan.totals
    next(iter(plan.batches()), None)


def filter_on(planned: PlannedTable) -> Callable[[View], dict[str, Any] | None]:
    """Return a function that makes a filter for a view: any column of recent filters equals some value."""

    def of(view: View) -> dict[str, Any] | None:
        schema, found = view.schemas[0], None
        for field_id in planned.columns:
            kind = schema.primitive(field_id)
            if kind is None or field_id not in schema.names or (value := value_of(kind)) is None:
                continue
            leaf = {"type": "eq", "term": schema.names[field_id], "value": value}
            found = leaf if found is None else {"type": "or", "left": found, "right": leaf}
        return found

    return of


def value_of(kind: Primitive) -> object:
    """Return a value of a type in Iceberg's JSON form; None for a type without bounds to load."""
    if kind.kind is Kind.DECIMAL:
        return f"{0:.{kind.scale}f}"
    value = _VALUES.get(kind.kind)
    if kind.unit == "ns" and isinstance(value, str):
        return value.replace(".000000", ".000000000")
    return value
