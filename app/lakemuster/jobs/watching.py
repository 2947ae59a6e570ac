"""The job that keeps watched tables fresh: it polls each table's pointer once per interval, and indexes what changed.

Looks, the reads of pointers, are spread evenly over time: a table's offset in its interval follows from its id, so that
neither a start nor a new table makes many looks coincide. A look at an unchanged table costs a listing and no
transaction of its own: each tick reads its tables from the database, and records the unchanged ones, in one batch.

Looks run in a limited number of threads for each bucket, apart from those of requests. A bucket that does not answer
delays only its own tables: a table is not polled again before its last look has ended, so that looks do not pile up.
"""

from __future__ import annotations

import heapq
import logging
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, Overloaded
from lakemuster.index.tables import TableRecord, names_by_id, record_unchanged, tables_by_id, unfinished
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.table_locations import require_location
from lakemuster.ingest.threads import BucketThreads
from lakemuster.jobs.job import Run
from lakemuster.jobs.runner import raised_at

TICK_SECONDS = 1.0
RELOAD_SECONDS = 5.0
"""Interval at which the job reads which tables are registered."""
THREADS_OF_A_BUCKET = 8
THREADS_IN_ALL = 128
FIRST_LOOK_SECONDS = 0.01
"""Estimated duration of a look in a bucket before the first one has ended."""
_GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio, modulo 1, are spread evenly however many there are."""

LOG = logging.getLogger("lakemuster.jobs")


class Schedule:
    """The times at which watched tables are due, in seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._intervals: dict[int, float] = {}
        self._due: dict[int, float] = {}
        self._queue: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._intervals)

    def set(self, intervals: dict[int, float], now: float) -> None:
        """Replace the watched tables' intervals, by id; a table whose interval is unchanged stays due when it was."""
        before, self._intervals = self._intervals, intervals
        for table_id in before.keys() - intervals.keys():
            del self._due[table_id]
        for table_id, interval in intervals.items():
            if before.get(table_id) != interval:
                self._push(table_id, _next_place(table_id, interval, now))

    def pop(self, now: float) -> list[int]:
        """Return the tables that are due, and schedule each at its offset in the next interval."""
        found: list[int] = []
        while self._queue and self._queue[0][0] <= now:
            due, table_id = heapq.heappop(self._queue)
            # Skip obsolete entries: of tables that are no longer watched, or are due at another time.
            if self._due.get(table_id) == due:
                found.append(table_id)
                interval = self._intervals[table_id]
                # Intervals that passed while this process did not hold the job are not made up for.
                following = due + interval
                self._push(table_id, following if following > now else _next_place(table_id, interval, now))
        return found

    def _push(self, table_id: int, due: float) -> None:
        self._due[table_id] = due
        heapq.heappush(self._queue, (due, table_id))


def _next_place(table_id: int, interval: float, now: float) -> float:
    """Return the next time after ``now`` that has the table's offset in its interval."""
    place = (table_id * _GOLDEN) % 1.0
    return now + ((place - now / interval) % 1.0 or 1.0) * interval


