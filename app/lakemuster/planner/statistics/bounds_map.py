"""The files of a table as intervals of a column, in as many groups as can be drawn.

Pure. Files with both bounds are sorted by their lower bound, those with equal ones by their upper bound, and cut into
groups of equally many files: each group stands exactly for its files, and no file is left out.
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
        files, kept: the number of files, and the number of those that the filter keeps.
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
class SortedFiles:
    """Files with both bounds, sorted by their lower bounds, those with equal ones by their upper bounds.

    Attributes:
        places: (M,) of the N files.
        lower, upper: (M,) of each.
        open_files: the number of files that lack a bound, and may hold any value on its side.
        empty_files: the number of files without a value: only nulls and NaN, or bounds the wrong way round.
    """

    places: Ints
    lower: Codes
    upper: Codes
    open_files: int
    empty_files: int


def sorted_files(bounds: BoundOrder, holding: Mask) -> SortedFiles:
    """Sort files; the arguments are of N files, as for ``overlap``."""
    lower, has_lower, upper, has_upper = bounds
    both = has_lower & has_upper
    empty = ~holding | (both & (lower > upper))
    places = np.flatnonzero(both & ~empty)
    places = places[lower[places].argsort()]
    lowers, uppers = lower[places], upper[places]
    # Sorting by two keys takes several times as long, so only files with equal lower bounds are sorted by both.
    tied = np.flatnonzero(_ties(lowers))
    if len(tied):
        places[tied] = places[tied][np.lexsort((uppers[tied], lowers[tied]))]
        uppers = upper[places]
    return SortedFiles(places, lowers, uppers, int((~both & ~empty).sum()), int(empty.sum()))


def groups_of(files: SortedFiles, kept: SortedFiles, most: int) -> Groups:
    """Divide files into at most ``most`` groups.

    Args:
        kept: some of the same files, with bounds as numbers in the same order.
    """
    rows = len(files.places)
    count = min(most, rows)
    cuts = np.arange(count + 1) * rows // max(count, 1)
    firsts, ends = cuts[:-1], cuts[1:]
    median, greatest = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for group, (first, end) in enumerate(zip(firsts.tolist(), ends.tolist(), strict=True)):
        own = files.upper[first:end]
        middle = (end - first + 1) // 2 - 1
        median[group] = first + own.argpartition(middle)[middle]
        greatest[group] = first + own.argmax()
    is_kept = _is_kept(files, kept)
    places = files.places
    return Groups(
        ends - firsts,
        np.add.reduceat(is_kept, firsts) if count else is_kept,
        places[firsts],
        places[ends - 1],
        places[median],
        places[greatest],
    )


def _ties(ascending: Codes) -> Mask:
    """Mark the numbers that occur more than once."""
    found = np.zeros(len(ascending), np.bool_)
    same = ascending[1:] == ascending[:-1]
    found[1:] |= same
    found[:-1] |= same
    return found


def _is_kept(files: SortedFiles, kept: SortedFiles) -> Ints:
    """Return (M,) 1 for each file that the filter keeps, else 0; of equal bounds, the first files count as kept."""
    found = np.zeros(len(files.places), np.int64)
    if len(kept.places) == len(files.places):
        found[:] = 1
        return found
    begins = files.lower.searchsorted(kept.lower, "left")
    alone = files.lower.searchsorted(kept.lower, "right") - begins == 1
    found[begins[alone]] = 1
    tied = np.flatnonzero(_ties(files.lower))
    if len(tied):
        rest = ~alone
        found[tied] = _first_of_each(files.lower[tied], files.upper[tied], kept.lower[rest], kept.upper[rest])
    return found


def _first_of_each(lower: Codes, upper: Codes, kept_lower: Codes, kept_upper: Codes) -> Ints:
    """Return 1 for the first files of each pair of bounds, as many as the filter keeps; pairs are ascending."""
    begins = np.flatnonzero(np.concatenate([[True], (lower[1:] != lower[:-1]) | (upper[1:] != upper[:-1])]))
    # A pair as one number: the ranks of both.
    lowers, uppers = np.unique(lower[begins]), np.unique(upper[begins])
    keys = lowers.searchsorted(lower[begins]) * len(uppers) + uppers.searchsorted(upper[begins])
    own = lowers.searchsorted(kept_lower) * len(uppers) + uppers.searchsorted(kept_upper)
    numbers = np.bincount(keys.searchsorted(own), minlength=len(begins))
    lengths = np.diff(np.append(begins, len(lower)))
    within = np.arange(len(lower)) - np.repeat(begins, lengths)
    return (within < np.repeat(numbers, lengths)).astype(np.int64)
