"""The sizes of files: a histogram in powers of two, and small files."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lakemuster.planner.statistics.numbers import Ints, known_sum, sums

_EDGES: Ints = np.concatenate([np.zeros(1, np.int64), np.int64(1) << np.arange(63)])
"""The lower edges of buckets: 0, 1, 2, 4 … bytes."""


@dataclass(frozen=True, slots=True)
class SizeBucket:
    """The files of ``from_bytes`` to before ``to_bytes`` bytes."""

    from_bytes: int
    to_bytes: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The files below a share of the target size.

    Attributes:
        target_bytes: the size that writers aim at.
        least_bytes: a file with fewer bytes is small.
        rule: how ``least_bytes`` follows from the target, and where the target is from.
    """

    files: int
    bytes: int
    target_bytes: int
    least_bytes: int
    rule: str

    def __add__(self, other: SmallFiles) -> SmallFiles:
        """Add other files, of the same target."""
        return replace(self, files=self.files + other.files, bytes=self.bytes + other.bytes)


def by_size(sizes: Ints) -> Ints:
    """Count (N,) files by size: (2, 64), the files of each bucket and their bytes; those of unknown size are left out.

    Raises:
        LimitExceeded: the sizes may add up to more than 64 bits.
    """
    known = sizes[sizes >= 0]
    places = np.searchsorted(_EDGES, known, side="right") - 1
    return np.stack([np.bincount(places, minlength=64), sums(places, 64, known)])


def histogram(counted: Ints) -> list[SizeBucket]:
    """Return the buckets of ``by_size`` from the smallest to the largest file, empty ones included."""
    files, whole = counted
    filled = np.flatnonzero(files)
    return [
        SizeBucket(0 if place == 0 else 1 << place - 1, 1 << place, int(files[place]), int(whole[place]))
        for place in (range(filled[0], filled[-1] + 1) if len(filled) else ())
    ]


def small_files(sizes: Ints, target_bytes: int, least_bytes: int, rule: str) -> SmallFiles:
    """Count the (N,) files that are smaller than ``least_bytes``; files of unknown size do not count."""
    small = sizes[(sizes >= 0) & (sizes < least_bytes)]
    return SmallFiles(len(small), known_sum(small), target_bytes, least_bytes, rule)
