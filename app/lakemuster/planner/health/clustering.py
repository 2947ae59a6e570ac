"""The clustering of files by a column: how well its bounds separate the files of each partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakemuster.planner.statistics.file_bounds import file_bounds
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.partition_overlap import depths_in_partitions


@dataclass(frozen=True, slots=True)
class Clustering:
    """The number of files of a partition whose bounds contain a file's lower bound, the file itself included.

    Attributes:
        column: the full name of the column.
        samples: number of files with a lower bound.
        mean: the mean over the samples; None if there are none.
    """

    column: str
    samples: int
    mean: float | None


def clustering_of(questions: Sequence[Question], column: str) -> Clustering | None:
    """Return the clustering by a column; None if the table has no such primitive column with an order."""
    found = file_bounds(questions, column, partitions=True)
    if found is None:
        return None
    depths = depths_in_partitions(found.order(), found.holding, found.partitions)[1]
    return Clustering(column, len(depths), int(depths.sum()) / len(depths) if len(depths) else None)
