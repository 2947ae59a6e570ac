"""Add to a plan's files how each is read: splits, sections, deletion vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from lakemuster.formats.paimon.options import TableOptions
from lakemuster.metadata.schema import Schema
from lakemuster.planner.manifest_list import parts
from lakemuster.planner.paimon.index_reasons import index_reasons
from lakemuster.planner.paimon.merge_groups import (
    NONE,
    Members,
    all_statistics,
    chosen,
    indexed,
    kept_together,
    members,
    merge_groups_of,
    packed,
    paimon_reading,
)
from lakemuster.planner.paimon.rows import PLANNED
from lakemuster.planner.paimon.vectors import VectorIndex
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import Mask
from lakemuster.planner.scan.plan_rules import CompleteEntries, Ints, PlannedFiles, PlanRules, Splitting
from lakemuster.planner.scan.planned_entries import LazyEntries
from lakemuster.planner.scan.reasons import Reason
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import RowNumbers
from lakemuster.predicates import Bound

_VECTORS: WeakKeyDictionary[ScanIndex, VectorIndex | None] = WeakKeyDictionary()
"""The deletion vectors of scans, for as long as their indexes are cached."""


@dataclass(frozen=True, slots=True)
class ScanMembers:
    """The files of a scan that are left after pruning each file alone."""

    scan: ScanIndex
    files: Members

    @property
    def number(self) -> Ints:
        """(N,) the part of each file."""
        return self.files.number

    @property
    def row(self) -> RowNumbers:
        """(N,) its position in the manifest."""
        return self.files.row

    def of_part(self, number: int) -> slice:
        """Return the slice of a part's files."""
        return self.files.of_part(number)

    def in_kept_groups(self, bound: Bound) -> Mask:
        """Mark the files whose bucket, or range of row ids, may hold a matching row."""
        return kept_together(self.scan, self.files, bound)


class MergeFiles:
    """Paimon's groups: buckets, sections of them by ranges of keys, and ranges of row ids."""

    def members(self, scan: ScanIndex, bound: Bound) -> ScanMembers:
        """Return the files that are left after pruning each file alone."""
        return ScanMembers(scan, members(scan, bound))

    def chosen(self, scan: ScanIndex, bound: Bound) -> Members:
        """Return the files that a predicate keeps."""
        return chosen(scan, bound)

    def splits(self, scan: ScanIndex, bound: Bound, splitting: Splitting) -> Ints:
        """Return the (N,) split of each chosen file."""
        return packed(scan, bound, splitting.target_size, splitting.open_file_cost)

    def own_splitting(self, scan: ScanIndex) -> Splitting:
        """Return the splitting of the table's options."""
        return table_splitting(scan.view.schemas[0])

    def statistics(self, scan: ScanIndex, part: int, rows: RowNumbers, bound: Bound) -> JointStatistics:
        """Return the statistics of values and keys."""
        return all_statistics(scan, part, rows, bound)

    def index_reasons(self, scan: ScanIndex, part: int, row: int, bound: Bound) -> Iterator[Reason]:
        """Explain what the indexes inside one file's entry prove."""
        entry = indexed(scan, part, np.array([row]))
        if entry is not None:
            yield from index_reasons(bound, entry, paimon_reading(scan).evolution)


_GROUPS = MergeFiles()


def table_splitting(schema: Schema, target_size: int | None = None, open_file_cost: int | None = None) -> Splitting:
    """Return a splitting, by the table's options where a size is not given."""
    options = TableOptions.of(schema)
    return Splitting(
        options.split_target_size if target_size is None else target_size,
        options.split_open_file_cost if open_file_cost is None else open_file_cost,
    )


def complete(files: PlannedFiles, entries: LazyEntries) -> CompleteEntries:
    """Add the columns of details, if the plan shows them."""
    if not files.details:
        return entries, tuple(files.group)
    numbers = files.owners.each(files.spec.part_numbers)
    detailed = _with_details(files, numbers, entries.recorded)
    return LazyEntries(lambda: detailed), ()


def _with_details(files: PlannedFiles, numbers: Ints, entries: pa.Table) -> pa.Table:
    """Add to the entries of chosen files the columns that the plan computes.

    Args:
        numbers: (N,) the entries' parts.
        entries: the N entries.
    """
    scan, bound, splitting = files.scan, files.bound, files.splitting
    count = len(files.rows)
    columns: dict[str, pa.Array] = {
        "raw_convertible": pa.repeat(pa.scalar(True), count),
        "section": pa.nulls(count, pa.int64()),
        "deletion_vector": pa.nulls(count, PLANNED["deletion_vector"]),
        "split": pa.nulls(count, pa.int64()),
    }
    if scan.rules.reads_together or splitting is not None:
        of_plan = chosen(scan, bound)
        place = of_plan.places(numbers, files.rows)
        order = merge_groups_of(scan, bound)
        columns["raw_convertible"] = pa.array(order.raw_convertible[place])
        section = order.section[place]
        columns["section"] = pa.array(section, mask=section == NONE)
        if splitting is not None:
            columns["split"] = pa.array(_GROUPS.splits(scan, bound, splitting)[place])
    if (vectors := vectors_of(scan)) is not None:
        columns["deletion_vector"] = vectors.match(entries)
    for name, values in columns.items():
        entries = entries.append_column(pa.field(name, PLANNED[name]), values.cast(PLANNED[name]))
    return entries


def vectors_of(scan: ScanIndex) -> VectorIndex | None:
    """Return the deletion vectors of a scan's snapshot; None when there are none."""
    if paimon_reading(scan).scan != "all":
        return None
    if scan not in _VECTORS:
        found = parts(scan.index, scan.view, {"index"})
        tables = [scan.index.segments.open(part.manifest.segment).table(None) for part in found]
        _VECTORS[scan] = VectorIndex.of(tables, scan.view) if tables else None
    return _VECTORS[scan]


def numbers_after(scan: ScanIndex, bound: Bound, splitting: Splitting | None) -> dict[str, int]:
    """Return the first section and split numbers that a plan does not use, by column."""
    found: dict[str, int] = {}
    if not len(chosen(scan, bound).row):
        return found
    if scan.rules.reads_together or splitting is not None:
        found["section"] = int(merge_groups_of(scan, bound).section.max(initial=NONE)) + 1
    if splitting is not None:
        found["split"] = int(_GROUPS.splits(scan, bound, splitting).max(initial=NONE)) + 1
    return found


PAIMON_PLANS = PlanRules(complete, numbers_after=numbers_after, groups=_GROUPS)
