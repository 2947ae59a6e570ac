"""How well a column separates the files of each partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakemuster.planner.statistics.file_bounds import file_bounds
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.partition_overlap import depths_in_partitions


@dataclass(frozen=True, slots=True)
class Clustering:
    """How many files of its own partition contain the lower bound of a file, itself among them.

    Attributes:
        column: the full name.
        samples: files with a lower bound.
        mean: over them; None without any.
    """

    column: str
    samples: int
    mean: float | None


def clustering_of(questions: Sequence[Question], column: str) -> Clustering | None:
    """Count the files of each file's partition whose bounds contain its lower bound; None: no such primitive column."""
    found = file_bounds(questions, column, partitions=True)
    if found is None:
        return None
    depths = depths_in_partitions(found.order(), found.holding, found.partitions)[1]
    return Clustering(column, len(depths), int(depths.sum()) / len(depths) if len(depths) else None)
