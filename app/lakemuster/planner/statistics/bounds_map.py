"""The files of a table as intervals of a column, put together to as many groups as one can draw.

Pure. Files with both bounds are sorted by their lower bound, those with equal ones by their upper bound, and cut into
groups of equally many files: each group stands for its files exactly, none of them is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import BoundOrder, Codes, Mask


class Groups(NamedTuple):
    """G groups of files, in the order of their lower bounds; each array is (G,).

    Attributes:
        files, kept: how many files there are, and how many of them are kept.
        lower, last_lower: places of files with the least and with the greatest lower bound.
        median_upper, upper: places of files with the median upper bound, by nearest rank, and with the greatest.
    """

    files: Ints
    kept: Ints
    lower: Ints
    last_lower: Ints
    median_upper: Ints
    upper: Ints


@dataclass(frozen=True, slots=True)
class BoundsMap:
    """Data files on one column.

    Attributes:
        groups: of the files with both bounds.
        open_files: those that lack a bound, and may hold any value on its side.
        empty_files: those that hold no value: only nulls and NaN, or bounds the wrong way round.
        kept_open_files, kept_empty_files: those of them that are kept.
    """

    groups: Groups
    open_files: int
    empty_files: int
    kept_open_files: int
    kept_empty_files: int


def bounds_map(bounds: BoundOrder, holding: Mask, files: int, most: int) -> BoundsMap:
    """Put files together to at most ``most`` groups.

    Args:
        bounds, holding: of ``files`` files, followed by those that are kept, once more.
    """
    lower, has_lower, upper, has_upper = bounds
    both = has_lower & has_upper
    empty = ~holding | (both & (lower > upper))
    placed = both & ~empty
    every, again = np.flatnonzero(placed[:files]), np.flatnonzero(placed[files:]) + files
    order = every[np.lexsort((upper[every], lower[every]))]
    is_kept = _is_kept(lower, upper, order, again)
    count = min(most, len(order))
    cuts = np.arange(count + 1) * len(order) // max(count, 1)
    firsts, counts = cuts[:-1], np.diff(cuts)
    by_upper = np.lexsort((upper[order], np.repeat(np.arange(len(counts)), counts)))
    sorted_by_upper = order[by_upper]
    groups = Groups(
        counts,
        np.add.reduceat(is_kept, firsts) if len(firsts) else counts,
        order[firsts],
        order[firsts + counts - 1],
        sorted_by_upper[firsts + (counts + 1) // 2 - 1],
        sorted_by_upper[firsts + counts - 1],
    )
    is_open = ~both & ~empty
    return BoundsMap(
        groups, *(int(of.sum()) for of in (is_open[:files], empty[:files], is_open[files:], empty[files:]))
    )


def _is_kept(lower: Codes, upper: Codes, order: Ints, kept: Ints) -> Ints:
    """Return (N,) 1 for each file in ``order`` that is kept, else 0. Of files with equal bounds, the first ones are."""
    found = np.zeros(len(order), np.int64)
    if not len(order) or not len(kept):
        return found
    lowers, uppers = lower[order], upper[order]
    begins = np.flatnonzero(np.concatenate([[True], (lowers[1:] != lowers[:-1]) | (uppers[1:] != uppers[:-1])]))
    run_lower, run_upper = lowers[begins], uppers[begins]
    # A pair of bounds as one number: ranks of both among those of all files.
    ranks = [np.unique(of, return_inverse=True) for of in (run_lower, run_upper)]
    width = len(ranks[1][0])
    keys = ranks[0][1] * width + ranks[1][1]
    own = [of[0].searchsorted(values) for of, values in zip(ranks, (lower[kept], upper[kept]), strict=True)]
    runs = keys.searchsorted(own[0] * width + own[1])
    numbers = np.bincount(runs, minlength=len(begins))
    lengths = np.diff(np.append(begins, len(order)))
    within = np.arange(len(order)) - np.repeat(begins, lengths)
    return (within < np.repeat(numbers, lengths)).astype(np.int64)
