"""The depth of bounds within partitions, against counting every file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.statistics.overlap import bound_order
from lakemuster.planner.statistics.partition_overlap import depths_in_partitions, partition_depths

LONG, STRING = Primitive(Kind.LONG, "long"), Primitive(Kind.STRING, "string")
numbers = st.none() | st.integers(-3, 3)
rows = st.lists(st.tuples(st.integers(0, 2), numbers, numbers, st.booleans()), max_size=12)


def depths(found: list[tuple[int, int | None, int | None, bool]], kind: Primitive) -> list[int]:
    def bounds(at: int) -> pa.Array:
        values = [one[at] for one in found]
        if kind is STRING:
            return pa.array([None if value is None else f"a long text {value + 5}" for value in values], pa.string())
        return pa.array(values, pa.int64())

    order = bound_order(bounds(1), bounds(2), kind)
    holding, partitions = np.array([one[3] for one in found], np.bool_), np.array([one[0] for one in found], np.int64)
    return sorted(depths_in_partitions(order, holding, partitions)[1].tolist())


def by_asking(found: list[tuple[int, int | None, int | None, bool]]) -> list[int]:
    usable = [
        (part, lower, upper)
        for part, lower, upper, holds in found
        if holds and not (lower is not None and upper is not None and lower > upper)
    ]
    return sorted(
        sum(
            other == part and (low is None or low <= value) and (high is None or high >= value)
            for other, low, high in usable
        )
        for part, value, _ in usable
        if value is not None
    )


@given(rows)
def test_a_depth_is_the_number_of_files_of_the_partition_that_contain_the_value(
    found: list[tuple[int, int | None, int | None, bool]],
) -> None:
    assert depths(found, LONG) == by_asking(found)
    assert depths(found, STRING) == by_asking(found)


def test_sorted_partitions_have_depth_one_however_many_they_are() -> None:
    found = [(part, first, first, True) for part in range(5) for first in range(4)]
    assert depths(found, LONG) == [1] * 20  # type: ignore[arg-type]


@given(rows)
def test_sums_of_partitions_are_those_of_asking_each(
    found: list[tuple[int, int | None, int | None, bool]],
) -> None:
    lower, upper = (pa.array([one[at] for one in found], pa.int64()) for at in (1, 2))
    holding, partitions = np.array([one[3] for one in found], np.bool_), np.array([one[0] for one in found], np.int64)
    sums = partition_depths(bound_order(lower, upper, LONG), holding, partitions, 3)
    for part in range(3):
        own = [one for one in found if one[0] == part]
        expected = by_asking(own)
        assert sums.files[part] == len(own)
        assert sums.samples[part] == len(expected)
        assert sums.total[part] == sum(expected)
        assert sums.most[part] == max(expected, default=0)
        assert sums.unbounded[part] == sum(one[1:] == (None, None, True) for one in own)