class WatchTables:
    """Polls watched tables when they are due, and indexes what changed, under the table's lease."""

    name = "watch"
    every_seconds = TICK_SECONDS
    first_seconds = 0.0

    def __init__(self, refresher: Refresher, clock: Clock = SYSTEM) -> None:
        self._refresher = refresher
        self._clock = clock
        self._threads = BucketThreads(THREADS_OF_A_BUCKET, THREADS_IN_ALL)
        self._schedule = Schedule()
        self._reload_at = float("-inf")
        self._lock = threading.Lock()
        self._under_way: set[int] = set()
        self._unfinished: set[int] = set()
        self._look_seconds: dict[str, float] = {}
        self._unchanged: list[tuple[TableRecord, float]] = []
        self._looks = self._changes = self._failures = self._late = 0

    def run(self, run: Run) -> str:
        """Start the looks that are due, and record the tables that earlier looks found unchanged.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        now = self._clock.monotonic()
        if now >= self._reload_at:
            self._reload(now)
        self._record_unchanged()
        due = self._schedule.pop(now)
        with self._lock:
            self._late += sum(table_id in self._under_way for table_id in due)
            due = [table_id for table_id in due if table_id not in self._under_way]
        for bucket, tables in self._by_bucket(due).items():
            for chunk in _split(tables, self._threads_for(bucket, len(tables))):
                self._start(bucket, chunk, run)
        return (
            f"{len(self._schedule)} tables watched; since the start {self._looks} looks, {self._changes} changes, "
            f"{self._failures} failures, {self._late} not ended when the next was due"
        )

    def _reload(self, now: float) -> None:
        with self._refresher.index.database.reading() as session:
            names = names_by_id(session)
        watched = {table_id: self._refresher.rules_of(name).watch for table_id, name in names.items()}
        self._schedule.set({table_id: every for table_id, every in watched.items() if every is not None}, now)
        self._reload_at = now + RELOAD_SECONDS

    def _by_bucket(self, table_ids: Sequence[int]) -> dict[str, list[TableRecord]]:
        if not table_ids:
            return {}
        with self._refresher.index.database.reading() as session:
            tables = tables_by_id(session, table_ids)
            lacking = unfinished(session, table_ids)
        with self._lock:
            self._unfinished |= lacking
        found: dict[str, list[TableRecord]] = defaultdict(list)
        for table in tables:
            found[self._refresher.tables.bucket_of(table)].append(table)
        return found

    def _threads_for(self, bucket: str, looks: int) -> int:
        """Return how many threads end the looks within a tick: more of them would contend for the interpreter."""
        needed = math.ceil(looks * self._look_seconds.get(bucket, FIRST_LOOK_SECONDS) / TICK_SECONDS)
        return max(1, min(THREADS_OF_A_BUCKET, needed))

    def _start(self, bucket: str, tables: Sequence[TableRecord], run: Run) -> None:
        ids = {table.table_id for table in tables}
        with self._lock:
            self._under_way |= ids
        if not self._runs(bucket, partial(self._look_at_all, bucket, tables, run)):
            self._done(ids)

    def _runs(self, bucket: str, work: Callable[[], None]) -> bool:
        """Run work in a thread of the bucket; return False if that is impossible now."""
        try:
            return self._threads.run(bucket, work)
        except Overloaded:
            return False

    def _look_at_all(self, bucket: str, tables: Sequence[TableRecord], run: Run) -> None:
        began = self._clock.monotonic()
        for at, table in enumerate(tables):
            if not run.goes_on():
                self._done(one.table_id for one in tables[at:])
                return
            if self._is_settled(table) or not self._runs(bucket, partial(self._visit, table)):
                self._done([table.table_id])
        self._look_seconds[bucket] = (self._clock.monotonic() - began) / len(tables)

    def _is_settled(self, table: TableRecord) -> bool:
        """Read a table's pointer; return whether nothing is left to do: it has not changed, or reading it failed."""
        refresher, began = self._refresher, self._clock.monotonic()
        try:
            require_location(refresher.store.confinement, table)
            token = refresher.tables.looker.look(refresher.store_for(table), table).token
        except CatalogError as error:
            refresher.note_failure(table, error)
            self._count(looks=1, failures=1)
            return True
        except Exception as error:  # noqa: BLE001 - one table's failure must not affect others
            self._unforeseen(error)
            return True
        self._count(looks=1)
        if token != table.pointer or table.stale_reason is not None or refresher.failure(table) is not None:
            return False
        if table.table_id in self._unfinished:
            return False
        with self._lock:
            self._unchanged.append((table, began))
        return True

    def _visit(self, table: TableRecord) -> None:
        self._count(changes=1)
        try:
            self._refresher.visit(table, is_unfinished=table.table_id in self._unfinished)
        except CatalogError:
            self._count(failures=1)
        except Exception as error:  # noqa: BLE001
            self._unforeseen(error)
        finally:
            self._done([table.table_id])

    def _unforeseen(self, error: Exception) -> None:
        self._count(failures=1)
        kind, where = type(error).__name__, raised_at(error)
        LOG.warning("a look at a watched table failed with an unexpected error: %s%s", kind, where)

    def _record_unchanged(self) -> None:
        with self._lock:
            unchanged, self._unchanged = self._unchanged, []
        if not unchanged:
            return
        began = min(since for _, since in unchanged)
        with self._refresher.index.database.session() as session:
            pointers = {table.table_id: table.pointer for table, _ in unchanged}
            recorded = record_unchanged(session, pointers, lambda: self._clock.monotonic() - began)
        for table_id, checked_at_ms in recorded.items():
            self._refresher.tables.ages.looked(table_id, checked_at_ms, began)

    def _count(self, *, looks: int = 0, changes: int = 0, failures: int = 0) -> None:
        with self._lock:
            self._looks += looks
            self._changes += changes
            self._failures += failures
        self._refresher.totals.looks += looks

    def _done(self, table_ids: Iterable[int]) -> None:
        with self._lock:
            ended = set(table_ids)
            self._under_way -= ended
            self._unfinished -= ended


def _split(tables: Sequence[TableRecord], hands: int) -> list[Sequence[TableRecord]]:
    """Split tables into at most ``hands`` parts."""
    return [part for at in range(hands) if (part := tables[at::hands])]
