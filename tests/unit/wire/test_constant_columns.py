"""Constant columns are detected reliably, and written once for all rows."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.wire import rows as rows_module
from lakemuster.wire import texts
from lakemuster.wire.constant_columns import is_uniform
from lakemuster.wire.json_kernel.columns import Integers, RowPart
from lakemuster.wire.rows import json_lines

NUMBERS = st.sampled_from([0, 1, 256])
KINDS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.int8(), st.sampled_from([0, 1, -1])),
    (pa.int64(), NUMBERS),
    (pa.date32(), NUMBERS),
    (pa.bool_(), st.booleans()),
    (pa.string(), st.sampled_from(["", "a", "ab", "ba", "abab"])),
    (pa.list_(pa.int64()), st.lists(NUMBERS, max_size=2)),
    (pa.list_(pa.int32()), st.lists(NUMBERS | st.none(), max_size=2)),
]


@given(st.data())
def test_a_column_is_uniform_when_all_of_its_values_are_one(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(KINDS))
    column = data.draw(st.lists(values, min_size=1, max_size=2)) * data.draw(st.integers(1, 4))
    column += data.draw(st.lists(values | st.none(), max_size=2))
    start = data.draw(st.integers(0, len(column) - 1))
    array = pa.array(column, kind)[start : start + data.draw(st.integers(1, len(column)))]
    found = array.to_pylist()
    expected = len(found) > 1 and found[0] is not None and all(value == found[0] for value in found)
    if any(isinstance(value, list) and None in value for value in column):
        assert is_uniform(array) <= expected  # lists with nulls may be missed
    else:
        assert is_uniform(array) == expected


def test_ends_beyond_their_column_are_not_uniform() -> None:
    for ends in ([0, 3, 0], [3, 0, 3], [0, 1, 9, 3], [0, 1, -1, 3], [0, 2, 1, 3]):
        buffer = pa.py_buffer(np.array(ends, np.int32))
        broken = pa.StringArray.from_buffers(len(ends) - 1, buffer, pa.py_buffer(b"aaa"))
        assert not is_uniform(broken)


def test_columns_of_one_value_cost_nothing_for_each_row() -> None:
    """The join gets a single text for all constant columns."""
    given_pieces: list[list[RowPart]] = []

    def join(pieces: list[RowPart], rows: int) -> pa.Array:
        given_pieces.append(list(pieces))
        return texts.join_plain(pieces, rows)

    rows = 100
    batch = pa.record_batch(
        {
            **{f"same{number}": pa.repeat(number, rows) for number in range(20)},
            "own": list(range(rows)),
            "text": ["data"] * rows,
            "list": [[4]] * rows,
        }
    )
    with (
        mock.patch.object(texts, "is_available", return_value=True),
        mock.patch.object(texts, "join_native", join),
        mock.patch.object(rows_module, "FEW_ROWS", 0),
    ):
        json_lines(batch)
    (pieces,) = given_pieces
    assert [type(piece) for piece in pieces] == [str, Integers, str]
    assert pieces[2] == ',"text":"data","list":[4]}\n'
