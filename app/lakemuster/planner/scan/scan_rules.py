"""The rules of a table format for scans: which entries are read, and what may drop one.

The default is :class:`PlainRules`: every entry that is not deleted is read, and its own
statistics may drop it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.files import DELETED
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.columns import single_array
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.pruning.prune import Mask, Statistics
from lakemuster.planner.pruning.statistics import EntryStatistics
from lakemuster.planner.scan.partitions import Partitions
from lakemuster.planner.scan.reasons import Reason
from lakemuster.planner.view import View
from lakemuster.predicates import Bound, BoundLeaf
from lakemuster.storage.locations import Rewrites

_STATISTICS = ("lower.", "upper.", "null_count.", "nan_count.", "value_count.")


class ScanRules(Protocol):
    """The rules of one scan of one table; equal for scans that read alike.

    Entries are tables in the shape of ``metadata.files``, with the columns that the rules need.
    """

    @property
    def base(self) -> tuple[str, ...]:
        """The columns of entries that every scan reads."""
        ...

    @property
    def evaluates_packs(self) -> bool:
        """Whether entries of several manifests may be evaluated together, as recorded.

        Every entry that is not deleted is read then, and ``lower``, ``upper`` and counts of its segment may drop it.
        """
        ...

    @property
    def reads_together(self) -> bool:
        """Whether some files must be read together, so that a plan is arranged as a whole: see ``FileGroups``."""
        ...

    @property
    def drops_groups(self) -> bool:
        """Whether some files may be dropped only as a group: see ``FileGroups``."""
        ...

    @property
    def has_nan_counts(self) -> bool:
        """Whether entries may record how many NaN values a column has."""
        ...

    @property
    def has_value_counts(self) -> bool:
        """Whether entries may record how many values a column has; otherwise as many as rows are assumed."""
        ...

    @property
    def members(self) -> frozenset[int]:
        """The ids of the columns in structs, whose counts may leave out rows."""
        ...

    @property
    def index_column(self) -> str | None:
        """The column of entries that holds indexes of files which the scan evaluates; None if there is none."""
        ...

    @property
    def unread(self) -> str:
        """A description of the live entries that the scan leaves out."""
        ...

    @property
    def path_column(self) -> str:
        """The column of entries that identifies a file."""
        ...

    def columns(self, own: Iterable[str]) -> list[str]:
        """Return the columns of a field in a segment whose statistics may drop a file alone."""
        ...

    def extra_columns(self, present: Collection[str], bound: Bound) -> list[str]:
        """Return further columns of a segment that evaluation of a predicate reads, besides partitions."""
        ...

    def statistics(self, entries: pa.Table) -> Statistics:
        """Return the statistics that may drop an entry alone."""
        ...

    def written_zones(self, zones: pa.RecordBatch, field_id: int) -> str | None:
        """Return the prefix of a column's zone names in a segment; None if they cannot replace the statistics."""
        ...

    def entry_count(self, header: ManifestHeader) -> int | None:
        """Return the number of a manifest's entries, deleted ones included; None if its list does not record it."""
        ...

    def manifests(self, headers: Sequence[ManifestHeader]) -> Mask:
        """Mark the manifests that may list files that the scan reads."""
        ...

    def manifests_in_bucket(self, headers: Sequence[ManifestHeader], bound: Bound) -> Mask | None:
        """Mark the manifests that may list files of the buckets that a predicate's keys hash to; None for all."""
        ...

    def live(self, entries: pa.Table, first_row: int, dead_rows: NDArray[np.int64] | None) -> Mask:
        """Mark the live entries.

        Args:
            first_row: the number of the first entry among those of all manifests of the snapshot.
            dead_rows: the numbers of entries that other manifests cancel.
        """
        ...

    def readable(self, entries: pa.Table) -> Mask | None:
        """Mark the live entries that the scan reads; None for all."""
        ...

    def in_bucket(self, entries: pa.Table, bound: Bound) -> Mask | None:
        """Mark the entries whose bucket can hold a matching row; None for all."""
        ...

    def by_index(self, entries: pa.Table, bound: Bound, among: Mask) -> Mask:
        """Mark the entries of ``among`` that their indexes do not drop alone."""
        ...

    def is_indexed(self, leaf: BoundLeaf) -> bool:
        """Tell whether indexes of files can answer a comparison."""
        ...

    def index_reasons(self, bound: Bound, entry: pa.Table) -> Iterator[Reason]:
        """Explain what the indexes of one file prove."""
        ...

    def why_not(self, leaf: BoundLeaf) -> str | None:
        """Return why a comparison cannot prune, whatever entries record; None if it may."""
        ...

    def without_merging(self) -> ScanRules:
        """Return these rules for a scan that reads only the files that need no merging."""
        ...

    def leaving_out(self, partitions: Partitions) -> ScanRules:
        """Return these rules for a scan that leaves out partitions, which it reads from another branch."""
        ...

    def recorded_names(self, location: str, rewrites: Rewrites) -> Iterable[str]:
        """Return the values of ``path_column`` that a file at a location, as recorded or after rewrites, may have."""
        ...


