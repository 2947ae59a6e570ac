"""Verify a table's index against its metadata: decode manifests again with the reference decoder, and compare.

Differences are reported, and repaired on request: segments are replaced by those of the reference decoder, packed
segments are rebuilt, and snapshots whose lists or live entries differ are indexed again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from lakemuster.errors import CatalogError, SegmentCorrupt, SegmentMissing
from lakemuster.formats.protocol import Folding
from lakemuster.formats.registry import format_of
from lakemuster.index.leases import hold
from lakemuster.index.packed import PackedRun, run_table, runs_of, write_run
from lakemuster.index.segments import SegmentInfo, known_segments, replace_segment, segment_name, true_counts
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord, list_snapshots, snapshot_manifests, withdraw
from lakemuster.index.tables import TableRecord, load_metadata
from lakemuster.ingest.comparing import differences, table_differences
from lakemuster.ingest.engine import Progress, through_decoders
from lakemuster.ingest.packing import by_spec
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.table_refresh import LEASE_WAIT_SECONDS
from lakemuster.ingest.work import (
    PackedMetadata,
    Task,
    WrittenSegment,
    decode_list_by_reference,
    decode_manifest_by_reference,
    describe_inline,
    run_writing,
)
from lakemuster.kernels.loading import kernels_disabled
from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import Contents

Kind = Literal["lost", "damaged", "differs", "unreadable"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between a table's index and its metadata.

    Attributes:
        kind: the segment is ``lost`` or ``damaged``; the index ``differs``; or the metadata is ``unreadable`` now, so
            that nothing can be compared.
        snapshot_id: the snapshot whose lists or live entries differ; None for a segment.
        manifest: the location of the manifest; None for a packed segment or a snapshot.
    """

    table: str
    kind: Kind
    snapshot_id: int | None
    manifest: str | None
    segment: str | None
    what: str
    repaired: bool = False


@dataclass(slots=True)
class Verified:
    """Counts of what was compared, and the differences found."""

    snapshots: int = 0
    manifests: int = 0
    packed: int = 0
    entries: int = 0
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Published:
    record: SnapshotRecord
    manifests: Sequence[ManifestRecord]


def verify(
    refresher: Refresher,
    table: TableRecord,
    *,
    repair: bool = False,
    sample: int | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
) -> Verified:
    """Compare a table's published snapshots with its metadata.

    Args:
        sample: number of manifests, and of snapshots whose lists, to compare, chosen at random; None for all.

    Raises:
        CatalogError: the index, or the segment store, does not answer.
    """
    verifier = _Verifier(refresher, table, repair=repair)
    verifier.run(sample, progress, random.Random(seed))
    return verifier.found


