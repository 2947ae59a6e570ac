"""Buckets, small files, sums and quantiles at their edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakemuster.errors import LimitExceeded
from lakemuster.planner.statistics.file_sizes import SizeBucket, by_size, histogram, small_files
from lakemuster.planner.statistics.numbers import Group, Quantiles, by_number, distinct, known_sum, sums, united

SIZES = st.lists(st.integers(0, 8) | st.integers(0, 57).flatmap(lambda n: st.integers(2**n - 1, 2**n + 1)), max_size=20)


def ints(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


@given(SIZES)
def test_every_size_is_in_its_bucket(sizes: list[int]) -> None:
    found = histogram(by_size(ints(sizes)))
    assert sum(of.files for of in found) == len(sizes)
    for of in found:
        own = [size for size in sizes if of.from_bytes <= size < of.to_bytes]
        assert (of.files, of.bytes) == (len(own), sum(own))
        assert of.to_bytes == max(2 * of.from_bytes, 1)


def test_sizes_beyond_64_bits_are_refused_by_group_and_exact_in_all() -> None:
    sizes = ints([2**62, 2**62, 2**63 - 1, -1])
    with pytest.raises(LimitExceeded):
        by_size(sizes)
    assert known_sum(sizes) == 2**64 - 1


@given(SIZES, SIZES)
def test_files_add_up_to_all_of_them(some: list[int], others: list[int]) -> None:
    every, (one, other) = ints([*some, *others]), (ints(some), ints(others))
    assert np.array_equal(by_size(one) + by_size(other), by_size(every))
    sums_of = [small_files(sizes, 13, 10, "") for sizes in (one, other, every)]
    assert sums_of[0] + sums_of[1] == sums_of[2]
    groups = [by_number(sizes % 5 - 1, sizes, sizes) for sizes in (one, other, every)]
    assert united(groups[0] + groups[1]) == groups[2]


def test_buckets_without_files_are_between_those_with_some() -> None:
    assert histogram(by_size(ints([0, 3, -1]))) == [
        SizeBucket(0, 1, 1, 0),
        SizeBucket(1, 2, 0, 0),
        SizeBucket(2, 4, 1, 3),
    ]


def test_a_file_of_the_least_size_is_not_small_nor_is_one_of_unknown_size() -> None:
    found = small_files(ints([9, 10, 11, -1]), 13, 10, "")
    assert (found.files, found.bytes) == (1, 9)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2**60)), max_size=7))
@example([(0, 2**60)] * 7)
def test_sums_are_exact_beyond_floating_point(pairs: list[tuple[int, int]]) -> None:
    codes, values = (ints([pair[side] for pair in pairs]) for side in (0, 1))
    assert sums(codes, 4, values).tolist() == [sum(max(v, 0) for c, v in pairs if c == code) for code in range(4)]


@given(st.lists(st.integers(-5, 5) | st.sampled_from([-(2**62), 2**62])))
def test_distinct_numbers_are_ascending(values: list[int]) -> None:
    found, places = distinct(ints(values))
    assert found.tolist() == sorted(set(values))
    assert found[places].tolist() == values


def test_quantiles_are_of_the_numbers() -> None:
    assert Quantiles.of(ints([])) is None
    assert Quantiles.of(ints([7])) == Quantiles(7, 7, 7, 7, 7)
    assert Quantiles.of(ints(list(range(100, 0, -1)))) == Quantiles(1, 50, 90, 99, 100)
    assert Quantiles.of(ints(list(range(1, 102)))) == Quantiles(1, 51, 91, 100, 101)


def test_files_without_a_number_come_first() -> None:
    found = by_number(ints([3, -1, 3]), ints([1, 2, -1]), ints([10, 20, 30]))
    assert found == [Group(None, 1, 2, 20), Group(3, 2, 1, 40)]
