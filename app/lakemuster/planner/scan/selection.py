"""Select the files of a snapshot that a predicate keeps: evaluate it on manifests, then zones, then entries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.caching import Cache, cached
from lakemuster.index.segments import Segment
from lakemuster.index.zones import ZONE_ROWS
from lakemuster.metadata.files import ADDED
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import Mask, can_match
from lakemuster.planner.pruning.statistics import PartitionStatistics
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.packs import Pack, PackPredicate, leaf_types
from lakemuster.planner.scan.runs import PlaceRanges, runs_of
from lakemuster.planner.scan.scan_index import ScanIndex, Stretch
from lakemuster.planner.scan.scan_rules import undeleted
from lakemuster.planner.scan.spec_index import ManifestStatistics, PackFiles, SpecIndex, ZoneStatistics
from lakemuster.predicates import TRUE, Bound, references

FEW_MANIFESTS = 4
"""Maximum manifests whose zones are skipped, because evaluating their entries is as fast."""

FEW_OF_A_PACK = 16
"""Evaluate segment by segment if fewer than one in this many entries of an uncached pack are requested."""

EVALUATED_AT_ONCE = 1 << 14
"""Maximum entries of a pack that are evaluated together although a page needs few of them, and maximum matching files
that are cached for the next pages. For longer lists, evaluating only a page's entries is cheap."""

RowNumbers = NDArray[np.int64]

_matching_files: Cache[tuple[object, ...], RowNumbers] = Cache("matching files", lambda _, rows: rows.nbytes)
"""The matching files of a selection in a pack, for its next pages."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A manifest that may list matching files.

    Attributes:
        number: the part's number among the scan index's data parts.
        runs: (start, end) of the entries that its zones leave.
        entries: number of entries in the runs.
    """

    number: int
    part: ManifestPart
    spec: SpecIndex
    runs: tuple[tuple[int, int], ...]
    entries: int

    def files(self, rows: RowNumbers) -> PackFiles:
        """Return the files at some positions in the manifest."""
        place = int(self.spec.part_starts[self.spec.place_of(self.number)])
        pack = int(np.searchsorted(self.spec.pack_starts, place + int(rows[0]), side="right")) - 1
        return PackFiles(self.spec, pack, rows + (place - int(self.spec.pack_starts[pack])))


@dataclass(frozen=True, slots=True)
class Survivors:
    """The manifests and entries that pruning by manifests and zones leaves.

    Attributes:
        runs: the entries that are left, by the ``cache_key`` of each spec's index.
        manifests: number of manifests that the predicate leaves.
        cache_key: identifies this selection in the keys of a cache, which must not keep it alive.
    """

    runs: Mapping[object, PlaceRanges]
    manifests: int
    cache_key: object = field(default_factory=object)
    _predicates: dict[object, PackPredicate] = field(default_factory=dict)

    @property
    def weight(self) -> int:
        """The approximate bytes of memory."""
        return 2000 + sum(1000 + runs.starts.nbytes + runs.ends.nbytes for runs in self.runs.values())

    @property
    def entries(self) -> int:
        """The number of entries that are left to evaluate."""
        return sum(runs.entries for runs in self.runs.values())

    def pack_predicate(self, spec: SpecIndex, bound: Bound) -> PackPredicate:
        """Return the predicate, prepared for the packs of a spec."""
        if spec.cache_key not in self._predicates:
            self._predicates[spec.cache_key] = PackPredicate.of(spec.index, bound, spec.projection, spec.rules.members)
        return self._predicates[spec.cache_key]

    def candidates(self, scan: ScanIndex) -> tuple[Candidate, ...]:
        """Return the manifests with entries left, in list order, given the scan index that was pruned."""
        found = [candidate for spec in scan.specs for candidate in candidates_of(spec, self.runs[spec.cache_key])]
        return tuple(sorted(found, key=lambda candidate: candidate.number))


