"""A snapshot in outline: statistics of its manifests, and of zones of their entries, kept at hand between requests.

Everything here is of immutable things: a published snapshot's manifests and their segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.formats.iceberg.values import decode_value
from lakemuster.index import Index
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import DELETED, column
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.predicate import BoundLeaf
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import internal_array
from lakemuster.planner.deletes.deletes import DeleteIndex
from lakemuster.planner.paimon.file_indexes import EMBEDDED
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.paimon.vectors import VectorIndex
from lakemuster.planner.parts import LIVE_ROLES, parts
from lakemuster.planner.pruning.project import Projection
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats
from lakemuster.planner.pruning.statistics import Arrays, PartitionStatistics
from lakemuster.planner.pruning.zones import stacked, zone_count, zones_of
from lakemuster.planner.scan.packs import Pack, kept, packs_of
from lakemuster.planner.scan.reading import IcebergReading, Reading, reading_of
from lakemuster.planner.shape import Part, Shape, Wanted
from lakemuster.planner.shapes.by_format import shape
from lakemuster.planner.view import View

CACHED_OUTLINES = 32
"""Snapshots whose outlines are kept."""

Kind = Literal["column", "partition"]


def _zones(index: Index, pack: Pack, kind: Kind, field_id: int, of: Primitive, reading: Reading) -> FieldStats:
    """A field's zones over the manifests of a pack, kept."""

    def make() -> tuple[FieldStats, int]:
        rows = np.diff(pack.starts).tolist()
        each = [_recorded(index.segments.open(name), kind, field_id, of, reading) for name in pack.segments]
        made = zones_of(stacked(each, rows, of), of, rows)
        parts = (made.lower, made.upper, made.null_count, made.nan_count, made.value_count)
        return made, sum(part.nbytes for part in parts if part is not None)

    return kept((pack, kind, field_id, of, reading), make)


