"""Sums and quantiles of arrays, exact in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import LimitExceeded
from lakemuster.planner.pruning.prune import UNKNOWN
from lakemuster.planner.pruning.statistics import counts

Ints = NDArray[np.int64]

NO_INTS: Ints = np.zeros(0, np.int64)
_EXACT = 1 << 52
"""Below this sum, floating point is exact."""
_MOST = (1 << 63) - (1 << 43)
"""From this sum on, as computed in floating point, 64 bits may not hold it: rounding stays below 2**43."""
_MOST_CODES = 1 << 22
"""Up to this many codes, a table of all of them replaces sorting."""


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Quantiles of N numbers by nearest rank: each is one of the numbers."""

    min: int
    p50: int
    p90: int
    p99: int
    max: int

    @classmethod
    def of(cls, values: Ints) -> Quantiles | None:
        """Return the quantiles of (N,) numbers; None without any."""
        if not len(values):
            return None
        ordered = np.sort(values)
        p50, p90, p99 = (int(ordered[nearest_rank(len(ordered), percent)]) for percent in (50, 90, 99))
        return cls(int(ordered[0]), p50, p90, p99, int(ordered[-1]))


def nearest_rank(count: int, percent: int) -> int:
    """Return the index, among ``count`` ascending numbers, of the least that is not below ``percent`` % of them."""
    return max(-(-count * percent // 100) - 1, 0)


def column_numbers(tables: Iterable[pa.Table], name: str) -> Ints:
    """Return an integer column of all tables (N,); ``UNKNOWN`` where a value or the column is missing."""
    found = [
        counts(table.column(name)) if name in table.column_names else np.full(table.num_rows, UNKNOWN, np.int64)
        for table in tables
    ]
    return np.concatenate([NO_INTS, *found])


def known_sum(values: Ints) -> int:
    """Sum the numbers that are known: those of 0 or more."""
    known = np.maximum(values, 0)
    return int(known.sum()) if known.sum(dtype=np.float64) < _MOST else sum(known.tolist())


def refuse_above_64_bits(total: float) -> None:
    """Raise ``LimitExceeded`` if 64 bits may not hold a sum."""
    if total >= _MOST:
        raise LimitExceeded("sizes or record counts of files add up to more than 64 bits", limit=_MOST)


def sums(codes: Ints, count: int, values: Ints) -> Ints:
    """Sum (N,) known values by code (N,): (count,).

    Raises:
        LimitExceeded: a sum may not fit into 64 bits; no real files are that large.
    """
    known = np.maximum(values, 0)
    whole = known.sum(dtype=np.float64)
    refuse_above_64_bits(whole)
    if len(codes) and (codes == codes[0]).all():
        found = np.zeros(count, np.int64)
        found[codes[0]] = known.sum()
        return found
    # bincount adds up in float64: larger sums are made in two halves.
    if whole < _EXACT:
        return np.bincount(codes, known, count).astype(np.int64)
    low = np.bincount(codes, known & 0xFFFFFF, count).astype(np.int64)
    high = np.bincount(codes, known >> 24, count).astype(np.int64)
    return low + (high << 24)


def distinct(codes: Ints) -> tuple[Ints, Ints]:
    """Return the distinct codes, ascending, and each code's index among them."""
    if not len(codes):
        return NO_INTS, NO_INTS
    least = int(codes.min())
    span = int(codes.max()) - least + 1
    if span > max(_MOST_CODES, len(codes)):
        values, places = np.unique(codes, return_inverse=True)
        return values, places.astype(np.int64)
    present = np.bincount(codes - least, minlength=span) > 0
    index = np.cumsum(present) - 1
    return np.flatnonzero(present) + least, index[codes - least]


@dataclass(frozen=True, slots=True)
class Group:
    """Sums over the files that share a key. Files without a recorded count add nothing to a sum."""

    key: int | str | None
    files: int
    records: int
    bytes: int


def grouped(keys: Sequence[int | str | None], codes: Ints, records: Ints, sizes: Ints) -> list[Group]:
    """Sum N files by key.

    Args:
        keys: the key of each code from 0.
        codes, records, sizes: (N,).
    """
    count = len(keys)
    columns = (np.bincount(codes, minlength=count), sums(codes, count, records), sums(codes, count, sizes))
    return [
        Group(key, files, rows, size)
        for key, files, rows, size in zip(keys, *(of.tolist() for of in columns), strict=True)
        if files
    ]


def by_number(numbers: Ints, records: Ints, sizes: Ints) -> list[Group]:
    """Sum N files by a number of 0 or more, ascending; the files of negative ones come first, under None."""
    known, codes = distinct(np.maximum(numbers, UNKNOWN))
    return grouped([None if number < 0 else number for number in known.tolist()], codes, records, sizes)


def united(groups: Iterable[Group]) -> list[Group]:
    """Add up the groups of each key, which are all numbers or all texts; None first."""
    found: dict[int | str | None, Group] = {}
    for one in groups:
        same = found.get(one.key, Group(one.key, 0, 0, 0))
        found[one.key] = Group(one.key, same.files + one.files, same.records + one.records, same.bytes + one.bytes)
    return sorted(found.values(), key=lambda group: (group.key is not None, group.key))
