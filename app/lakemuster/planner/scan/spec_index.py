"""The scan index of one partition spec: where its manifests' entries are, their partition summaries and zones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lakemuster.caching import Cache
from lakemuster.formats.iceberg.usable_bounds import usable_summary
from lakemuster.formats.iceberg.values import decode_value
from lakemuster.index import Index
from lakemuster.index.packed import SegmentSource, sources_of
from lakemuster.index.segments import Segment
from lakemuster.index.zones import PARTITION, ZONE_ROWS, zone_count
from lakemuster.metadata.files import column
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import internal_array
from lakemuster.planner.inherited import Inheritance
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats, PreparedStats
from lakemuster.planner.pruning.statistics import Arrays, PartitionStatistics
from lakemuster.planner.pruning.zones import stacked, written_zones, zones_of
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan.packs import FieldKind, Pack, packs_of, weight_of
from lakemuster.planner.scan.runs import Owners, Places, runs_of
from lakemuster.planner.scan.scan_rules import ScanRules
from lakemuster.predicates import Bound, BoundLeaf

_zone_cache: Cache[tuple[object, ...], FieldStats] = Cache("zones", weight_of)
"""A field's zones, by pack or spec index, and field."""

_prepared_zones: Cache[tuple[object, ...], PreparedStats] = Cache(
    "zones", lambda key, prepared: 3 * weight_of(key, prepared.stats)
)
"""A field's zones prepared for evaluation, by spec index and field: bounds in up to two forms more."""


def _pack_zones(index: Index, pack: Pack, rows: Sequence[Sequence[int]], of: _ZonesOf) -> FieldStats:
    """Return a field's zones over a pack, cached; ``rows`` counts the entries of each segment's manifests."""

    def make() -> FieldStats:
        parts = [_segment_zones(index, name, own, of) for name, own in zip(pack.segments, rows, strict=True)]
        return stacked(parts, [sum(map(zone_count, own)) for own in rows], of.of)

    return _zone_cache.get_or_make((pack, of), make)


def _segment_zones(index: Index, name: str, rows: Sequence[int], of: _ZonesOf) -> FieldStats:
    """Return the zones written with a segment; where they are missing or unusable, compute them from its entries."""
    zones = index.segments.zones(name)
    if zones is not None and zones.num_rows == sum(map(zone_count, rows)):
        prefix = PARTITION if of.kind == "partition" else of.rules.written_zones(zones, of.field_id)
        if prefix is not None and (found := written_zones(zones, prefix, of.field_id, of.of)) is not None:
            return _without_doubted(found, of) if of.kind == "column" and of.rules.has_value_counts else found
    return zones_of(_recorded(index.segments.open(name), of), of.of, rows)


def _without_doubted(zones: FieldStats, of: _ZonesOf) -> FieldStats:
    """Return zones of a column without counts that may not cover all rows: zones do not record how many there are."""
    return replace(zones, value_count=None, null_count=None if of.field_id in of.rules.members else zones.null_count)


class _ZonesOf(NamedTuple):
    """A cache key for zones: a column or partition field, in the type that a predicate assumes for it."""

    kind: FieldKind
    field_id: int
    of: Primitive
    rules: ScanRules


