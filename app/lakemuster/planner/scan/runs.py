"""Runs of consecutive entries: their starts and ends, and the manifest or segment that holds each entry."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lakemuster.planner.pruning.prune import Mask

Places = NDArray[np.int64]
Item = TypeVar("Item", bound=np.generic)

_NO_PLACES: Places = np.zeros(0, np.int64)


class Owners(NamedTuple):
    """The owners of some entries, where each owner (a manifest, for example) holds consecutive entries.

    Attributes:
        first, last: the owners of the first and of the last entry.
        counts: (last - first + 1,) entries of each owner; None where there are more owners than entries.
        owner: (N,) each entry's owner, where there are no counts; else empty.
    """

    first: int
    last: int
    counts: Places | None
    owner: Places = _NO_PLACES

    @classmethod
    def of(cls, places: Places, starts: Places) -> Owners:
        """Find the owners of the entries at ``places``, ascending, at least one; owners begin at ``starts``."""
        # For two places, bisect takes half as long as numpy's search.
        first, last = bisect_right(starts, places[0]) - 1, bisect_right(starts, places[-1]) - 1
        if first == last:
            return cls(first, last, np.array([len(places)]))
        if last - first < len(places):
            # No more owners than entries: search for the owners' starts among the entries.
            counts = np.empty(last - first + 1, np.int64)
            edges = counts[:-1] = places.searchsorted(starts[first + 1 : last + 1])
            counts[-1] = len(places)
            counts[1:] -= edges
            return cls(first, last, counts)
        return cls(first, last, None, np.searchsorted(starts, places, side="right") - 1)

    def each(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return the (N,) value of each entry's owner, from the values of all owners."""
        if self.counts is None:
            return values[self.owner]
        return values[self.first : self.last + 1].repeat(self.counts)

    def within(self, places: Places, starts: Places) -> Places:
        """Return each entry's (N,) position in its owner."""
        return places - (starts[self.first] if self.first == self.last else self.each(starts))


class PlaceRanges(NamedTuple):
    """(R,) ranges of places from ``starts`` to before ``ends``: ascending, disjoint, none of them empty."""

    starts: Places
    ends: Places

    @classmethod
    def of(cls, kept: Mask, starts: Places) -> PlaceRanges:
        """Return the entries of the marked owners among N consecutive ones.

        Args:
            kept: (N,) marks.
            starts: (N + 1,) the start of each owner's entries, and the end of the last owner's.
        """
        places = kept.nonzero()[0]
        if not len(places):
            return cls(places, places)
        breaks = (places[1:] - places[:-1] != 1).nonzero()[0]
        firsts = starts[places[np.concatenate(([0], breaks + 1))]]
        ends = starts[places[np.concatenate((breaks, [-1]))] + 1]
        some = firsts < ends
        return cls(firsts, ends) if some.all() else cls(firsts[some], ends[some])

    @property
    def entries(self) -> int:
        """The number of entries in the runs."""
        return int((self.ends - self.starts).sum())

    def between(self, first: int, end: int) -> PlaceRanges:
        """Clip the runs to the places from ``first`` to before ``end``."""
        low = int(np.searchsorted(self.ends, first, side="right"))
        high = max(low, int(np.searchsorted(self.starts, end)))
        return PlaceRanges(np.maximum(self.starts[low:high], first), np.minimum(self.ends[low:high], end))

    def cut(self, at: Places) -> PlaceRanges:
        """Split the runs at some places, ascending."""
        low, high = np.searchsorted(at, self.starts, side="right"), np.searchsorted(at, self.ends)
        across = np.flatnonzero(low < high)
        if not len(across):
            return self
        inside = np.unique(np.concatenate([at[low[run] : high[run]] for run in across.tolist()]))
        return PlaceRanges(np.sort(np.concatenate([self.starts, inside])), np.sort(np.concatenate([self.ends, inside])))


def runs_of(numbers: Places) -> list[tuple[int, int, int]]:
    """Group equal ascending numbers; return each number with the start and end of its group."""
    if len(numbers) and numbers[0] == numbers[-1]:
        return [(int(numbers[0]), 0, len(numbers))]
    edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return [(int(numbers[start]), start, end) for start, end in pairwise(edges) if start < end]
