"""The rules of a table format for plans: which files are read together, and what a plan adds to their entries.

The default is ``PLAIN_PLANS``: each file is read alone, as its entry records it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import Mask
from lakemuster.planner.scan.planned_entries import BatchFiles, LazyEntries
from lakemuster.planner.scan.reasons import Reason
from lakemuster.planner.scan.runs import Owners
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import RowNumbers
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import Bound

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Splitting:
    """The sizes by which files are packed into splits, in bytes."""

    target_size: int
    open_file_cost: int


class GroupedFiles(Protocol):
    """N files of a scan, in the order of manifests and entries."""

    @property
    def number(self) -> Ints:
        """(N,) the part of each file."""
        ...

    @property
    def row(self) -> RowNumbers:
        """(N,) its position in the manifest."""
        ...

    def of_part(self, number: int) -> slice:
        """Return the slice of a part's files."""
        ...


class GroupMembers(GroupedFiles, Protocol):
    """N files that are left after pruning each file alone."""

    def in_kept_groups(self, bound: Bound) -> Mask:
        """Mark the files whose group may hold a matching row."""
        ...


class FileGroups(Protocol):
    """Files that are read together, or dropped only together."""

    def members(self, scan: ScanIndex, bound: Bound) -> GroupMembers:
        """Return the files that are left after pruning each file alone."""
        ...

    def chosen(self, scan: ScanIndex, bound: Bound) -> GroupedFiles:
        """Return the files that a predicate keeps, with groups of files decided as a whole."""
        ...

    def splits(self, scan: ScanIndex, bound: Bound, splitting: Splitting) -> Ints:
        """Return the (N,) split of each file of :meth:`chosen`."""
        ...

    def own_splitting(self, scan: ScanIndex) -> Splitting:
        """Return the table's own splitting."""
        ...

    def statistics(self, scan: ScanIndex, part: int, rows: RowNumbers, bound: Bound) -> JointStatistics:
        """Return all statistics of some files of a part, including those that may not drop a file alone."""
        ...

    def index_reasons(self, scan: ScanIndex, part: int, row: int, bound: Bound) -> Iterator[Reason]:
        """Explain what the indexes of one file prove."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedFiles:
    """N files of a batch of a plan.

    Attributes:
        details: whether the plan shows how each file is to be read.
        group: the batches of segments that hold the files; all of one spec.
        places: (N,) the files' places in the spec.
        owners: the parts that hold the files.
        rows: (N,) the files' positions in their manifests.
    """

    scan: ScanIndex
    bound: Bound
    splitting: Splitting | None
    details: bool
    group: Sequence[BatchFiles]
    places: RowNumbers
    owners: Owners
    rows: RowNumbers

    @property
    def spec(self) -> SpecIndex:
        """The files' spec."""
        return self.group[0].spec


CompleteEntries = tuple[LazyEntries, tuple[BatchFiles, ...]]
"""The entries of a batch with all of their fields, and the sources that its rows may be copied from: ``group``, or
none where rows depend on more than the segment's batch."""


def as_recorded(files: PlannedFiles, entries: LazyEntries) -> CompleteEntries:
    """Return the entries as segments record them."""
    return entries, tuple(files.group)


def whole_batch(source: BatchFiles) -> pa.Table:
    """Return all entries of the batch that holds a source."""
    return pa.Table.from_batches([source.columns.batch])


def no_numbers(*_: ScanIndex | Bound | Splitting | None) -> dict[str, int]:
    """Return no columns."""
    return {}


@dataclass(frozen=True, slots=True)
class PlanRules:
    """The rules of one format.

    Attributes:
        complete: fills in what the entries of a batch inherit or what the plan computes; called once a batch.
        whole: returns all entries of the batch that holds a source, as :attr:`complete` makes them.
        numbers_after: returns, for each numbered column, the first number that a plan does not use; a second branch
            continues from it.
        groups: files that are read or dropped together; required if ``ScanRules`` reports any.
    """

    complete: Callable[[PlannedFiles, LazyEntries], CompleteEntries] = as_recorded
    whole: Callable[[BatchFiles], pa.Table] = whole_batch
    numbers_after: Callable[[ScanIndex, Bound, Splitting | None], dict[str, int]] = no_numbers
    groups: FileGroups | None = None


PLAIN_PLANS = PlanRules()

PLAN_RULES: FormatRegistry[PlanRules] = FormatRegistry()


def plan_rules_of(scan: ScanIndex) -> PlanRules:
    """Return the rules of a scan's format."""
    return PLAN_RULES.of(scan.view.table)


def groups_of(scan: ScanIndex) -> FileGroups:
    """Return the file groups of a scan; its rules must report that there are some."""
    groups = plan_rules_of(scan).groups
    assert groups is not None, f"format {scan.view.table.format} has no file groups"
    return groups