def _recorded(segment: Segment, column_of: _ZonesOf) -> FieldStats:
    """Return a field's statistics over a segment's entries, with bounds in the type of the key."""
    kind, field_id, of, rules = column_of
    if kind == "partition":
        names = [name for name in segment.columns_of.get(field_id, ()) if name == column("partition", field_id)]
        found = PartitionStatistics(segment.table(names), segment.num_rows, frozenset((field_id,)))
        stats: FieldStats | None = found.field(field_id)
    else:
        own = rules.columns(segment.columns_of.get(field_id, ()))
        stats = rules.statistics(segment.table([*rules.base, *own])).field(field_id)
    target = arrow_type(of)
    if stats is None or target is None:
        return FieldStats()
    lower, upper = (None if of is None else cast_or_none(of, target) for of in (stats.lower, stats.upper))
    return replace(stats, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class SpecIndex:
    """The data manifests of one partition spec.

    Attributes:
        numbers: the numbers of the parts among all data parts of the snapshot.
        projection: projects predicates on columns to this spec's partitions.
        rules: the rules of the table's format for the scan.
        cache_key: identifies this index in the keys of caches, which must not keep it alive.
    """

    index: Index
    parts: tuple[ManifestPart, ...]
    numbers: tuple[int, ...]
    projection: PartitionPredicates
    rules: ScanRules
    cache_key: object = field(default_factory=object, compare=False)

    @property
    def spec_id(self) -> int:
        """The id of the spec."""
        return self.projection.spec.spec_id

    @cached_property
    def field_ids(self) -> frozenset[int]:
        """The ids of the spec's partition fields."""
        return frozenset(field.field_id for field in self.projection.spec.fields)

    @cached_property
    def manifests(self) -> Arrays:
        """Partition summaries, one row per manifest."""
        types = self.projection.types()
        fields = {
            field_id: found
            for field_id, of in types.items()
            if (found := _summaries(self.headers, field_id, of)) is not None
        }
        return Arrays(len(self.headers), fields)

    @cached_property
    def ready_manifests(self) -> dict[int, PreparedStats]:
        """The fields of ``manifests``, prepared for repeated evaluation."""
        types = self.projection.types()
        return {i: PreparedStats(stats, types[i], self.manifests.rows) for i, stats in self.manifests.fields.items()}

    @cached_property
    def part_rows(self) -> tuple[int, ...]:
        """The number of entries of each part."""
        return tuple(map(self.rows, self.parts))

    @cached_property
    def part_starts(self) -> Places:
        """(P + 1,) where each part's entries begin among those of all parts. A *place* is an index among all."""
        return np.cumsum([0, *self.part_rows])

    @cached_property
    def part_numbers(self) -> Places:
        """(P,) ``numbers`` as an array."""
        return np.array(self.numbers, np.int64)

    @cached_property
    def headers(self) -> tuple[ManifestHeader, ...]:
        """The parts' headers."""
        return tuple(part.manifest.header for part in self.parts)

    @cached_property
    def inheritance(self) -> Inheritance:
        """The values that entries inherit from their parts."""
        return Inheritance.of(self.headers)

    @cached_property
    def _place_of(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.numbers)}

    def place_of(self, number: int) -> int:
        """Return the position in ``parts`` of the part with a number."""
        return self._place_of[number]

    @cached_property
    def zone_counts(self) -> tuple[int, ...]:
        """The number of zones of each part."""
        return tuple(map(zone_count, self.part_rows))

    @cached_property
    def zone_starts(self) -> Places:
        """(Z + 1,) the place where each zone of all parts begins, and where the last one ends."""
        counts = np.array(self.zone_counts, np.int64)
        firsts = np.cumsum(counts) - counts
        inside = np.arange(int(counts.sum())) - firsts.repeat(counts)
        return np.append(self.part_starts[:-1].repeat(counts) + inside * ZONE_ROWS, self.part_starts[-1])

    @cached_property
    def sources(self) -> tuple[SegmentSource, ...]:
        """The segments that hold the parts' entries, in order."""
        segments = [part.manifest.segment for part in self.parts]
        if not self.rules.evaluates_packs:
            return tuple(
                SegmentSource(name, 1, rows, name, rows) for name, rows in zip(segments, self.part_rows, strict=True)
            )
        return tuple(sources_of(self.index, segments, self.part_rows))

    @cached_property
    def packs(self) -> tuple[Pack, ...]:
        """The parts' packs, in order."""
        return tuple(packs_of(self.sources))

    @cached_property
    def _rows_of_packs(self) -> list[list[tuple[int, ...]]]:
        """The number of entries of each manifest, by pack and segment."""
        ends = np.cumsum([source.manifests for source in self.sources]).tolist()
        rows = iter([self.part_rows[a:b] for a, b in pairwise([0, *ends])])
        return [list(islice(rows, len(pack.segments))) for pack in self.packs]

    @cached_property
    def pack_starts(self) -> Places:
        """(K + 1,) the place where each pack begins."""
        return np.cumsum([0, *(pack.rows for pack in self.packs)])

    def owners(self, places: Places) -> Owners:
        """Find the parts, as positions in ``parts``, that hold the entries at some places, ascending."""
        return Owners.of(places, self.part_starts)

    def parts_of(self, places: Places) -> Places:
        """Return the (N,) position in ``parts`` of each entry's part; ``places`` are ascending."""
        return self.owners(places).each(self._positions)

    @cached_property
    def _positions(self) -> Places:
        return np.arange(len(self.parts))

    def rows(self, part: ManifestPart) -> int:
        """Return the number of a part's entries, deleted ones included; decoding has checked the counts of its list."""
        count = self.rules.entry_count(part.manifest.header)
        return self.index.segments.open(part.manifest.segment).num_rows if count is None else count

    def zones(self, kind: FieldKind, field_id: int, of: Primitive) -> FieldStats:
        """Return the zones of a column or partition field over all parts."""
        key = _ZonesOf(kind, field_id, of, self.rules)
        if arrow_type(of) is None:
            return FieldStats()

        def make() -> FieldStats:
            rows = self._rows_of_packs
            found = [_pack_zones(self.index, pack, own, key) for pack, own in zip(self.packs, rows, strict=True)]
            return stacked(found, [sum(map(zone_count, chain.from_iterable(own))) for own in rows], of)

        return _zone_cache.get_or_make((self.cache_key, key), make)

    def prepared_zones(self, kind: FieldKind, field_id: int, of: Primitive) -> PreparedStats:
        """Return :meth:`zones`, prepared for repeated evaluation."""
        key = _ZonesOf(kind, field_id, of, self.rules)

        def make() -> PreparedStats:
            return PreparedStats(self.zones(kind, field_id, of), of, len(self.zone_starts) - 1)

        return _prepared_zones.get_or_make((self.cache_key, key), make)


