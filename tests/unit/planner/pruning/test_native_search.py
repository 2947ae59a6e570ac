"""The compiled kernel for IN against its source, run as plain Python, and against numpy's search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakemuster.planner.pruning import coded_statistics, native
from lakemuster.planner.pruning.coded_statistics import search
from lakemuster.planner.pruning.native import Cells, kernel, searching
from tests.examples import examples

MOST = 2**32 - 1
KEYS = st.one_of(
    st.integers(0, 12), st.integers(0, MOST), st.sampled_from([MOST, MOST - 1]), st.integers(2**20, 2**20 + 2**9)
)
VALUES = KEYS.map(lambda key: min(key, MOST - 1))


run_plain = np.errstate(over="ignore")(kernel.any_between)
"""The kernel's source as plain Python: an index beyond an array raises."""


def numbers(found: list[int]) -> np.ndarray:
    return np.array(found, np.uint32)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=60), st.lists(st.tuples(KEYS, KEYS), max_size=20), st.integers(0, 9))
@example([5], [(0, MOST), (MOST, 0), (5, 5), (4, 5), (5, 6), (4, 6), (6, 4)], 1)
@example([0, MOST - 1], [(0, MOST), (1, MOST - 1), (MOST, MOST), (0, 0), (0, 1), (MOST, 0)], 1)
def test_all_search_implementations_agree(values, pairs, bits):
    values = sorted(values)
    lower, upper = numbers([low for low, _ in pairs]), numbers([high for _, high in pairs])
    expected = [
        [not any(low <= value <= high for value in values) for low, high in pairs],
        [
            any(low <= value <= high for value in values) and not any(low < value < high for value in values)
            for low, high in pairs
        ],
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "LEAST_CELLS", 1 << bits)
        patch.setattr(searching, "CELLS_OF_A_VALUE", 0)
        cells = Cells.of(numbers(values))
        for way in (searching.search_compiled, run_plain):
            found = native.any_between(cells, lower, upper, way)
            assert found is not None
            assert [of.tolist() for of in found] == expected
        patch.setattr(coded_statistics, "any_between", lambda *_: None)
        assert [of.tolist() for of in search(cells, lower, upper)] == expected


@pytest.mark.parametrize("spread", [1, 2**20])
@pytest.mark.parametrize("count", [1, 900, 60_000])
def test_many_sparse_and_dense_values(count, spread, monkeypatch):
    chance = np.random.default_rng(count)
    near, far = chance.integers(2**30, 2**30 + 4 * count, count), chance.integers(0, MOST, 9)
    values = np.sort(np.concatenate([near, far])).astype(np.uint32)
    lower = chance.integers(2**30 - 9, 2**30 + 40 * count, 20_000).astype(np.uint32)
    upper = lower + chance.integers(0, spread, 20_000).astype(np.uint32)
    compiled = search(Cells.of(values), lower, upper)
    monkeypatch.setattr(coded_statistics, "any_between", lambda *_: None)
    plain = search(Cells.of(values), lower, upper)
    assert (compiled[0] == plain[0]).all()
    assert (compiled[1] == plain[1]).all()
    assert compiled[0].any()
    assert not compiled[0].all()
