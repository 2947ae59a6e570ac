"""Names of the columns of aggregates, and sums of recorded counts, which may be unknown or exceed 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from lakemuster.planner.aggregates.answers import Aggregate
from lakemuster.planner.aggregates.counts import Tally
from lakemuster.planner.aggregates.interval import Interval


def test_counts_beyond_64_bits_are_added_exactly() -> None:
    counts = np.array([2**62, 2**62, 2**63 - 1, 1], np.int64)
    tally = Tally()
    tally.add(counts, counts)
    assert tally.interval == Interval.of_value(2**64)


def test_an_unknown_count_leaves_no_upper_bound() -> None:
    tally = Tally()
    tally.add(np.array([1, 2], np.int64), np.array([1, -1], np.int64))
    assert (tally.interval.lower, tally.interval.upper, tally.interval.exact) == (3, None, False)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a.b", "a.b"),
        ("mixed case", "mixed case"),
        ('"a b"', "a b"),
        ('st."B x"', "st.B x"),
        ('"st"."B x"', "st.B x"),
        ("`st`.a", "st.a"),
        ('"a""b"', 'a"b'),
        ("a.", "a."),
        ('a"b', 'a"b'),
    ],
)
def test_each_part_of_a_columns_name_may_have_quotes(written: str, name: str) -> None:
    assert Aggregate.parse(f"min( {written} )").column == name
