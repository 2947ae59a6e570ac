"""Explain a plan: how many manifests, segments, zones and entries each conjunct dropped, and why for any file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from lakemuster.caching import cached
from lakemuster.planner.columns import partition_names
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import Mask, can_match
from lakemuster.planner.pruning.statistics import Arrays
from lakemuster.planner.scan.applied import NotApplied, applied
from lakemuster.planner.scan.packs import PackPredicate
from lakemuster.planner.scan.paths import find
from lakemuster.planner.scan.plan_rules import groups_of
from lakemuster.planner.scan.reasons import Reason, reasons
from lakemuster.planner.scan.runs import PlaceRanges, runs_of
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.scan_rules import ScanRules
from lakemuster.planner.scan.selection import (
    Candidate,
    entries_of,
    entry_statistics,
    kept_of_pack,
    live,
    manifests_in_bucket,
    manifests_kept,
    manifests_read,
    zone_runs,
    zones_kept,
)
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import TRUE, Bound, conjuncts, text_of

LevelName = Literal["manifests", "segments", "zones", "entries", "indexes", "groups"]

TOGETHER = "several conditions together"
"""Reported instead of a conjunct if none alone drops a segment, a file by its indexes, or a group of files."""

OTHER_BUCKET = "the bucket that the key hashes to"
"""Reported instead of a conjunct for a file of another bucket."""


@dataclass(frozen=True, slots=True)
class Level:
    """One step of pruning.

    Attributes:
        seen: the number of items that reached it; live entries only.
        dropped_by: the number of items that each conjunct dropped first, in the order of the filter.
    """

    name: LevelName
    seen: int
    dropped_by: dict[str, int]

    @property
    def dropped(self) -> int:
        """The number of items that all conjuncts dropped."""
        return sum(self.dropped_by.values())

    @property
    def kept(self) -> int:
        """The number of items that are left."""
        return self.seen - self.dropped


@dataclass(frozen=True, slots=True)
class FileReason:
    """The reason why a plan contains or omits a file.

    Attributes:
        state: ``absent`` from the snapshot; ``deleted`` from it; ``dropped`` by the filter; ``kept``.
        level: the level that dropped it.
        dropped_by: the first conjunct that drops it.
        reasons: a reason for every comparison at that level; for kept files, from the file's own statistics.
    """

    file_path: str
    state: Literal["absent", "deleted", "dropped", "kept"]
    level: LevelName | None = None
    dropped_by: str | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a plan."""

    levels: tuple[Level, ...]
    applied: tuple[str, ...]
    not_applied: tuple[NotApplied, ...]
    files: tuple[FileReason, ...] = ()


NO_RULES: Mapping[str, Mask] = {}

_ONE = np.ones(1, np.bool_)


@dataclass(slots=True)
class _Counting:
    conjuncts: tuple[Bound, ...]
    seen: dict[LevelName, int] = field(default_factory=dict)
    dropped: dict[LevelName, dict[str, int]] = field(default_factory=dict)

    def add(self, level: LevelName, masks: Sequence[Mask], among: Mask, rules: Mapping[str, Mask] = NO_RULES) -> Mask:
        """Count what each conjunct drops of ``among`` after the conjuncts before it.

        Args:
            rules: masks to apply before any conjunct, by their description.

        Returns:
            the mask of what is left.
        """
        self.seen[level] = self.seen.get(level, 0) + int(among.sum())
        counts = self.dropped.setdefault(level, {})
        left = among
        for text, mask in (*rules.items(), *zip(map(text_of, self.conjuncts), masks, strict=True)):
            if lost := int((left & ~mask).sum()):
                self.lose(counts, text, lost)
            left = left & mask
        return left

    def lose(self, counts: dict[str, int], text: str, lost: int) -> None:
        """Add to the count of one conjunct."""
        counts[text] = counts.get(text, 0) + lost


def explain(scan: ScanIndex, bound: Bound, files: Sequence[str] = ()) -> Explanation:
    """Explain what a predicate does to a snapshot's data files.

    Args:
        files: locations to explain one by one, as recorded or after rewrites.
    """
    levels = _levels(scan, bound)
    return Explanation(levels, *applied(scan, bound), tuple(_explain_files(scan, bound, files)))


def combined(one: Explanation, other: Explanation) -> Explanation:
    """Combine the explanations of two branches: add their counts, and report each file where it got furthest."""
    levels = {level.name: level for level in one.levels}
    for level in other.levels:
        known = levels.get(level.name, Level(level.name, 0, {}))
        lost = {**known.dropped_by}
        for text, count in level.dropped_by.items():
            lost[text] = lost.get(text, 0) + count
        levels[level.name] = Level(level.name, known.seen + level.seen, lost)
    kept = {"kept": 3, "dropped": 2, "deleted": 1, "absent": 0}
    pairs = zip(one.files, other.files, strict=True)
    files = tuple(max(pair, key=lambda file: kept[file.state]) for pair in pairs)
    return replace(one, levels=tuple(levels.values()), files=files)


