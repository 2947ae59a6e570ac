"""Equal values have equal codes and one group, for any numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.paimon.columns import combine, groups, value_codes

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2)
TUPLES = st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(*[NUMBERS] * width), min_size=1, max_size=12))


@given(TUPLES)
def test_codes_are_equal_exactly_where_the_tuples_are(tuples):
    codes = combine(*(np.array(column, np.int64) for column in zip(*tuples, strict=True)))
    for i, one in enumerate(tuples):
        for j, other in enumerate(tuples):
            assert (codes[i] == codes[j]) == (one == other)


@given(st.lists(NUMBERS, max_size=12))
def test_groups_hold_every_row_once_in_the_order_of_their_first_rows(numbers):
    found = [rows.tolist() for rows in groups(np.array(numbers, np.int64))]
    expected: dict[int, list[int]] = {}
    for row, number in enumerate(numbers):
        expected.setdefault(number, []).append(row)
    assert found == list(expected.values())


def test_null_is_a_value_and_floats_are_told_apart_by_their_bits():
    codes = value_codes(pa.array([0.0, -0.0, None, 0.0, float("nan"), float("nan"), None])).tolist()
    assert codes == [0, 1, 2, 0, 3, 3, 2]
    assert value_codes(pa.array(["a", None, "", "a"])).tolist() == [0, 1, 2, 0]
