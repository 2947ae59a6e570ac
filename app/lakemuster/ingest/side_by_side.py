"""Refresh many tables side by side: in threads that are limited for each bucket, and together where that is cheaper.

Tables of one bucket are dealt to threads in groups. A group looks at its tables; those that were never read, and those
that have not changed, are recorded in one transaction each. All others have a refresh of their own. A bucket that does
not answer holds its own tables only.
"""

from __future__ import annotations

import math
import queue
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from sqlalchemy.orm import Session

from lakemuster.errors import CatalogError
from lakemuster.formats.registry import format_of
from lakemuster.index.snapshots import newest_unpublished, snapshots_with, tables_with_unpublished
from lakemuster.index.tables import TableRecord, record_unchanged, refs
from lakemuster.ingest.first_refreshes import FirstRefreshes, Outcome
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.ingest.threads import MAX_PER_BUCKET, BucketThreads
from lakemuster.metadata.snapshot import MAIN
from lakemuster.storage.store import ObjectStore

MAX_TOGETHER = 32
"""Tables of a group: their states are published at the same time, so that none waits long."""
CLOSE_SECONDS = 2.0


T = TypeVar("T")


class BucketGroups(Generic[T]):
    """Work on many tables, dealt in groups to the threads of their buckets.

    Args:
        store: says which bucket a table is in.
        work: yields a result for each table of a group.
    """

    def __init__(
        self, store: ObjectStore, work: Callable[[Sequence[TableRecord]], Iterable[tuple[TableRecord, T]]]
    ) -> None:
        self._store, self._work = store, work
        self._done: queue.SimpleQueue[tuple[TableRecord, T] | Exception] = queue.SimpleQueue()
        self._threads = BucketThreads()
        self.outstanding = 0

    def add(self, tables: Sequence[TableRecord]) -> None:
        """Work on more tables."""
        by_bucket: dict[str, list[TableRecord]] = defaultdict(list)
        for table in tables:
            # Of the configured roots: an operator's grant for one table does not make it a bucket of its own.
            by_bucket[self._store.bucket_of(table.location)].append(table)
        for bucket, own in by_bucket.items():
            size = max(1, min(MAX_TOGETHER, math.ceil(len(own) / MAX_PER_BUCKET)))
            for at in range(0, len(own), size):
                self._threads.run(bucket, partial(self._run, own[at : at + size]))
        self.outstanding += len(tables)

    def results(self, seconds: float | None = None) -> Iterator[tuple[TableRecord, T]]:
        """Yield results as they come, until every table has one.

        Args:
            seconds: end after this time, too.

        Raises:
            Exception: an unexpected failure; the other tables may have no results.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while self.outstanding:
            try:
                one = self._done.get(timeout=None if end is None else max(0.0, end - time.monotonic()))
            except queue.Empty:
                return
            if isinstance(one, Exception):
                raise one
            self.outstanding -= 1
            yield one

    def close(self) -> None:
        """Drop what has not begun."""
        self._threads.close(CLOSE_SECONDS)

    def _run(self, tables: Sequence[TableRecord]) -> None:
        try:
            for one in self._work(tables):
                self._done.put(one)
        except Exception as error:  # noqa: BLE001 - the thread that waits for it raises it
            self._done.put(error)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Refreshes tables."""

    refresher: TableRefresher

    def refresh(self, tables: Sequence[TableRecord]) -> Iterator[tuple[TableRecord, Outcome]]:
        """Refresh tables; yield the report or the failure of each, as they come.

        Raises:
            Exception: an unexpected failure; the other tables may not have been refreshed.
        """
        with closing(self.groups()) as groups:
            groups.add(tables)
            yield from groups.results()

    def groups(self) -> BucketGroups[Outcome]:
        """Return refreshes to which tables can be added."""
        return BucketGroups(self.refresher.store, self._refresh_group)

    def _refresh_group(self, tables: Sequence[TableRecord]) -> Iterator[tuple[TableRecord, Outcome]]:
        outcomes: dict[int, Outcome] = {}
        simple = [table for table in tables if _is_simple(table)]
        try:
            if len(simple) > 1:
                unread = [table for table in simple if table.metadata_location is None]
                outcomes |= FirstRefreshes(self.refresher).refresh(unread)
                outcomes |= self._unchanged([table for table in simple if table.metadata_location is not None])
        except CatalogError:
            # The database does not answer: a refresh of each table says so.
            outcomes = {}
        for table in tables:
            yield table, outcomes[table.table_id] if table.table_id in outcomes else self._refreshed(table)

    def _refreshed(self, table: TableRecord) -> Outcome:
        try:
            return self.refresher.refresh(table)
        except CatalogError as error:
            return error

    def _unchanged(self, tables: Sequence[TableRecord]) -> dict[int, Outcome]:
        """Look at tables; record those that have not changed, and return their reports.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        refresher, clock = self.refresher, self.refresher.clock
        with refresher.index.database.reading() as session:
            doubtful = tables_with_unpublished(session, [table.table_id for table in tables])
            tables = [
                table
                for table in tables
                if table.stale_reason is None and (table.table_id not in doubtful or self._is_indexed(session, table))
            ]
        found: dict[int, tuple[float, RefreshReport]] = {}
        failed: dict[int, Outcome] = {}
        for table in tables:
            began = clock.monotonic()
            try:
                token = refresher.looker.look(refresher.store_for(table), table).token
            except CatalogError as error:
                refresher.failed(table, error)
                failed[table.table_id] = error
                continue
            if token == table.pointer:
                found[table.table_id] = (began, RefreshReport(table.name, seconds=clock.monotonic() - began))
        if not found:
            return failed
        earliest = min(began for began, _ in found.values())
        with refresher.index.database.session() as session:
            recorded = record_unchanged(session, list(found), lambda: clock.monotonic() - earliest)
        for table_id, checked_at_ms in recorded.items():
            refresher.ages.looked(table_id, checked_at_ms, earliest)
        refresher.totals.looks += len(recorded)
        return failed | {table_id: found[table_id][1] for table_id in recorded}

    def _is_indexed(self, session: Session, table: TableRecord) -> bool:
        """Whether the snapshots that a refresh indexes are published: those that refs name, and the newest ones."""
        heads = {(ref.branch, ref.snapshot_id) for ref in refs(session, table.table_id)}
        heads |= set() if table.current_snapshot_id is None else {(MAIN, table.current_snapshot_id)}
        records = snapshots_with(session, table.table_id, [snapshot_id for _, snapshot_id in heads])
        return not newest_unpublished(session, table.table_id, self.refresher.rules_of(table.name).history) and all(
            record.state == "published"
            for record in records
            if (record.snapshot.branch, record.snapshot.snapshot_id) in heads
        )


def _is_simple(table: TableRecord) -> bool:
    """Whether a refresh ends with the table's snapshots: no companion and no statistics files follow."""
    port = format_of(table.format)
    return port.companion is None and port.statistics is None
