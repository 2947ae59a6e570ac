"""Sort delete files by key and sequence number, and pair data files with their delete files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakemuster.errors import LimitExceeded

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Pairs = tuple[Numbers, Numbers]

MAX_PAIRS = 2**25
"""Limit of (data file, delete file) pairs in one call: each takes 8 bytes of the result."""

NO_NUMBERS: Numbers = np.zeros(0, np.int64)

_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """Delete files sorted by key, then sequence number: the matches of one key and data sequence number are a range.

    Attributes:
        newer: whether the sequence number of data files must be smaller; otherwise an equal number matches, too.
    """

    sequences: Numbers
    places: Numbers
    numbers: Numbers
    ends: Numbers
    newer: bool

    @classmethod
    def of(cls, keys: Numbers, sequences: Numbers, numbers: Numbers, *, newer: bool) -> DeleteGroup:
        """Sort delete files (D,) by key (0 or greater) and sequence number."""
        distinct, ranks = np.unique(sequences, return_inverse=True)
        places = keys * (len(distinct) + 1) + ranks
        order = np.argsort(places, kind="stable")
        ends = np.cumsum(np.bincount(keys)) if len(keys) else NO_NUMBERS
        return cls(distinct, places[order], numbers[order], ends, newer)

    def pairs(self, keys: Numbers, sequences: Numbers) -> Iterator[Pairs]:
        """Yield rows and the numbers of their delete files, in ascending row order, in limited batches.

        Args:
            keys: each row's key; a row with a negative key has no delete files.
            sequences: each data file's sequence number.
        """
        if not len(self.ends):
            return
        rows = ((keys >= 0) & (keys < len(self.ends))).nonzero()[0]
        if not len(rows):
            return
        own = keys[rows]
        ranks = self.sequences.searchsorted(sequences[rows], "right" if self.newer else "left")
        starts = self.places.searchsorted(own * (len(self.sequences) + 1) + ranks)
        counts = self.ends[own] - starts
        some = counts.nonzero()[0]
        rows, starts, counts = rows[some], starts[some], counts[some]
        totals = counts.cumsum()
        first = 0
        while first < len(rows):
            done = int(totals[first - 1]) if first else 0
            last = max(int(totals.searchsorted(done + _AT_ONCE, "right")), first + 1)
            yield _spread(rows[first:last], starts[first:last], counts[first:last], self.numbers)
            first = last


def _spread(rows: Numbers, starts: Numbers, counts: Numbers, numbers: Numbers) -> Pairs:
    ends = counts.cumsum()
    places = np.arange(ends[-1]) + (starts - (ends - counts)).repeat(counts)
    return rows.repeat(counts), numbers[places]


class FoundPairs:
    """The pairs of a row and a delete file that were found so far."""

    def __init__(self) -> None:
        self._rows: list[Numbers] = []
        self._numbers: list[Numbers] = []
        self._count = 0

    def add(self, rows: Numbers, numbers: Numbers, keep: Mask | None = None) -> None:
        """Add pairs: those that the mask ``keep`` selects, or all.

        Raises:
            LimitExceeded: more than :data:`MAX_PAIRS` in all.
        """
        if keep is not None:
            kept = keep.nonzero()[0]
            rows, numbers = rows[kept], numbers[kept]
        self._count += len(rows)
        if self._count > MAX_PAIRS:
            raise LimitExceeded("too many delete files apply to the data files of one manifest", limit=MAX_PAIRS)
        self._rows.append(rows)
        self._numbers.append(numbers)

    def by_row(self, rows: int, deletes: int) -> Pairs:
        """Return offsets (rows + 1,) and each row's delete file numbers, ascending, all below ``deletes``."""
        if not self._count:
            return np.zeros(rows + 1, np.int64), NO_NUMBERS
        of_rows, numbers = np.concatenate(self._rows), np.concatenate(self._numbers)
        offsets = np.zeros(rows + 1, np.int64)
        np.cumsum(np.bincount(of_rows, minlength=rows), out=offsets[1:])
        places = of_rows * deletes + numbers
        places.sort()
        return offsets, places % deletes
