"""Selected rows of a prepared batch, against Arrow's functions on these rows alone."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import SegmentCorrupt
from lakemuster.wire.json_kernel import inputs
from lakemuster.wire.json_kernel.columns import JsonTexts, KernelColumn, Lists, RowPart, Strings
from lakemuster.wire.row_writer import RowWriter
from lakemuster.wire.texts import join_plain
from tests.unit.wire.test_json_kernel import columns

MOST_ROWS = 7


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[RowPart], list[int]]:
    """Draw the row parts of a batch, and the requested rows."""
    rows = draw(st.integers(1, MOST_ROWS))
    start = draw(st.integers(0, 12))
    pieces = draw(st.lists(columns(start, rows), max_size=4))
    chosen = draw(st.lists(st.integers(0, rows - 1), min_size=1, unique=True).map(sorted))
    return [*pieces, pa.array(list(map(str, range(rows))))], chosen


def at(piece: RowPart, places: pa.Array) -> RowPart:
    """Return a row part restricted to some rows."""
    if isinstance(piece, str):
        return piece
    return replace(piece, array=piece.array.take(places)) if isinstance(piece, KernelColumn) else piece.take(places)


def none_kept(pieces: list[RowPart]) -> pa.RecordBatch:
    return pa.record_batch({"row": pieces[-1]})


@given(batches(), st.sampled_from([0, 2, 64]))
def test_chosen_rows_are_written_as_they_are_alone(of: tuple[list[RowPart], list[int]], few: int) -> None:
    pieces, chosen = of
    after: list[RowPart] = [",", pa.array([f"<{row}>" for row in chosen])]
    expected = join_plain([*(at(piece, pa.array(chosen)) for piece in pieces), *after], len(chosen)).to_pylist()
    with mock.patch.object(inputs, "FEW", few):
        writer = RowWriter(pieces, none_kept(pieces))
        for _ in range(2):
            written = writer.write(np.array(chosen, np.int64), after)
            assert bytes(written).decode() == "".join(expected)


def test_what_is_kept_is_told_but_for_the_batch() -> None:
    paths = pa.array(["a" * 1000] * 50)
    own = RowWriter(["{", Strings(paths)], pa.record_batch({"other": paths.slice(0, 0)}))
    assert own.own_bytes < 100  # the buffers are the batch's, at any offset
    moved = RowWriter(["{", Strings(paths)], pa.record_batch({"other": pa.array([1])}))
    assert moved.own_bytes > 50_000


@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 2], [1]])
def test_texts_and_lists_beyond_their_column_are_refused(rows: list[int]) -> None:
    offsets = pa.py_buffer(np.array([0, 1, 20, 2], np.int32))
    texts = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"abc"))
    lists = pa.ListArray.from_buffers(pa.list_(pa.int64()), 3, [None, offsets], children=[pa.array([1, 2, 3])])
    with pytest.raises(SegmentCorrupt):
        RowWriter([JsonTexts(texts)], none_kept([pa.array(["", "", ""])])).write(np.array(rows), [])
    writer = RowWriter([Lists(lists)], none_kept([pa.array(["", "", ""])]))
    with pytest.raises(SegmentCorrupt, match="exceed their column"):
        writer.write(np.array(rows), [])
