"""Owners of entries against a search for each entry."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.scan.runs import Owners

COUNTS = st.lists(st.sampled_from([0, 1, 2, 7, 40]), min_size=1, max_size=60).filter(any)


@given(COUNTS, st.data())
def test_owners_are_those_that_a_search_finds(counts: list[int], data: st.DataObject) -> None:
    """Cases include few entries of many owners, all entries, and owners without entries."""
    starts = np.cumsum([0, *counts])
    everything = range(int(starts[-1]))
    chosen = data.draw(st.sets(st.sampled_from(everything), min_size=1) | st.just(set(everything)))
    places = np.array(sorted(chosen), np.int64)
    expected = np.searchsorted(starts, places, side="right") - 1
    found = Owners.of(places, starts)
    assert (found.first, found.last) == (expected[0], expected[-1])
    assert found.each(np.arange(len(counts))).tolist() == expected.tolist()
    assert found.within(places, starts).tolist() == (places - starts[expected]).tolist()