@dataclass(frozen=True, slots=True)
class PlainRules:
    """Every entry that is not deleted is read, and may be dropped alone by its own statistics.

    Attributes:
        without: partitions that are read from another branch instead.
        members: the ids of the columns in structs.
    """

    base: tuple[str, ...] = ("status", "record_count")
    has_nan_counts: bool = True
    has_value_counts: bool = True
    path_column: str = "file_path"
    reads_together: bool = False
    drops_groups: bool = False
    index_column: None = None
    unread: str = "in a partition that is read from another branch"
    without: Partitions | None = None
    members: frozenset[int] = frozenset()

    @property
    def evaluates_packs(self) -> bool:
        """True unless partitions are left out."""
        return self.without is None

    def columns(self, own: Iterable[str]) -> list[str]:
        """Return the columns of bounds and counts."""
        return [name for name in own if name.startswith(_STATISTICS)]

    def extra_columns(self, present: Collection[str], bound: Bound) -> list[str]:
        """Return the partition columns if some partitions are left out."""
        return [] if self.without is None else [name for name in present if name.startswith("partition.")]

    def statistics(self, entries: pa.Table) -> EntryStatistics:
        """Return the recorded statistics."""
        return EntryStatistics(entries, self.members)

    def written_zones(self, zones: pa.RecordBatch, field_id: int) -> str:
        """Return the empty prefix: written zones replace the statistics."""
        return ""

    def entry_count(self, header: ManifestHeader) -> int | None:
        """Return the sum of added, existing and deleted files; None if one of them is not recorded."""
        counts = (header.added_files_count, header.existing_files_count, header.deleted_files_count)
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def manifests(self, headers: Sequence[ManifestHeader]) -> Mask:
        """Mark all manifests."""
        return np.ones(len(headers), np.bool_)

    def manifests_in_bucket(self, headers: Sequence[ManifestHeader], bound: Bound) -> None:
        """Return None: files have no buckets."""

    def live(self, entries: pa.Table, first_row: int, dead_rows: NDArray[np.int64] | None) -> Mask:
        """Mark the entries that are not deleted."""
        return undeleted(entries)

    def readable(self, entries: pa.Table) -> Mask | None:
        """Mark the entries outside of the partitions that are left out; None for all."""
        return None if self.without is None else ~self.without.holds(entries)

    def in_bucket(self, entries: pa.Table, bound: Bound) -> None:
        """Return None: files have no buckets."""

    def by_index(self, entries: pa.Table, bound: Bound, among: Mask) -> Mask:
        """Return ``among``: files have no indexes."""
        return among

    def is_indexed(self, leaf: BoundLeaf) -> bool:
        """Return False: files have no indexes."""
        return False

    def index_reasons(self, bound: Bound, entry: pa.Table) -> Iterator[Reason]:
        """Yield nothing."""
        yield from ()

    def why_not(self, leaf: BoundLeaf) -> None:
        """Return None: any comparison may prune."""

    def without_merging(self) -> PlainRules:
        """Return the rules themselves: no file needs merging."""
        return self

    def leaving_out(self, partitions: Partitions) -> PlainRules:
        """Return the rules without some partitions."""
        return replace(self, without=partitions)

    def recorded_names(self, location: str, rewrites: Rewrites) -> Iterable[str]:
        """Return the location, and the locations that are rewritten to it."""
        return rewrites.before(location)


def undeleted(entries: pa.Table) -> Mask:
    """Mark the entries that are not deleted."""
    return np.asarray(single_array(entries.column("status")).to_numpy() != DELETED)


def plain_rules(view: View) -> PlainRules:
    """Return the plain rules of a scan of a whole snapshot."""
    members = frozenset[int]().union(*(schema.members for schema in view.schemas))
    return PlainRules(members=members) if members else _PLAIN


_PLAIN = PlainRules()

SCAN_RULES: FormatRegistry[Callable[[View], ScanRules]] = FormatRegistry()
"""Functions that return the rules of a scan of a whole snapshot; they raise FormatUnsupported for unknown options."""


def rules_of(view: View, *, read_optimized: bool = False) -> ScanRules:
    """Return the rules of a scan of a whole snapshot.

    Args:
        read_optimized: read only the files that need no merging.

    Raises:
        FormatUnsupported: unknown options of the table.
    """
    rules = SCAN_RULES.of(view.table)(view)
    return rules.without_merging() if read_optimized else rules
