"""Groups of files that are dropped only together: merged buckets, and files with the same row ids."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.paimon.groups import Providers, kept_by_bucket
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats

FILES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans()), max_size=20)


@given(FILES, st.booleans())
def test_a_bucket_stays_whole_unless_its_files_are_on_one_level(
    files: list[tuple[int, int, bool]], may_drop_group: bool
):
    bucket, level, match = (
        (np.array(list(column)) for column in zip(*files, strict=True)) if files else [np.zeros(0)] * 3
    )
    found = kept_by_bucket(
        bucket.astype(np.int64), level.astype(np.int64), match.astype(bool), may_drop_group=may_drop_group
    )
    groups = defaultdict(list)
    for number, (of, at, _) in enumerate(files):
        groups[of].append((number, at))
    for members in groups.values():
        levels = {at for _, at in members}
        apart = len(members) == 1 or (len(levels) == 1 and 0 not in levels)
        for number, _ in members:
            some = any(files[other][2] for other, _ in members)
            assert found[number] == (files[number][2] if apart else some or not may_drop_group)


def providers(newest: list[int], rows: list[int] | None = None, blobs: list[bool] | None = None) -> Providers:
    count = len(newest)
    return Providers(
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.array(rows or [10] * count),
        np.array(newest),
        np.array(blobs or [False] * count),
        np.ones(count, np.bool_),
    )


def test_the_newest_file_with_the_column_provides_it():
    assert providers([1, 3, 2]).provider(np.array([True, False, True])).tolist() == [2]
    assert providers([1, 3, 2]).provider(np.array([True, True, True])).tolist() == [1]


def test_a_column_of_no_file_is_null():
    found = providers([1, 2]).combined(None, np.array([False, False]))
    assert found is not None
    assert np.asarray(found.null_count).tolist() == [10]


def test_a_column_only_in_blob_files_is_unknown():
    assert providers([1, 2], blobs=[False, True]).provider(np.array([False, True])).tolist() == [UNKNOWN]


def test_equally_new_or_partial_files_make_the_provider_ambiguous():
    assert providers([2, 2]).provider(np.array([True, True])).tolist() == [UNKNOWN]
    assert providers([1, 2], rows=[10, 4]).provider(np.array([True, True])).tolist() == [UNKNOWN]


def test_files_without_row_ids_provide_no_column_to_each_other():
    several = replace(providers([1, 3]), first=np.array([-1, -1]))
    assert several.provider(np.array([True, True])).tolist() == [UNKNOWN]
    assert replace(providers([1]), first=np.array([-1])).provider(np.array([True])).tolist() == [0]


def test_statistics_come_from_the_provider():
    stats = FieldStats(pa.array([1, 5, 9]), pa.array([2, 6, None]), np.array([0, 4, 1]), None, np.array([10, 10, 10]))
    found = providers([1, 3, 2]).combined(stats, np.array([True, True, False]))
    assert found is not None
    assert (found.lower.to_pylist(), found.upper.to_pylist()) == ([5], [6])  # type: ignore[union-attr]
    assert np.asarray(found.null_count).tolist() == [4]
    assert np.asarray(found.value_count).tolist() == [10]
