"""Splits: pack the files of a plan into units of work, as Paimon's own readers do.

Items of one group (a bucket of a partition) are packed in order. A split is closed when the next item
would make it exceed the target weight, so a split exceeds it only if it is a single item.
An item weighs as much as its files, but at least the cost of opening a file. The item depends on the
table:

* append tables: a file, in the order of smallest sequence numbers;
* merge trees: a file, in the plan's order, in groups whose files can each be read alone; else a section
  of overlapping keys, which is never divided;
* data evolution: the files of one range of row ids, which are never divided.

Source: Paimon ``AppendOnlySplitGenerator``, ``MergeTreeSplitGenerator``, ``DataEvolutionSplitGenerator``
and ``BinPacking.packForOrdered``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

TARGET_SIZE = 128 << 20
"""Bytes; Paimon's default of ``source.split.target-size``."""

OPEN_FILE_COST = 4 << 20
"""Bytes; Paimon's default of ``source.split.open-file-cost``."""


def append_splits(
    group: Ints,
    size: Ints,
    min_sequence_number: Ints,
    *,
    target_size: int = TARGET_SIZE,
    open_file_cost: int = OPEN_FILE_COST,
) -> Ints:
    """Pack an append table's files into splits.

    Args:
        group: (N,) a number for each file's partition and bucket.
        size: (N,) bytes.
        min_sequence_number: (N,).

    Returns:
        (N,) split numbers from 0, ascending by group and then by sequence number.
    """
    item = np.empty(len(group), np.int64)
    item[np.argsort(min_sequence_number, kind="stable")] = np.arange(len(group))
    return pack(group, item, size, target_size=target_size, open_file_cost=open_file_cost)


def merge_tree_splits(
    group: Ints,
    size: Ints,
    section: Ints,
    whole: Mask,
    *,
    target_size: int = TARGET_SIZE,
    open_file_cost: int = OPEN_FILE_COST,
) -> Ints:
    """Pack a primary-key table's files into splits.

    Args:
        group, size: (N,) as for :func:`append_splits`.
        section: (N,) from ``sections.key_sections``.
        whole: (N,) from ``sections.whole_groups``.

    Returns:
        (N,) split numbers from 0, ascending by group and then by key, or by position if the group is whole.
    """
    item = np.where(whole, np.arange(len(group)), section)
    return pack(group, item, size, target_size=target_size, open_file_cost=open_file_cost)


def data_evolution_splits(
    group: Ints,
    size: Ints,
    row_range: Ints,
    blob: Mask,
    *,
    count_blob_size: bool = True,
    target_size: int = TARGET_SIZE,
    open_file_cost: int = OPEN_FILE_COST,
) -> Ints:
    """Pack the files of a table with data evolution into splits.

    Args:
        group, size: (N,) as for :func:`append_splits`.
        row_range: (N,) from ``sections.row_ranges``.
        blob: (N,) whether a file holds blobs (``.blob``).
        count_blob_size: weigh blob files by size, not by the cost of opening them. Paimon's option
            ``blob.split-by-file-size``; if that is not set, the opposite of ``blob-as-descriptor``.

    Returns:
        (N,) split numbers from 0, ascending by group and then by row id.
    """
    weight = size if count_blob_size else np.where(blob, open_file_cost, size)
    return pack(group, row_range, weight, target_size=target_size, open_file_cost=open_file_cost)


def pack(
    group: Ints, item: Ints, size: Ints, *, target_size: int = TARGET_SIZE, open_file_cost: int = OPEN_FILE_COST
) -> Ints:
    """Pack the items of each group into splits, in order.

    Args:
        group: (N,) each file's group.
        item: (N,) each file's item in its group; items are packed in ascending order.
        size: (N,) bytes.

    Returns:
        (N,) split numbers from 0, ascending by group and then by item.
    """
    if not len(group):
        return np.zeros(0, np.int64)
    order = np.lexsort((item, group))
    groups, items = group[order], item[order]
    opens = np.ones(len(order), np.bool_)
    opens[1:] = (groups[1:] != groups[:-1]) | (items[1:] != items[:-1])
    starts = np.flatnonzero(opens)
    weights = np.maximum(np.add.reduceat(size[order], starts), open_file_cost)
    of_item = _in_order(groups[starts], weights, target_size)
    splits = np.empty(len(order), np.int64)
    splits[order] = of_item[np.cumsum(opens) - 1]
    return splits


def _in_order(group: Ints, weight: Ints, target: int) -> Ints:
    """Return each item's split; a loop, because a split's weight depends on all items before."""
    splits = []
    number, filled, current = -1, 0, None
    for of, heavy in zip(group.tolist(), weight.tolist(), strict=True):
        if of != current or filled + heavy > target:
            number, filled, current = number + 1, 0, of
        filled += heavy
        splits.append(number)
    return np.array(splits, np.int64)
