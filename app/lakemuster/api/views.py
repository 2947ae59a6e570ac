"""Views kept at hand: between two looks at a table's pointer, the same question has the same answer."""

from __future__ import annotations

import threading
from collections import OrderedDict

from lakemuster.api.page_tokens import Pin
from lakemuster.index.tables import TableRecord
from lakemuster.planner.view import Selector, View

KEPT_VIEWS = 512


class ViewCache:
    """Views of published snapshots. The key is the table's whole record, which every look at its pointer changes."""

    def __init__(self, size: int = KEPT_VIEWS) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[TableRecord, Selector | Pin], View] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, table: TableRecord, asked: Selector | Pin) -> View | None:
        """The view of an earlier, equal request."""
        with self._lock:
            return self._kept.get((table, asked))

    def keep(self, asked: Selector | Pin, view: View) -> None:
        """Remember a view, unless a newer state could not be read."""
        if view.stale is not None:
            return
        with self._lock:
            self._kept[view.table, asked] = view
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