@cached("explanations", lambda _: 8000, lambda scan, bound: (scan.cache_key, bound))
def _levels(scan: ScanIndex, bound: Bound) -> tuple[Level, ...]:
    counting = _Counting(conjuncts(bound) or (bound,))
    for spec in scan.specs:
        _count(scan, spec, bound, counting)
    names: tuple[LevelName, ...] = ("manifests", "segments", "zones", "entries")
    if "indexes" in counting.seen:
        names = (*names, "indexes")
    if scan.rules.drops_groups:
        _count_groups(scan, bound, counting)
        names = (*names, "groups")
    return tuple(Level(name, counting.seen.get(name, 0), counting.dropped.get(name, {})) for name in names)


def _count(scan: ScanIndex, spec: SpecIndex, bound: Bound, counting: _Counting) -> None:
    parts = counting.conjuncts
    everything = np.ones(len(spec.parts), np.bool_)
    manifests = [manifests_kept(spec, conjunct) for conjunct in parts]
    rules = _rules(spec, manifests_read(spec), manifests_in_bucket(spec, bound))
    kept = counting.add("manifests", manifests, everything, rules)

    counts = np.array(spec.zone_counts, np.int64)
    owner = np.repeat(np.arange(len(spec.parts)), counts)
    zones = [zones_kept(spec, conjunct) for conjunct in parts]
    left = np.asarray(np.logical_and.reduce(zones)) & kept[owner]
    some = _any_of(left, owner, len(spec.parts))
    counting.add("segments", [_any_of(mask, owner, len(spec.parts)) | some for mask in zones], kept)
    scattered = (
        np.asarray(np.logical_and.reduce([_any_of(mask, owner, len(spec.parts)) for mask in zones])) & kept & ~some
    )
    if lost := int(scattered.sum()):
        counting.lose(counting.dropped["segments"], TOGETHER, lost)
    counting.add("zones", zones, (kept & some)[owner])

    if spec.rules.evaluates_packs:
        _count_packs(spec, PlaceRanges.of(left, spec.zone_starts), counting)
        return
    first = np.cumsum(counts) - counts
    for number in np.flatnonzero(some).tolist():
        own = left[first[number] : first[number] + counts[number]]
        runs = zone_runs(own, spec.rows(spec.parts[number]))
        candidate = Candidate(spec.numbers[number], spec.parts[number], spec, runs, 0)
        for start, entries in entries_of(scan, candidate, bound):
            statistics = entry_statistics(spec, entries)
            masks = [can_match(conjunct, statistics) for conjunct in parts]
            standing = live(scan, spec.parts[number], entries, start)
            kept_entries = counting.add("entries", masks, standing, _entry_rules(spec, entries, bound))
            if spec.rules.index_column in entries.column_names:
                _count_indexes(spec.rules, entries, bound, kept_entries, counting)


def _count_packs(spec: SpecIndex, runs: PlaceRanges, counting: _Counting) -> None:
    """Count entries pack by pack, as plans evaluate them."""
    asked = [
        (bound, PackPredicate.of(spec.index, bound, spec.projection, spec.rules.members))
        for bound in (TRUE, *counting.conjuncts)
    ]
    runs = runs.cut(spec.pack_starts)
    for pack, first, end in runs_of(np.searchsorted(spec.pack_starts, runs.starts, side="right") - 1):
        own, masks = PlaceRanges(runs.starts[first:end], runs.ends[first:end]), list[Mask]()
        for bound, predicate in asked:
            mask = np.zeros(spec.packs[pack].rows, np.bool_)
            mask[kept_of_pack(spec, pack, own, bound, predicate)] = True
            masks.append(mask)
        counting.add("entries", masks[1:], masks[0])


def _count_indexes(rules: ScanRules, entries: pa.Table, bound: Bound, among: Mask, counting: _Counting) -> None:
    """Count the files that the indexes in their entries drop."""
    left = counting.add("indexes", [rules.by_index(entries, c, among) for c in counting.conjuncts], among)
    if lost := int((left & ~rules.by_index(entries, bound, left)).sum()):
        counting.lose(counting.dropped["indexes"], TOGETHER, lost)


def _entry_rules(spec: SpecIndex, entries: pa.Table, bound: Bound) -> Mapping[str, Mask]:
    return _rules(spec, spec.rules.readable(entries), spec.rules.in_bucket(entries, bound))


def _rules(spec: SpecIndex, read: Mask | None, in_bucket: Mask | None) -> Mapping[str, Mask]:
    found = {spec.rules.unread: read, OTHER_BUCKET: in_bucket}
    return {text: mask for text, mask in found.items() if mask is not None}


