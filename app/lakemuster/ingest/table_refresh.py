"""Refresh one table under its lock and lease: look at its pointer, index new snapshots, and publish them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lakemuster import tracing
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    CatalogError,
    ObjectMissing,
    SnapshotQuarantined,
    SnapshotUnpublished,
    StorageError,
    TableNotFound,
)
from lakemuster.formats.protocol import Pointer
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.database import current_ms
from lakemuster.index.leases import Lease, hold
from lakemuster.index.retries import due_snapshots, postpone
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots, newest_unpublished
from lakemuster.index.tables import TableRecord, find_table, has_metadata, replace_stale_reason
from lakemuster.index.tables import load_metadata as stored_metadata
from lakemuster.ingest.ages import Ages
from lakemuster.ingest.companions import Companions
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import LocalEngine, Progress
from lakemuster.ingest.index import Indexer, Tally
from lakemuster.ingest.load import load_metadata
from lakemuster.ingest.look import Looker
from lakemuster.ingest.packing import pack_published
from lakemuster.ingest.parsing import Parser
from lakemuster.ingest.publish import HealthRecorder, Publisher, mark_stale
from lakemuster.ingest.ref_snapshots import ref_snapshots_of, ref_snapshots_to_index
from lakemuster.ingest.reports import RefreshMeasures, RefreshReport, Totals
from lakemuster.ingest.statistics import refresh_statistics
from lakemuster.ingest.table_locks import TableLocks
from lakemuster.measures import OK
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.storage_wait import waiting
from lakemuster.storage.store import ObjectStore
from lakemuster.table_settings import TableRules
from lakemuster.upstream.registry import Upstreams

LEASE_WAIT_SECONDS = 30.0
SNAPSHOTS_AT_ONCE = 16
"""Number of older snapshots indexed together; each is published separately, once all have segments."""


@dataclass(slots=True)
class TableRefresher:
    """Refreshes tables, each under its lease. Safe to call from many threads and processes.

    Attributes:
        pool: decodes manifest lists and manifests.
        rules_of: returns the settings of a table by its name.
        ages: records the times of looks.
        upstreams: the attached catalogs, which return their tables' pointers.
        health: stores health figures from new metadata.
        made_ahead: whether segments are made before refreshes; see :class:`Indexer`.
    """

    index: Index
    store: ObjectStore
    pool: DecoderPool
    rules_of: Callable[[str], TableRules]
    ages: Ages
    clock: Clock = SYSTEM
    upstreams: Upstreams = field(default_factory=lambda: Upstreams({}))
    totals: Totals = field(default_factory=Totals)
    measures: RefreshMeasures = field(default_factory=RefreshMeasures)
    made_ahead: bool = False
    health: HealthRecorder | None = None
    _writing: TableLocks = field(default_factory=TableLocks)

    @property
    def companions(self) -> Companions:
        """The companions of tables."""
        return Companions(self.index)

    @property
    def looker(self) -> Looker:
        """The first step of a refresh, look."""
        return Looker(self.index, self.ages, self.upstreams, self.clock)

    def store_for(self, table: TableRecord) -> ObjectStore:
        """Return the store limited to what this table may open: roots, namespace locations, the operator's grants."""
        # By name, since a companion's location is not a location of the catalog.
        catalog = self.upstreams.of_table(table.name)
        if catalog is None:
            return self.store.of_table(table.name, table.confined_to, table.allowed_roots)
        roots = catalog.settings.roots
        store = self.store.of_table(table.name, roots or table.confined_to, roots or table.allowed_roots)
        # Allow the catalog's roots only within the namespace's locations.
        store = store.confined(table.name)
        provide = self.upstreams.credentials_provider(table.location)
        return store if provide is None else store.with_credentials(provide)

    def refresh(self, table: TableRecord, progress: Progress | None = None) -> RefreshReport:
        """Look at the pointer and index new snapshots; quarantined snapshots are retried.

        The table's companion is refreshed, too; its failure does not fail the table's refresh (see ``companions``).

        Raises:
            CatalogError: the metadata cannot be read, or the lease is held elsewhere for too long.
        """
        report = self.refresh_alone(table, progress)
        if (companion := self.companions.find(table)) is not None:
            # Requests for the companion report its errors.
            with contextlib.suppress(CatalogError):
                self.refresh_alone(companion)
        return report

    def refresh_alone(
        self, table: TableRecord, progress: Progress | None = None, unless: str | None = None
    ) -> RefreshReport:
        """Refresh a table under its lease.

        Args:
            unless: the token of a pointer; do nothing if another refresh has indexed that state meanwhile.
        """
        started = self.clock.monotonic()
        try:
            with (
                tracing.span("refresh", table=table.name),
                self._writing.hold(table.table_id, LEASE_WAIT_SECONDS),
                self._leased(table) as lease,
            ):
                if unless is not None and self.now(table).pointer == unless:
                    return RefreshReport(table.name, seconds=self.clock.monotonic() - started)
                return self._refresh_under_lease(table, lease, started, progress)
        except CatalogError as error:
            self.failed(table, error)
            self.measures.seconds.record(self.clock.monotonic() - started, error.code)
            raise

    def failed(self, table: TableRecord, error: CatalogError) -> None:
        """Count and record a failed refresh of a table."""
        self.totals.failures += 1
        mark_stale(self.index.database, table, error)

    def publish(self, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord:
        """Index a snapshot in state ``known`` now, unless that was done; return its new record, usually published.

        A quarantined snapshot is retried if its retry is due.
        """
        if record.state == "quarantined":
            self.retry(table)
            return self._reread(table, record)
        # A refresh in this process is usually about to publish it, so that no lease is needed.
        with self._writing.hold(table.table_id, LEASE_WAIT_SECONDS):
            record = self._reread(table, record)
            if record.state == "known":
                with self._leased(table) as lease:
                    record = self._reread(table, record)
                    if record.state == "known":
                        self._publish_known(table, lease, [record])
                        record = self._reread(table, record)
        return record

    def publish_all(self, table: TableRecord, records: Sequence[SnapshotRecord]) -> None:
        """Index known snapshots, unless that was done. The lock is released between batches, for other refreshes."""
        for at in range(0, len(records), SNAPSHOTS_AT_ONCE):
            with self._writing.hold(table.table_id, LEASE_WAIT_SECONDS):
                known = [
                    record
                    for record in records[at : at + SNAPSHOTS_AT_ONCE]
                    if self._reread(table, record).state == "known"
                ]
                if known:
                    with self._leased(table) as lease:
                        self._publish_known(table, lease, known)

    def retry(self, table: TableRecord) -> int:
        """Retry the quarantined snapshots that are due; return their number.

        Raises:
            CatalogError: the index does not answer, or the lease is held elsewhere for too long.
        """
        if not self._due(table):
            return 0
        with self._writing.hold(table.table_id, LEASE_WAIT_SECONDS), self._leased(table) as lease:
            # Another process may have retried them meanwhile.
            due = self._due(table)
            if not due:
                return 0
            self.totals.snapshots_retried += len(due)
            try:
                self._publish_known(table, lease, due)
            except StorageError:
                with self.index.database.session() as session:
                    postpone(session, lease, [record.row_id for record in due])
            self._update_stale_reason(table, due)
            return len(due)

    def _due(self, table: TableRecord) -> list[SnapshotRecord]:
        with self.index.database.reading() as session:
            return due_snapshots(session, table.table_id)

    def _update_stale_reason(self, table: TableRecord, retried: Sequence[SnapshotRecord]) -> None:
        """Update the stale reason of a table if its newest snapshot was retried."""
        for before in retried:
            if (before.snapshot.branch, before.snapshot.snapshot_id) == (MAIN, table.current_snapshot_id):
                now = self._reread(table, before)
                with self.index.database.session() as session:
                    replace_stale_reason(session, table.table_id, before.error, now.error)

    def bucket_of(self, table: TableRecord) -> str:
        """Return the bucket, or local root, that a table depends on; see :meth:`ObjectStore.bucket_of`."""
        return self.store_for(table).bucket_of(table.location)

    def now(self, table: TableRecord) -> TableRecord:
        """Return the current record of the table or companion.

        Raises:
            TableNotFound: it was removed.
        """
        if table.companion_of is None:
            return find_table(self.index.database, table.name)
        now = self.companions.find(self.companions.owner(table))
        if now is None:
            raise TableNotFound(f"no table {table.name}", table=table.name)
        return now

    def _refresh_under_lease(
        self, table: TableRecord, lease: Lease, started: float, progress: Progress | None
    ) -> RefreshReport:
        """Bring the index up to date with the table's metadata.

        New metadata and the snapshots that its refs name become visible in one transaction, when those snapshots are
        indexed. Until then requests are answered from the previous state, which is consistent; only requests that need
        a look at the pointer wait. ``checked_at_ms`` still gives the age of the previous state, so ``staleness`` is
        respected: a request that may not use this state any more waits for the refresh. Snapshots that only the new
        metadata names are in no response until then; a request for one by its id looks at the pointer (see
        ``Services.view``), and so waits, too. A first refresh has no previous state: its metadata is visible at once,
        and requests for snapshots wait.
        """
        store = self.store_for(table)
        began = self.clock.monotonic()
        with self.index.database.reading() as session:
            is_first = not has_metadata(session, table.table_id)
            looked_at_ms = current_ms(session)
        pointer, metadata = self.load(store, table)
        indexer = self.indexer(store, table, metadata, progress)
        publisher = Publisher(self.index.database, lease, None if table.companion_of else self.health)
        if is_first:
            publisher.publish_metadata(metadata, pointer.token, looked_at_ms)
        with self.index.database.reading() as session:
            known, new = ref_snapshots_to_index(session, table.table_id, metadata)
        publisher.publish_each(indexer.read([record.snapshot for record in known]))
        indexed = list(indexer.read(new))
        publisher.publish_state(metadata, pointer.token, looked_at_ms, indexed, is_metadata_visible=is_first)
        if not is_first:
            self._record_lag(one.snapshot for one in indexed if one.error is None)
        self.ages.looked(table.table_id, looked_at_ms, began)
        refresh_statistics(self.index, store, table, metadata.location, metadata.snapshots)
        self.companions.follow(table, metadata)
        self._index_history(indexer, publisher, table, metadata)
        if not indexer.tally.manifests_fetched:
            pack_published(self.index, table, metadata)
        return self.report(table, indexer.tally, publisher.published, publisher.quarantined, started)

    def load(self, store: ObjectStore, table: TableRecord) -> tuple[Pointer, TableMetadata]:
        """Find the pointer, and load the metadata that it names."""
        known = {}
        if format_of(table.format).has_snapshot_files:
            with self.index.database.reading() as session:
                known = {
                    (record.snapshot.branch, record.snapshot.snapshot_id): record.snapshot
                    for record in list_snapshots(session, table.table_id)
                    if record.snapshot.source == "snapshot" and record.state != "quarantined"
                }
        parser = Parser(self.pool)
        pointer = self.looker.look(store, table)
        try:
            metadata = load_metadata(store, pointer, known, parser)
        except ObjectMissing:
            if table.companion_of is None:
                raise
            # Paimon deletes a metadata file as soon as it has written the next one.
            pointer = self.looker.look(store, table)
            metadata = load_metadata(store, pointer, known, parser)
        if table.companion_of is not None:
            self._check_owner(table, metadata)
        return pointer, metadata

    def _record_lag(self, published: Iterable[Snapshot]) -> None:
        now_ms = self.clock.wall_ms()
        for snapshot in published:
            # The writer's clock may be ahead.
            self.measures.lag.record(max(0.0, (now_ms - snapshot.committed_at_ms) / 1000))

    def _check_owner(self, companion: TableRecord, metadata: TableMetadata) -> None:
        """Check that a companion's metadata matches its table's snapshots.

        Raises:
            CompanionNotFound: it does not.
        """
        if self.companions.fault(companion, metadata) is None:
            return
        # The companion may be newer than the last look at its table.
        self.refresh_alone(self.companions.owner(companion))
        fault = self.companions.fault(companion, metadata)
        if fault is not None:
            raise self.companions.withdraw(companion, fault)

    def _index_history(
        self, indexer: Indexer, publisher: Publisher, table: TableRecord, metadata: TableMetadata
    ) -> None:
        """Index the unpublished snapshots among the newest ones: most requests for older snapshots name these."""
        with self.index.database.reading() as session:
            records = newest_unpublished(session, table.table_id, self.rules_of(table.name).history)
        heads = ref_snapshots_of(metadata)
        rest = [record for record in records if (record.snapshot.branch, record.snapshot.snapshot_id) not in heads]
        for at in range(0, len(rest), SNAPSHOTS_AT_ONCE):
            some = rest[at : at + SNAPSHOTS_AT_ONCE]
            publisher.publish_each(indexer.read([record.snapshot for record in some]))

    def _publish_known(self, table: TableRecord, lease: Lease, records: Sequence[SnapshotRecord]) -> None:
        """Index and publish snapshots that the published metadata names."""
        indexer = self.indexer(self.store_for(table), table, self.stored(table))
        Publisher(self.index.database, lease).publish_each(indexer.read([record.snapshot for record in records]))

    def indexer(
        self, store: ObjectStore, table: TableRecord, metadata: TableMetadata, progress: Progress | None = None
    ) -> Indexer:
        """Return the second step of a refresh, index."""
        engine, rewrites = LocalEngine(self.pool, self.index.segments), Rewrites(table.rewrites)
        return Indexer(self.index, store, self.pool, engine, metadata, rewrites, progress, made_ahead=self.made_ahead)

    def report(
        self,
        table: TableRecord,
        tally: Tally,
        published: Sequence[Snapshot],
        quarantined: Sequence[tuple[Snapshot, str]],
        started: float,
    ) -> RefreshReport:
        """Add a completed refresh to the totals, and return its report."""
        totals = self.totals
        totals.refreshes += 1
        totals.lists_fetched += tally.lists_fetched
        totals.manifests_fetched += tally.manifests_fetched
        totals.entries_decoded += tally.entries_decoded
        totals.snapshots_published += len(published)
        totals.snapshots_quarantined += len(quarantined)
        seconds = self.clock.monotonic() - started
        self.measures.seconds.record(seconds, OK)
        return RefreshReport(
            table=table.name,
            published=tuple(str(snapshot.snapshot_id) for snapshot in published),
            quarantined=tuple((str(snapshot.snapshot_id), reason) for snapshot, reason in quarantined),
            lists_fetched=tally.lists_fetched,
            manifests_fetched=tally.manifests_fetched,
            entries_decoded=tally.entries_decoded,
            seconds=seconds,
        )

    def _reread(self, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord:
        with self.index.database.reading() as session:
            return get_snapshot(session, table.table_id, record.snapshot.snapshot_id, record.snapshot.branch)

    def stored(self, table: TableRecord) -> TableMetadata:
        """Return the table's metadata as of the last refresh."""
        with self.index.database.reading() as session:
            return stored_metadata(session, table.table_id)

    @contextlib.contextmanager
    def _leased(self, table: TableRecord) -> Iterator[Lease]:
        with contextlib.ExitStack() as stack:
            # The wait for a lease counts as a wait for storage: its holder may be waiting for storage.
            with waiting("another process, which refreshes the table,"):
                lease = stack.enter_context(hold(self.index.database, table.table_id, wait_seconds=LEASE_WAIT_SECONDS))
            yield lease


def require_published(table: TableRecord, record: SnapshotRecord) -> SnapshotRecord:
    """Return ``record`` if the snapshot is published.

    Raises:
        SnapshotQuarantined: it was read and rejected.
        SnapshotUnpublished: it is not indexed yet.
    """
    if record.state == "quarantined":
        raise SnapshotQuarantined(
            f"snapshot {record.snapshot.snapshot_id} of {table.name} cannot be read: {record.error}",
            snapshot_id=str(record.snapshot.snapshot_id),
        )
    if record.state != "published":
        raise SnapshotUnpublished(f"snapshot {record.snapshot.snapshot_id} of {table.name} is not indexed yet")
    return record
