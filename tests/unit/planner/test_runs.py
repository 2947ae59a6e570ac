"""Of which things entries are: as a search for each of them finds it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.scan.runs import Owners

COUNTS = st.lists(st.sampled_from([0, 1, 2, 7, 40]), min_size=1, max_size=60).filter(any)


@given(COUNTS, st.data())
def test_entries_are_of_the_things_that_a_search_for_each_finds(counts: list[int], data: st.DataObject) -> None:
    """Few entries of many things, all entries of few, things without entries between them."""
    starts = np.cumsum([0, *counts])
    everything = range(int(starts[-1]))
    chosen = data.draw(st.sets(st.sampled_from(everything), min_size=1) | st.just(set(everything)))
    places = np.array(sorted(chosen), np.int64)
    expected = np.searchsorted(starts, places, side="right") - 1
    found = Owners.of(places, starts)
    assert (found.first, found.last) == (expected[0], expected[-1])
    assert found.each(np.arange(len(counts))).tolist() == expected.tolist()
    assert found.within(places, starts).tolist() == (places - starts[expected]).tolist()
