"""Mark the tables that commits have changed as to be looked at: in this process at once, in the index for all others.

A commit's answer waits for the index for some seconds only, and never depends on it. What could not be recorded by then
is recorded as soon as the index answers again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from anyio import CancelScope, CapacityLimiter, current_time, to_thread

from lakemuster.catalog.attached import Changed
from lakemuster.catalog.services import Services

MARK_SECONDS = 5.0
"""Limit of the time for which a commit's answer waits for the index."""
RETRY_SECONDS = 1.0
MAX_UNRECORDED = 1000
"""Of one catalog; beyond, all of its tables are looked at."""
_THREADS = 8


class Marks:
    """The marks of the commits that pass through this process. Belongs to one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        # Apart from the threads of requests, which may all wait for storage.
        self._threads = CapacityLimiter(_THREADS)
        self._unrecorded: dict[str, set[Changed]] = {}
        self._retrying: asyncio.Task[None] | None = None

    async def mark(self, catalog: str, changed: Iterable[Changed]) -> None:
        """Have requests look at what a commit to a catalog may have changed."""
        found = tuple(changed)
        self._services.note_changes(catalog, found)
        is_recorded = False
        with CancelScope(deadline=current_time() + MARK_SECONDS, shield=True):
            is_recorded = await self._record(catalog, found)
        if not is_recorded:
            self._keep(catalog, found)
            if self._retrying is None or self._retrying.done():
                self._retrying = asyncio.create_task(self._retry())

    async def _record(self, catalog: str, changed: tuple[Changed, ...]) -> bool:
        work = partial(self._services.mark_changed, catalog, changed)
        return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)

    def _keep(self, catalog: str, changed: Iterable[Changed]) -> None:
        kept = self._unrecorded.setdefault(catalog, set())
        kept.update(changed)
        if len(kept) > MAX_UNRECORDED:
            self._unrecorded[catalog] = {Changed()}

    async def _retry(self) -> None:
        while self._unrecorded:
            await asyncio.sleep(RETRY_SECONDS)
            for catalog in tuple(self._unrecorded):
                # Commits that pass meanwhile are recorded at the next turn.
                changed = tuple(self._unrecorded.pop(catalog))
                if not await self._record(catalog, changed):
                    self._keep(catalog, changed)

    async def close(self) -> None:
        """End the work."""
        if self._retrying is not None:
            self._retrying.cancel()
