"""Rows gathered from many batches equal the result of Arrow's take, for every type of a segment."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.planner.scan.gathered_entries import CACHED_BATCHES, batch_columns, gathered_entries
from tests.examples import examples

LIST = pa.list_(pa.field("element", pa.int64(), metadata={b"id": b"7"}))
STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])
few = st.integers(-2, 2)
texts = st.text(st.sampled_from("aé\x00\U0001f600"), max_size=3)
VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int8(): few,
    pa.int32(): few,
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | few,
    pa.float64(): st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")]),
    pa.date32(): few,
    pa.timestamp("us", "UTC"): few,
    pa.bool_(): st.booleans(),
    pa.decimal128(9, 2): few.map(Decimal),
    pa.string(): texts,
    pa.binary(): texts.map(str.encode),
    pa.binary(2): st.binary(min_size=2, max_size=2),
    LIST: st.lists(few | st.none(), max_size=2) | st.lists(few, max_size=2),
    STRUCT: st.fixed_dictionaries({"a": few, "b": texts | st.none()}),
}


class Batches:
    """A segment with batches only."""

    def __init__(self, *batches: pa.RecordBatch) -> None:
        self.batches = batches

    def batch(self, number: int, names: Sequence[str]) -> pa.RecordBatch:
        return self.batches[number].select(names)


@st.composite
def columns(draw: st.DrawFn, kind: pa.DataType, rows: int) -> pa.Array:
    """Draw a column: constant or not, some with nulls, some a slice of an array."""
    value = VALUES[kind]
    if draw(st.booleans()):
        value = st.just(draw(value))
    if draw(st.integers(0, 3)) == 0:
        value = value | st.none()
    skipped = draw(st.sampled_from([0, 0, 0, 2]))
    drawn = draw(st.lists(value, min_size=rows + skipped, max_size=rows + skipped))
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(drawn, width).view(kind)[skipped:]
    return pa.array(drawn, kind)[skipped:]


@st.composite
def chosen(draw: st.DrawFn) -> list[tuple[pa.RecordBatch, np.ndarray]]:
    """Draw batches of one schema, with ascending row numbers of each."""
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    schema = pa.schema([pa.field(f"c{n}", kind, metadata={b"n": b"%d" % n}) for n, kind in enumerate(kinds)])
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        rows = draw(st.integers(1, 9))
        batch = pa.RecordBatch.from_arrays([draw(columns(kind, rows)) for kind in kinds], schema=schema)
        places = draw(st.sets(st.integers(0, rows - 1), min_size=1))
        parts.append((batch, np.array(sorted(places), np.int64)))
    return parts


@settings(max_examples=examples(400), deadline=None)
@given(chosen())
def test_rows_are_those_that_arrow_takes(parts: list[tuple[pa.RecordBatch, np.ndarray]]) -> None:
    names = tuple(parts[0][0].schema.names)
    found = gathered_entries([(batch_columns(Batches(batch), 0, names), rows) for batch, rows in parts])  # type: ignore[arg-type]
    expected = pa.concat_batches([batch.take(pa.array(rows)) for batch, rows in parts])
    found.validate(full=True)
    assert found.schema.equals(expected.schema, check_metadata=True)
    # Compare text, since NaN is not equal to itself and -0.0 equals 0.0.
    assert str(found.to_pylist()) == str(expected.to_pylist())


def test_cached_columns_of_a_segment_are_bounded_and_correct() -> None:
    names = [f"c{n}" for n in range(3 * CACHED_BATCHES)]
    segment: Any = Batches(pa.record_batch([pa.array([n, 50 + n]) for n in range(len(names))], names=names))
    for _ in range(2):
        for n, name in enumerate(names):
            found = gathered_entries([(batch_columns(segment, 0, (name,)), np.array([1]))] * 2)
            assert found.to_pydict() == {name: [50 + n, 50 + n]}
    assert batch_columns(segment, 0, (names[-1],)) is batch_columns(segment, 0, (names[-1],))


def test_more_text_than_an_array_can_have_is_refused() -> None:
    text = "x" * 2**20
    segment: Any = Batches(pa.record_batch({"a": [text, text]}))
    some = batch_columns(segment, 0, ("a",))
    assert gathered_entries([(some, np.zeros(3, np.int64))]).column("a").to_pylist() == [text] * 3
    with pytest.raises(pa.ArrowCapacityError, match="2 GiB"):
        gathered_entries([(some, np.zeros(2**11, np.int64))])
