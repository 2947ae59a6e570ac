"""Inverted bounds are found in columns of each type, of few and of many rows, null slots and slices included."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata import bound_order
from lakemuster.metadata.bound_order import inverted, is_inverted

VALUES = {
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-2, 2),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.sampled_from([-1.5, -0.0, 0.0, 2.5, float("nan"), float("inf")]),
    pa.decimal128(9, 2): st.sampled_from([Decimal(n).scaleb(-2) for n in (-101, -1, 0, 5)]),
    pa.decimal128(38, 0): st.sampled_from([Decimal(n) for n in (-(10**37), -1, 0, 10**30)]),
    pa.string(): st.sampled_from(["", "a", "ab", "\ud7ff", "\U0001d11e"]),
    pa.binary(): st.sampled_from([b"", b"a", b"\xff"]),
    pa.binary(2): st.sampled_from([b"a\x00", b"aa", b"\xff\x00"]),
}


@st.composite
def columns(draw):
    """Draw pairs of bounds, as values by column."""
    rows = draw(st.integers(0, 4))
    types = draw(st.lists(st.sampled_from(list(VALUES)), max_size=4))
    some = [st.lists(st.none() | VALUES[of], min_size=rows, max_size=rows) for of in types]
    return [(of, draw(values), draw(values)) for of, values in zip(types, some, strict=True)]


@pytest.mark.parametrize(("rows", "size"), [(0, 0), (100, 0), (100, 2**28)])
@given(columns())
def test_the_rows_of_columns_are_those_of_their_values(rows, size, drawn):
    pairs = [
        tuple(pa.array([values[0] if values else None, *values], of).slice(1) for values in own) for of, *own in drawn
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound_order, "_FEW_ROWS", rows)
        patch.setattr(bound_order, "_FEW_BYTES", size)
        found = {number: mask.tolist() for number, mask in inverted(pairs)}
    expected = [[is_inverted(*pair) for pair in zip(lower, upper, strict=True)] for _, lower, upper in drawn]
    assert found == {number: mask for number, mask in enumerate(expected) if any(mask)}