def _count_groups(scan: ScanIndex, bound: Bound, counting: _Counting) -> None:
    """Count the files that are dropped only as a group."""
    files = groups_of(scan).members(scan, bound)
    everything = np.ones(len(files.row), np.bool_)
    if bound == TRUE or not len(everything):
        counting.add("groups", [everything] * len(counting.conjuncts), everything)
        return
    left = counting.add("groups", [files.in_kept_groups(c) for c in counting.conjuncts], everything)
    if lost := int((left & ~files.in_kept_groups(bound)).sum()):
        counting.lose(counting.dropped["groups"], TOGETHER, lost)


def _any_of(zones: Mask, owner: np.ndarray[tuple[int], np.dtype[np.int64]], count: int) -> Mask:
    return np.asarray(np.bincount(owner, zones, count) > 0)


def _explain_files(scan: ScanIndex, bound: Bound, files: Sequence[str]) -> Iterator[FileReason]:
    if not files:
        return
    wanted = dict.fromkeys(files)
    found: dict[str, FileReason] = {}
    for spec in scan.specs:
        for path, number, row in find(scan, spec, wanted):
            if path not in found or found[path].state == "deleted":
                found[path] = _explain_file(scan, spec, number, row, path, bound)
    for path in wanted:
        yield found.get(path) or FileReason(path, "absent")


def _explain_file(scan: ScanIndex, spec: SpecIndex, number: int, row: int, path: str, bound: Bound) -> FileReason:
    part = spec.parts[number]
    candidate = Candidate(spec.numbers[number], part, spec, ((row, row + 1),), 1)
    ((_, entry),) = entries_of(scan, candidate, bound)
    if not live(scan, part, entry, row)[0]:
        return FileReason(path, "deleted")
    for rule, mask in _entry_rules(spec, entry, bound).items():
        if not mask[0]:
            why = Reason(text_of(bound), None, "cannot match", {}, rule)
            return FileReason(path, "dropped", "entries", rule, (why,))
    names = partition_names([spec.projection.spec])
    alone = replace(spec, parts=(part,), numbers=(0,))
    if not manifests_kept(alone, bound)[0]:
        statistics = JointStatistics(Arrays(1, {}), alone.manifests, spec.projection)
        why_manifest = tuple(reasons(bound, statistics, names, partitions_only=True))
        return FileReason(path, "dropped", "manifests", _first_that_drops(bound, statistics), why_manifest)
    statistics = entry_statistics(spec, entry)
    if not can_match(bound, statistics)[0]:
        # The statistics of an entry drop whatever its zone's do, and are more specific.
        why_entry = tuple(reasons(bound, statistics, names))
        return FileReason(path, "dropped", "entries", _first_that_drops(bound, statistics), why_entry)
    found = [*reasons(bound, statistics, names)]
    if spec.rules.index_column in entry.column_names:
        found += spec.rules.index_reasons(bound, entry)
        by = [text_of(c) for c in conjuncts(bound) if not spec.rules.by_index(entry, c, _ONE)[0]]
        if by or not spec.rules.by_index(entry, bound, _ONE)[0]:
            return FileReason(path, "dropped", "indexes", by[0] if by else TOGETHER, tuple(found))
    if scan.rules.drops_groups:
        return _of_group(scan, spec, candidate, row, path, bound)
    return FileReason(path, "kept", reasons=tuple(found))


def _of_group(scan: ScanIndex, spec: SpecIndex, candidate: Candidate, row: int, path: str, bound: Bound) -> FileReason:
    """Explain a file that is dropped only with its group."""
    groups = groups_of(scan)
    files = groups.members(scan, bound)
    own = files.of_part(candidate.number)
    place = own.start + int(np.searchsorted(files.row[own], row))
    statistics = groups.statistics(scan, candidate.number, np.array([row]), bound)
    why = tuple(reasons(bound, statistics, partition_names([spec.projection.spec])))
    why = (*why, *groups.index_reasons(scan, candidate.number, row, bound))
    if bound == TRUE or files.in_kept_groups(bound)[place]:
        if not can_match(bound, statistics)[0]:
            others = "files that are read together with it may hold a matching row"
            why = (*why, Reason(text_of(bound), None, "may match", {}, others))
        return FileReason(path, "kept", reasons=why)
    by = next((text_of(c) for c in conjuncts(bound) if not files.in_kept_groups(c)[place]), TOGETHER)
    return FileReason(path, "dropped", "groups", by, why)


def _first_that_drops(bound: Bound, statistics: JointStatistics) -> str | None:
    return next((text_of(c) for c in conjuncts(bound) or (bound,) if not can_match(c, statistics)[0]), None)
