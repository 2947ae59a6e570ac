"""The scan index of a snapshot: its manifests and the zones of their entries, cached between requests.

A published snapshot's manifests and segments never change, so what is computed here is never invalidated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import cached
from lakemuster.index import Index
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import DELETED, column
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.planner.columns import single_array
from lakemuster.planner.deletes.deletes import DeleteIndex
from lakemuster.planner.list_rules import row_projection_of
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns, RowProjection
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.partitions import Partitions
from lakemuster.planner.scan.scan_rules import ScanRules, rules_of
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.view import View

NanCounts = Literal["none", "some", "all"]

_NAN_COUNTS: WeakKeyDictionary[Segment, dict[int, tuple[bool, bool]]] = WeakKeyDictionary()
"""A cache by segment and field id: segments never change, and each commit examines all of a table's again."""


class Stretch(NamedTuple):
    """Consecutive parts of one spec in the snapshot's list.

    Attributes:
        first, end: their range among the spec's parts.
        number: the number of the first one among all data parts.
    """

    spec: SpecIndex
    first: int
    end: int
    number: int

    def position(self, place: int) -> Position:
        """Return the position of the entry at a place."""
        part = int(np.searchsorted(self.spec.part_starts, place, side="right")) - 1
        return Position(self.number + part - self.first, place - int(self.spec.part_starts[part]))


@dataclass(frozen=True, eq=False)
class ScanIndex:
    """A snapshot's data manifests by spec, and its delete manifests.

    Attributes:
        rules: the rules of the table's format: which entries are read, and what may drop one.
        data: the parts that list data files, in list order.
        deletes: the parts that list delete files.
    """

    index: Index
    view: View
    rules: ScanRules
    data: tuple[ManifestPart, ...]
    deletes: tuple[ManifestPart, ...]
    specs: tuple[SpecIndex, ...]
    _columns: dict[int, bool] = field(default_factory=dict)
    _nan_counts: dict[int, NanCounts] = field(default_factory=dict)
    _row_projections: dict[RequestedColumns, RowProjection] = field(default_factory=dict)

    def row_projection(self, wanted: RequestedColumns) -> RowProjection:
        """Return the row projection of files; cached if it has no statistics, as for most plans."""
        if wanted.statistics != frozenset():
            return row_projection_of(self.view, wanted)
        if wanted not in self._row_projections:
            self._row_projections[wanted] = row_projection_of(self.view, wanted)
        return self._row_projections[wanted]

    def has_column(self, field_id: int) -> bool:
        """Tell whether any data manifest recorded anything about a column."""
        if field_id not in self._columns:
            segments = (self.index.segments.open(source.segment) for spec in self.specs for source in spec.sources)
            self._columns[field_id] = any(field_id in segment.columns_of for segment in segments)
        return self._columns[field_id]

    def nan_counts(self, field_id: int) -> NanCounts:
        """Return whether none, some or all of the files with bounds of a column also have a count of its NaN values."""
        if field_id not in self._nan_counts:
            self._nan_counts[field_id] = self._count_nan_counts(field_id)
        return self._nan_counts[field_id]

    def _count_nan_counts(self, field_id: int) -> NanCounts:
        if not self.rules.has_nan_counts:
            return "none"
        known = missing = False
        for source in (source for spec in self.specs for source in spec.sources):
            own = _nan_counts_of(self.index.segments.open(source.segment), field_id)
            known |= own[0]
            missing |= own[1]
            if known and missing:
                break
        return "none" if not known else "some" if missing else "all"

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """All data parts in order, as stretches of one spec."""
        of = sorted(
            (number, place, spec) for spec, own in enumerate(self.specs) for place, number in enumerate(own.numbers)
        )
        found = []
        for spec, group in groupby(of, key=lambda each: each[2]):
            own = list(group)
            found.append(Stretch(self.specs[spec], own[0][1], own[-1][1] + 1, own[0][0]))
        return tuple(found)

    @cached_property
    def has_indexes(self) -> bool:
        """Whether any data manifest holds indexes of files that the scan evaluates."""
        column_of = self.rules.index_column
        if column_of is None:
            return False
        segments = (self.index.segments.open(part.manifest.segment) for part in self.data)
        return any(column_of in segment.names for segment in segments)

    @cached_property
    def cache_key(self) -> object:
        """Identifies this scan index in cache keys, which must not keep it alive."""
        return object()

    @property
    def weight(self) -> int:
        """The approximate bytes of memory, including delete files, which are read when they are first needed."""
        deletes = sum(
            (part.manifest.header.added_files_count or 0) + (part.manifest.header.existing_files_count or 0)
            for part in self.deletes
        )
        return 4000 + 300 * len(self.data) + 600 * deletes

    @cached_property
    def delete_tables(self) -> tuple[tuple[ManifestPart, pa.Table], ...]:
        """The live entries of each delete manifest, inherited fields filled in."""
        found = []
        own = self.row_projection(RequestedColumns())
        for part in self.deletes:
            table = own.prepare(part, self.index.segments.open(part.manifest.segment).table())
            found.append((part, table.filter(pc.not_equal(table.column("status"), DELETED))))
        return tuple(found)

    @cached_property
    def delete_index(self) -> DeleteIndex | None:
        """The index that matches delete files to data files; None when there are no delete files."""
        tables = [(part.manifest.header.spec_id, table) for part, table in self.delete_tables if table.num_rows]
        return DeleteIndex.of(tables, self.view.metadata.specs, self.view.schemas) if tables else None