def candidates_of(spec: SpecIndex, runs: PlaceRanges) -> Iterator[Candidate]:
    """Yield the manifests that have some of these entries."""
    cut = runs.cut(spec.part_starts)
    parts = np.searchsorted(spec.part_starts, cut.starts, side="right") - 1
    firsts = spec.part_starts[parts]
    pairs = list(zip((cut.starts - firsts).tolist(), (cut.ends - firsts).tolist(), strict=True))
    for part, first, last in runs_of(parts):
        own = tuple(pairs[first:last])
        yield Candidate(spec.numbers[part], spec.parts[part], spec, own, sum(end - start for start, end in own))


@cached("selections", lambda left: left.weight, lambda scan, bound: (scan.cache_key, bound))
def survivors(scan: ScanIndex, bound: Bound) -> Survivors:
    """Prune manifests by their partition summaries, and their entries by zones."""
    found: dict[object, PlaceRanges] = {}
    manifests = 0
    for spec in scan.specs:
        kept = manifests_read(spec) & manifests_in_bucket(spec, bound) & manifests_kept(spec, bound)
        manifests += int(kept.sum())
        found[spec.cache_key] = _by_zones(spec, bound, kept)
    return Survivors(found, manifests)


def manifests_kept(spec: SpecIndex, bound: Bound) -> Mask:
    """Mark the manifests of a spec that can list matching files, by their partition summaries."""
    if bound == TRUE:
        return np.ones(len(spec.parts), np.bool_)
    return can_match(bound, ManifestStatistics(spec))


def manifests_read(spec: SpecIndex) -> Mask:
    """Mark the manifests of a spec that may list files that the scan reads."""
    return spec.rules.manifests(spec.headers)


def manifests_in_bucket(spec: SpecIndex, bound: Bound) -> Mask:
    """Mark the manifests of a spec that may list files of the buckets that a predicate's keys hash to."""
    found = spec.rules.manifests_in_bucket(spec.headers, bound)
    return np.ones(len(spec.parts), np.bool_) if found is None else found


def zones_kept(spec: SpecIndex, bound: Bound) -> Mask:
    """Mark the zones of all manifests of a spec that can hold matching files."""
    return can_match(bound, ZoneStatistics(spec, leaf_types(bound)))


def _by_zones(spec: SpecIndex, bound: Bound, kept: Mask) -> PlaceRanges:
    if bound == TRUE or int(kept.sum()) <= FEW_MANIFESTS:
        return PlaceRanges.of(kept, spec.part_starts)
    zones = zones_kept(spec, bound)
    if not kept.all():
        zones = zones & kept.repeat(np.array(spec.zone_counts, np.int64))
    return PlaceRanges.of(zones, spec.zone_starts)


def zone_runs(zones: Mask, rows: int) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) of entries in the marked zones of a manifest with ``rows`` entries."""
    edges = np.flatnonzero(np.diff(zones.astype(np.int8), prepend=0, append=0))
    pairs = edges.reshape(-1, 2) * ZONE_ROWS
    return tuple((start, min(end, rows)) for start, end in pairs.tolist())


def files_kept(
    scan: ScanIndex, candidate: Candidate, bound: Bound, added_in: frozenset[int] | None = None
) -> RowNumbers:
    """Return the positions in the segment of a manifest's live files that can hold matching rows.

    Args:
        added_in: only files that one of these snapshots added.
    """
    found: list[RowNumbers] = []
    for start, entries in entries_of(scan, candidate, bound, incremental=added_in is not None):
        keep = readable(scan, candidate.part, entries, start)
        if added_in is not None:
            keep &= _added_in(candidate.part, entries, added_in)
        if bound != TRUE:
            keep = entries_kept(candidate.spec, entries, bound, keep)
        found.append(np.flatnonzero(keep) + start)
    return np.concatenate([np.zeros(0, np.int64), *found]) if len(found) != 1 else found[0]


def rows_of(
    scan: ScanIndex, bound: Bound, added_in: frozenset[int] | None, start: Position, end: Position | None
) -> Iterator[PackFiles]:
    """Yield the files that a predicate keeps from ``start`` to before ``end``, pack by pack."""
    left = survivors(scan, bound)
    for stretch in scan.stretches:
        spec = stretch.spec
        low, high = (int(spec.part_starts[part]) for part in (stretch.first, stretch.end))
        runs = left.runs[spec.cache_key]
        asked = runs.between(_place(stretch, start), high if end is None else _place(stretch, end))
        asked = asked.cut(spec.pack_starts)
        for pack, a, b in runs_of(np.searchsorted(spec.pack_starts, asked.starts, side="right") - 1):
            whole = runs.between(max(low, int(spec.pack_starts[pack])), min(high, int(spec.pack_starts[pack + 1])))
            within = PlaceRanges(asked.starts[a:b], asked.ends[a:b])
            rows = _found(left, scan, stretch, pack, whole, within, bound, added_in)
            if len(rows):
                yield PackFiles(spec, pack, rows)


def _place(stretch: Stretch, position: Position) -> int:
    """Convert a position to a place in a stretch's spec, clamped to the stretch."""
    spec, number, offset = stretch.spec, position.part, position.offset
    if number < stretch.number:
        number, offset = stretch.number, 0
    part = stretch.first + number - stretch.number
    if part >= stretch.end:
        return int(spec.part_starts[stretch.end])
    return min(int(spec.part_starts[part]) + offset, int(spec.part_starts[part + 1]))


