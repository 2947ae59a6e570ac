"""A cache of table views: the same selector gives the same view until the table's record changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from lakemuster.catalog.page_tokens import Pin
from lakemuster.index.tables import TableRecord
from lakemuster.planner.view import Selector, View

KEPT_VIEWS = 512
PATIENCE_SECONDS = 0.5
"""After this timeout, make a view without the lock: its holder may be waiting for something else."""


class ViewCache:
    """Views of published snapshots, by selector and by the table's record without the time of its last look."""

    def __init__(self, size: int = KEPT_VIEWS) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[TableRecord, Selector | Pin], View] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[int, threading.Lock] = {}

    def find(self, table: TableRecord, asked: Selector | Pin) -> View | None:
        """Return the cached view of an equal request."""
        with self._lock:
            return self._kept.get((table.state, asked))

    def keep(self, asked: Selector | Pin, view: View) -> None:
        """Cache a view, unless it is stale."""
        if view.stale is not None:
            return
        with self._lock:
            self._kept[view.table.state, asked] = view
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    @contextmanager
    def making(self, table: TableRecord) -> Iterator[None]:
        """Hold the table's lock while a view is made: threads that wait most likely need the same view."""
        with self._lock:
            lock = self._making.setdefault(table.table_id, threading.Lock())
        has_it = lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            yield
        finally:
            if has_it:
                lock.release()