def scan_index_of(
    index: Index, view: View, *, read_optimized: bool = False, without: Partitions | None = None
) -> ScanIndex:
    """Return the cached scan index of the view's snapshot, without its second branch.

    Args:
        read_optimized: only the files that need no merging.
        without: partitions to leave out.

    Raises:
        FormatUnsupported: unknown options of the table.
    """
    rules = rules_of(view, read_optimized=read_optimized)
    if without is not None:
        rules = rules.leaving_out(without)
    if view.snapshot is None:
        return ScanIndex(index, view, rules, (), (), ())
    return _scan_indexes(_Key(index, view, view.snapshot.row_id, view.snapshot.published_at_ms, view.schemas, rules))


@dataclass(frozen=True)
class _Key:
    """A cache key. Row ids are never reused; publishing again changes the time; schemas may be added in between."""

    index: Index
    view: View = field(compare=False)
    row_id: int
    published_at_ms: int | None
    schemas: tuple[Schema, ...]
    rules: ScanRules

    def __hash__(self) -> int:
        return hash((self.row_id, self.published_at_ms, len(self.schemas)))


@cached("scan indexes", lambda scan: scan.weight)
def _scan_indexes(key: _Key) -> ScanIndex:
    return scan_index_over(key.index, key.view, parts(key.index, key.view, LIVE_ROLES), key.rules)


def scan_index_over(
    index: Index, view: View, all_parts: Sequence[ManifestPart], rules: ScanRules | None = None
) -> ScanIndex:
    """Build the scan index of some manifests of a table; ``view`` provides its schemas and specs.

    Args:
        rules: the rules to read by; by default those of a whole snapshot.
    """
    rules = rules or rules_of(view)
    data = tuple(part for part in all_parts if part.manifest.header.content == "data")
    deletes = tuple(part for part in all_parts if part.manifest.header.content == "deletes")
    specs = {spec.spec_id: spec for spec in view.metadata.specs}
    by_spec: dict[int, list[int]] = {}
    for number, part in enumerate(data):
        by_spec.setdefault(part.manifest.header.spec_id, []).append(number)
    scans = [
        SpecIndex(
            index,
            tuple(data[number] for number in numbers),
            tuple(numbers),
            PartitionPredicates(specs.get(spec_id) or PartitionSpec(spec_id, ()), view.schemas),
            rules,
        )
        for spec_id, numbers in by_spec.items()
    ]
    return ScanIndex(index, view, rules, data, deletes, tuple(scans))


def _nan_counts_of(segment: Segment, field_id: int) -> tuple[bool, bool]:
    """Tell whether a segment has files with bounds of a column and a NaN count, and with bounds but without one."""
    memo = _NAN_COUNTS.setdefault(segment, {})
    if field_id not in memo:
        name = column("nan_count", field_id)
        bounds = [one for one in segment.columns_of.get(field_id, ()) if one.startswith(("lower.", "upper."))]
        if not bounds or name not in segment.names:
            memo[field_id] = (False, bool(bounds))
        else:
            table = segment.table([name, *bounds])
            counted = single_array(table.column(name)).is_valid().to_numpy(zero_copy_only=False)
            bounded = np.logical_or.reduce(
                [single_array(table.column(one)).is_valid().to_numpy(zero_copy_only=False) for one in bounds]
            )
            memo[field_id] = (bool((counted & bounded).any()), bool((bounded & ~counted).any()))
    return memo[field_id]
