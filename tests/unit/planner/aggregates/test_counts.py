"""Sums of recorded counts, which may be unknown or exceed 64 bits."""

from __future__ import annotations

import numpy as np

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
