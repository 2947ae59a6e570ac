"""Threads of one process take turns at a table, before one of them asks the database for the table's lease."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from lakemuster.errors import RefreshBusy
from lakemuster.storage.waits import Waits, current


class TableLocks:
    """One thread a table."""

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}
        self._within: dict[int, Waits | None] = {}
        self._guard = threading.Lock()

    @contextmanager
    def through(self, table_id: int, wait_seconds: float = -1) -> Iterator[None]:
        """Be the only one within, as soon as the one before has left.

        A thread that waits here waits for storage as long as the one within does.

        Args:
            wait_seconds: negative for as long as it takes.

        Raises:
            RefreshBusy: others were within for all of ``wait_seconds``.
        """
        own = current()
        with self._guard:
            lock = self._locks.setdefault(table_id, threading.Lock())
            within = self._within.get(table_id)
        with nullcontext() if own is None else own.behind(within):
            if not lock.acquire(timeout=wait_seconds):
                raise RefreshBusy("another request is refreshing the table", table_id=table_id)
        self._within[table_id] = own
        try:
            yield
        finally:
            self._within[table_id] = None
            lock.release()
