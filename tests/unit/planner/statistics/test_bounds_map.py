"""Grouping of files as intervals, against sorting and cutting in Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.statistics.bounds_map import SortedFiles, groups_of, sorted_files
from lakemuster.planner.statistics.overlap import bound_order

LONG = Primitive(Kind.LONG, "long")
numbers = st.none() | st.integers(-3, 3)
files = st.lists(st.tuples(numbers, numbers, st.sampled_from([True, True, True, False]), st.booleans()), max_size=14)
File = tuple[int | None, int | None, bool, bool]


def of_code(found: list[File], most: int) -> dict[str, Any]:
    kept = [one for one in found if one[3]]
    every, rest = (sorted_of(some) for some in (found, kept))
    groups = groups_of(every, rest, most)
    lower, upper = (pa.array([one[at] for one in found], pa.int64()) for at in (0, 1))
    values = [
        of.take(pa.array(places)).to_pylist()
        for of, places in (
            (lower, groups.lower),
            (lower, groups.last_lower),
            (upper, groups.median_upper),
            (upper, groups.upper),
        )
    ]
    return {
        "groups": list(zip(groups.files.tolist(), groups.kept.tolist(), *values, strict=True)),
        "open": (every.open_files, rest.open_files),
        "empty": (every.empty_files, rest.empty_files),
    }


def sorted_of(found: list[File]) -> SortedFiles:
    lower, upper = (pa.array([one[at] for one in found], pa.int64()) for at in (0, 1))
    return sorted_files(bound_order(lower, upper, LONG), np.array([one[2] for one in found], np.bool_))


def counted(found: list[File], most: int) -> dict[str, Any]:
    def is_empty(one: File) -> bool:
        return not one[2] or (one[0] is not None and one[1] is not None and one[0] > one[1])

    def is_open(one: File) -> bool:
        return not is_empty(one) and None in one[:2]

    placed: list[Any] = [one for one in found if not is_empty(one) and not is_open(one)]
    # Kept files sort first among files with equal bounds.
    placed.sort(key=lambda one: (one[0], one[1], not one[3]))
    count = min(most, len(placed))
    cuts = [len(placed) * place // count for place in range(count + 1)] if count else []
    groups = []
    for begin, end in pairwise(cuts):
        own = placed[begin:end]
        uppers = sorted(one[1] for one in own)
        median = uppers[(len(uppers) + 1) // 2 - 1]
        groups.append((len(own), sum(one[3] for one in own), own[0][0], own[-1][0], median, uppers[-1]))
    return {
        "groups": groups,
        "open": (sum(map(is_open, found)), sum(is_open(one) and one[3] for one in found)),
        "empty": (sum(map(is_empty, found)), sum(is_empty(one) and one[3] for one in found)),
    }


@given(files, st.integers(1, 5))
def test_groups_are_those_of_sorting_and_cutting(found: list[File], most: int) -> None:
    assert of_code(found, most) == counted(found, most)


def test_each_file_is_its_own_group_where_there_are_no_more() -> None:
    found: list[File] = [(place, place + 2, True, place < 2) for place in range(4)]
    assert of_code(found, 9)["groups"] == [
        (1, 1, 0, 0, 2, 2),
        (1, 1, 1, 1, 3, 3),
        (1, 0, 2, 2, 4, 4),
        (1, 0, 3, 3, 5, 5),
    ]


def test_a_million_sorted_files_are_a_hundred_bars_beside_each_other() -> None:
    places = pa.array(np.arange(1_000_000))
    files = sorted_files(bound_order(places, places, LONG), np.ones(1_000_000, np.bool_))
    made = groups_of(files, files, 100)
    assert made.files.tolist() == made.kept.tolist() == [10_000] * 100
    assert made.lower[1:].tolist() == (made.upper[:-1] + 1).tolist()
