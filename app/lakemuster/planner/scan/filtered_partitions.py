"""List partitions under a filter: sums over the files that the filter does not drop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import pyarrow as pa

from lakemuster.index import Index
from lakemuster.planner.lists.partition_rows import partition_table
from lakemuster.planner.lists.snapshot_lists import commit_times
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import TableSource
from lakemuster.planner.scan.applied import NotApplied
from lakemuster.planner.scan.branches import PredicateBinding
from lakemuster.planner.scan.filtered_files import filtered_files
from lakemuster.planner.view import View


@dataclass(frozen=True, slots=True)
class FilteredPartitions(TableSource):
    """A list of partitions.

    Attributes:
        not_applied: the conjuncts of the filter that cannot prune, or not all files.
    """

    not_applied: tuple[NotApplied, ...]


def filtered_partitions(index: Index, view: View, bound: PredicateBinding) -> FilteredPartitions:
    """List the partitions that have files which a predicate does not drop, with the sums over these files.

    Args:
        bound: binds the predicate to the columns of a branch.
    """
    # Like the list without a filter, this one covers only the view's own branch.
    own = replace(view, second_branch=None)
    files = filtered_files(index, own, bound)
    plan = files.plan

    def entries() -> Iterator[tuple[ManifestPart, pa.Table]]:
        for batch in chain.from_iterable(some.by_part() for some in plan.batches()):
            yield batch.part, batch.table
        numbers = files.delete_numbers()
        if len(numbers):
            yield from plan.delete_rows(numbers)

    table = partition_table(entries(), own, commit_times(index, own))
    return FilteredPartitions("partitions", table, view.snapshot_id, files.not_applied)