def _recorded(segment: Segment, kind: Kind, field_id: int, of: Primitive, reading: Reading) -> FieldStats:
    """A field's statistics of a segment's entries, bounds in the type that is asked for."""
    if kind == "partition":
        names = [name for name in segment.columns_of.get(field_id, ()) if name == column("partition", field_id)]
        found = PartitionStatistics(segment.table(names), segment.num_rows, frozenset((field_id,)))
        stats: FieldStats | None = found.field(field_id)
    else:
        own = reading.columns(segment.columns_of.get(field_id, ()))
        stats = reading.statistics(segment.table([*reading.base, *own])).field(field_id)
    target = arrow_type(of)
    if stats is None or target is None:
        return FieldStats()
    lower, upper = (None if of is None else cast_or_none(of, target) for of in (stats.lower, stats.upper))
    return replace(stats, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class SpecOutline:
    """The data manifests of one partition spec.

    Attributes:
        numbers: of the parts, among all data parts of the snapshot.
        projection: predicates on columns as predicates on this spec's partitions.
        reading: how their entries are asked.
    """

    index: Index
    parts: tuple[Part, ...]
    numbers: tuple[int, ...]
    projection: Projection
    reading: Reading
    _stacked: dict[tuple[str, int, Primitive], FieldStats] = field(default_factory=dict, compare=False)

    @cached_property
    def field_ids(self) -> frozenset[int]:
        """The spec's partition fields."""
        return frozenset(field.field_id for field in self.projection.spec.fields)

    @cached_property
    def manifests(self) -> Arrays:
        """Partition summaries, a row a manifest."""
        types = self.projection.types()
        headers = [part.manifest.header for part in self.parts]
        fields = {
            field_id: found
            for field_id, of in types.items()
            if (found := _summaries(headers, field_id, of)) is not None
        }
        return Arrays(len(headers), fields)

    @cached_property
    def part_rows(self) -> tuple[int, ...]:
        """Entries of each part."""
        return tuple(map(self.rows, self.parts))

    @cached_property
    def zone_counts(self) -> tuple[int, ...]:
        """Zones of each part."""
        return tuple(map(zone_count, self.part_rows))

    @cached_property
    def packs(self) -> tuple[Pack, ...]:
        """The parts' packs, in order."""
        segments = [part.manifest.segment for part in self.parts]
        return tuple(packs_of(segments, self.part_rows))

    @cached_property
    def _packs(self) -> dict[int, tuple[Pack, int]]:
        places = ((pack, place) for pack in self.packs for place in range(len(pack.segments)))
        return dict(zip(self.numbers, places, strict=True))

    def pack_of(self, number: int) -> tuple[Pack, int]:
        """The pack of a part, by the part's number, and the part's place in it."""
        return self._packs[number]

    def rows(self, part: Part) -> int:
        """Entries of a part, deleted ones too: as its list counts them, which decoding checked, if it does."""
        header = part.manifest.header
        counts = [header.added_files_count, header.deleted_files_count]
        if isinstance(self.reading, IcebergReading):
            counts.append(header.existing_files_count)
        known = [count for count in counts if count is not None]
        if len(known) == len(counts):
            return sum(known)
        return self.index.segments.open(part.manifest.segment).num_rows

    def zones(self, kind: Kind, field_id: int, of: Primitive) -> FieldStats:
        """The zones of a column, or of a partition field, over all parts."""
        key = (kind, field_id, of)
        if key not in self._stacked:
            if arrow_type(of) is None:
                return FieldStats()
            each = [_zones(self.index, pack, kind, field_id, of, self.reading) for pack in self.packs]
            counts = [sum(map(zone_count, np.diff(pack.starts).tolist())) for pack in self.packs]
            self._stacked[key] = stacked(each, counts, of)
        return self._stacked[key]


@dataclass(frozen=True, slots=True)
class ZoneStatistics:
    """Statistics of columns, or of partition fields, zone by zone, made when a leaf asks for them.

    Attributes:
        types: those that the predicate takes fields to have; of others nothing is told.
    """

    outline: SpecOutline
    kind: Kind
    types: dict[int, Primitive]

    @property
    def rows(self) -> int:
        """Zones of all parts."""
        return sum(self.outline.zone_counts)

    @property
    def record_count(self) -> None:
        """Not kept by zone."""

    def field(self, field_id: int) -> FieldStats | None:
        """Of one column or partition field, in its type."""
        return self.outline.zones(self.kind, field_id, self.types[field_id]) if field_id in self.types else None

    def projected(self, leaf: BoundLeaf) -> None:
        """Columns alone know no partitions, and partitions are what others are projected on."""


@dataclass(frozen=True, eq=False)
class Outline:
    """A snapshot's data manifests by spec, and its delete manifests.

    Attributes:
        reading: how entries are asked; for Paimon, which of them are read.
        data: the parts that list data files, in list order.
        deletes: the parts that list delete files.
    """

    index: Index
    view: View
    reading: Reading
    data: tuple[Part, ...]
    deletes: tuple[Part, ...]
    specs: tuple[SpecOutline, ...]
    _columns: dict[int, bool] = field(default_factory=dict)
    _shapes: dict[Wanted, Shape] = field(default_factory=dict)

    def shape(self, wanted: Wanted) -> Shape:
        """The columns of files in the table's format; without statistics, as most plans want them, made once."""
        if wanted.statistics != frozenset():
            return shape(self.view, wanted)
        if wanted not in self._shapes:
            self._shapes[wanted] = shape(self.view, wanted)
        return self._shapes[wanted]

    def has_column(self, field_id: int) -> bool:
        """Whether any data manifest recorded anything of a column."""
        if field_id not in self._columns:
            segments = (self.index.segments.open(part.manifest.segment) for part in self.data)
            self._columns[field_id] = any(field_id in segment.columns_of for segment in segments)
        return self._columns[field_id]

    @cached_property
    def has_indexes(self) -> bool:
        """Whether any data manifest holds indexes of Paimon files that are asked."""
        if not isinstance(self.reading, PaimonReading) or not self.reading.asks_indexes:
            return False
        segments = (self.index.segments.open(part.manifest.segment) for part in self.data)
        return any(EMBEDDED in segment.schema.names for segment in segments)

    @cached_property
    def own(self) -> object:
        """Stands for this outline in keys of what is kept elsewhere, which must not keep it."""
        return object()

    @cached_property
    def delete_tables(self) -> tuple[tuple[Part, pa.Table], ...]:
        """The live entries of each delete manifest, inherited fields filled in."""
        found = []
        for part in self.deletes:
            table = inherit(self.index.segments.open(part.manifest.segment).table(), part.manifest.header)
            found.append((part, table.filter(pc.not_equal(table.column("status"), DELETED))))
        return tuple(found)

    @cached_property
    def delete_index(self) -> DeleteIndex | None:
        """Which delete files apply to a data file; None when there are none."""
        tables = [(part.manifest.header.spec_id, table) for part, table in self.delete_tables if table.num_rows]
        return DeleteIndex.of(tables, self.view.metadata.specs, self.view.schemas) if tables else None

    @cached_property
    def vectors(self) -> VectorIndex | None:
        """Paimon's deletion vectors of the snapshot; None when there are none."""
        if not isinstance(self.reading, PaimonReading) or self.reading.scan != "all":
            return None
        found = parts(self.index, self.view, {"index"})
        tables = [self.index.segments.open(part.manifest.segment).table(None) for part in found]
        return VectorIndex.of(tables, self.view) if tables else None


def outline_of(index: Index, view: View, *, read_optimized: bool = False) -> Outline:
    """The outline of the view's snapshot, made once.

    Args:
        read_optimized: of Paimon: only the files that need no merging.

    Raises:
        FormatUnsupported: options of a Paimon table that are not known.
    """
    reading = reading_of(view, read_optimized=read_optimized)
    if view.snapshot is None:
        return Outline(index, view, reading, (), (), ())
    return _outlines(_Key(index, view, view.snapshot.row_id, view.snapshot.published_at_ms, view.schemas, reading))


@dataclass(frozen=True)
class _Key:
    """Row ids are never used again; publishing anew gives another time; schemas may be added between."""

    index: Index
    view: View = field(compare=False)
    row_id: int
    published_at_ms: int | None
    schemas: tuple[Schema, ...]
    reading: Reading

    def __hash__(self) -> int:
        return hash((self.row_id, self.published_at_ms, len(self.schemas)))


@lru_cache(maxsize=CACHED_OUTLINES)
def _outlines(key: _Key) -> Outline:
    return outline_over(key.index, key.view, parts(key.index, key.view, LIVE_ROLES), key.reading)


def outline_over(index: Index, view: View, all_parts: Sequence[Part], reading: Reading | None = None) -> Outline:
    """The outline of some manifests of a table; ``view`` tells its schemas and specs.

    Args:
        reading: that of a whole snapshot if not given.
    """
    reading = reading or reading_of(view)
    data = tuple(part for part in all_parts if part.manifest.header.content == "data")
    deletes = tuple(part for part in all_parts if part.manifest.header.content == "deletes")
    specs = {spec.spec_id: spec for spec in view.metadata.specs}
    by_spec: dict[int, list[int]] = {}
    for number, part in enumerate(data):
        by_spec.setdefault(part.manifest.header.spec_id, []).append(number)
    outlines = [
        SpecOutline(
            index,
            tuple(data[number] for number in numbers),
            tuple(numbers),
            Projection(specs.get(spec_id) or PartitionSpec(spec_id, ()), view.schemas),
            reading,
        )
        for spec_id, numbers in by_spec.items()
    ]
    return Outline(index, view, reading, data, deletes, tuple(outlines))


def _summaries(headers: Sequence[ManifestHeader], field_id: int, of: Primitive) -> FieldStats | None:
    """One partition field's summaries; a manifest without one is unknown. What is not a bound of ours keeps."""
    target = arrow_type(of)
    if target is None:
        return None
    found = [next((s for s in header.partitions or () if s.field_id == field_id), None) for header in headers]

    def flags(answers: list[bool | None]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([0 if answer is False else UNKNOWN for answer in answers], np.int64)

    return FieldStats(
        _bounds([None if s is None else _bound(s.lower, s.lower_raw, of) for s in found], target),
        _bounds([None if s is None else _bound(s.upper, s.upper_raw, of) for s in found], target),
        flags([_contains_null(s) for s in found]),
        flags([None if s is None else s.contains_nan for s in found]),
    )


def _contains_null(summary: PartitionFieldSummary | None) -> bool | None:
    if summary is None:
        return None
    if summary.contains_null is None and summary.null_count is not None:
        return summary.null_count > 0
    return summary.contains_null


def _bound(value: object, raw: bytes | None, of: Primitive) -> object:
    """The bound in today's type of the field: Iceberg's bytes are read anew, since it may have been promoted."""
    return value if raw is None else decode_value(of, raw)


def _bounds(values: list[object], target: pa.DataType) -> pa.Array | None:
    try:
        return internal_array(values, target)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
