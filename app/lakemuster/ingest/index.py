"""Step 2 of a refresh, index: read manifest lists of snapshots, and decode the manifests that have no segment yet.

A manifest is fetched and decoded once, however many snapshots list it. Invalid metadata becomes the error of its
snapshot. If storage does not answer, the refresh fails, and the snapshot stays in state ``known``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from lakemuster.errors import CatalogError, MetadataCorrupt, ObjectMissing
from lakemuster.formats.protocol import Folding, FormatPort
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.segments import (
    SegmentInfo,
    known_segments,
    register_segments,
    segment_name,
    true_counts,
    used_segments,
)
from lakemuster.index.snapshots import Published
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import LocalEngine, Manifest, Outcome, Progress, TableManifests
from lakemuster.ingest.list_reading import RETRYABLE, ReadLists, TableLists, read_lists
from lakemuster.ingest.live_counts import COUNTED, counts_of_entries, counts_of_manifests, storable
from lakemuster.ingest.packing import pack_small
from lakemuster.ingest.quarantine_reasons import of_list, of_manifest, of_own_file
from lakemuster.ingest.work import PackedMetadata
from lakemuster.metadata.counts import EntryCounts, LiveCounts
from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import MAIN, UNREADABLE, ManifestHeader, Role, Snapshot, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.store import ObjectStore

REGISTER_EVERY = 64
"""Number of segments registered in one transaction."""

MOST_WARNINGS = 20
"""Maximum number of warnings stored with a snapshot."""


@dataclass(slots=True)
class Tally:
    """Counts of what was fetched and decoded."""

    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0


@dataclass(frozen=True, slots=True)
class _Listed:
    """One manifest of a snapshot's manifest lists, with the name of its segment."""

    role: Role
    header: ManifestHeader
    location: str
    segment: str
    branch: str

    @property
    def manifest(self) -> Manifest:
        """The manifest that the segment is made from."""
        return Manifest(self.segment, self.location, self.header, self.branch)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A snapshot to publish, or to quarantine if ``error`` is set.

    Attributes:
        manifests: the manifests of its lists, in list order; all of them have segments.
        dead: positions of entries that later entries cancel; None for formats without folding.
        error: why it cannot be read.
        warnings: wrong counts recorded by its writer; the index uses the counts of the entries instead.
        live: its live contents; None if a segment of an older version has no counts.
    """

    snapshot: Snapshot
    manifests: Sequence[Published] = ()
    dead: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None
    error: CatalogError | None = None
    warnings: Sequence[str] = ()
    live: LiveCounts | None = None


@dataclass(frozen=True, slots=True)
class ManifestListing:
    """The manifests of some snapshots.

    Attributes:
        of_snapshots: the manifests of each snapshot, or the error of reading its lists.
        wanted: one manifest for each segment that the snapshots need, by segment name.
    """

    of_snapshots: Sequence[tuple[Snapshot, list[_Listed] | CatalogError]]
    wanted: dict[str, _Listed] = field(default_factory=dict)

    @property
    def segments(self) -> list[str]:
        """The names of the segments, sorted."""
        return sorted(self.wanted)


@dataclass(slots=True)
class Indexer:
    """Indexes snapshots of one table. The snapshots it yields are not visible yet: ``publish`` writes them.

    Attributes:
        register: called with completed segments; None to register them in the database at once.
        made_ahead: whether registered segments that no published snapshot lists were made for this refresh, and so
            count as new.
    """

    index: Index
    store: ObjectStore
    pool: DecoderPool
    engine: LocalEngine
    metadata: TableMetadata
    rewrites: Rewrites
    progress: Progress | None = None
    register: Callable[[Sequence[SegmentInfo]], None] | None = None
    made_ahead: bool = False
    tally: Tally = field(default_factory=Tally)
    _list_lengths: dict[str, int] = field(default_factory=dict)
    _packed: PackedMetadata | None = None

    @property
    def _format(self) -> FormatPort:
        return format_of(self.metadata.format)

    def _packed_metadata(self) -> PackedMetadata:
        if self._packed is None:
            self._packed = PackedMetadata.of(self.metadata)
        return self._packed

    def read(self, snapshots: Sequence[Snapshot]) -> Iterator[Indexed]:
        """Index every manifest of some snapshots, fetched together; yield the snapshots in order."""
        if not snapshots:
            return
        listing = self.list_manifests(snapshots)
        with self.index.database.reading() as session:
            have = known_segments(session, listing.segments)
        outcomes = self.make_segments(listing, have)
        with self.index.database.reading() as session:
            counts = true_counts(session, listing.segments)
        yield from self.indexed(listing, outcomes, counts)

    def list_manifests(self, snapshots: Sequence[Snapshot]) -> ManifestListing:
        """Read the manifest lists of some snapshots.

        Raises:
            StorageUnavailable, StorageDenied, IndexUnavailable: they cannot be read now.
        """
        (lists,) = read_lists(self.pool, [self.lists_of(snapshots)])
        return self.listing(snapshots, lists)

    def lists_of(self, snapshots: Sequence[Snapshot]) -> TableLists:
        """Return the manifest lists of some snapshots, for :func:`read_lists`."""
        return TableLists(self.store, self.rewrites, self._packed_metadata(), snapshots)

    def listing(self, snapshots: Sequence[Snapshot], lists: ReadLists | CatalogError) -> ManifestListing:
        """Return the manifests of some snapshots, given their lists.

        Raises:
            StorageUnavailable, StorageDenied, IndexUnavailable: the lists could not be read.
        """
        if isinstance(lists, CatalogError):
            raise lists
        self.tally.lists_fetched += len(lists.lengths)
        self._list_lengths |= lists.lengths
        listing = ManifestListing([(snapshot, self._listed(snapshot, lists.headers)) for snapshot in snapshots])
        for _, rows in listing.of_snapshots:
            if not isinstance(rows, CatalogError):
                listing.wanted.update((row.segment, row) for row in rows)
        return listing

    def make_segments(self, listing: ManifestListing, have: Collection[str]) -> dict[str, CatalogError | None]:
        """Make the segments that are not among ``have``; return the error of each by name, None for success.

        Raises:
            StorageUnavailable, StorageDenied, IndexUnavailable: some could not be made now.
        """
        wanted = self.wanted(listing, have)
        outcomes = dict[str, CatalogError | None]()
        if wanted.manifests:
            with closing(self.engine.make_segments_of([wanted], self.progress)) as made:
                outcomes = self.take(outcome for _, outcome in made)
        if self.made_ahead and (ahead := [name for name in listing.wanted if name not in outcomes]):
            with self.index.database.reading() as session:
                used = used_segments(session, ahead)
            outcomes |= {name: None for name in ahead if name not in used}
        return outcomes

    def wanted(self, listing: ManifestListing, have: Collection[str]) -> TableManifests:
        """Return the manifests whose segments are not among ``have``."""
        manifests = [row.manifest for name, row in listing.wanted.items() if name not in have]
        return TableManifests(self.store, self._packed_metadata(), manifests)

    def missing(self, snapshots: Sequence[Snapshot]) -> list[Manifest]:
        """Return the manifests of some snapshots that have no segment; :meth:`read` reports invalid lists.

        Raises:
            StorageUnavailable, StorageDenied, IndexUnavailable: manifest lists cannot be read now.
        """
        listing = self.list_manifests(snapshots)
        with self.index.database.reading() as session:
            have = known_segments(session, listing.segments)
        return list(self.wanted(listing, have).manifests)

    def indexed(
        self,
        listing: ManifestListing,
        outcomes: Mapping[str, CatalogError | None],
        counts: Mapping[str, EntryCounts],
    ) -> Iterator[Indexed]:
        """Yield the snapshots of a listing, in order.

        Args:
            outcomes: the error, or None, of each segment that was made.
            counts: the entry counts of segments.
        """
        for snapshot, rows in listing.of_snapshots:
            if isinstance(rows, CatalogError):
                yield Indexed(snapshot, error=rows)
            else:
                yield self._indexed(snapshot, rows, outcomes, counts)

    def _listed(
        self, snapshot: Snapshot, lists: dict[str, list[ManifestHeader] | CatalogError]
    ) -> list[_Listed] | CatalogError:
        if UNREADABLE in snapshot.extra:
            return of_own_file(str(snapshot.extra[UNREADABLE]), self.metadata.location, snapshot)
        rows: list[_Listed] = []
        for ref in snapshot.manifest_lists:
            if ref.role == "index":
                header = ManifestHeader(ref.location, ref.length, "index")
                rows.append(self._row("index", header, snapshot.branch))
                continue
            headers = lists[ref.location]
            if _is_gone(headers, ref.role, snapshot):
                continue
            if isinstance(headers, CatalogError):
                return of_list(headers, self.rewrites.apply(ref.location), ref.location, snapshot, ref.length)
            rows += [self._row(ref.role, header, snapshot.branch) for header in headers]
        for location in snapshot.inline_manifests:
            headers = lists[location]
            if isinstance(headers, CatalogError):
                return of_list(headers, self.rewrites.apply(location), location, snapshot)
            rows += [self._row("manifests", header, snapshot.branch) for header in headers]
        return rows

    def _row(self, role: Role, header: ManifestHeader, branch: str) -> _Listed:
        location = self.rewrites.apply(header.location)
        return _Listed(role, header, location, segment_name(location, header.length or 0), branch)

    def take(self, made: Iterable[Outcome]) -> dict[str, CatalogError | None]:
        """Register segments that were made; return the error of each by name, None for success.

        Raises:
            StorageUnavailable, StorageDenied, IndexUnavailable: some could not be made now.
        """
        outcomes: dict[str, CatalogError | None] = {}
        written: list[SegmentInfo] = []
        for outcome in made:
            one = outcome.manifest
            self.tally.manifests_fetched += outcome.length is not None
            if isinstance(outcome.error, RETRYABLE):
                self._register(written)
                raise outcome.error
            outcomes[one.segment] = outcome.error
            if outcome.error is None:
                assert outcome.length is not None
                self.tally.entries_decoded += outcome.rows
                made_of = (one.segment, one.location, outcome.length, outcome.rows, outcome.bytes)
                written.append(SegmentInfo(*made_of, counts=outcome.counts))
            if len(written) >= REGISTER_EVERY:
                self._register(written)
        self._register(written)
        return outcomes

    def _register(self, written: list[SegmentInfo]) -> None:
        """Register completed segments, so that the next refresh can use them even if this one is aborted."""
        if self.register is not None:
            self.register(written)
        else:
            with self.index.database.session() as session:
                register_segments(session, written)
        written.clear()

    def _indexed(
        self,
        snapshot: Snapshot,
        rows: Sequence[_Listed],
        outcomes: Mapping[str, CatalogError | None],
        counts: Mapping[str, EntryCounts],
    ) -> Indexed:
        gone = {row.role for row in rows if _is_gone(outcomes.get(row.segment), row.role, snapshot)}
        rows = [row for row in rows if row.role not in gone]
        for row in rows:
            if (failed := outcomes.get(row.segment)) is not None:
                return Indexed(snapshot, error=of_manifest(failed, row.header, row.location, snapshot))
        # Correct the counts of lists that are wrong: plans select manifests by these counts.
        warnings = [text for row in rows if (text := _miscounted(row.header, counts.get(row.segment))) is not None]
        rows = [
            row if (own := counts.get(row.segment)) is None else replace(row, header=own.corrected(row.header))
            for row in rows
        ]
        try:
            folding = self._format.folding
            if folding is None:
                dead, live = None, counts_of_manifests((row.role, row.header, counts.get(row.segment)) for row in rows)
            else:
                dead, live = self._fold(folding, snapshot, rows, warnings)
        except MetadataCorrupt as error:
            ref = snapshot.manifest_lists[0]
            named = of_list(error, self.rewrites.apply(ref.location), ref.location, snapshot, ref.length)
            return Indexed(snapshot, error=named)
        if self._format.packs_small_manifests:
            pack_small(self.index, [(row.header, row.segment) for row in rows], outcomes.keys())
        published = [Published(row.role, row.header, row.segment) for row in rows]
        return Indexed(snapshot, published, dead, warnings=_some(warnings), live=live)

    def _fold(
        self, folding: Folding, snapshot: Snapshot, rows: Sequence[_Listed], warnings: list[str]
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]] | None, LiveCounts | None]:
        """Return the positions of added entries that later entries cancel, and the counts of the live entries.

        Positions count through the snapshot's state manifests in list order.
        """
        state = [row for row in rows if row.role in folding.roles]
        if not state:
            return None, LiveCounts(0, 0, 0, 0)
        tables = [self._identities(folding, row.segment) for row in state]
        live = folding.live_rows(tables)
        found = counts_of_entries(tables, live)
        expected = folding.expected_records(snapshot)
        if expected is not None and found.records != expected:
            what = f"live files hold {found.records} records, the snapshot says {expected}"
            if not self._has_whole_lists(folding, snapshot):
                raise MetadataCorrupt(what, snapshot_id=str(snapshot.snapshot_id))
            warnings.append(what)
        added = np.concatenate([table.column("status").to_numpy() == ADDED for table in tables])
        return np.flatnonzero(added & ~np.concatenate(live)).astype(np.int64), storable(found)

    def _has_whole_lists(self, folding: Folding, snapshot: Snapshot) -> bool:
        """Return whether every list has the length that the snapshot records, so that none is truncated."""
        lists = [ref for ref in snapshot.manifest_lists if ref.role in folding.roles]
        return all(ref.length is not None and self._list_lengths.get(ref.location) == ref.length for ref in lists)

    def _identities(self, folding: Folding, segment: str) -> pa.Table:
        opened = self.index.segments.open(segment)
        return opened.table(list(dict.fromkeys((*folding.columns(opened.schema.names), *COUNTED))))


def _is_gone(outcome: object, role: Role, snapshot: Snapshot) -> bool:
    """Tell whether a list or manifest was removed as Paimon does, although the snapshot's file still names it.

    Of an expired snapshot, only the changelog remains. A branch begins with a copy of a tagged snapshot, whose
    changelog is removed when the snapshot of main expires.
    """
    if not isinstance(outcome, ObjectMissing):
        return False
    return role != "changelog" if snapshot.is_expired else role == "changelog" and snapshot.branch != MAIN


def _miscounted(header: ManifestHeader, counts: EntryCounts | None) -> str | None:
    """Describe the wrong entry counts that a manifest list records for a manifest; None if right or unknown."""
    wrong = {} if counts is None else counts.mismatches(header)
    if not wrong:
        return None
    words = [f"{name} is {getattr(header, name)}, its entries are {true}" for name, true in wrong.items()]
    return f"the manifest list is wrong about {header.location}: {'; '.join(words)}"


def _some(warnings: Sequence[str]) -> Sequence[str]:
    """Return the first ``MOST_WARNINGS`` warnings, followed by the number of those omitted."""
    if len(warnings) <= MOST_WARNINGS:
        return warnings
    return [*warnings[:MOST_WARNINGS], f"and {len(warnings) - MOST_WARNINGS} more"]
