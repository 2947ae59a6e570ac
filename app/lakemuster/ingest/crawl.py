"""Index snapshots: their manifest lists, the manifests not seen before, then publish.

A manifest is fetched and decoded once in its life, however many snapshots list it. A
snapshot whose metadata cannot be accepted is quarantined with the reason; storage that
does not answer fails the refresh instead, and the snapshot stays known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from sqlalchemy.orm import Session

from lakemuster.errors import CatalogError, IndexUnavailable, MetadataCorrupt, StorageDenied, StorageUnavailable
from lakemuster.formats.paimon.folding import IDENTITY_COLUMNS, live_rows
from lakemuster.index import Index
from lakemuster.index.leases import Lease
from lakemuster.index.segments import SegmentInfo, known_segments, register_segments, segment_name
from lakemuster.index.snapshots import Published, SnapshotRecord, publish, quarantine, row_id_of
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import Engine, Manifest, Progress, through_decoders
from lakemuster.ingest.load import UNREADABLE
from lakemuster.ingest.packing import pack_small
from lakemuster.ingest.work import decode_list, describe_inline, slim
from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import ManifestHeader, Role, Snapshot, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import Contents, ObjectStore

REGISTER_EVERY = 64
"""Segments registered in one transaction."""

_OURS = (StorageUnavailable, StorageDenied, IndexUnavailable)


@dataclass(slots=True)
class Tally:
    """What a crawl did."""

    published: list[Snapshot] = field(default_factory=list)
    quarantined: list[tuple[Snapshot, str]] = field(default_factory=list)
    lists_fetched: int = 0
    manifests_fetched: int = 0
    entries_decoded: int = 0


@dataclass(frozen=True, slots=True)
class _Listed:
    """One row of a snapshot's lists, with the name of its segment."""

    role: Role
    header: ManifestHeader
    location: str
    segment: str
    branch: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """A snapshot that can be made visible.

    Attributes:
        manifests: of its lists, in their order; all of them have segments.
        dead: positions of entries that later entries cancel (Paimon).
        error: why it cannot be read, and is to be quarantined.
    """

    snapshot: Snapshot
    manifests: Sequence[Published] = ()
    dead: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None
    error: CatalogError | None = None


