"""Splits against a plain implementation of packing, group by group."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.paimon.sections import row_ranges
from lakemuster.planner.paimon.splits import (
    OPEN_FILE_COST,
    TARGET_SIZE,
    append_splits,
    data_evolution_splits,
    merge_tree_splits,
)


def ints(values):
    return np.array(values, np.int64)


def columns_of(files, count):
    return [ints(list(column)) for column in zip(*files, strict=True)] or [ints([])] * count


def packed(items, target, cost):
    """Pack items of (files, bytes) in order; return the files of each bin."""
    bins, current, weight = [], [], 0
    for files, size in items:
        own = max(size, cost)
        if current and weight + own > target:
            bins.append(current)
            current, weight = [], 0
        current, weight = current + files, weight + own
    return [*bins, current] if current else bins


def listed(splits):
    return [np.flatnonzero(splits == number).tolist() for number in range(splits.max(initial=-1) + 1)]


sizes = st.integers(0, 30)
limits = {"target_size": st.integers(1, 60), "open_file_cost": st.integers(0, 20)}


@given(st.lists(st.tuples(st.integers(0, 2), sizes, st.integers(0, 4)), max_size=15), *limits.values())
def test_append_files_are_packed_in_the_order_of_their_sequence_numbers(files, target, cost):
    found = append_splits(*columns_of(files, 3), target_size=target, open_file_cost=cost)
    expected = []
    for group in sorted({file[0] for file in files}):
        own = sorted((i for i in range(len(files)) if files[i][0] == group), key=lambda i: files[i][2])
        expected += packed([([i], files[i][1]) for i in own], target, cost)
    assert listed(found) == [sorted(split) for split in expected]


@given(
    st.lists(st.tuples(st.integers(0, 2), sizes, st.integers(0, 5)), max_size=15),
    st.sets(st.integers(0, 2)),
    *limits.values(),
)
def test_sections_are_packed_whole_and_files_of_whole_groups_one_by_one(files, whole, target, cost):
    group, size, within = columns_of(files, 3)
    section = group * 6 + within
    found = merge_tree_splits(
        group, size, section, np.isin(group, list(whole)), target_size=target, open_file_cost=cost
    )
    expected = []
    for one in sorted(set(group.tolist())):
        own = np.flatnonzero(group == one).tolist()
        if one in whole:
            items = [([i], files[i][1]) for i in own]
        else:
            parts = [[i for i in own if within[i] == part] for part in sorted(set(within[own].tolist()))]
            items = [(part, sum(files[i][1] for i in part)) for part in parts]
        expected += packed(items, target, cost)
    assert listed(found) == [sorted(split) for split in expected]


@given(
    st.lists(st.tuples(st.integers(0, 1), sizes, st.integers(0, 9), st.integers(1, 4), st.booleans()), max_size=12),
    st.booleans(),
    *limits.values(),
)
def test_a_row_id_range_is_never_split_and_blobs_weigh_their_open_cost(files, count, target, cost):
    group, size, first, rows, blob = columns_of(files, 5)
    ranges = row_ranges(group, first, rows)
    found = data_evolution_splits(
        group, size, ranges, blob.astype(bool), count_blob_size=count, target_size=target, open_file_cost=cost
    )
    expected = []
    for one in sorted(set(group.tolist())):
        items = []
        for number in sorted(set(ranges[group == one].tolist())):
            own = np.flatnonzero(ranges == number).tolist()
            items.append((own, sum(cost if files[i][4] and not count else files[i][1] for i in own)))
        expected += packed(items, target, cost)
    assert listed(found) == [sorted(split) for split in expected]


def test_a_split_has_128_mib_and_a_small_file_counts_as_4_mib():
    assert (TARGET_SIZE, OPEN_FILE_COST) == (134_217_728, 4_194_304)
    group, size = np.zeros(33, np.int64), np.full(33, 10, np.int64)
    found = append_splits(group, size, np.arange(33))
    assert np.bincount(found).tolist() == [32, 1]


def test_a_file_larger_than_a_split_has_its_own():
    found = append_splits(ints([0, 0, 0]), ints([5, 50, 5]), ints([1, 2, 3]), target_size=20, open_file_cost=1)
    assert found.tolist() == [0, 1, 2]
