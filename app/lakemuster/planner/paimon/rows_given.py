"""How many rows Paimon's files contribute to a table: all that deletion vectors leave, unless files are merged.

A file that is read alone (see ``sections.raw_convertible``) contributes each of its rows. Rows of other files may
replace any rows of a merged file. If several files hold columns of the same rows, the range of row ids counts once.

Source: Paimon ``KeyValueFileStoreScan``, ``MergeTreeSplitGenerator``, ``DataEvolutionSplitGenerator``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import cached, nbytes
from lakemuster.metadata.files import split_column
from lakemuster.planner.aggregates.row_rules import UNCOUNTED, KeptFiles, Prover, RowsGiven
from lakemuster.planner.columns import single_array
from lakemuster.planner.paimon.details import vectors_of
from lakemuster.planner.paimon.merge_groups import chosen, merge_groups_of, paimon_reading
from lakemuster.planner.paimon.statistics import DESCRIBING, FileStatistics, StatisticsKind, statistics_columns
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats, Mask, can_match
from lakemuster.planner.pruning.statistics import counts
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import entry_partitions
from lakemuster.predicates import Bound

_OWN = frozenset({*DESCRIBING, "file_name", "bucket", "delete_row_count"})
_ALONE: tuple[StatisticsKind, ...] = ("values", "keys")
_MERGED: tuple[StatisticsKind, ...] = ("keys",)
_EXPIRY = "record-level.expire-time"

MERGED = "merged with other files"
_UNSIZED = "a deletion vector of unknown size"
_REMOVALS = "rows that delete, or may"
_EXPIRED = "rows may have expired"


class PaimonRowsGiven:
    """The rows of append tables, merge trees and tables with data evolution."""

    def columns(
        self, scan: ScanIndex, present: Iterable[str], fields: frozenset[int], proven: frozenset[int]
    ) -> list[str]:
        """Return the columns that describe rows, hold statistics, or match deletion vectors."""
        wanted = fields | proven
        statistics = set(statistics_columns(present, "values")) | set(statistics_columns(present, "keys"))
        return [
            name
            for name in present
            if name in _OWN or (name in statistics and (split := split_column(name)) is not None and split[1] in wanted)
        ]

    def reads_partitions(self, scan: ScanIndex) -> bool:
        """Return True: deletion vectors are matched by partition."""
        return True

    def rows(self, files: KeptFiles) -> RowsGiven:
        """Count the rows of files that are read alone; merged files contribute at most theirs."""
        scan, entries = files.scan, files.entries
        reading, records = paimon_reading(scan), counts(entries.column("record_count"))
        alone = _alone(files)
        least, most = np.maximum(records, 0), records.copy()
        doubts: dict[str, Mask] = {UNCOUNTED: records < 0, MERGED: ~alone}
        if reading.options.data_evolution and not reading.options.has_primary_key:
            ranges, places = _of_ranges(scan, files.bound), _places(files)
            least = np.where(alone, least, ranges[0][places] if vectors_of(scan) is None else 0)
            most = np.where(alone, most, ranges[1][places])
            doubts[MERGED] = least != most
        else:
            least[~alone] = 0
        deleted, unsized = _in_vectors(files)
        least = np.where(unsized, 0, least - deleted)
        most = np.where(most < 0, most, most - np.where(alone, deleted, 0))
        doubts[_UNSIZED] = unsized
        if reading.options.has_primary_key:
            # Rows that delete a key are not in the table; readers of single files would return them.
            removing = alone & (_numbers(entries, "delete_row_count") != 0)
            least[removing] = 0
            doubts[_REMOVALS] = removing
        if _EXPIRY in dict(scan.view.schemas[0].options):
            least[:] = 0
            doubts[_EXPIRED] = np.ones(len(records), np.bool_)
        return RowsGiven(np.maximum(least, 0), np.where(records < 0, UNKNOWN, np.maximum(most, 0)), doubts)

    def prover(self, scan: ScanIndex, complement: Bound) -> Prover:
        """Return a prover by all statistics of files that are read alone, and by keys and partitions of merged ones."""
        evolution = paimon_reading(scan).evolution

        def certain(files: KeptFiles) -> Mask:
            partitions = entry_partitions(files.spec, files.entries)

            def fails(kinds: tuple[StatisticsKind, ...]) -> Mask:
                statistics = FileStatistics(files.entries, evolution, kinds)
                return can_match(complement, JointStatistics(statistics, partitions, files.spec.projection))

            alone = _alone(files)
            if alone.all():
                return ~fails(_ALONE)
            return ~np.where(alone, fails(_ALONE), fails(_MERGED)) if alone.any() else ~fails(_MERGED)

        return certain

    def field(self, files: KeptFiles, field_id: int) -> FieldStats:
        """Return the recorded statistics, unknown where merging computes new values."""
        reading, alone = paimon_reading(files.scan), _alone(files)
        found = FileStatistics(files.entries, reading.evolution, _ALONE).field(field_id) or FieldStats()
        keeps_values = reading.options.has_primary_key and reading.options.buckets_can_go
        if alone.all() or keeps_values:
            return found
        return _only(found, alone)


PAIMON_ROWS_GIVEN = PaimonRowsGiven()


def _places(files: KeptFiles) -> Counts:
    """Return the files' indices among the files that the predicate chooses."""
    spec, owners = files.spec, files.spec.owners(files.places)
    numbers, rows = owners.each(spec.part_numbers), owners.within(files.places, spec.part_starts)
    return chosen(files.scan, files.bound).places(numbers, rows)


