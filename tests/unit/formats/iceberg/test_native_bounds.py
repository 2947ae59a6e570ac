"""The compiled bounds kernel against its source run as plain Python, and against decoding of single values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.formats.iceberg.native import DECIMAL, Form, kernel, read_bounds
from lakemuster.formats.iceberg.native.bounds import read_compiled
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.slices import Items
from lakemuster.formats.iceberg.statistics import bound_columns
from lakemuster.formats.iceberg.values import decode_value, encode_array
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from tests.examples import examples
from tests.unit.formats.iceberg.single_values import encode

TYPES = [
    parse_primitive(text)
    for text in (
        *("int", "date", "float", "long", "double", "timestamptz"),
        *(f"decimal({digits}, 0)" for digits in (1, 9, 18, 19, 38)),
    )
]


def form_of(of: Primitive) -> Form:
    if of.kind is Kind.DECIMAL:
        return Form(DECIMAL, of.precision)
    return Form(4 if of.kind in (Kind.INT, Kind.DATE, Kind.FLOAT) else 8)


def minimal(number: int) -> bytes:
    return number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)


def edges(of: Primitive) -> list[bytes]:
    """Return encoded values on both sides of a type's limits."""
    if of.kind is not Kind.DECIMAL:
        return [bytes(4), b"\xff" * 4, bytes(8), b"\xff" * 8, b"\x01\x02\x03\x04\x05\x06\x07\x08", b""]
    numbers = [0, 1, -1, 127, 128, -128, -129, 10**of.precision - 1, 10**of.precision, -(10**of.precision), 2**127]
    numbers += [1 - 10**of.precision, 2**63, -(2**63), 2**64, -(2**64)]
    whole = [minimal(number) for number in numbers]
    return [*whole, b"\0" + whole[1], b"\xff" + whole[2], b"\0" + whole[4], bytes(17), b""]


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[Primitive], list[list[bytes]]]:
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=4))
    rows = draw(st.integers(1, 5))
    values = [
        st.lists(st.sampled_from(edges(of)) | st.binary(max_size=18), min_size=rows, max_size=rows) for of in types
    ]
    return types, [draw(column) for column in values]


def is_canonical(of: Primitive, raw: bytes) -> bool:
    value = decode_value(of, raw)
    return value is not None and encode(of.text, value) == raw


@settings(max_examples=examples(300), deadline=None)
@given(matrices())
def test_what_is_canonical_is_read_and_nothing_else(matrix):
    types, columns = matrix
    items = Items(pa.array([raw for column in columns for raw in column], pa.binary()))
    numbers = np.arange(sum(map(len, columns))).reshape(len(columns), -1)
    for read in (read_compiled, kernel.read_bounds):
        with np.errstate(over="ignore"):
            buffers, regular = read_bounds(items.bytes, items.offsets, numbers, [form_of(of) for of in types], read)
        for of, column, buffer, good in zip(types, columns, buffers, regular, strict=True):
            values = pa.Array.from_buffers(arrow_type(of), len(column), [None, buffer])
            for row, (raw, is_regular) in enumerate(zip(column, good.tolist(), strict=True)):
                # NaN has many bit patterns, all of which are accepted.
                nan = of.kind in (Kind.FLOAT, Kind.DOUBLE) and len(raw) == form_of(of).width
                assert is_regular == (nan or is_canonical(of, raw)), (of, raw)
                if is_regular and of.kind is Kind.DECIMAL:
                    assert int(values[row].as_py()) == int.from_bytes(raw, "big", signed=True)
                elif is_regular:
                    width = form_of(of).width
                    assert bytes(buffer)[row * width :][:width] == raw


def test_items_that_are_not_there_are_not_read():
    offsets = np.array([0, 4], np.int32)
    for read in (read_compiled, kernel.read_bounds):
        _, regular = read_bounds(np.zeros(4, np.uint8), offsets, np.array([[0, 1, 9]]), [Form(4)], read)
        assert regular.tolist() == [[True, False, False]]
        broken = np.array([0, 400, 4], np.int32)
        with np.errstate(over="ignore"):
            _, regular = read_bounds(np.zeros(4, np.uint8), broken, np.array([[0, 1]]), [Form(4)], read)
        assert regular.tolist() == [[False, False]]


@settings(max_examples=examples(100), deadline=None)
@given(matrices(), st.data())
def test_columns_are_the_same_without_machine_code(matrix, data):
    types, columns = matrix
    rows = [
        [(k, column[n]) for k, column in enumerate(columns) if data.draw(st.booleans())] for n in range(len(columns[0]))
    ]
    maps = pa.array(
        [[{"key": key, "value": raw} for key, raw in row] for row in rows],
        pa.list_(pa.struct([("key", pa.int32()), ("value", pa.binary())])),
    )
    fast = list(bound_columns(maps, "key", "value", "lower", types.__getitem__))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lakemuster.formats.iceberg.statistics.is_available", lambda: False)
        slow = list(bound_columns(maps, "key", "value", "lower", types.__getitem__))
    assert [field for field, _ in fast] == [field for field, _ in slow]
    for (_, one), (_, other) in zip(fast, slow, strict=True):
        one.validate(full=True)
        assert one.is_valid().equals(other.is_valid())
        assert encode_array(one).equals(encode_array(other))
