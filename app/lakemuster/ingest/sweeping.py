"""A background thread that removes segments that no table needs any more; a lease lets one process sweep at a time."""

from __future__ import annotations

import logging
import random
import threading

from lakemuster.errors import CatalogError
from lakemuster.index import Index
from lakemuster.index.named_leases import held_by_name
from lakemuster.index.segments import GRACE_SECONDS, Swept, sweep
from lakemuster.ingest.reports import Totals

EVERY_SECONDS = 3600.0
"""Minimum time between sweeps, over all processes."""

FIRST_SECONDS = 120.0
"""Maximum time after its start until a process first checks whether a sweep is due."""

LEASE_SECONDS = 600.0
_STOP_SECONDS = 5.0
LEASE = "sweep"

LOG = logging.getLogger("lakemuster.ingest")


class Sweeper:
    """A thread that sweeps while the server runs.

    Args:
        totals: where sweeps, failures and removed segments are counted.
        every_seconds, first_seconds, grace_seconds: see the constants, and ``sweep``.
    """

    def __init__(
        self,
        index: Index,
        totals: Totals,
        *,
        every_seconds: float = EVERY_SECONDS,
        first_seconds: float = FIRST_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._index, self._totals = index, totals
        self._every, self._first, self._grace = every_seconds, first_seconds, grace_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start the thread; the first sweep comes after a random part of ``first_seconds``."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; a sweep in progress stops at its next step."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def sweep_if_due(self) -> Swept | None:
        """Sweep, unless another process does so or did within ``every_seconds``.

        Raises:
            CatalogError: the database or the store does not answer.
        """
        with held_by_name(self._index.database, LEASE, LEASE_SECONDS, every_seconds=self._every) as lease:
            if lease is None:
                return None
            swept = sweep(
                self._index.database,
                self._index.segments,
                grace_seconds=self._grace,
                goes_on=lambda: not self._stopped.is_set() and lease.renew(),
            )
            lease.done()
        self._totals.sweeps += 1
        self._totals.segments_swept += swept.files
        return swept

    def _run(self) -> None:
        # Random pauses: processes that started together must not compete for the lease for ever.
        pause = random.uniform(0, self._first)
        while not self._stopped.wait(pause):
            try:
                if (swept := self.sweep_if_due()) is not None and swept.files:
                    LOG.info("swept %d segments, %d bytes", swept.files, swept.bytes)
            except CatalogError as error:
                self._totals.sweep_failures += 1
                LOG.warning("the segment store was not swept: %s: %s", error.code, error)
            except Exception:
                # The thread must survive unexpected errors: nothing would start it again.
                self._totals.sweep_failures += 1
                LOG.exception("the segment store was not swept")
            pause = self._every * random.uniform(0.5, 1.0)