def _alone(files: KeptFiles) -> Mask:
    """Mark the files that are read alone."""
    if not files.scan.rules.reads_together:
        return np.ones(len(files.places), np.bool_)
    return np.asarray(merge_groups_of(files.scan, files.bound).raw_convertible[_places(files)])


def _in_vectors(files: KeptFiles) -> tuple[Counts, Mask]:
    """Return how many rows each file's deletion vector deletes, and where that is not recorded."""
    none = np.zeros(len(files.places), np.int64)
    vectors = vectors_of(files.scan)
    if vectors is None:
        return none, none > 0
    found = vectors.match(files.entries)
    sizes = counts(pa.chunked_array([pc.struct_field(found, "cardinality")]))
    has = np.asarray(found.is_valid().to_numpy(zero_copy_only=False))
    return np.where(has & (sizes > 0), sizes, 0), has & (sizes < 0)


def _numbers(entries: pa.Table, name: str) -> Counts:
    """Return a column of counts, ``UNKNOWN`` where missing."""
    if name not in entries.column_names:
        return np.full(entries.num_rows, UNKNOWN, np.int64)
    return counts(entries.column(name))


def _only(stats: FieldStats, described: Mask) -> FieldStats:
    """Return statistics that are unknown for files that are not marked."""
    mask = pa.array(described)

    def bounds(of: pa.Array | None) -> pa.Array | None:
        return None if of is None else pc.if_else(mask, of, pa.scalar(None, of.type))

    nulls = None if stats.null_count is None else np.where(described, stats.null_count, UNKNOWN)
    return replace(stats, lower=bounds(stats.lower), upper=bounds(stats.upper), null_count=nulls)


@cached("merge groups", nbytes, lambda scan, bound: (scan.cache_key, bound, "rows"))
def _of_ranges(scan: ScanIndex, bound: Bound) -> tuple[Counts, Counts]:
    """Return the least and most rows of each chosen file's range of row ids; 0 for all but the first file of a range.

    A range has as many rows as a file that spans it. If none does, some rows may consist of blobs only.
    """
    files, section = chosen(scan, bound), merge_groups_of(scan, bound).section
    first, records = files.numbers("first_row_id"), files.numbers("record_count")
    least, most = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
    names = single_array(files.table.column("file_name")) if len(records) else pa.array([], pa.string())
    blobs = np.asarray(pc.ends_with(names, ".blob").to_numpy(zero_copy_only=False), np.bool_)
    _, leader, group = np.unique(section, return_index=True, return_inverse=True)
    low = np.full(len(leader), np.iinfo(np.int64).max)
    high, widest, sums = (np.zeros(len(leader), np.int64) for _ in range(3))
    np.minimum.at(low, group, first)
    np.maximum.at(high, group, first + records)
    np.maximum.at(widest, group, np.where(blobs, 0, records))
    np.add.at(sums, group, records)
    known = np.bincount(group, first < 0, len(leader)) == 0
    span = np.where(known, high - low, sums)
    least[leader] = np.where(known & (widest == span), span, 0)
    most[leader] = span
    return least, most
