"""Refresh many tables concurrently, in threads that are limited for each bucket.

The tables of one bucket are distributed to its threads in groups. A group looks at its tables, and records all tables
that were never read in one transaction, and all that have not changed in another. The other tables are refreshed one by
one. A bucket that does not answer delays its own tables only.
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
"""Maximum number of tables in a group. Their states are published at the same time, so a larger group delays each."""
CLOSE_SECONDS = 2.0


T = TypeVar("T")


class BucketGroups(Generic[T]):
    """Work on many tables, distributed in groups to the threads of their buckets.

    Args:
        store: determines the bucket of a table.
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
        """Queue more tables."""
        by_bucket: dict[str, list[TableRecord]] = defaultdict(list)
        for table in tables:
            # By the configured roots: an operator's grant for one table does not make its location a separate bucket.
            by_bucket[self._store.bucket_of(table.location)].append(table)
        for bucket, own in by_bucket.items():
            size = max(1, min(MAX_TOGETHER, math.ceil(len(own) / MAX_PER_BUCKET)))
            for at in range(0, len(own), size):
                self._threads.run(bucket, partial(self._run, own[at : at + size]))
        self.outstanding += len(tables)

    def results(self, seconds: float | None = None) -> Iterator[tuple[TableRecord, T]]:
        """Yield results as they complete, until every table has one.

        Args:
            seconds: timeout after which the iteration ends.

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
        """Drop the groups that have not begun."""
        self._threads.close(CLOSE_SECONDS)

    def _run(self, tables: Sequence[TableRecord]) -> None:
        try:
            for one in self._work(tables):
                self._done.put(one)
        except Exception as error:  # noqa: BLE001 - the thread that waits for it raises it
            self._done.put(error)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Refreshes many tables, in groups."""

    refresher: TableRefresher

    def refresh(self, tables: Sequence[TableRecord]) -> Iterator[tuple[TableRecord, Outcome]]:
        """Refresh tables; yield the report or the error of each as it completes.

        Raises:
            Exception: an unexpected failure; the other tables may not have been refreshed.
        """
        with closing(self.groups()) as groups:
            groups.add(tables)
            yield from groups.results()

    def groups(self) -> BucketGroups[Outcome]:
        """Return a new set of groups, to which tables can be added."""
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
            # The database does not answer: refreshing each table reports this.
            outcomes = {}
        for table in tables:
            yield table, outcomes[table.table_id] if table.table_id in outcomes else self._refreshed(table)

    def _refreshed(self, table: TableRecord) -> Outcome:
        try:
            return self.refresher.refresh(table)
        except CatalogError as error:
            return error

    def _unchanged(self, tables: Sequence[TableRecord]) -> dict[int, Outcome]:
        """Look at tables; record those that have not changed. Return their reports, and the errors of failed looks.

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
            pointers = {table.table_id: table.pointer for table in tables if table.table_id in found}
            recorded = record_unchanged(session, pointers, lambda: clock.monotonic() - earliest)
        for table_id, checked_at_ms in recorded.items():
            refresher.ages.looked(table_id, checked_at_ms, earliest)
        refresher.totals.looks += len(recorded)
        return failed | {table_id: found[table_id][1] for table_id in recorded}

    def _is_indexed(self, session: Session, table: TableRecord) -> bool:
        """Tell whether all snapshots that a refresh would index, named by refs or among the newest, are published."""
        heads = {(ref.branch, ref.snapshot_id) for ref in refs(session, table.table_id)}
        heads |= set() if table.current_snapshot_id is None else {(MAIN, table.current_snapshot_id)}
        records = snapshots_with(session, table.table_id, [snapshot_id for _, snapshot_id in heads])
        return not newest_unpublished(session, table.table_id, self.refresher.rules_of(table.name).history) and all(
            record.state == "published"
            for record in records
            if (record.snapshot.branch, record.snapshot.snapshot_id) in heads
        )


def _is_simple(table: TableRecord) -> bool:
    """Tell whether a refresh consists of the table's snapshots only, without a companion or statistics files."""
    port = format_of(table.format)
    return port.companion is None and port.statistics is None
