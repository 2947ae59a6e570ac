"""Keep tables fresh for requests, which limit how old a table's state may be and how long they wait for a refresh."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Protocol, TypeVar, cast

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    CatalogError,
    IndexUnavailable,
    LookFailed,
    SnapshotUnpublished,
    StorageError,
    StorageUnavailable,
)
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.retries import tables_with_due
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.ages import Ages
from lakemuster.ingest.companions import Companions
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import Progress
from lakemuster.ingest.flights import Flight, Flights, Patience
from lakemuster.ingest.reports import RefreshMeasures, RefreshReport, Totals
from lakemuster.ingest.shared_looks import SERVER_WAITS, SharedLooks, WaitPolicy
from lakemuster.ingest.side_by_side import SideBySide
from lakemuster.ingest.statistics import ensure_statistics
from lakemuster.ingest.table_refresh import TableRefresher, require_published
from lakemuster.ingest.threads import BucketThreads
from lakemuster.measures import Measure
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.locations import redacted
from lakemuster.storage.store import ObjectStore
from lakemuster.table_settings import TableRules
from lakemuster.upstream.registry import Upstreams

CLOSE_SECONDS = 2.0
CACHED_RULES = 4096

T = TypeVar("T")


class RefreshesMany(Protocol):
    """A way to refresh many tables."""

    def refresh(self, tables: Sequence[TableRecord]) -> Iterator[tuple[TableRecord, RefreshReport | CatalogError]]:
        """Refresh tables; yield the report or the error of each as it completes."""
        ...


class Refresher:
    """Looks at tables and refreshes them. Safe to call from many threads and processes.

    Args:
        pool: decodes manifest lists and manifests.
        of_table: returns the settings of a table by its name.
        waiting: how long requests wait for storage.
        clock: measures ages and timeouts.
        upstreams: the attached catalogs.

    Attributes:
        many: refreshes many tables at once.
    """

    def __init__(
        self,
        index: Index,
        store: ObjectStore,
        pool: DecoderPool,
        of_table: Callable[[str], TableRules],
        waiting: WaitPolicy = SERVER_WAITS,
        clock: Clock = SYSTEM,
        upstreams: Upstreams | None = None,
    ) -> None:
        self.upstreams = upstreams or Upstreams({}, clock)
        self.index = index
        self.store = store
        # Every request reads the table's rules.
        self.rules_of = lru_cache(maxsize=CACHED_RULES)(of_table)
        self.threads = BucketThreads()
        self._clock = clock
        self._ages = Ages(index.database, clock)
        self.tables = TableRefresher(index, store, pool, self.rules_of, self._ages, clock, self.upstreams)
        self.many: RefreshesMany = SideBySide(self.tables)
        self._flights = Flights(self.threads, clock)
        self._looks = SharedLooks(self.tables, self._flights, self.rules_of, waiting, clock)

    @property
    def pool(self) -> DecoderPool:
        """The decoder pool."""
        return self.tables.pool

    @pool.setter
    def pool(self, pool: DecoderPool) -> None:
        self.tables.pool = pool

    @property
    def totals(self) -> Totals:
        """Counters since the start."""
        return self.tables.totals

    @property
    def measures(self) -> RefreshMeasures:
        """Measures of refreshes."""
        return self.tables.measures

    @property
    def decoder_tasks(self) -> Measure:
        """Durations of decoder tasks in seconds; see :class:`DecoderPool`."""
        return self.pool.tasks

    def decoder_counts(self) -> dict[str, float]:
        """Return the counts of the decoder pool; see :meth:`DecoderPool.counts`."""
        return self.pool.counts()

    @property
    def companions(self) -> Companions:
        """The companions of tables."""
        return self.tables.companions

    def close(self) -> None:
        """Stop threads, decoders and connections; fail the work that has not begun."""
        self._flights.close()
        self.threads.close(CLOSE_SECONDS)
        self.pool.close()
        self._looks.close()
        self.upstreams.close()
        self.index.database.close()

    def retry_due(self) -> int:
        """Start the retries of quarantined snapshots that are due; return the number of tables.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        with self.index.database.reading() as session:
            tables = tables_with_due(session)
        for table in tables:
            key, bucket = ("retry", table.table_id), self.tables.bucket_of(table)
            self._flights.join(key, bucket, partial(self.tables.retry, table))
        return len(tables)

    def store_for(self, table: TableRecord) -> ObjectStore:
        """Return the object store limited to what this table may open; see :meth:`TableRefresher.store_for`."""
        return self.tables.store_for(table)

    def refresh(self, table: TableRecord, progress: Progress | None = None) -> RefreshReport:
        """Look at the pointer and index new state; see :meth:`TableRefresher.refresh`.

        Requests that arrive while a refresh is in progress share the next one.

        Args:
            progress: called with the progress; if given, the refresh runs in this thread and is not shared.

        Raises:
            CatalogError: the metadata cannot be read, or the lease is held elsewhere for too long.
        """
        if progress is not None:
            report = self.tables.refresh(table, progress)
        else:
            key, bucket = ("refresh", table.table_id), self.tables.bucket_of(table)
            flight, _ = self._flights.join(key, bucket, lambda: self.tables.refresh(table), self._clock.monotonic())
            flight.wait(Patience())
            report = cast("RefreshReport", self._result(flight))
        self._looks.forget(table)
        return report

    def refresh_many(self, tables: Sequence[TableRecord]) -> Iterator[tuple[TableRecord, RefreshReport | CatalogError]]:
        """Refresh tables concurrently; yield the report or the error of each as it completes."""
        for table, outcome in self.many.refresh(tables):
            if isinstance(outcome, RefreshReport):
                self._looks.forget(table)
            yield table, outcome

    def ensure_published(
        self, table: TableRecord, record: SnapshotRecord, *, is_replaceable: bool = False
    ) -> SnapshotRecord:
        """Index a snapshot in state ``known`` now, unless that was done; retry a quarantined one if its retry is due.

        Args:
            is_replaceable: whether the caller can return an older snapshot instead.

        Raises:
            SnapshotQuarantined: it was read and rejected.
            SnapshotUnpublished: it could not be read in time.
        """
        if record.state == "known" or record.retry_at_ms is not None:
            waiting = self._looks.waiting
            # The quarantine itself can be the response.
            is_replaceable = is_replaceable or record.state == "quarantined"
            key, bucket = ("snapshot", record.row_id), self.tables.bucket_of(table)
            flight, _ = self._flights.join(key, bucket, lambda: self.tables.publish(table, record))
            is_done = flight.wait(waiting.known if is_replaceable else waiting.unknown)
            if not is_done and record.state == "known":
                raise SnapshotUnpublished(
                    f"snapshot {record.snapshot.snapshot_id} of {table.name} is not indexed yet: {flight.overdue}"
                )
            if is_done and (flight.error is None or record.state == "known"):
                record = cast("SnapshotRecord", self._result(flight))
        return require_published(table, record)

    def index_snapshots(self, table: TableRecord, records: Sequence[SnapshotRecord]) -> bool:
        """Index known snapshots of a table; return False at a timeout, while indexing continues in the background.

        Concurrent requests wait for the same run, whichever snapshots they need.

        Raises:
            CatalogError: storage or the index does not answer, or the lease is held elsewhere for too long.
        """
        key, bucket = ("history", table.table_id), self.tables.bucket_of(table)
        flight, _ = self._flights.join(key, bucket, lambda: self.tables.publish_all(table, records))
        if not flight.wait(self._looks.waiting.unknown):
            return False
        self._result(flight)
        return True

    def run_on_storage(self, key: Hashable, table: TableRecord, work: Callable[[], None], failure: str) -> None:
        """Do work on a table's storage in a thread of its bucket, once for all callers, with the timeouts of requests.

        Args:
            failure: the start of the message if it is not done in time.

        Raises:
            StorageUnavailable: it is not done in time; it continues in the background.
            CatalogError: the work failed with this error.
        """
        flight, _ = self._flights.join(key, self.tables.bucket_of(table), work)
        if not flight.wait(self._looks.waiting.unknown):
            raise StorageUnavailable(f"{failure}: {flight.overdue}", table=table.name)
        self._result(flight)

    def ensure_fresh(self, table: TableRecord, *, now: bool = False) -> str | None:
        """Look at the pointer if the last look is older than ``staleness``; the wait for it is limited.

        Args:
            now: look however recent the last look is.

        Returns:
            Why the newest state is not available; None if the index is fresh.

        Raises:
            CatalogError: the table was never read before, and cannot be read in time.
        """
        if not now and self.is_fresh(table):
            return table.stale_reason
        if table.companion_of is not None:
            table, reason = self._owned(table)
            if reason is not None and table.metadata_location is not None and not now:
                return reason
        return self._looks.look(table, now=now)

    def visit(self, table: TableRecord, *, is_unfinished: bool = False) -> str | None:
        """Look at a table's pointer in this thread, without a timeout, and index new state.

        Args:
            is_unfinished: whether its current snapshot was not indexed, so that a first refresh may have ended early.

        Returns:
            Why the newest state is not available; None if the index has it.

        Raises:
            CatalogError: the look failed.
        """
        return self._looks.look_now(table, is_unfinished=is_unfinished)

    def note_failure(self, table: TableRecord, error: CatalogError) -> None:
        """Cache the failure of a look: until it expires, requests for the table do not start another one."""
        self._looks.note_failure(table, error)

    def is_certain(self, table: TableRecord, stale: str | None) -> bool:
        """Return whether the index has the current metadata, so that what it lacks does not exist.

        Args:
            stale: the return value of :meth:`ensure_fresh`.
        """
        return self._looks.is_certain(table, stale)

    def note_change(self, location: str, *, is_prefix: bool = False) -> None:
        """Expire the ages of tables in this process, so that their next requests look; see :class:`Ages`."""
        self._ages.changed(location, is_prefix=is_prefix)

    def failure(self, table: TableRecord) -> CatalogError | None:
        """Return the cached error of the last look at a table; None if it succeeded or the error has expired."""
        return self._looks.failure(table)

    def companion(self, table: TableRecord, format: Format) -> TableRecord:
        """Return a table's companion of another format: the table that its additional metadata describes.

        Raises:
            CompanionNotFound: there is none to serve; the message says why.
            LookFailed: none is known, and the table's pointer cannot be read.
            CatalogError: its metadata could never be read.
        """
        rules = format_of(table.format).companion
        if rules is None or rules.format != format:
            raise self.companions.not_found_error(table, format)
        found, stale = self.companions.find(table), None
        if found is None:
            try:
                stale = self.ensure_fresh(table)
                # The last refresh may have been interrupted between the table and its companion.
                self.companions.follow(table, self.tables.stored(table))
            except (StorageError, IndexUnavailable) as error:
                stale = f"{error.code}: {error}"
            except CatalogError:
                stale = None
            found = self.companions.find(table)
        if found is None:
            if not self.is_certain(table, stale):
                title = format_of(format).title
                raise LookFailed(f"cannot determine now whether {table.name} has {title} metadata: {stale}")
            raise self.companions.not_found_error(table, format)
        if found.metadata_location is None and found.stale_reason is not None:
            self.ensure_fresh(found)
            found = self.companions.find(table) or found
        return found

    def _owned(self, companion: TableRecord) -> tuple[TableRecord, str | None]:
        """Look at a companion's owner; return the companion's record, and why it is not the newest state, if so."""
        owner = self.companions.owner(companion)
        reason = None
        try:
            stale = self.ensure_fresh(owner)
            if not self.is_certain(owner, stale):
                reason = stale
        except CatalogError as error:
            reason = f"{error.code}: {error}"
        now = self.companions.find(owner)
        if now is None:
            raise self.companions.not_found_error(owner, companion.format)
        return now, reason

    def ensure_statistics(self, table: TableRecord, name: str) -> None:
        """Read a statistics file of a snapshot now, unless the index has it.

        Raises:
            StorageUnavailable, StorageDenied: storage does not return it.
        """
        root = table.table_location or table.location.rstrip("/")
        store = self.store_for(table)
        self.share(
            ("statistics", table.table_id, name),
            table,
            lambda: ensure_statistics(self.index, store, table, root, name),
        )

    def share(self, key: Hashable, table: TableRecord, work: Callable[[], T]) -> T:
        """Run work on a table's storage in a thread of its bucket, once for all concurrent callers; return its result.

        Raises:
            StorageUnavailable: storage did not answer in time.
            CatalogError: raised by the work.
        """
        flight, _ = self._flights.join(key, self.tables.bucket_of(table), work)
        if not flight.wait(self._looks.waiting.unknown):
            raise StorageUnavailable(f"{redacted(table.location)}: {flight.overdue}")
        return cast("T", self._result(flight))

    @staticmethod
    def _result(flight: Flight) -> object:
        if flight.error is not None:
            # Many threads raise the same exception: start each with an empty traceback.
            raise flight.error.with_traceback(None)
        return flight.result

    def now_ms(self) -> int:
        """Return the time of this process's clock, in milliseconds since the Unix epoch."""
        return self._clock.wall_ms()

    def is_fresh(self, table: TableRecord) -> bool:
        """Return whether the last look at the table is more recent than its ``staleness``.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        staleness = self.rules_of(table.name).staleness
        return staleness > 0 and self._ages.of(table) < staleness

    def is_fresh_at_once(self, table: TableRecord) -> bool | None:
        """Return :meth:`is_fresh` without I/O; None if this requires the database."""
        age = self._ages.known(table)
        return None if age is None else age < self.rules_of(table.name).staleness
