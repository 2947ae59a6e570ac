"""Which files of a snapshot a predicate keeps: manifests, then zones, then entries, by one walk of one tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index.segments import Segment
from lakemuster.metadata.files import ADDED, DELETED
from lakemuster.metadata.predicate import TRUE, Bound, references
from lakemuster.planner.columns import flat
from lakemuster.planner.paimon.file_indexes import EMBEDDED
from lakemuster.planner.paimon.reading import PaimonReading, bucket_filter
from lakemuster.planner.pruning.project import Together
from lakemuster.planner.pruning.prune import Mask, can_match
from lakemuster.planner.pruning.statistics import Arrays, PartitionStatistics
from lakemuster.planner.pruning.zones import ZONE_ROWS
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.outline import Outline, SpecOutline, ZoneStatistics
from lakemuster.planner.scan.packs import Pack, Question, leaf_types
from lakemuster.planner.shape import Part

FEW_MANIFESTS = 4
"""So few manifests are not asked for their zones: their entries are looked at as quickly."""

CACHED_SELECTIONS = 256

FEW_OF_A_PACK = 16
"""Of less than this part of a pack that nothing is known of yet, manifests are asked one by one."""

REMEMBERED_FILES = 1 << 16
"""Files of one selection that need not be found anew for its next page."""

_END = 1 << 62

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A manifest that may list matching files.

    Attributes:
        number: of the part among the outline's data parts.
        runs: (start, end) of the entries that its zones leave.
        entries: how many those are.
    """

    number: int
    part: Part
    spec: SpecOutline
    runs: tuple[tuple[int, int], ...]
    entries: int


@dataclass(slots=True)
class Remembered:
    """Files of candidates that were looked at, as far as :data:`REMEMBERED_FILES` goes."""

    rows: dict[tuple[int, frozenset[int] | None], Rows] = field(default_factory=dict)
    room: int = REMEMBERED_FILES

    def keep(self, key: tuple[int, frozenset[int] | None], rows: Rows) -> None:
        """Remember, if there is room."""
        cost = len(rows) + 1
        if cost <= self.room:
            self.room -= cost
            self.rows[key] = rows


@dataclass(frozen=True, slots=True)
class Survivors:
    """What is left before entries are looked at.

    Attributes:
        candidates: in list order.
        manifests: how many the predicate left of all.
        remembered: what was found in them.
    """

    candidates: tuple[Candidate, ...]
    manifests: int
    remembered: Remembered = field(default_factory=Remembered)
    _questions: dict[SpecOutline, Question] = field(default_factory=dict)

    def question(self, spec: SpecOutline, bound: Bound) -> Question:
        """The predicate as packs of a spec are asked it."""
        if spec not in self._questions:
            self._questions[spec] = Question.of(spec.index, bound, spec.projection)
        return self._questions[spec]


@lru_cache(maxsize=CACHED_SELECTIONS)
def survivors(outline: Outline, bound: Bound) -> Survivors:
    """Prune manifests by their partition summaries, and their entries by zones."""
    found: list[Candidate] = []
    manifests = 0
    for spec in outline.specs:
        kept = manifests_read(spec) & manifests_in_bucket(spec, bound) & manifests_kept(spec, bound)
        manifests += int(kept.sum())
        found += _by_zones(spec, bound, kept)
    return Survivors(tuple(sorted(found, key=lambda candidate: candidate.number)), manifests)


def manifests_kept(spec: SpecOutline, bound: Bound) -> Mask:
    """Mark the manifests of a spec that can list matching files, as far as their partitions tell."""
    if bound == TRUE:
        return np.ones(len(spec.parts), np.bool_)
    return can_match(bound, Together(Arrays(len(spec.parts), {}), spec.manifests, spec.projection))


def manifests_read(spec: SpecOutline) -> Mask:
    """Mark the manifests of a spec that may list files which the scan reads."""
    if isinstance(spec.reading, PaimonReading):
        return spec.reading.manifests([part.manifest.header for part in spec.parts])
    return np.ones(len(spec.parts), np.bool_)


