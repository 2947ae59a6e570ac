"""Which of many entries that follow one another are left: where each run of them starts, and where it ends."""

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


class Spread(NamedTuple):
    """Of which things, that follow one another, some entries are.

    Attributes:
        first, last: the things of the first entry and of the last one.
        counts: (last - first + 1,) entries of each thing; None where there are as many things as entries, or more.
        things: (N,) of each entry, where there are no counts; else empty.
    """

    first: int
    last: int
    counts: Places | None
    things: Places = _NO_PLACES

    @classmethod
    def of(cls, places: Places, starts: Places) -> Spread:
        """Of entries at some places, ascending, at least one; ``starts`` are those where each thing's begin."""
        # Of two places, the standard library's search takes half as long as numpy's.
        first, last = bisect_right(starts, places[0]) - 1, bisect_right(starts, places[-1]) - 1
        if first == last:
            return cls(first, last, np.array([len(places)]))
        if last - first < len(places):
            # Where each thing begins is looked up, and not of which each entry is.
            counts = np.empty(last - first + 1, np.int64)
            edges = counts[:-1] = places.searchsorted(starts[first + 1 : last + 1])
            counts[-1] = len(places)
            counts[1:] -= edges
            return cls(first, last, counts)
        return cls(first, last, None, np.searchsorted(starts, places, side="right") - 1)

    def each(self, values: NDArray[Item]) -> NDArray[Item]:
        """(N,) the value of each entry's thing, of those of all things."""
        if self.counts is None:
            return values[self.things]
        return values[self.first : self.last + 1].repeat(self.counts)

    def within(self, places: Places, starts: Places) -> Places:
        """(N,) where the entries lie in their things."""
        return places - (starts[self.first] if self.first == self.last else self.each(starts))


class Runs(NamedTuple):
    """(R,) places from ``starts`` to before ``ends``: ascending, apart, none of them empty."""

    starts: Places
    ends: Places

    @classmethod
    def of(cls, kept: Mask, starts: Places) -> Runs:
        """The entries of some things that follow one another.

        Args:
            kept: (N,) which of them.
            starts: (N + 1,) where the entries of each start, and where those of the last one end.
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
        """How many."""
        return int((self.ends - self.starts).sum())

    def between(self, first: int, end: int) -> Runs:
        """Those from ``first`` to before ``end``."""
        low = int(np.searchsorted(self.ends, first, side="right"))
        high = max(low, int(np.searchsorted(self.starts, end)))
        return Runs(np.maximum(self.starts[low:high], first), np.minimum(self.ends[low:high], end))

    def cut(self, at: Places) -> Runs:
        """The same, each ended where one of some places, ascending, lies in it, and begun anew."""
        low, high = np.searchsorted(at, self.starts, side="right"), np.searchsorted(at, self.ends)
        across = np.flatnonzero(low < high)
        if not len(across):
            return self
        inside = np.unique(np.concatenate([at[low[run] : high[run]] for run in across.tolist()]))
        return Runs(np.sort(np.concatenate([self.starts, inside])), np.sort(np.concatenate([self.ends, inside])))


def runs_of(numbers: Places) -> list[tuple[int, int, int]]:
    """Equal ones of ascending numbers: their number, and where they start and end."""
    if len(numbers) and numbers[0] == numbers[-1]:
        return [(int(numbers[0]), 0, len(numbers))]
    edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return [(int(numbers[start]), start, end) for start, end in pairwise(edges) if start < end]
