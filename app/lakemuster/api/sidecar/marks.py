"""Mark tables that commits have changed, so that their pointers are read again.

A mark takes effect in this process at once, and in all others through the index. The response to a commit waits for the
index for some seconds only, and never depends on it. Marks that were not recorded by then are retried until the index
responds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from anyio import CancelScope, CapacityLimiter, current_time, to_thread

from lakemuster.catalog.attached import Changed
from lakemuster.catalog.services import Services

MARK_SECONDS = 5.0
"""Timeout of the wait for the index before the response to a commit."""
RETRY_SECONDS = 1.0
MAX_UNRECORDED = 1000
"""Limit of unrecorded marks of one catalog; beyond it, all of its tables are marked."""
_THREADS = 8


class Marks:
    """Marks tables for the commits that this process forwards. Belongs to one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        # Separate from the threads of requests, which may all wait for storage.
        self._threads = CapacityLimiter(_THREADS)
        self._unrecorded: dict[str, set[Changed]] = {}
        self._retrying: asyncio.Task[None] | None = None

    async def mark(self, catalog: str, changed: Iterable[Changed]) -> None:
        """Mark the tables that a commit to a catalog may have changed."""
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
                # Marks of concurrent commits are recorded in the next iteration.
                changed = tuple(self._unrecorded.pop(catalog))
                if not await self._record(catalog, changed):
                    self._keep(catalog, changed)

    async def close(self) -> None:
        """Cancel the retries."""
        if self._retrying is not None:
            self._retrying.cancel()