def manifests_in_bucket(spec: SpecOutline, bound: Bound) -> Mask:
    """Mark the manifests of a spec that may list files of the buckets of a predicate's keys."""
    if isinstance(spec.reading, PaimonReading) and (found := bucket_filter(spec.reading, bound)) is not None:
        headers = [part.manifest.header for part in spec.parts]
        columns = (
            np.array([-1 if (n := getattr(h, name)) is None else n for h in headers], np.int64)
            for name in ("min_bucket", "max_bucket", "total_buckets")
        )
        return found.any_between(*columns)
    return np.ones(len(spec.parts), np.bool_)


def zones_kept(spec: SpecOutline, bound: Bound) -> Mask:
    """Mark the zones of all manifests of a spec that can hold matching files."""
    columns = ZoneStatistics(spec, "column", leaf_types(bound))
    partitions = ZoneStatistics(spec, "partition", spec.projection.types())
    return can_match(bound, Together(columns, partitions, spec.projection))


def _by_zones(spec: SpecOutline, bound: Bound, kept: Mask) -> Iterator[Candidate]:
    numbers = np.flatnonzero(kept).tolist()
    if bound == TRUE or len(numbers) <= FEW_MANIFESTS:
        for number in numbers:
            rows = spec.part_rows[number]
            if rows:
                yield Candidate(spec.numbers[number], spec.parts[number], spec, ((0, rows),), rows)
        return
    counts = np.array(spec.zone_counts, np.int64)
    ends = np.cumsum(counts)
    zones = zones_kept(spec, bound) & kept.repeat(counts)
    # A run begins where a zone follows one that is dropped, or is the first of its manifest; and ends likewise.
    edge = np.zeros(len(zones) + 1, np.bool_)
    edge[0] = edge[ends] = True
    starts = np.flatnonzero(zones & (edge[:-1] | ~np.concatenate([[False], zones[:-1]])))
    stops = np.flatnonzero(zones & (edge[1:] | ~np.concatenate([zones[1:], [False]]))) + 1
    owners = np.searchsorted(ends, starts, side="right")
    first = (ends - counts)[owners]
    pairs = zip(((starts - first) * ZONE_ROWS).tolist(), ((stops - first) * ZONE_ROWS).tolist(), strict=True)
    for number, group in groupby(zip(owners.tolist(), pairs, strict=True), itemgetter(0)):
        rows = spec.part_rows[number]
        runs = tuple((start, min(stop, rows)) for _, (start, stop) in group)
        entries = sum(stop - start for start, stop in runs)
        yield Candidate(spec.numbers[number], spec.parts[number], spec, runs, entries)


def zone_runs(zones: Mask, rows: int) -> tuple[tuple[int, int], ...]:
    """The (start, end) of entries that lie in the marked zones of a manifest of so many."""
    edges = np.flatnonzero(np.diff(zones.astype(np.int8), prepend=0, append=0))
    pairs = edges.reshape(-1, 2) * ZONE_ROWS
    return tuple((start, min(end, rows)) for start, end in pairs.tolist())


def files_kept(outline: Outline, candidate: Candidate, bound: Bound, added_in: frozenset[int] | None = None) -> Rows:
    """The positions, in the segment, of the live files of a manifest that can hold matching rows.

    Args:
        added_in: only files that one of these snapshots added.
    """
    found: list[Rows] = []
    for start, entries in entries_of(outline, candidate, bound, incremental=added_in is not None):
        keep = readable(outline, candidate.part, entries, start)
        if added_in is not None:
            keep &= _added_in(candidate.part, entries, added_in)
        if bound != TRUE:
            keep = entries_kept(candidate.spec, entries, bound, keep)
        found.append(np.flatnonzero(keep) + start)
    return np.concatenate([np.zeros(0, np.int64), *found]) if len(found) != 1 else found[0]


