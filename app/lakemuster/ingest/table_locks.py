"""Locks by table, so that only one thread of the process at a time requests a table's lease from the database."""

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
        threads: the number of threads that hold it or wait for it.
        within: the time that its holder has waited for storage; None if it is free or its holder does not measure it.
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
        """Return the number of tables whose locks are held or waited for."""
        return len(self._locks)

    @contextmanager
    def hold(self, table_id: int, wait_seconds: float = -1) -> Iterator[None]:
        """Hold the table's lock while the block runs.

        While the thread that holds the lock waits for storage, threads that wait for the lock count as doing so, too.

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