class _Verifier:
    def __init__(self, refresher: Refresher, table: TableRecord, *, repair: bool) -> None:
        self._refresher, self._index, self._table, self._repair = refresher, refresher.index, table, repair
        self._format = format_of(table.format)
        self._store, self._rewrites = refresher.store_for(table), Rewrites(table.rewrites)
        self.found = Verified()
        self._wrong: list[SnapshotRecord] = []

    def run(self, sample: int | None, progress: Progress | None, chosen: random.Random) -> None:
        with self._index.database.reading() as session:
            records = [one for one in list_snapshots(session, self._table.table_id) if one.state == "published"]
            known: dict[int, ManifestRecord] = {}
            published = []
            for record in records:
                manifests = snapshot_manifests(session, record.row_id, known)
                known |= {one.id: one for one in manifests}
                published.append(_Published(record, manifests))
            metadata = load_metadata(session, self._table.table_id)
        wanted = {one.segment: (one, of.record) for of in published for one in of.manifests}
        names = sorted(wanted)
        lists = published
        if sample is not None:
            names = chosen.sample(names, min(sample, len(names)))
            lists = chosen.sample(published, min(sample, len(published)))
        steps = _Steps(progress, len(names) + len(lists))
        segments = self._index.segments
        # Opening a lost segment would repair it before it is reported.
        repair, segments.repair = segments.repair, None
        try:
            self._segments([(name, *wanted[name]) for name in names], metadata, steps)
            self._lists(lists, metadata, steps)
            self._packed(published, None if sample is None else set(names))
            if (folding := self._format.folding) is not None:
                for one in lists:
                    self._live(one, folding)
        finally:
            segments.repair = repair
        self._index_again()

    def _segments(
        self, wanted: Sequence[tuple[str, ManifestRecord, SnapshotRecord]], metadata: TableMetadata, steps: _Steps
    ) -> None:
        requests: dict[ReadRequest, tuple[str, ManifestRecord, SnapshotRecord]] = {}
        for name, one, record in wanted:
            location = self._rewrites.apply(one.header.location)
            requests[ReadRequest(location, one.header.length, self._format.has_exact_lengths)] = (name, one, record)
        packed, lengths = PackedMetadata.of(metadata), dict[str, int]()
        with self._index.segments.working_folder("verify-") as folder:

            def task_of(request: ReadRequest, data: Contents) -> Task[WrittenSegment]:
                name, one, record = requests[request]
                lengths[name] = len(data)
                path, branch = str(Path(folder, name)), record.snapshot.branch
                return partial(decode_manifest_by_reference, data, one.header, packed, branch, path)

            fetched = self._store.admit_many(list(requests))
            for request, outcome in through_decoders(self._refresher.pool, fetched, task_of, run_writing):
                name, one, _ = requests[request]
                self.found.manifests += 1
                steps.done()
                if isinstance(outcome, CatalogError):
                    self._tell("unreadable", f"cannot be decoded again: {outcome.message}", one.header.location, name)
                    continue
                self.found.entries += outcome.rows
                self._compare(name, one, request.location, Path(outcome.path), outcome, lengths[name])
                Path(outcome.path).unlink(missing_ok=True)

    def _compare(
        self, name: str, one: ManifestRecord, location: str, anew: Path, made: WrittenSegment, length: int
    ) -> None:
        def put() -> None:
            self._index.segments.put(name, anew)
            with self._index.database.session() as session:
                counts = None if made.counts is None else made.counts.pack()
                replace_segment(session, SegmentInfo(name, location, length, made.rows, made.size, counts=counts))

        kind, words = self._state(name)
        if kind is None:
            kind = "differs"
            words = list(differences(self._index.segments.open(name), self._index.segments.zones(name), anew))
            with self._index.database.reading() as session:
                counted = true_counts(session, [name]).get(name)
            if counted is not None and (made.counts is None or not counted.agrees(made.counts)):
                words.append("other counts of its entries in the register")
        for number, word in enumerate(words):
            # One repair covers all differences of the segment.
            self._tell(kind, word, one.header.location, name, put if number == 0 else None, also=number > 0)

    def _state(self, name: str) -> tuple[Kind | None, list[str]]:
        """Return whether the stored segment is lost or damaged, with a description; None if it is neither."""
        try:
            self._index.segments.check_segment(name)
        except SegmentMissing:
            return "lost", ["the segment store has no such segment"]
        except SegmentCorrupt as damage:
            column = damage.context.get("column")
            return "damaged", [damage.message + ("" if column is None else f": {column}")]
        return None, []

    def _lists(self, lists: Sequence[_Published], metadata: TableMetadata, steps: _Steps) -> None:
        """Read manifest lists again, and compare them with the stored manifests of their snapshots."""
        packed = PackedMetadata.of(metadata)
        for one in lists:
            self.found.snapshots += 1
            steps.done()
            snapshot = one.record.snapshot
            expected: list[tuple[str, ManifestHeader]] = []
            try:
                for ref in snapshot.manifest_lists:
                    if ref.role == "index":
                        expected.append((ref.role, ManifestHeader(ref.location, ref.length, "index")))
                        continue
                    data = self._store.read(self._rewrites.apply(ref.location))
                    headers = self._refresher.pool.submit(decode_list_by_reference, data, packed, snapshot.branch)
                    expected += [(ref.role, header) for header in headers.result()]
                for location in snapshot.inline_manifests:
                    data = self._store.read(self._rewrites.apply(location))
                    inline = self._refresher.pool.submit(describe_inline, data, location, snapshot, packed)
                    expected += [("manifests", header) for header in inline.result()]
            except CatalogError as error:
                self._tell("unreadable", f"its manifest lists cannot be read again: {error.message}", of=one.record)
                continue
            stored = [(record.role, record.header) for record in one.manifests]
            names = [record.segment for record in one.manifests]
            # A list may have wrong counts of a manifest: the stored counts are those of the entries.
            with self._index.database.reading() as session:
                counts = true_counts(session, names)
            expected = [
                (role, header if (own := counts.get(self._name_of(header))) is None else own.corrected(header))
                for role, header in expected
            ]
            if (what := _membership(stored, expected)) is not None:
                self._tell("differs", what, of=one.record)
            elif names != [self._name_of(header) for _, header in expected]:
                self._tell("differs", "its manifests have other segments", of=one.record)

    def _name_of(self, header: ManifestHeader) -> str:
        return segment_name(self._rewrites.apply(header.location), header.length or 0)

    def _packed(self, published: Sequence[_Published], among: set[str] | None) -> None:
        """Compare packed segments with the segments that they are made of."""
        if not self._format.packs_small_manifests:
            return
        seen: set[str] = set()
        for one in published:
            manifests = [(record.header, record.segment) for record in one.manifests]
            for segments, rows in by_spec(manifests):
                runs = [run for run in runs_of(segments, rows) if run.name not in seen]
                if among is not None:
                    runs = [run for run in runs if not among.isdisjoint(segments[run.first : run.end])]
                with self._index.database.reading() as session:
                    known = known_segments(session, [run.name for run in runs])
                for run in runs:
                    seen.add(run.name)
                    if run.name in known:
                        self._one_packed(run, segments, rows)

    def _one_packed(self, run: PackedRun, segments: Sequence[str], rows: Sequence[int]) -> None:
        self.found.packed += 1

        def put() -> None:
            if (written := write_run(self._index, run, segments, rows)) is not None:
                with self._index.database.session() as session:
                    replace_segment(session, written)

        kind, words = self._state(run.name)
        try:
            if kind is None:
                kind = "differs"
                with kernels_disabled():
                    expected = run_table(self._index, run, segments, rows)
                stored = self._index.segments.open(run.name).table()
                words = ["is of other manifests"] if expected is None else list(table_differences(stored, expected))
        except CatalogError as error:
            # The segments it is made of are already reported.
            kind, words = "unreadable", [f"cannot be packed again: {error.message}"]
        for number, word in enumerate(words):
            self._tell(kind, f"packed segment: {word}", None, run.name, put if number == 0 else None, also=number > 0)

    def _live(self, one: _Published, folding: Folding) -> None:
        """Compute the cancelled entries of a snapshot again, and compare them with the stored ones."""
        state = [record for record in one.manifests if record.role in folding.roles]
        tables = []
        for record in state:
            try:
                tables.append(self._index.segments.open(record.segment).table())
            except (SegmentMissing, SegmentCorrupt) as error:
                # A sample may have left the segment out.
                if all(told.segment != record.segment for told in self.found.differences):
                    kind: Kind = "lost" if isinstance(error, SegmentMissing) else "damaged"
                    self._tell(kind, error.message, record.header.location, record.segment)
                return
        live = folding.live_rows(tables)
        added = [table.column("status").to_numpy() == ADDED for table in tables]
        dead = np.flatnonzero(np.concatenate(added) & ~np.concatenate(live)) if tables else np.zeros(0, np.int64)
        stored = one.record.dead_rows
        if not np.array_equal(dead, np.zeros(0, np.int64) if stored is None else stored):
            self._tell("differs", "other entries are live in it", of=one.record)

    def _tell(
        self,
        kind: Kind,
        what: str,
        manifest: str | None = None,
        segment: str | None = None,
        repair: Callable[[], None] | None = None,
        *,
        of: SnapshotRecord | None = None,
        also: bool = False,
    ) -> None:
        """Record a difference, and repair it if requested.

        Args:
            of: the snapshot that differs, to be indexed again.
            also: whether the repair of the previous difference covers this one.
        """
        snapshot_id = None if of is None else of.snapshot.snapshot_id
        told = Difference(self._table.name, kind, snapshot_id, manifest, segment, what)
        if self._repair and repair is not None:
            repair()
            told = replace(told, repaired=True)
        elif also:
            told = replace(told, repaired=self.found.differences[-1].repaired)
        if of is not None and kind == "differs" and of not in self._wrong:
            self._wrong.append(of)
        self.found.differences.append(told)

    def _index_again(self) -> None:
        """Index again the snapshots whose lists or live entries differ."""
        if not self._repair or not self._wrong:
            return
        with hold(self._index.database, self._table.table_id, wait_seconds=LEASE_WAIT_SECONDS) as lease:
            for record in self._wrong:
                with self._index.database.session() as session:
                    withdraw(session, lease, record.row_id)
        repaired = set()
        for record in self._wrong:
            known = replace(record, state="known")
            if self._refresher.ensure_published(self._table, known).state == "published":
                repaired.add(record.snapshot.snapshot_id)
        self.found.differences[:] = [
            replace(told, repaired=True) if told.snapshot_id in repaired and told.kind == "differs" else told
            for told in self.found.differences
        ]