def rows_of(
    outline: Outline, bound: Bound, added_in: frozenset[int] | None, start: Position, end: Position | None
) -> Iterator[tuple[Candidate, Rows]]:
    """The files that a predicate keeps from ``start`` to before ``end``, manifest by manifest, as positions."""
    left = survivors(outline, bound)
    first = bisect_left(left.candidates, start.part, key=_number)
    last = len(left.candidates) if end is None else bisect_right(left.candidates, end.part, key=_number)
    for _, group in groupby(left.candidates[first:last], _pack):
        own = tuple(group)
        low = start.offset if own[0].number == start.part else 0
        high = end.offset if end is not None and own[-1].number == end.part else own[-1].runs[-1][1]
        found = list(_found(left, outline, own, (low, high), bound, added_in))
        found[-1] = found[-1][: np.searchsorted(found[-1], high)]
        found[0] = found[0][np.searchsorted(found[0], low) :]
        yield from ((candidate, rows) for candidate, rows in zip(own, found, strict=True) if len(rows))


def _number(candidate: Candidate) -> int:
    return candidate.number


def _pack(candidate: Candidate) -> tuple[SpecOutline, Pack]:
    return candidate.spec, candidate.spec.pack_of(candidate.number)[0]


def _found(
    left: Survivors,
    outline: Outline,
    group: Sequence[Candidate],
    ends: tuple[int, int],
    bound: Bound,
    added_in: frozenset[int] | None,
) -> Sequence[Rows]:
    """The files of some candidates of one pack, of the first and the last at least those between ``ends``."""
    known = left.remembered.rows
    missing = [candidate for candidate in group if (candidate.number, added_in) not in known]
    found = {c.number: known[c.number, added_in] for c in group if (c.number, added_in) in known}
    if missing:
        ends_of = {group[0].number: (ends[0], _END), group[-1].number: (0, ends[1])}
        if len(group) == 1:
            ends_of[group[0].number] = ends
        within = [_within(candidate, *ends_of.get(candidate.number, (0, _END))) for candidate in missing]
        all_entries, entries = (sum(candidate.entries for candidate in some) for some in (missing, within))
        whole = entries * 4 >= all_entries or all_entries <= min(REMEMBERED_FILES // 4, left.remembered.room)
        looked_at = missing if whole else within
        for candidate, rows in zip(missing, _looked_at(left, outline, looked_at, bound, added_in), strict=True):
            found[candidate.number] = rows
            if whole:
                left.remembered.keep((candidate.number, added_in), rows)
    return [found[candidate.number] for candidate in group]


def _looked_at(
    left: Survivors, outline: Outline, group: Sequence[Candidate], bound: Bound, added_in: frozenset[int] | None
) -> Sequence[Rows]:
    """The files of some candidates of one pack."""
    spec = group[0].spec
    pack = spec.pack_of(group[0].number)[0]
    question = None if added_in is not None or isinstance(spec.reading, PaimonReading) else left.question(spec, bound)
    entries = sum(candidate.entries for candidate in group)
    if not entries:
        return [np.zeros(0, np.int64)] * len(group)
    if question is None or (entries * FEW_OF_A_PACK < pack.rows and not question.is_ready(pack)):
        return [files_kept(outline, candidate, bound, added_in) for candidate in group]
    starts = [int(pack.starts[spec.pack_of(candidate.number)[1]]) for candidate in group]
    spans = [
        slice(first + start, first + end)
        for first, candidate in zip(starts, group, strict=True)
        for start, end in candidate.runs
    ]
    rows = question.kept(pack, None if entries == pack.rows else spans)
    edges = np.searchsorted(rows, starts).tolist()
    return [rows[a:b] - first for a, b, first in zip(edges, [*edges[1:], len(rows)], starts, strict=True)]


def _within(candidate: Candidate, low: int, high: int) -> Candidate:
    """The candidate without the entries before ``low`` and from ``high`` on."""
    if not candidate.runs or (low <= candidate.runs[0][0] and high >= candidate.runs[-1][1]):
        return candidate
    runs = tuple((max(start, low), min(end, high)) for start, end in candidate.runs if end > low and start < high)
    return replace(candidate, runs=runs, entries=sum(end - start for start, end in runs))


def entries_of(
    outline: Outline, candidate: Candidate, bound: Bound, *, incremental: bool = False, more: Collection[str] = ()
) -> Iterator[tuple[int, pa.Table]]:
    """The entries of each run, with the columns that a predicate looks at; and the first one's position.

    Args:
        more: kinds of columns, or names of entries' own, that are wanted too.
    """
    segment = outline.index.segments.open(candidate.part.manifest.segment)
    names = _columns(segment, bound, candidate.spec, incremental=incremental)
    if more:
        names += [name for name in segment.schema.names if name.partition(".")[0] in more and name not in names]
    for start, end in candidate.runs:
        yield start, segment.rows(start, end, names)


def entry_statistics(spec: SpecOutline, entries: pa.Table) -> Together:
    """Statistics of entries of one spec, columns and partitions."""
    return Together(spec.reading.statistics(entries), entry_partitions(spec, entries), spec.projection)


def entry_partitions(spec: SpecOutline, entries: pa.Table) -> PartitionStatistics:
    """Statistics of entries' partitions."""
    return PartitionStatistics(entries, entries.num_rows, spec.field_ids)


def entries_kept(spec: SpecOutline, entries: pa.Table, bound: Bound, among: Mask) -> Mask:
    """Mark, of some entries, those that a predicate cannot drop alone."""
    keep = among & can_match(bound, entry_statistics(spec, entries))
    if isinstance(spec.reading, PaimonReading):
        if (buckets := spec.reading.in_bucket(entries, bound)) is not None:
            keep &= buckets
        keep = spec.reading.by_index(entries, bound, keep)
    return keep


def readable(outline: Outline, part: Part, entries: pa.Table, start: int) -> Mask:
    """Mark the entries that are live in the snapshot and that the scan reads; ``start`` as of :func:`live`."""
    keep = live(outline, part, entries, start)
    if isinstance(outline.reading, PaimonReading) and (seen := outline.reading.readable(entries)) is not None:
        keep &= seen
    return keep


def live(outline: Outline, part: Part, entries: pa.Table, start: int) -> Mask:
    """Mark the entries that are live in the snapshot; ``start`` is the first one's position in the manifest."""
    status = flat(entries.column("status")).to_numpy()
    if outline.view.table.format == "iceberg":
        return np.asarray(status != DELETED)
    keep = np.asarray(status == ADDED)
    snapshot = outline.view.snapshot
    incremental = isinstance(outline.reading, PaimonReading) and outline.reading.scan != "all"
    dead = None if snapshot is None or incremental else snapshot.dead_rows
    if dead is not None and len(dead):
        first = part.first_row + start
        keep[dead[(dead >= first) & (dead < first + len(keep))] - first] = False
    return keep


def _added_in(part: Part, entries: pa.Table, snapshots: frozenset[int]) -> Mask:
    added = np.asarray(flat(entries.column("status")).to_numpy() == ADDED)
    inherited = part.manifest.header.added_snapshot_id
    if "snapshot_id" in entries.column_names:
        own = flat(entries.column("snapshot_id"))
        if inherited is not None:
            own = own.fill_null(inherited)
        known = np.isin(own.fill_null(0).to_numpy(), list(snapshots))
        return np.asarray(added & known & own.is_valid().to_numpy(zero_copy_only=False))
    return added if inherited in snapshots else np.zeros(len(added), np.bool_)


def _columns(segment: Segment, bound: Bound, spec: SpecOutline, *, incremental: bool) -> list[str]:
    """Of a segment's columns, those that evaluation looks at."""
    names = list(spec.reading.base)
    if incremental and "snapshot_id" in segment.schema.names:
        names.append("snapshot_id")
    if bound == TRUE:
        return names
    if isinstance(spec.reading, PaimonReading) and spec.reading.indexes_alone and EMBEDDED in segment.schema.names:
        names.append(EMBEDDED)
    own = segment.columns_of
    for partition_field in spec.projection.spec.fields:
        names += [name for name in own.get(partition_field.field_id, ()) if name.startswith("partition.")]
    for field_id in references(bound):
        names += spec.reading.columns(own.get(field_id, ()))
    return names
