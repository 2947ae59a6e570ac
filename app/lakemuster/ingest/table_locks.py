"""Locks by table: one thread of the process at a time asks the database for a table's lease."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from lakemuster.errors import RefreshBusy
from lakemuster.storage.storage_wait import StorageWait, current


@dataclass(slots=True)
class _TableLock:
    """A table's lock.

    Attributes:
        threads: how many hold it or wait for it.
        within: how long the thread that holds it has waited for storage.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    threads: int = 0
    within: StorageWait | None = None


class TableLocks:
    """One lock for each table that is being refreshed."""

    def __init__(self) -> None:
        self._locks: dict[int, _TableLock] = {}
        self._guard = threading.Lock()

    def __len__(self) -> int:
        """The number of tables whose locks are held or waited for."""
        return len(self._locks)

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
            own_table = self._locks.setdefault(table_id, _TableLock())
            own_table.threads += 1
            within = own_table.within
        try:
            with nullcontext() if own is None else own.behind(within):
                if not own_table.lock.acquire(timeout=wait_seconds):
                    raise RefreshBusy("another request is refreshing the table", table_id=table_id)
            own_table.within = own
            try:
                yield
            finally:
                own_table.within = None
                own_table.lock.release()
        finally:
            with self._guard:
                own_table.threads -= 1
                if not own_table.threads:
                    del self._locks[table_id]