@dataclass(slots=True)
class _Steps:
    progress: Progress | None
    total: int
    taken: int = 0

    def done(self) -> None:
        self.taken += 1
        if self.progress is not None:
            self.progress(self.taken, self.total)


def _membership(
    stored: Sequence[tuple[str, ManifestHeader]], expected: Sequence[tuple[str, ManifestHeader]]
) -> str | None:
    """Describe how the stored manifests of a snapshot differ from those of its lists; None if they are equal."""
    if len(stored) != len(expected):
        return f"{len(stored)} manifests instead of {len(expected)}"
    for (role, header), (wanted_role, wanted) in zip(stored, expected, strict=True):
        if (role, header.location) != (wanted_role, wanted.location):
            return f"manifest {header.location} instead of {wanted.location}"
        if header != wanted:
            names = [name for name in ManifestHeader.__slots__ if getattr(header, name) != getattr(wanted, name)]
            return f"other {', '.join(names)} of manifest {wanted.location}"
    return None


def describe(told: Difference) -> list[str]:
    """Return a difference as texts: table, kind, place, description, and whether it was repaired."""
    place = [told.table, told.kind]
    if told.snapshot_id is not None:
        place.append(f"snapshot {told.snapshot_id}")
    if told.manifest is not None:
        place.append(told.manifest)
    if told.segment is not None:
        place.append(f"segment {told.segment}")
    return [*place, told.what, *(["repaired"] if told.repaired else [])]
