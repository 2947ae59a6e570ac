"""Prune groups of files that are read together: merged buckets and ranges of row ids.

Source: Paimon ``KeyValueFileStoreScan``, ``DataEvolutionFileStoreScan``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats, Mask

Codes = NDArray[np.int64]


def kept_by_bucket(bucket: Codes, level: Codes, match: Mask, *, may_drop_group: bool) -> Mask:
    """Mark the files to read of buckets whose rows are merged.

    If all files of a bucket are on one level above 0, no key is in two files, and each file is decided alone. Otherwise
    a file that cannot match may hold the newest row of a key whose older row matches: if any can match, all are read.

    Args:
        bucket: (N,) a number for each file's partition and bucket.
        level: (N,) each file's level.
        match: (N,) whether a file can hold a matching row.
        may_drop_group: whether a bucket without a matching file holds no matching row.
    """
    if not len(bucket):
        return match
    _, code = np.unique(bucket, return_inverse=True)
    count = int(code.max()) + 1
    least = np.full(count, np.iinfo(np.int64).max)
    most = np.full(count, -1, np.int64)
    np.minimum.at(least, code, level)
    np.maximum.at(most, code, level)
    apart = (np.bincount(code, minlength=count) == 1) | ((least == most) & (least >= 1))
    some = np.bincount(code, match, count) > 0
    return np.asarray(np.where(apart[code], match, some[code] | (not may_drop_group)), np.bool_)


@dataclass(frozen=True, slots=True)
class Providers:
    """Groups of files that hold the same row ids, each file some of the columns.

    Attributes:
        group: (N,) each file's group, from 0 without gaps.
        first, rows: (N,) its range of row ids; ``first`` is negative if unknown.
        newest: (N,) its last sequence number: the newest file that has a column provides it.
        blobs: (N,) whether it holds a large object's bytes: its statistics do not describe rows.
        plain: (N,) whether all of its columns are as new as the file.
    """

    group: Codes
    first: Counts
    rows: Counts
    newest: Counts
    blobs: Mask
    plain: Mask

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    @property
    def group_rows(self) -> Counts:
        """(G,) the number of row ids that each group spans."""
        low = np.full(self.count, np.iinfo(np.int64).max)
        high = np.zeros(self.count, np.int64)
        np.minimum.at(low, self.group, self.first)
        np.maximum.at(high, self.group, self.first + self.rows)
        return np.asarray(high - low)

    def provider(self, written: Mask) -> Codes:
        """Return (G,) the file that provides a column to all rows of each group.

        ``UNKNOWN`` if that is ambiguous; -2 if no file has the column, so that it is null in all rows.

        Args:
            written: (N,) whether a file has the column.
        """
        found = np.where(np.bincount(self.group, written, self.count) > 0, UNKNOWN, -2)
        files = np.flatnonzero(written & ~self.blobs)
        if len(files):
            ordered = files[np.lexsort((-self.newest[files], self.group[files]))]
            group = self.group[ordered]
            leads = np.concatenate([[True], group[1:] != group[:-1]])
            best = ordered[leads]
            found[group[leads]] = best
            sure = self.rows[best] == self.group_rows[group[leads]]
            ties = np.zeros(self.count, np.int64)
            np.add.at(ties, group, self.newest[ordered] == self.newest[found[group]])
            several = np.bincount(group, minlength=self.count)[group[leads]] > 1
            mixed = np.bincount(group, ~self.plain[ordered], self.count)[group[leads]] > 0
            # Files without row ids are in one group, but need not hold the same rows.
            unplaced = np.bincount(self.group, self.first < 0, self.count)[group[leads]] > 0
            alone = np.bincount(self.group, minlength=self.count)[group[leads]] == 1
            sure &= (ties[group[leads]] == 1) & ~(several & mixed) & (alone | ~unplaced)
            found[group[leads][~sure]] = UNKNOWN
        return found

    def combined(self, stats: FieldStats | None, written: Mask) -> FieldStats | None:
        """Return a column's statistics by group.

        Args:
            stats: statistics by file; None if nothing was recorded.
            written: (N,) whether a file has the column.
        """
        provider = self.provider(written)
        rows = self.group_rows
        absent = provider == -2
        unknown = np.full(self.count, UNKNOWN, np.int64)
        if stats is None:
            return FieldStats(None, None, np.where(absent, rows, unknown), None, rows) if absent.any() else None
        return _taken(stats, provider, absent, rows)


def _taken(stats: FieldStats, provider: Codes, absent: Mask, rows: Counts) -> FieldStats:
    place = pa.array(np.maximum(provider, 0), mask=provider < 0)
    nulls = np.full(len(provider), UNKNOWN, np.int64)
    if stats.null_count is not None:
        nulls = np.where(provider >= 0, stats.null_count[np.maximum(provider, 0)], UNKNOWN)
    return FieldStats(
        None if stats.lower is None else stats.lower.take(place),
        None if stats.upper is None else stats.upper.take(place),
        np.where(absent, rows, nulls),
        None,
        rows,
    )