def _found(
    left: Survivors,
    scan: ScanIndex,
    stretch: Stretch,
    pack: int,
    everything: PlaceRanges,
    within: PlaceRanges,
    bound: Bound,
    added_in: frozenset[int] | None,
) -> RowNumbers:
    """Return a pack's matching files in ``within``; evaluate and cache ``everything`` unless that is much more."""
    key = (left.cache_key, stretch.number, pack, added_in)
    first = int(stretch.spec.pack_starts[pack])
    rows = _matching_files.get(key)
    if rows is None:
        all_entries, entries = everything.entries, within.entries
        if entries * 4 < all_entries and all_entries > EVALUATED_AT_ONCE:
            return _looked_at(left, scan, stretch.spec, pack, within, bound, added_in)
        rows = _looked_at(left, scan, stretch.spec, pack, everything, bound, added_in)
        if len(rows) <= EVALUATED_AT_ONCE:
            _matching_files.put(key, rows)
    low, high = np.searchsorted(rows, [int(within.starts[0]) - first, int(within.ends[-1]) - first]).tolist()
    return rows[low:high]


def _looked_at(
    left: Survivors,
    scan: ScanIndex,
    spec: SpecIndex,
    number: int,
    runs: PlaceRanges,
    bound: Bound,
    added_in: frozenset[int] | None,
) -> RowNumbers:
    """Evaluate the predicate on some entries of a pack; return the places of matching files."""
    if added_in is not None or not spec.rules.evaluates_packs:
        first = int(spec.pack_starts[number])
        found = [
            files_kept(scan, candidate, bound, added_in) + spec.part_starts[spec.place_of(candidate.number)] - first
            for candidate in candidates_of(spec, runs)
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])
    return kept_of_pack(spec, number, runs, bound, left.pack_predicate(spec, bound))


def kept_of_pack(spec: SpecIndex, number: int, runs: PlaceRanges, bound: Bound, predicate: PackPredicate) -> RowNumbers:
    """Return the live files that a predicate keeps among some entries of a pack, as places in the pack."""
    pack, first, entries = spec.packs[number], int(spec.pack_starts[number]), runs.entries
    spans = list(map(slice, (runs.starts - first).tolist(), (runs.ends - first).tolist()))
    if entries * FEW_OF_A_PACK < pack.rows and not predicate.is_cached(pack):
        return _read_alone(spec, pack, spans, bound)
    return predicate.matching(pack, None if entries == pack.rows else spans)


def _read_alone(spec: SpecIndex, pack: Pack, spans: Sequence[slice], bound: Bound) -> RowNumbers:
    """Evaluate the predicate directly on a few entries of an uncached pack."""
    found: list[RowNumbers] = []
    for span in spans:
        first, last = np.searchsorted(pack.starts, [span.start, span.stop - 1], side="right").tolist()
        for of in range(first - 1, last):
            begin = int(pack.starts[of])
            low, high = max(span.start - begin, 0), min(span.stop, int(pack.starts[of + 1])) - begin
            if low >= high:
                continue
            segment = spec.index.segments.open(pack.segments[of])
            entries = segment.rows(low, high, _columns(segment, bound, spec, incremental=False))
            keep = undeleted(entries)
            if bound != TRUE:
                keep = entries_kept(spec, entries, bound, keep)
            found.append(np.flatnonzero(keep) + low + begin)
    return np.concatenate([np.zeros(0, np.int64), *found])


