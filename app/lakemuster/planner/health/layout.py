"""The layout of a snapshot's live data files: sizes by partition, statistics, and clustering by a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakemuster.planner.health.clustering import Clustering, clustering_of
from lakemuster.planner.statistics.live_files import Question, entry_columns, files_by_spec
from lakemuster.planner.statistics.numbers import Ints, column_numbers, sums
from lakemuster.planner.statistics.rules import STATISTICS_RULES, TargetFileSize, target_of
from lakemuster.planner.statistics.table_statistics import TableStatistics

_NO_INTS: Ints = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class FileGroups:
    """N data files by partition; partitions of different specs are distinct.

    Attributes:
        sizes: (N,) bytes; negative if not recorded.
        partitions: (N,) a number for each partition of each spec, from 0.
        buckets: (N,) Paimon's buckets.
        is_current: (N,) whether a file has the table's default spec.
        count: the number of partitions.
    """

    sizes: Ints
    partitions: Ints
    buckets: Ints
    is_current: NDArray[np.bool_]
    count: int

    def summed(self, groups: Ints, chosen: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the numbers and the bytes of chosen files by group (N,)."""
        count = int(groups.max(initial=-1)) + 1
        return np.bincount(groups[chosen], minlength=count), sums(groups[chosen], count, self.sizes[chosen])


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of some files.

    Attributes:
        target: the target file size of writers; None if unknown.
        clustering: None if the table is not sorted by a column.
    """

    statistics: TableStatistics
    groups: FileGroups
    target: TargetFileSize | None
    clustering: Clustering | None


def layout_of(
    questions: Sequence[Question], statistics: TableStatistics, target_bytes: int | None, column: str | None
) -> Layout:
    """Return the layout of the files of questions.

    Args:
        statistics: the statistics of the same files.
        target_bytes: the operator's target file size; None for the table's own.
        column: the full name of the column by which the table is sorted; None if it is not.
    """
    view = questions[0].scan.view
    target = target_of(STATISTICS_RULES.of(view.table).target(view), target_bytes)
    clustering = None if column is None else clustering_of(questions, column)
    return Layout(statistics, _groups(questions, view.metadata.default_spec_id), target, clustering)


def _groups(questions: Sequence[Question], default_spec: int) -> FileGroups:
    wanted = entry_columns(("file_size_in_bytes", "bucket"))
    files = [of for question in questions for of in files_by_spec(question, wanted)]
    tables = [table for of in files for table in of.tables]
    partitions, is_current, first = [_NO_INTS], [np.zeros(0, np.bool_)], 0
    for of in files:
        count, numbers = of.partitions()
        partitions.append(numbers + first)
        is_current.append(np.full(len(numbers), of.spec.projection.spec.spec_id == default_spec))
        first += count
    return FileGroups(
        column_numbers(tables, "file_size_in_bytes"),
        np.concatenate(partitions),
        column_numbers(tables, "bucket"),
        np.concatenate(is_current),
        first,
    )
