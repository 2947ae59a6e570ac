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
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.tables import TableRecord, get_table, store_metadata, touch
from lakemuster.index.tables import load_metadata as stored_metadata
from lakemuster.ingest.companions import Companions
from lakemuster.ingest.crawl import Crawler
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import Engine, LocalEngine, Progress
from lakemuster.ingest.gates import Gates
from lakemuster.ingest.load import load_metadata
from lakemuster.ingest.packing import pack_published
from lakemuster.ingest.pointers import Pointer, look
from lakemuster.ingest.statistics import ensure_statistics, refresh_statistics
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.store import ObjectStore

LEASE_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What one refresh did.

    Attributes:
        published: ids of the snapshots that became visible.
        quarantined: ids and reasons of those that could not be read.
        lists_fetched, manifests_fetched: objects read from storage.
        entries_decoded: manifest entries written to segments.
        seconds: wall-clock time, waiting for the lease included.
    """

    table: str
    published: tuple[str, ...] = ()
    quarantined: tuple[tuple[str, str], ...] = ()
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Totals:
    """Work done since the start, for metrics."""

    refreshes: int = 0
    failures: int = 0
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0
    snapshots_published: int = 0
    snapshots_quarantined: int = 0


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
                self._refresh(companion, None)
        return report

    def _refresh(self, table: TableRecord, progress: Progress | None) -> RefreshReport:
        started = time.monotonic()
        try:
            with self._writing.through(table.table_id, LEASE_WAIT_SECONDS), self._leased(table) as lease:
                store = self.store_for(table)
                metadata = self._load(store, table, lease)
                return self._index(store, table, metadata, lease, started, progress)
        except CatalogError as error:
            self.totals.failures += 1
            self._say_stale(table, error)
            raise

    def ensure_fresh(self, table: TableRecord) -> str | None:
        """Make sure that the pointer was looked at less than ``max_staleness`` ago.

        Returns:
            why the newest state could not be had, None when the index is fresh.
        """
        if self.is_fresh(table):
            return table.stale_reason
        if table.companion_of is not None:
            table = self._owned(table)
        with self._looking.through(table.table_id):
            current = self._now(table)
            if self.is_fresh(current) and current.checked_at_ms != table.checked_at_ms:
                return current.stale_reason
            try:
                pointer = self._look(self.store_for(current), current)
                if pointer.token == current.pointer:
                    return self._unchanged(current)
                self._refresh(current, None)
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

    def _load(self, store: ObjectStore, table: TableRecord, lease: Lease) -> TableMetadata:
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
        with self.index.database.session() as session:
            store_metadata(session, table.table_id, metadata, _now_ms(), pointer=pointer.token, lease=lease)
        if table.format == "paimon":
            refresh_statistics(self.index, store, table.table_id, metadata.location, metadata.snapshots)
            self.companions.follow(table, metadata)
        return metadata

    def _check_owner(self, companion: TableRecord, metadata: TableMetadata) -> None:
        """Make sure that Iceberg metadata is of the snapshots that its Paimon table has.

        Raises:
            CompanionNotFound: it is not.
        """
        if self.companions.fault(companion, metadata) is None:
            return
        # It may be newer than the last look at the table.
        self._refresh(self.companions.owner(companion), None)
        fault = self.companions.fault(companion, metadata)
        if fault is not None:
            raise self.companions.withdrawn(companion, fault)

    def _index(
        self,
        store: ObjectStore,
        table: TableRecord,
        metadata: TableMetadata,
        lease: Lease,
        started: float,
        progress: Progress | None,
    ) -> RefreshReport:
        with self.index.database.reading() as session:
            records = list_snapshots(session, table.table_id)
        heads = {(ref.branch, ref.snapshot_id) for ref in metadata.refs}
        if metadata.current_snapshot_id is not None:
            heads.add(("main", metadata.current_snapshot_id))
        todo = [record for record in records if record.state != "published"]
        first = [record for record in todo if (record.snapshot.branch, record.snapshot.snapshot_id) in heads]
        newest = sorted(records, key=lambda record: record.snapshot.committed_at_ms, reverse=True)[: self.history]
        chosen = {record.row_id for record in newest} - {record.row_id for record in first}
        rest = [record for record in newest if record.state != "published" and record.row_id in chosen]
        crawler = self._crawl(store, table, metadata, lease, first, progress)
        for at in range(0, len(rest), step := crawler.engine.snapshots_at_once):
            crawler.crawl(rest[at : at + step])
        tally = crawler.tally
        if not tally.manifests_fetched:
            pack_published(self.index, metadata, records)
        reasons = {(r.snapshot.branch, r.snapshot.snapshot_id): reason for r, reason in tally.quarantined}
        head_reason = reasons.get(("main", metadata.current_snapshot_id or -1))
        with self.index.database.session() as session:
            touch(session, table.table_id, _now_ms(), head_reason)
        self._count(crawler)
        return RefreshReport(
            table=table.name,
            published=tuple(str(record.snapshot.snapshot_id) for record in tally.published),
            quarantined=tuple((str(r.snapshot.snapshot_id), reason) for r, reason in tally.quarantined),
            lists_fetched=tally.lists_fetched,
            manifests_fetched=tally.manifests_fetched,
            entries_decoded=tally.entries_decoded,
            seconds=time.monotonic() - started,
        )

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

    def _count(self, crawler: Crawler) -> None:
        tally, totals = crawler.tally, self.totals
        totals.refreshes += 1
        totals.lists_fetched += tally.lists_fetched
        totals.manifests_fetched += tally.manifests_fetched
        totals.entries_decoded += tally.entries_decoded
        totals.snapshots_published += len(tally.published)
        totals.snapshots_quarantined += len(tally.quarantined)

    def _leased(self, table: TableRecord) -> AbstractContextManager[Lease]:
        return held(self.index.database, table.table_id, wait_seconds=LEASE_WAIT_SECONDS)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