def entries_of(
    scan: ScanIndex, candidate: Candidate, bound: Bound, *, incremental: bool = False, more: Collection[str] = ()
) -> Iterator[tuple[int, pa.Table]]:
    """Yield, for each run, its first entry's position, and its entries with the columns that a predicate reads.

    Args:
        more: kinds of further per-field columns, or names of other columns.
    """
    segment = scan.index.segments.open(candidate.part.manifest.segment)
    names = _columns(segment, bound, candidate.spec, incremental=incremental)
    if more:
        names += [name for name in segment.schema.names if name.partition(".")[0] in more and name not in names]
    for start, end in candidate.runs:
        yield start, segment.rows(start, end, names)


def entry_statistics(spec: SpecIndex, entries: pa.Table) -> JointStatistics:
    """Return the statistics of entries of one spec: columns and partitions."""
    return JointStatistics(spec.rules.statistics(entries), entry_partitions(spec, entries), spec.projection)


def entry_partitions(spec: SpecIndex, entries: pa.Table) -> PartitionStatistics:
    """Return the statistics of entries' partitions."""
    return PartitionStatistics(entries, entries.num_rows, spec.field_ids)


def entries_kept(spec: SpecIndex, entries: pa.Table, bound: Bound, among: Mask) -> Mask:
    """Mark the entries of ``among`` that a predicate cannot drop alone."""
    keep = among & can_match(bound, entry_statistics(spec, entries))
    if (buckets := spec.rules.in_bucket(entries, bound)) is not None:
        keep &= buckets
    return spec.rules.by_index(entries, bound, keep)


def readable(scan: ScanIndex, part: ManifestPart, entries: pa.Table, start: int) -> Mask:
    """Mark the entries that are live in the snapshot and that the scan reads; ``start`` as for :func:`live`."""
    keep = live(scan, part, entries, start)
    if (seen := scan.rules.readable(entries)) is not None:
        keep &= seen
    return keep


def live(scan: ScanIndex, part: ManifestPart, entries: pa.Table, start: int) -> Mask:
    """Mark the entries that are live in the snapshot; ``start`` is the first one's position in the manifest."""
    dead_rows = None if scan.view.snapshot is None else scan.view.snapshot.dead_rows
    return scan.rules.live(entries, part.first_row + start, dead_rows)


def _added_in(part: ManifestPart, entries: pa.Table, snapshots: frozenset[int]) -> Mask:
    added = np.asarray(single_array(entries.column("status")).to_numpy() == ADDED)
    inherited = part.manifest.header.added_snapshot_id
    if "snapshot_id" in entries.column_names:
        own = single_array(entries.column("snapshot_id"))
        if inherited is not None:
            own = own.fill_null(inherited)
        known = np.isin(own.fill_null(0).to_numpy(), list(snapshots))
        return np.asarray(added & known & own.is_valid().to_numpy(zero_copy_only=False))
    return added if inherited in snapshots else np.zeros(len(added), np.bool_)


def _columns(segment: Segment, bound: Bound, spec: SpecIndex, *, incremental: bool) -> list[str]:
    """Return the columns of a segment that evaluation reads."""
    names = list(spec.rules.base)
    if incremental and "snapshot_id" in segment.schema.names:
        names.append("snapshot_id")
    names += spec.rules.extra_columns(segment.names, bound)
    if bound == TRUE:
        return names
    own = segment.columns_of
    for partition_field in spec.projection.spec.fields:
        partitions = own.get(partition_field.field_id, ())
        names += [name for name in partitions if name.startswith("partition.") and name not in names]
    for field_id in references(bound):
        names += spec.rules.columns(own.get(field_id, ()))
    return names
