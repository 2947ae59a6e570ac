"""A cache of table views: the same selector gives the same view until the table's record changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.caching import Cache
from lakemuster.catalog.page_tokens import Pin
from lakemuster.index.tables import TableRecord
from lakemuster.planner.view import Selector, View

PATIENCE_SECONDS = 0.5
"""After this timeout, make a view without the lock: its holder may be waiting for something else."""


_LOCKS = 256
_SNAPSHOT_BYTES, _FIELD_BYTES = 700, 400
"""Memory of a snapshot and of a column in a table's metadata."""

Key = tuple[TableRecord, Selector | Pin]


def _weight(_: Key, view: View) -> int:
    columns = sum(len(schema.fields) for schema in view.metadata.schemas)
    return 4000 + _SNAPSHOT_BYTES * len(view.metadata.snapshots) + _FIELD_BYTES * columns


class ViewCache:
    """Views of published snapshots, by selector and by the table's record without the time of its last look."""

    def __init__(self) -> None:
        self._views: Cache[Key, View] = Cache("views", _weight)
        # Tables share locks: waiting for another table's view is rare and short.
        self._making = [threading.Lock() for _ in range(_LOCKS)]

    def get(self, table: TableRecord, selector: Selector | Pin) -> View | None:
        """Return the cached view of an equal request."""
        return self._views.get((table.state, selector))

    def put(self, selector: Selector | Pin, view: View) -> None:
        """Cache a view, unless it is stale."""
        if view.stale is None:
            self._views.replace((view.table.state, selector), view)

    def clear(self) -> None:
        """Remove all views: a snapshot of one of them is no longer published, which its table does not tell."""
        self._views.clear()

    @contextmanager
    def making(self, table: TableRecord) -> Iterator[None]:
        """Hold the table's lock while a view is made: threads that wait most likely need the same view."""
        lock = self._making[table.table_id % _LOCKS]
        has_it = lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            yield
        finally:
            if has_it:
                lock.release()
