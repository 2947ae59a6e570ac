"""Count the rows that match a predicate, and the nulls of a column among them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lakemuster.planner.aggregates.interval import Doubts, Exclusions, Interval
from lakemuster.planner.aggregates.kept_files import DescribedFiles
from lakemuster.planner.pruning.prune import Counts, FieldStats

UNCOUNTED_NULLS = "nulls not counted"
_MOST = 1 << 62
"""Above this sum, as computed in floating point, 64 bits may not hold it."""
_DELETED = "rows with nulls may be among the deleted ones"


@dataclass(slots=True)
class Tally:
    """A sum over files, each within bounds; an unknown upper bound is negative."""

    least: int = 0
    most: int | None = 0
    doubts: Doubts = field(default_factory=Doubts)

    def add(self, least: Counts, most: Counts) -> None:
        """Add the bounds of N files."""
        self.least += _sum(least)
        if self.most is not None:
            self.most = None if (most < 0).any() else self.most + _sum(most)

    @property
    def interval(self) -> Interval:
        """The sum, exact or as an interval."""
        if self.least == self.most:
            return Interval.of_value(self.least)
        return Interval(self.least, self.most, exact=False, reason=self.doubts.reason)


def _sum(numbers: Counts) -> int:
    """Sum numbers of 0 or more, also beyond 64 bits: recorded counts are not trusted."""
    return int(numbers.sum()) if numbers.sum(dtype=np.float64) < _MOST else sum(numbers.tolist())


def count_rows(tally: Tally, files: DescribedFiles) -> None:
    """Add the rows that match."""
    tally.add(np.where(files.certain, files.rows.least, 0), files.rows.most)
    tally.doubts.add(files)


def count_nulls(tally: Tally, files: DescribedFiles, stats: FieldStats, given: Exclusions) -> None:
    """Add the rows that match and have a null in a column."""
    if given.never_null or given.no_null:
        return
    rows, records, nulls = files.rows, files.records, given.nulls(stats.null_count, files.certain)
    unknown = nulls < 0
    most = np.where(unknown, rows.most, np.where(rows.most < 0, nulls, np.minimum(nulls, rows.most)))
    left = nulls - (records - rows.least)  # any row that is not left may be one with a null
    least = np.where(files.certain & ~unknown & (records >= 0), np.maximum(left, 0), 0)
    tally.add(least, most)
    tally.doubts.add(files, {UNCOUNTED_NULLS: unknown, _DELETED: files.certain & ~unknown & (least != most)})
