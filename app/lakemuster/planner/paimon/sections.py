"""Key-range sections of merge trees: which files of a bucket hold overlapping keys and are read together.

Within a group (one bucket of one partition), files are in the same section if their key intervals
overlap, directly or through others. Two sections share no key, so no row of one can
replace a row of the other. Sections need the smallest and largest key of every file. An unknown part of a smallest
key counts as less than all values, of a largest key as greater than all: intervals only grow, up to the whole group.

The code works on whole arrays: keys become integers in the same order, and files are sorted once.

Source: Paimon ``IntervalPartition`` and ``MergeTreeSplitGenerator``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.paimon.columns import combine

_SPAN = 1 << 61

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def key_sections(group: Ints, minima: Sequence[pa.Array], maxima: Sequence[pa.Array]) -> Ints:
    """Divide the files of each group into sections of overlapping keys.

    Args:
        group: (N,) a number for each file's partition and bucket.
        minima, maxima: for each column of the trimmed primary key, the N smallest and largest keys; null if
            unknown. Keys are compared column by column as Paimon does: nulls first, text and bytes by unsigned
            bytes, decimals as numbers.

    Returns:
        (N,) section numbers from 0, distinct between groups, ascending by group and then by key.
    """
    low, high = _key_ranks(len(group), minima, maxima)
    return overlapping(group, low, high)


def row_ranges(group: Ints, first_row_id: Ints, record_count: Ints) -> Ints:
    """Divide the files of each group into ranges of overlapping row ids: data evolution spreads a row over files.

    Args:
        group: (N,) as for :func:`key_sections`.
        first_row_id: (N,); negative if unknown: then the whole group is one range.
        record_count: (N,).

    Returns:
        (N,) range numbers from 0, distinct between groups, ascending by group and then by row id.
    """
    known = first_row_id >= 0
    last = first_row_id + np.maximum(record_count, 1) - 1
    beyond = last.max(initial=0, where=known) + 1
    return overlapping(group, np.where(known, first_row_id, -1), np.where(known, last, beyond))


def overlapping(group: Ints, low: Ints, high: Ints) -> Ints:
    """Number the unions of overlapping closed intervals in each group.

    Args:
        group: (N,) any codes.
        low, high: (N,) the ends of each interval.

    Returns:
        (N,) numbers from 0, ascending by group and then by interval.
    """
    if not len(group):
        return np.zeros(0, np.int64)
    low, high = np.minimum(low, high), np.maximum(low, high)
    # Groups have disjoint ranges of integers, so one running maximum serves all of them.
    start, end = np.split(combine(np.concatenate([group, group]), np.concatenate([low, high])), 2)
    order = np.argsort(start)
    reached = np.maximum.accumulate(end[order])
    opens = np.ones(len(order), np.bool_)
    opens[1:] = start[order][1:] > reached[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(opens) - 1
    return numbers


def whole_groups(group: Ints, level: Ints, delete_row_count: Ints, *, merged: bool) -> Mask:
    """Mark the files of groups whose files can each be read alone.

    Args:
        group: (N,).
        level: (N,).
        delete_row_count: (N,) the delete rows in each file; -1 if not recorded, which counts
            as none, as in Paimon's own readers.
        merged: no key is live in two files (deletion vectors, or merge engine first-row).
    """
    numbers, first, place = _places(group)
    good = (level > 0) & (delete_row_count <= 0)
    whole = np.bincount(place, ~good, len(numbers)) == 0
    if not merged:
        whole &= np.bincount(place, level != level[first][place], len(numbers)) == 0
    return np.asarray(whole[place])


def raw_convertible(group: Ints, section: Ints, level: Ints, delete_row_count: Ints, *, merged: bool) -> Mask:
    """Mark the files of a merge tree that a plain reader may read alone; deletion vectors still apply by position.

    These are the files of :func:`whole_groups`, and files without delete rows that are alone in their section.
    The arguments are as for :func:`whole_groups`, with the sections from :func:`key_sections`.
    """
    numbers, _, place = _places(section)
    alone = np.bincount(place, minlength=len(numbers))[place] == 1
    whole = whole_groups(group, level, delete_row_count, merged=merged)
    return np.asarray(whole | (alone & (delete_row_count <= 0)))


def _places(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct codes, the first row of each, and each row's index in the distinct codes."""
    numbers, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return numbers, first, place


def _key_ranks(count: int, minima: Sequence[pa.Array], maxima: Sequence[pa.Array]) -> tuple[Ints, Ints]:
    """Return integers in the order of the smallest keys and of the largest keys."""
    columns = [_ranks(*both) for both in zip(minima, maxima, strict=True)]
    if not columns:
        return np.zeros(count, np.int64), np.zeros(count, np.int64)
    low, high = np.split(combine(*columns), 2)
    return low, high


def _ranks(minima: pa.Array, maxima: pa.Array) -> Ints:
    """Return integers in the order of one column's values: of the smallest keys, then of the largest keys."""
    form = maxima.type if pa.types.is_null(minima.type) else minima.type
    both = pa.concat_arrays([minima.cast(form), maxima.cast(form)])
    if pa.types.is_floating(both.type):
        both = pc.if_else(pc.is_nan(both), pa.scalar(None, both.type), both)
    if both.null_count == len(both):
        ranks, top = np.zeros(len(both), np.int64), 1
    else:
        ranks, top = _order(both)
    unknown = np.asarray(both.is_null().to_numpy(zero_copy_only=False))
    return np.where(unknown, np.where(np.arange(len(both)) < len(minima), 0, top), ranks)


def _order(values: pa.Array) -> tuple[Ints, int]:
    """Return integers from 1 in the order of the values (arbitrary for null), and an integer above all of them."""
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    if pa.types.is_integer(values.type):
        least, most = (int(end.as_py()) for end in pc.min_max(values).values())
        if most - least < _SPAN:  # integers need no ranks
            return values.cast(pa.int64()).fill_null(least).to_numpy() - least + 1, most - least + 2
    return pc.rank(values, tiebreaker="dense").to_numpy().astype(np.int64), len(values) + 1
