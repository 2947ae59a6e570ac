"""The rules of a scan of a Paimon table: which files it reads, and which statistics may drop a single file.

A file may be dropped alone if no other file's rows depend on it. Rows of append tables are independent; rows of one key
depend on each other until they are compacted. All rows of a key are in files whose key range includes it, so key
statistics may always drop a file.

Source: Paimon ``KeyValueFileStoreScan``, ``DataTableBatchScan``,
``ReadOptimizedTable``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import FormatUnsupported
from lakemuster.formats.paimon.options import MERGE_POSTPONED, MERGED_CHANGELOGS, POSTPONE, TableOptions
from lakemuster.index.zones import KEY, SCHEMA_ID
from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.columns import single_array
from lakemuster.planner.paimon.buckets import BucketFilter
from lakemuster.planner.paimon.file_indexes import EMBEDDED, can_evaluate, kept_by_index
from lakemuster.planner.paimon.index_reasons import index_reasons
from lakemuster.planner.paimon.statistics import (
    DESCRIBING,
    Evolution,
    FileStatistics,
    StatisticsKind,
    statistics_columns,
)
from lakemuster.planner.pruning.prune import Counts, Mask
from lakemuster.planner.scan.partitions import Partitions
from lakemuster.planner.scan.reasons import Reason
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE, Bound, BoundLeaf
from lakemuster.storage.locations import Rewrites

ScanMode = Literal["all", "delta", "changelog"]
"""The whole snapshot, the files that a commit added, or the changelog files that it wrote."""

CACHED_FILTERS = 256

_ZONES: dict[tuple[StatisticsKind, ...], str] = {("values",): "", ("keys",): KEY}
"""The prefix of zone column names, by kind of statistics."""


@dataclass(frozen=True)
class PaimonReading:
    """The rules of one scan of one table.

    Attributes:
        evolution: the table's schemas, the scan's own first.
        scan: which lists are read.
        read_optimized: read only files of the highest level, which need no merging.
        without: partitions that are read from another branch instead.
    """

    options: TableOptions
    evolution: Evolution
    scan: ScanMode = "all"
    read_optimized: bool = False
    without: Partitions | None = None

    @classmethod
    def of(cls, view: View, scan: ScanMode = "all") -> PaimonReading:
        """Return the rules of a scan of a view.

        Raises:
            FormatUnsupported: unknown options, or rows without a bucket that are merged with those of all buckets.
        """
        options = TableOptions.of(view.schemas[0])
        if options.merges_postponed and scan == "all":
            raise FormatUnsupported(
                f"{MERGE_POSTPONED} merges rows that are not assigned to a bucket yet, which is not supported",
                option=MERGE_POSTPONED,
            )
        spread = options.data_evolution and not options.has_primary_key
        return cls(options, Evolution(view.schemas, options.filled_columns, spread), scan)

    @cached_property
    def base(self) -> tuple[str, ...]:
        """The columns of entries that every scan reads."""
        return ("status", *DESCRIBING, "bucket", "total_buckets", "level")

    @cached_property
    def single_file_statistics(self) -> tuple[StatisticsKind, ...]:
        """The kinds of statistics that may drop a file alone."""
        if not self.options.has_primary_key:
            return () if self.options.data_evolution else ("values",)
        return ("values", "keys") if self._values_drop_single_files else ("keys",)

    @property
    def _values_drop_single_files(self) -> bool:
        if self.scan == "changelog":
            return self.options.changelog_producer in MERGED_CHANGELOGS
        return self.scan == "all" and (self.read_optimized or self.options.skips_level_0)

    @cached_property
    def drop_group(self) -> Literal["buckets", "row ids"] | None:
        """The groups that may be dropped only as a whole; None if files are dropped alone, or not at all."""
        if not self.options.has_primary_key:
            return "row ids" if self.options.data_evolution else None
        return "buckets" if self.scan == "all" and not self._values_drop_single_files else None

    @property
    def drops_groups(self) -> bool:
        """Whether files are dropped only with their group."""
        return self.drop_group is not None

    @property
    def reads_together(self) -> bool:
        """Whether files are merged: with a primary key, or with data evolution."""
        return self.options.has_primary_key or self.options.data_evolution

    @property
    def evaluates_packs(self) -> bool:
        """False: entries are cancelled by number, and statistics depend on a file's schema."""
        return False

    @property
    def has_nan_counts(self) -> bool:
        """False: Paimon does not count NaN values."""
        return False

    @property
    def has_value_counts(self) -> bool:
        """False: Paimon does not count values."""
        return False

    @property
    def members(self) -> frozenset[int]:
        """Empty: Paimon records no statistics of members."""
        return frozenset()

    @property
    def path_column(self) -> str:
        """The column of a file's name."""
        return "file_name"

    def recorded_names(self, location: str, rewrites: Rewrites) -> tuple[str]:
        """Return the location's last part: rewrites do not change it."""
        return (location.rsplit("/", 1)[-1],)

    def entry_count(self, header: ManifestHeader) -> int | None:
        """Add up added and deleted files."""
        added, deleted = header.added_files_count, header.deleted_files_count
        return None if added is None or deleted is None else added + deleted

    def without_merging(self) -> PaimonReading:
        """Return the rules of a read-optimized scan."""
        return replace(self, read_optimized=True)

    def leaving_out(self, partitions: Partitions) -> PaimonReading:
        """Return the rules without some partitions."""
        return replace(self, without=partitions)

    def extra_columns(self, present: Collection[str], bound: Bound) -> list[str]:
        """Return the partitions where some are left out, and the indexes that may drop a file with its name."""
        found = [] if self.without is None else [name for name in present if name.startswith("partition.")]
        if bound != TRUE and self.indexes_drop_files and EMBEDDED in present:
            found += [EMBEDDED, "file_name"]
        return found

    def live(self, entries: pa.Table, first_row: int, dead_rows: NDArray[np.int64] | None) -> Mask:
        """Mark the added entries that no other entry of the snapshot cancels; increments cancel nothing."""
        keep = np.asarray(single_array(entries.column("status")).to_numpy() == ADDED)
        if dead_rows is not None and len(dead_rows) and self.scan == "all":
            own = dead_rows[(dead_rows >= first_row) & (dead_rows < first_row + len(keep))]
            keep[own - first_row] = False
        return keep

    def why_not(self, leaf: BoundLeaf) -> str | None:
        """Return why statistics of a non-key column cannot prune, where files are merged."""
        if leaf.name in self.evolution.schemas[0].primary_keys or "values" in self.single_file_statistics:
            return None
        if self.drop_group is None and self.options.has_primary_key:
            return f"{leaf.name} is not a key column, and the rows of a commit are merged with other rows"
        if self.drop_group == "buckets" and not self.options.buckets_can_go:
            return f"{leaf.name} is not a key column, and merge engine {self.options.merge_engine} combines rows"
        return None

    def columns(self, own: Iterable[str]) -> list[str]:
        """Return the columns of a field in a segment that may drop a file alone."""
        own = list(own)
        return [name for of in self.single_file_statistics for name in statistics_columns(own, of)]

    def statistics(self, entries: pa.Table) -> FileStatistics:
        """Return the statistics that may drop an entry alone."""
        return FileStatistics(entries, self.evolution, self.single_file_statistics)

    def written_zones(self, zones: pa.RecordBatch, field_id: int) -> str | None:
        """Return the prefix of a column's zone names in a segment.

        None if the zones cannot replace the statistics: the files have several schemas, or one that reads differently.
        """
        schema_id = (zones.schema.metadata or {}).get(SCHEMA_ID)
        now = self.evolution.today(field_id)
        if schema_id is None or now is None or int(schema_id) not in self.evolution.read_alike(field_id, now):
            return None
        return _ZONES.get(self.single_file_statistics)

    @property
    def indexes_drop_files(self) -> bool:
        """Whether a file's indexes may drop it alone."""
        return self.options.reads_file_indexes and "values" in self.single_file_statistics

    @property
    def uses_indexes(self) -> bool:
        """Whether a file's indexes may drop it, alone or with its bucket."""
        return self.indexes_drop_files or (self.options.reads_file_indexes and self.drop_group == "buckets")

    @property
    def index_column(self) -> str | None:
        """The indexes inside entries, if the scan uses them."""
        return EMBEDDED if self.uses_indexes else None

    def is_indexed(self, leaf: BoundLeaf) -> bool:
        """Return whether an index of some kind supports the comparison."""
        return can_evaluate(leaf)

    def index_reasons(self, bound: Bound, entry: pa.Table) -> Iterator[Reason]:
        """Explain what the indexes inside one file's entry prove."""
        return index_reasons(bound, entry, self.evolution)

    def by_index(self, entries: pa.Table, bound: Bound, among: Mask) -> Mask:
        """Mark the entries of ``among`` that their indexes do not drop alone."""
        return kept_by_index(entries, self.evolution, bound, among) if self.indexes_drop_files else among

    @property
    def least_level(self) -> int:
        """The lowest level that is read."""
        if not self.options.has_primary_key or self.scan != "all":
            return 0
        if self.read_optimized:
            return self.options.levels - 1
        return 1 if self.options.skips_level_0 else 0

    @property
    def least_bucket(self) -> int | None:
        """The lowest bucket that is read; rows in lower ones are not assigned to a bucket yet. None for all."""
        return 0 if self.options.bucket == POSTPONE and self.options.has_primary_key else None

    def readable(self, entries: pa.Table) -> Mask | None:
        """Mark the entries that the scan reads; None for all."""
        keep: Mask | None = None
        if self.least_level:
            levels = _numbers(entries, "level")
            keep = np.asarray(levels == self.least_level if self.read_optimized else levels >= self.least_level)
        if self.least_bucket is not None:
            buckets = _numbers(entries, "bucket") >= self.least_bucket
            keep = buckets if keep is None else keep & buckets
        if self.without is not None:
            own = ~self.without.holds(entries)
            keep = own if keep is None else keep & own
        return keep

    def in_bucket(self, entries: pa.Table, bound: Bound) -> Mask | None:
        """Mark the entries whose bucket can hold a matching row; None for all."""
        filter_ = bucket_filter(self, bound)
        if filter_ is None:
            return None
        return filter_.can_hold(_numbers(entries, "bucket"), _numbers(entries, "total_buckets"))

    def manifests_in_bucket(self, headers: Sequence[ManifestHeader], bound: Bound) -> Mask | None:
        """Mark the manifests whose range of buckets may hold a matching row; None for all."""
        filter_ = bucket_filter(self, bound)
        if filter_ is None:
            return None
        columns = (
            np.array([-1 if (n := getattr(h, name)) is None else n for h in headers], np.int64)
            for name in ("min_bucket", "max_bucket", "total_buckets")
        )
        return filter_.any_between(*columns)

    @property
    def unread(self) -> str:
        """A description of the files that the scan leaves out."""
        if self.without is not None:
            return "in a partition that is read from another branch, or not at all"
        if self.read_optimized and self.options.has_primary_key:
            return "not on the highest level"
        return "on level 0: not compacted yet" if self.least_level else "not assigned to a bucket yet"

    def manifests(self, headers: Sequence[ManifestHeader]) -> Mask:
        """Mark the manifests whose levels and buckets may include entries that the scan reads."""
        keep = np.ones(len(headers), np.bool_)
        if self.least_level:
            keep &= np.array([h.max_level is None or h.max_level >= self.least_level for h in headers], np.bool_)
        if (least := self.least_bucket) is not None:
            keep &= np.array([h.max_bucket is None or h.max_bucket >= least for h in headers], np.bool_)
        return keep


def _numbers(entries: pa.Table, name: str) -> Counts:
    """Return a column of integers; -1 for null."""
    values = single_array(entries.column(name))
    if values.null_count:
        values = values.fill_null(-1)
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


@lru_cache(maxsize=CACHED_FILTERS)
def bucket_filter(reading: PaimonReading, bound: Bound) -> BucketFilter | None:
    """Return the filter for the buckets of a predicate's keys; None if it does not pin them. Cached."""
    if bound == TRUE:
        return None
    schema = reading.evolution.schemas[0]
    return BucketFilter.of(schema, dict(schema.options), bound, reading.evolution.schemas)
