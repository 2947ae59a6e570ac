"""Keep tables fresh: look at the pointer, load what changed, index it, one refresh per table at a time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from lakemuster.errors import (
    CatalogError,
    CompanionNotFound,
    LocationRefused,
    NotATable,
    ObjectMissing,
    RefreshBusy,
    SnapshotQuarantined,
    SnapshotUnpublished,
    TableNotFound,
)
from lakemuster.index import Index
from lakemuster.index.leases import Lease, held
from lakemuster.index.snapshots import (
    SnapshotRecord,
    get_snapshot,
    list_snapshots,
    newest_unpublished,
)
from lakemuster.index.tables import TableRecord, get_table, has_metadata, store_metadata, touch
from lakemuster.index.tables import load_metadata as stored_metadata
from lakemuster.ingest.companions import Companions
from lakemuster.ingest.crawl import Crawler
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import Engine, LocalEngine, Progress
from lakemuster.ingest.gates import Gates
from lakemuster.ingest.heads import heads_of, heads_to_index
from lakemuster.ingest.load import load_metadata
from lakemuster.ingest.packing import pack_published
from lakemuster.ingest.pointers import Pointer, look
from lakemuster.ingest.reports import RefreshReport, Totals
from lakemuster.ingest.statistics import ensure_statistics, refresh_statistics
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.store import ObjectStore

LEASE_WAIT_SECONDS = 30.0


@dataclass(slots=True)
class Refresher:
    """Looks at tables and indexes what is new. Safe to call from many threads and processes.

    Attributes:
        pool: decodes manifest lists, and manifests where there is no other engine.
        engine: makes the segments of manifests.
    """

    index: Index
    store: ObjectStore
    pool: DecoderPool
    max_staleness: float
    history: int
    engine: Engine | None = None
    totals: Totals = field(default_factory=Totals)
    _looking: Gates = field(default_factory=Gates)
    _writing: Gates = field(default_factory=Gates)

    @property
    def companions(self) -> Companions:
        """The Iceberg tables that Paimon tables have beside them."""
        return Companions(self.index)

    def close(self) -> None:
        """End decoders and connections."""
        self.pool.close()
        self.index.database.close()

    def store_for(self, table: TableRecord) -> ObjectStore:
        """The object store, with what the operator allowed for this table when it was added."""
        store = self.store
        for root in table.allowed_roots:
            store = store.allowing(root)
        return store

    def refresh(self, table: TableRecord, progress: Progress | None = None) -> RefreshReport:
        """Look at the pointer and index what is new; quarantined snapshots get another try.

        A Paimon table's companion is refreshed with it: its failures are not the table's, see ``companions``.

        Raises:
            CatalogError: the metadata cannot be read, or the lease is held too long elsewhere.
        """
        report = self._refresh(table, progress)
        if table.format == "paimon" and (companion := self.companions.find(table)) is not None:
            # Whoever asks for the Iceberg table is told what is wrong with it.
            with contextlib.suppress(CatalogError):
                self._refresh(companion)
        return report

    def _refresh(
        self, table: TableRecord, progress: Progress | None = None, unless: str | None = None
    ) -> RefreshReport:
        """Refresh a table under its lease.

        Args:
            unless: a pointer's token: nothing is left to do if another refresh has followed it by then.
        """
        started = time.monotonic()
        try:
            with self._writing.through(table.table_id, LEASE_WAIT_SECONDS), self._leased(table) as lease:
                if unless is not None and self._now(table).pointer == unless:
                    return RefreshReport(table.name, seconds=time.monotonic() - started)
                return self._renew(table, lease, started, progress)
        except CatalogError as error:
            self.totals.failures += 1
            self._say_stale(table, error)
            raise

    def ensure_fresh(self, table: TableRecord, *, now: bool = False) -> str | None:
        """Make sure that the pointer was looked at less than ``max_staleness`` ago.

        Args:
            now: look in any case.

        Returns:
            why the newest state could not be had, None when the index is fresh.
        """
        if not now and self.is_fresh(table):
            return table.stale_reason
        if table.companion_of is not None:
            table = self._owned(table)
        with self._looking.through(table.table_id):
            current = self._now(table)
            if not now and self.is_fresh(current) and current.checked_at_ms != table.checked_at_ms:
                return current.stale_reason
            try:
                pointer = self._look(self.store_for(current), current)
                if pointer.token == current.pointer:
                    return self._unchanged(current)
                self._refresh(current, unless=pointer.token)
            except (TableNotFound, CompanionNotFound):
                raise
            except CatalogError as error:
                if current.metadata_location is None:
                    raise
                return f"{error.code}: {error}"
        return self._now(table).stale_reason

    def companion(self, table: TableRecord) -> TableRecord:
        """The Iceberg table that a Paimon table's Iceberg metadata describes.

        Raises:
            CompanionNotFound: none that can be shown; says why.
            CatalogError: its metadata could never be read.
        """
        found = self.companions.find(table)
        if found is None:
            with contextlib.suppress(CatalogError):
                self.ensure_fresh(table)
                # The last refresh may have ended between the table and its companion.
                self.companions.follow(table, self._stored(table))
            found = self.companions.find(table)
        if found is None:
            raise self.companions.absent(table)
        if found.metadata_location is None and found.stale_reason is not None:
            self.ensure_fresh(found)
            found = self.companions.find(table) or found
        return found

    def _owned(self, companion: TableRecord) -> TableRecord:
        """A companion as the options of its Paimon table, which come first, have it now."""
        owner = self.companions.owner(companion)
        with contextlib.suppress(CatalogError):
            self.ensure_fresh(owner)
        now = self.companions.find(owner)
        if now is None:
            raise self.companions.absent(owner)
        return now

    def _now(self, table: TableRecord) -> TableRecord:
        if table.companion_of is None:
            with self.index.database.reading() as session:
                return get_table(session, table.name)
        now = self.companions.find(self.companions.owner(table))
        if now is None:
            raise TableNotFound(f"no table {table.name}", table=table.name)
        return now

    def ensure_published(self, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord:
        """Index a known snapshot now, if nobody did.

        Raises:
            SnapshotQuarantined: it was read and refused.
            SnapshotUnpublished: it could not be read for this request.
        """
        if record.state == "known":
            # Most likely a refresh of this process is about to publish it: then nobody here needs the lease.
            with self._writing.through(table.table_id, LEASE_WAIT_SECONDS):
                record = self._again(table, record)
                if record.state == "known":
                    with self._leased(table) as lease:
                        record = self._again(table, record)
                        if record.state == "known":
                            self._crawl(self.store_for(table), table, self._stored(table), lease, [record], None)
                            record = self._again(table, record)
        if record.state == "quarantined":
            raise SnapshotQuarantined(
                f"snapshot {record.snapshot.snapshot_id} of {table.name} cannot be read: {record.error}",
                snapshot_id=str(record.snapshot.snapshot_id),
            )
        if record.state != "published":
            raise SnapshotUnpublished(f"snapshot {record.snapshot.snapshot_id} of {table.name} is not indexed yet")
        return record

    def ensure_statistics(self, table: TableRecord, name: str) -> None:
        """Read a statistics file of a Paimon snapshot now, if nobody did.

        Raises:
            StorageUnavailable, StorageDenied: storage does not give it.
        """
        root = table.table_location or table.location.rstrip("/")
        ensure_statistics(self.index, self.store_for(table), table.table_id, root, name)

    def _again(self, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord:
        with self.index.database.reading() as session:
            return get_snapshot(session, table.table_id, record.snapshot.snapshot_id, record.snapshot.branch)

    def _stored(self, table: TableRecord) -> TableMetadata:
        with self.index.database.reading() as session:
            return stored_metadata(session, table.table_id)

    def is_fresh(self, table: TableRecord) -> bool:
        """Whether the table's pointer was looked at less than ``max_staleness`` ago."""
        if self.max_staleness <= 0 or table.checked_at_ms is None:
            return False
        return _now_ms() - table.checked_at_ms < self.max_staleness * 1000

    def _unchanged(self, table: TableRecord) -> str | None:
        """Note that the pointer is where it was; what is still quarantined behind it still is."""
        with self.index.database.session() as session:
            head = self._head(session, table)
            reason = head.error if head is not None and head.state == "quarantined" else None
            touch(session, table.table_id, _now_ms())
            if reason is not None:
                touch(session, table.table_id, _now_ms(), reason)
        return reason

    def _head(self, session: Session, table: TableRecord) -> SnapshotRecord | None:
        if table.current_snapshot_id is None:
            return None
        return get_snapshot(session, table.table_id, table.current_snapshot_id)

    def _say_stale(self, table: TableRecord, error: CatalogError) -> None:
        if isinstance(error, RefreshBusy | TableNotFound | CompanionNotFound):
            return
        try:
            with self.index.database.session() as session:
                touch(session, table.table_id, _now_ms(), f"{error.code}: {error}")
        except CatalogError:
            return

    def _look(self, store: ObjectStore, table: TableRecord) -> Pointer:
        try:
            return look(store, table.location, table.format)
        except (NotATable, LocationRefused) as error:
            if table.companion_of is None:
                raise
            raise self.companions.unseen(table, error) from error

    def _renew(self, table: TableRecord, lease: Lease, started: float, progress: Progress | None) -> RefreshReport:
        """Make the index say what the table's metadata says.

        New metadata and the snapshots that its refs lead to become visible in one transaction, when those are indexed:
        until then everybody is answered from what was there before, which is whole in itself, and nobody waits who
        need not look at the pointer. It is as old as ``checked_at_ms`` says, so that ``max_staleness`` holds: who may
        not have it any more waits for this refresh. Snapshots that only new metadata know are in no answer before
        that; who asks for one by its id looks at the pointer (see ``Services.view``), and waits, too. Before the
        first time nothing can be answered: the metadata is shown at once, and snapshots wait.
        """
        store = self.store_for(table)
        with self.index.database.reading() as session:
            is_first = not has_metadata(session, table.table_id)
        looked_at_ms = _now_ms()
        pointer, metadata = self._load(store, table)

        def stored(session: Session) -> None:
            store_metadata(session, table.table_id, metadata, looked_at_ms, pointer=pointer.token, lease=lease)

        if is_first:
            with self.index.database.session() as session:
                stored(session)
        with self.index.database.reading() as session:
            known, new = heads_to_index(session, table.table_id, metadata)
        crawler = self._crawl(store, table, metadata, lease, known, progress)
        ready = list(crawler.read(new))
        with self.index.database.session() as session:
            if not is_first:
                stored(session)
            for one in ready:
                crawler.publish(session, one)
            current = (MAIN, metadata.current_snapshot_id)
            for snapshot, reason in crawler.tally.quarantined:
                if (snapshot.branch, snapshot.snapshot_id) == current:
                    touch(session, table.table_id, looked_at_ms, reason)
        if table.format == "paimon":
            refresh_statistics(self.index, store, table.table_id, metadata.location, metadata.snapshots)
            self.companions.follow(table, metadata)
        self._history(crawler, table, metadata)
        if not crawler.tally.manifests_fetched:
            pack_published(self.index, table, metadata)
        return self._reported(table, crawler, started)

    def _load(self, store: ObjectStore, table: TableRecord) -> tuple[Pointer, TableMetadata]:
        """What the pointer leads to now."""
        known = {}
        if table.format == "paimon":
            with self.index.database.reading() as session:
                known = {
                    (record.snapshot.branch, record.snapshot.snapshot_id): record.snapshot
                    for record in list_snapshots(session, table.table_id)
                    if record.snapshot.source == "snapshot" and record.state != "quarantined"
                }
        pointer = self._look(store, table)
        try:
            metadata = load_metadata(store, pointer, known)
        except ObjectMissing:
            if table.companion_of is None:
                raise
            # Paimon deletes a metadata file as soon as it has written the next one.
            pointer = self._look(store, table)
            metadata = load_metadata(store, pointer, known)
        if table.companion_of is not None:
            self._check_owner(table, metadata)
        return pointer, metadata

    def _check_owner(self, companion: TableRecord, metadata: TableMetadata) -> None:
        """Make sure that Iceberg metadata is of the snapshots that its Paimon table has.

        Raises:
            CompanionNotFound: it is not.
        """
        if self.companions.fault(companion, metadata) is None:
            return
        # It may be newer than the last look at the table.
        self._refresh(self.companions.owner(companion))
        fault = self.companions.fault(companion, metadata)
        if fault is not None:
            raise self.companions.withdrawn(companion, fault)

    def _history(self, crawler: Crawler, table: TableRecord, metadata: TableMetadata) -> None:
        """Index what is missing of the newest snapshots, which most who ask for an older one will ask for."""
        with self.index.database.reading() as session:
            records = newest_unpublished(session, table.table_id, self.history)
        heads = heads_of(metadata)
        rest = [record for record in records if (record.snapshot.branch, record.snapshot.snapshot_id) not in heads]
        for at in range(0, len(rest), step := crawler.engine.snapshots_at_once):
            crawler.crawl(rest[at : at + step])

    def _crawl(
        self,
        store: ObjectStore,
        table: TableRecord,
        metadata: TableMetadata,
        lease: Lease,
        records: Sequence[SnapshotRecord],
        progress: Progress | None,
    ) -> Crawler:
        engine = self.engine or LocalEngine(self.pool, self.index.segments)
        crawler = Crawler(self.index, store, self.pool, engine, lease, metadata, Rewrites(table.rewrites), progress)
        crawler.crawl(records)
        return crawler

    def _reported(self, table: TableRecord, crawler: Crawler, started: float) -> RefreshReport:
        tally, totals = crawler.tally, self.totals
        totals.refreshes += 1
        totals.lists_fetched += tally.lists_fetched
        totals.manifests_fetched += tally.manifests_fetched
        totals.entries_decoded += tally.entries_decoded
        totals.snapshots_published += len(tally.published)
        totals.snapshots_quarantined += len(tally.quarantined)
        return RefreshReport(
            table=table.name,
            published=tuple(str(snapshot.snapshot_id) for snapshot in tally.published),
            quarantined=tuple((str(snapshot.snapshot_id), reason) for snapshot, reason in tally.quarantined),
            lists_fetched=tally.lists_fetched,
            manifests_fetched=tally.manifests_fetched,
            entries_decoded=tally.entries_decoded,
            seconds=time.monotonic() - started,
        )

    def _leased(self, table: TableRecord) -> AbstractContextManager[Lease]:
        return held(self.index.database, table.table_id, wait_seconds=LEASE_WAIT_SECONDS)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
