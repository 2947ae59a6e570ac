"""Views kept at hand: until something of a table changes, the same question has the same answer."""

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
"""Whoever waited so long for another's view makes its own: that one may be waiting for something else."""


class ViewCache:
    """Views of published snapshots, of what the table's record says but for the time of the last look."""

    def __init__(self, size: int = KEPT_VIEWS) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[TableRecord, Selector | Pin], View] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[int, threading.Lock] = {}

    def find(self, table: TableRecord, asked: Selector | Pin) -> View | None:
        """The view of an earlier, equal request."""
        with self._lock:
            return self._kept.get((table.state, asked))

    def keep(self, asked: Selector | Pin, view: View) -> None:
        """Remember a view, unless a newer state could not be read."""
        if view.stale is not None:
            return
        with self._lock:
            self._kept[view.table.state, asked] = view
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    @contextmanager
    def making(self, table: TableRecord) -> Iterator[None]:
        """Make a view while others who want one of the table wait: it is theirs, too, most likely."""
        with self._lock:
            lock = self._making.setdefault(table.table_id, threading.Lock())
        has_it = lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            yield
        finally:
            if has_it:
                lock.release()
