"""Locks by table: one thread of the process at a time asks the database for a table's lease."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from lakemuster.errors import RefreshBusy
from lakemuster.storage.storage_wait import StorageWait, current


class TableLocks:
    """One lock for each table."""

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}
        self._within: dict[int, StorageWait | None] = {}
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, table_id: int, wait_seconds: float = -1) -> Iterator[None]:
        """Hold the table's lock while the block runs.

        A thread that waits for the lock counts as waiting for storage while the thread that holds it does.

        Args:
            wait_seconds: timeout; negative for none.

        Raises:
            RefreshBusy: the lock was not free within ``wait_seconds``.
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
