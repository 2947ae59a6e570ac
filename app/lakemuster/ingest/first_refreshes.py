"""The first refresh of many small tables, in a few transactions for all of them.

Refreshed alone, a small table costs six transactions and some forty statements, which take five times as long as its
look and its manifests. This module looks at tables without SQL, decodes their manifests together, and stores their
states in one transaction. Large tables, tables with metadata errors, and tables that another process refreshes are left
to a refresh of their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from lakemuster.errors import CatalogError
from lakemuster.index.database import current_ms
from lakemuster.index.first_states import FirstSnapshot, FirstState, check_first_state, store_first_states
from lakemuster.index.leases import Leases, ensure_many, hold_free
from lakemuster.index.segments import SegmentInfo, known_segments, true_counts
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.engine import LocalEngine, TableManifests
from lakemuster.ingest.engine import Outcome as MadeSegment
from lakemuster.ingest.index import Indexed, Indexer, ManifestListing
from lakemuster.ingest.list_reading import read_lists
from lakemuster.ingest.ref_snapshots import snapshots_to_index
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.metadata.counts import EntryCounts
from lakemuster.metadata.snapshot import Snapshot, TableMetadata

MAX_SNAPSHOTS = 16
"""A table with more snapshots to index is refreshed alone."""
MAX_MANIFESTS = 64
"""A table with more manifests is refreshed alone."""

Outcome = RefreshReport | CatalogError


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A table whose metadata was read.

    Attributes:
        snapshots: the snapshots to index.
        segments: the segments that this refresh made.
        began: the start of its look, by the monotonic clock.
    """

    table: TableRecord
    token: str
    metadata: TableMetadata
    snapshots: Sequence[Snapshot]
    indexer: Indexer
    segments: list[SegmentInfo]
    began: float


_Listed = tuple[_Loaded, ManifestListing]
"""A table whose manifest lists were read."""


@dataclass(frozen=True, slots=True)
class FirstRefreshes:
    """Refreshes tables that were never refreshed before."""

    refresher: TableRefresher

    def refresh(self, tables: Sequence[TableRecord]) -> dict[int, Outcome]:
        """Refresh tables together; return the outcomes by table id. A table without one needs a refresh of its own.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        if not tables:
            return {}
        database = self.refresher.index.database
        outcomes: dict[int, Outcome] = {}
        with hold_free(database, [table.table_id for table in tables]) as leases:
            with database.reading() as session:
                checked_at_ms = current_ms(session)
            held = [table for table in tables if table.table_id in leases.table_ids]
            listed = list(self._listed(list(self._loaded(held, outcomes)), outcomes))
            with database.reading() as session:
                names = sorted({name for _, listing in listed for name in listing.wanted})
                have, counts = known_segments(session, names), true_counts(session, names)
            indexed = list(self._indexed(listed, have, counts, outcomes))
            self._publish(leases, checked_at_ms, indexed, outcomes)
        return outcomes

    def _loaded(self, tables: Iterable[TableRecord], outcomes: dict[int, Outcome]) -> Iterator[_Loaded]:
        for table in tables:
            try:
                one = self._load(table)
            except CatalogError as error:
                self._failed(table, error, outcomes)
                continue
            if one is not None:
                yield one

    def _load(self, table: TableRecord) -> _Loaded | None:
        refresher, began = self.refresher, self.refresher.clock.monotonic()
        store = refresher.store_for(table)
        pointer, metadata = refresher.load(store, table)
        snapshots = snapshots_to_index(metadata, refresher.rules_of(table.name).history)
        if len(snapshots) > MAX_SNAPSHOTS:
            return None
        segments: list[SegmentInfo] = []
        indexer = refresher.indexer(store, table, metadata)
        indexer.register = segments.extend
        return _Loaded(table, pointer.token, metadata, snapshots, indexer, segments, began)

    def _listed(self, loaded: Sequence[_Loaded], outcomes: dict[int, Outcome]) -> Iterator[_Listed]:
        """Yield the tables with few manifests and valid manifest lists."""
        lists = read_lists(self.refresher.pool, [one.indexer.lists_of(one.snapshots) for one in loaded])
        for one, of_table in zip(loaded, lists, strict=True):
            try:
                listing = one.indexer.listing(one.snapshots, of_table)
            except CatalogError as error:
                self._failed(one.table, error, outcomes)
                continue
            is_valid = not any(isinstance(rows, CatalogError) for _, rows in listing.of_snapshots)
            if is_valid and len(listing.wanted) <= MAX_MANIFESTS:
                yield one, listing

    def _indexed(
        self,
        listed: Sequence[_Listed],
        have: set[str],
        counts: dict[str, EntryCounts],
        outcomes: dict[int, Outcome],
    ) -> Iterator[tuple[_Loaded, list[Indexed]]]:
        segments = self._made([one.indexer.wanted(listing, have) for one, listing in listed])
        for (one, listing), own_segments in zip(listed, segments, strict=True):
            try:
                made = one.indexer.take(own_segments)
            except CatalogError as error:
                self._failed(one.table, error, outcomes)
                continue
            own = counts | {
                segment.name: EntryCounts.unpack(segment.counts) for segment in one.segments if segment.counts
            }
            indexed = list(one.indexer.indexed(listing, made, own))
            if all(snapshot.error is None for snapshot in indexed):
                yield one, indexed

    def _made(self, wanted: Sequence[TableManifests]) -> list[list[MadeSegment]]:
        """Make the segments of tables together, since most tables have few."""
        made: list[list[MadeSegment]] = [[] for _ in wanted]
        if any(one.manifests for one in wanted):
            engine = LocalEngine(self.refresher.pool, self.refresher.index.segments)
            with closing(engine.make_segments_of(wanted, None)) as found:
                for number, segment in found:
                    made[number].append(segment)
        return made

    def _publish(
        self,
        leases: Leases,
        checked_at_ms: int,
        indexed: Sequence[tuple[_Loaded, list[Indexed]]],
        outcomes: dict[int, Outcome],
    ) -> None:
        states: list[FirstState] = []
        for one, snapshots in indexed:
            found = [
                FirstSnapshot(each.snapshot, each.manifests, each.dead, each.warnings, each.live) for each in snapshots
            ]
            state = FirstState(one.table.table_id, one.metadata, one.token, checked_at_ms, found)
            with contextlib.suppress(CatalogError):
                check_first_state(state)
                states.append(state)
        database = self.refresher.index.database
        segments = [segment for one, _ in indexed for segment in one.segments]
        try:
            with database.session() as session:
                store_first_states(session, states, segments, ensure_many(session, leases))
        except CatalogError:
            # Refreshing each table alone finds the one that fails, or succeeds.
            return
        stored = {state.table_id for state in states}
        for one, snapshots in indexed:
            if one.table.table_id in stored:
                self.refresher.ages.looked(one.table.table_id, checked_at_ms, one.began)
                outcomes[one.table.table_id] = self._report(one, [each.snapshot for each in snapshots])

    def _report(self, one: _Loaded, published: list[Snapshot]) -> RefreshReport:
        return self.refresher.report(one.table, one.indexer.tally, published, (), one.began)

    def _failed(self, table: TableRecord, error: CatalogError, outcomes: dict[int, Outcome]) -> None:
        self.refresher.failed(table, error)
        outcomes[table.table_id] = error