@dataclass(slots=True)
class Crawler:
    """Indexes snapshots of one table under its lease."""

    index: Index
    store: ObjectStore
    pool: DecoderPool
    engine: Engine
    lease: Lease
    metadata: TableMetadata
    rewrites: Rewrites
    progress: Progress | None = None
    tally: Tally = field(default_factory=Tally)

    def crawl(self, records: Sequence[SnapshotRecord]) -> None:
        """Publish or quarantine every snapshot of ``records``, which share one fetch of what they need."""
        for one in self.read([record.snapshot for record in records]):
            with self.index.database.session() as session:
                self.publish(session, one)

    def read(self, snapshots: Sequence[Snapshot]) -> Iterator[Indexed]:
        """Have every manifest of some snapshots indexed, fetched together; nobody sees any of it yet."""
        if not snapshots:
            return
        lists = self._read_lists(snapshots)
        listed = [self._listed(snapshot, lists) for snapshot in snapshots]
        wanted: dict[str, _Listed] = {}
        for rows in listed:
            if not isinstance(rows, CatalogError):
                wanted.update((row.segment, row) for row in rows)
        with self.index.database.reading() as session:
            have = known_segments(session, sorted(wanted))
        outcomes = self._decode([row for name, row in wanted.items() if name not in have])
        new = {name for name in wanted if name not in have}
        for snapshot, rows in zip(snapshots, listed, strict=True):
            if isinstance(rows, CatalogError):
                yield Indexed(snapshot, error=rows)
            else:
                yield self._indexed(snapshot, rows, outcomes, new)

    def publish(self, session: Session, one: Indexed) -> None:
        """Make a snapshot that the index knows visible, or say why it cannot be, when the session commits."""
        row_id = row_id_of(session, self.lease.table_id, one.snapshot.snapshot_id, one.snapshot.branch)
        if one.error is None:
            publish(session, self.lease, row_id, one.manifests, one.dead)
            self.tally.published.append(one.snapshot)
        else:
            text = f"{one.error.code}: {one.error}"
            quarantine(session, self.lease, row_id, text)
            self.tally.quarantined.append((one.snapshot, text))

    def _read_lists(self, snapshots: Sequence[Snapshot]) -> dict[str, list[ManifestHeader] | CatalogError]:
        refs = [ref for snapshot in snapshots for ref in snapshot.manifest_lists if ref.role != "index"]
        requests = {ref.location: ReadRequest(self.rewrites.apply(ref.location), ref.length) for ref in refs}
        branches = {ref.location: snapshot.branch for snapshot in snapshots for ref in snapshot.manifest_lists}
        inline = {location: snapshot for snapshot in snapshots for location in snapshot.inline_manifests}
        requests |= {location: ReadRequest(self.rewrites.apply(location)) for location in inline}
        recorded = {request.location: location for location, request in requests.items()}
        metadata = slim(self.metadata)
        found: dict[str, list[ManifestHeader] | CatalogError] = {}

        def submit(request: ReadRequest, data: Contents) -> Future[list[ManifestHeader]]:
            location = recorded[request.location]
            if location in inline:
                return self.pool.submit(describe_inline, data, location, inline[location], metadata)
            self.tally.lists_fetched += 1
            return self.pool.submit(decode_list, data, metadata, branches[location])

        for request, outcome in through_decoders(self.store, list(requests.values()), submit):
            if isinstance(outcome, _OURS):
                raise outcome
            found[recorded[request.location]] = outcome
        return found

    def _listed(
        self, snapshot: Snapshot, lists: dict[str, list[ManifestHeader] | CatalogError]
    ) -> list[_Listed] | CatalogError:
        if UNREADABLE in snapshot.extra:
            return MetadataCorrupt(str(snapshot.extra[UNREADABLE]))
        rows: list[_Listed] = []
        for ref in snapshot.manifest_lists:
            if ref.role == "index":
                header = ManifestHeader(ref.location, ref.length, "index")
                rows.append(self._row("index", header, snapshot.branch))
                continue
            headers = lists[ref.location]
            if isinstance(headers, CatalogError):
                return headers
            rows += [self._row(ref.role, header, snapshot.branch) for header in headers]
        for location in snapshot.inline_manifests:
            headers = lists[location]
            if isinstance(headers, CatalogError):
                return headers
            rows += [self._row("manifests", header, snapshot.branch) for header in headers]
        return rows

    def _row(self, role: Role, header: ManifestHeader, branch: str) -> _Listed:
        location = self.rewrites.apply(header.location)
        return _Listed(role, header, location, segment_name(location, header.length or 0), branch)

    def _decode(self, rows: Sequence[_Listed]) -> dict[str, CatalogError | None]:
        """Have segments made; by segment name, None or why not."""
        if not rows:
            return {}
        manifests = [Manifest(row.segment, row.location, row.header, row.branch) for row in rows]
        outcomes: dict[str, CatalogError | None] = {}
        written: list[SegmentInfo] = []
        with closing(self.engine.make_segments(self.store, self.metadata, manifests, self.progress)) as made:
            for outcome in made:
                one = outcome.manifest
                self.tally.manifests_fetched += outcome.length is not None
                if isinstance(outcome.error, _OURS):
                    self._register(written)
                    raise outcome.error
                outcomes[one.segment] = outcome.error
                if outcome.error is None:
                    assert outcome.length is not None
                    self.tally.entries_decoded += outcome.rows
                    written.append(SegmentInfo(one.segment, one.location, outcome.length, outcome.rows, outcome.bytes))
                if len(written) >= REGISTER_EVERY:
                    self._register(written)
        self._register(written)
        return outcomes

    def _register(self, written: list[SegmentInfo]) -> None:
        """Make segments known as soon as they are whole: a refresh that ends early leaves its work to the next."""
        with self.index.database.session() as session:
            register_segments(session, written)
        written.clear()

    def _indexed(
        self,
        snapshot: Snapshot,
        rows: Sequence[_Listed],
        outcomes: dict[str, CatalogError | None],
        new: set[str],
    ) -> Indexed:
        failed = next((error for row in rows if (error := outcomes.get(row.segment)) is not None), None)
        if failed is not None:
            return Indexed(snapshot, error=failed)
        try:
            dead = self._fold(snapshot, rows) if self.metadata.format == "paimon" else None
        except MetadataCorrupt as error:
            return Indexed(snapshot, error=error)
        if self.metadata.format == "iceberg":
            pack_small(self.index, [(row.header, row.segment) for row in rows], new)
        return Indexed(snapshot, [Published(row.role, row.header, row.segment) for row in rows], dead)

    def _fold(self, snapshot: Snapshot, rows: Sequence[_Listed]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        """The places of added entries that a deletion cancels, over base and delta in list order."""
        state = [row for row in rows if row.role in ("base", "delta")]
        if not state:
            return None
        tables = [self._identities(row.segment) for row in state]
        live = live_rows(tables)
        total = sum(
            int(np.sum(table.column("record_count").to_numpy()[keep])) for table, keep in zip(tables, live, strict=True)
        )
        expected = snapshot.extra.get("total_record_count")
        if isinstance(expected, int) and snapshot.source != "changelog" and total != expected:
            raise MetadataCorrupt(
                f"live files hold {total} records, the snapshot says {expected}", snapshot_id=str(snapshot.snapshot_id)
            )
        added = np.concatenate([table.column("status").to_numpy() == ADDED for table in tables])
        return np.flatnonzero(added & ~np.concatenate(live)).astype(np.int64)

    def _identities(self, segment: str) -> pa.Table:
        opened = self.index.segments.open(segment)
        names = [name for name in opened.schema.names if name in IDENTITY_COLUMNS or name.startswith("partition.")]
        return opened.table([*names, "record_count"] if "record_count" not in names else names)