class PackFiles(NamedTuple):
    """Files of neighbouring manifests.

    Attributes:
        pack: the index of their pack among the spec's packs.
        rows: (N,) their places in the pack, ascending; at least one.
    """

    spec: SpecIndex
    pack: int
    rows: Places

    def by_part(self) -> Iterator[tuple[int, Places]]:
        """Yield each part's position in the spec's parts, and its files' positions in the manifest."""
        places = self.rows + self.spec.pack_starts[self.pack]
        parts = self.spec.parts_of(places)
        for part, start, end in runs_of(parts):
            yield part, places[start:end] - self.spec.part_starts[part]


@dataclass(frozen=True, slots=True)
class ManifestStatistics:
    """Statistics of the manifests of a spec: their partition summaries.

    Attributes:
        kind: the kind of field that :meth:`field` looks up; columns have no statistics.
    """

    scan: SpecIndex
    kind: FieldKind = "column"

    @property
    def rows(self) -> int:
        """The number of manifests."""
        return len(self.scan.parts)

    @property
    def record_count(self) -> None:
        """None: a manifest is not dropped for listing no rows."""

    def field(self, field_id: int) -> PreparedStats | None:
        """Return the summaries of one partition field."""
        return self.scan.ready_manifests.get(field_id) if self.kind == "partition" else None

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, ManifestStatistics] | None:
        """Return the leaf's projection, and the statistics of partitions."""
        bound = None if self.kind == "partition" else self.scan.projection.inclusive(leaf)
        return None if bound is None else (bound, ManifestStatistics(self.scan, "partition"))


@dataclass(frozen=True, slots=True)
class ZoneStatistics:
    """Statistics of columns, or of partition fields, zone by zone, computed on demand.

    Attributes:
        types: the type that the predicate assumes for each field; other fields have no statistics.
    """

    scan: SpecIndex
    types: dict[int, Primitive]
    kind: FieldKind = "column"

    @property
    def rows(self) -> int:
        """The number of zones of all parts."""
        return len(self.scan.zone_starts) - 1

    @property
    def record_count(self) -> None:
        """None: zones do not record it."""

    def field(self, field_id: int) -> PreparedStats | None:
        """Return the zones of one column or partition field, in its type."""
        of = self.types.get(field_id)
        return None if of is None else self.scan.prepared_zones(self.kind, field_id, of)

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, ZoneStatistics] | None:
        """Return the leaf's projection, and the statistics of partitions."""
        projection = self.scan.projection
        bound = None if self.kind == "partition" else projection.inclusive(leaf)
        return None if bound is None else (bound, ZoneStatistics(self.scan, projection.types(), "partition"))


def _summaries(headers: Sequence[ManifestHeader], field_id: int, of: Primitive) -> FieldStats | None:
    """Collect one partition field's summaries; a missing one, or a bound that cannot be converted, is unknown."""
    target = arrow_type(of)
    if target is None:
        return None
    found = [next((s for s in header.partitions or () if s.field_id == field_id), None) for header in headers]

    def flags(answers: list[bool | None]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([0 if answer is False else UNKNOWN for answer in answers], np.int64)

    pairs = [(None, None) if s is None else _pair(s, of) for s in found]
    return FieldStats(
        _bounds([lower for lower, _ in pairs], target),
        _bounds([upper for _, upper in pairs], target),
        flags([_contains_null(s) for s in found]),
        flags([None if s is None else s.contains_nan for s in found]),
    )


def _contains_null(summary: PartitionFieldSummary | None) -> bool | None:
    if summary is None:
        return None
    if summary.contains_null is None and summary.null_count is not None:
        return summary.null_count > 0
    return summary.contains_null


def _pair(summary: PartitionFieldSummary, of: Primitive) -> tuple[object, object]:
    lower = _bound(summary.lower, summary.lower_raw, of)
    return usable_summary(lower, _bound(summary.upper, summary.upper_raw, of), of)


def _bound(value: object, raw: bytes | None, of: Primitive) -> object:
    """Return the bound in the field's current type: it may have been promoted, so decode Iceberg's bytes again."""
    return value if raw is None else decode_value(of, raw)


def _bounds(values: list[object], target: pa.DataType) -> pa.Array | None:
    try:
        return internal_array(values, target)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
