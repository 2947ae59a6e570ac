"""BinaryRows of every writer round-trip, and invalid layouts are refused."""

from __future__ import annotations

import struct
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.binary_row import Misfit, SerializedRows
from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.types import Primitive, arrow_type
from tests.unit.formats.paimon.rows import EMPTY, arguments, binary_row

MILLIS = st.integers(-(2**62) // 10**6, 2**62 // 10**6)
VALUES = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-(2**7), 2**7 - 1),
    "SMALLINT": st.integers(-(2**15), 2**15 - 1),
    "INT": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "FLOAT": st.floats(width=32, allow_nan=False),
    "DOUBLE": st.floats(allow_nan=False),
    "DATE": st.integers(-(2**31), 2**31 - 1),
    "TIME(0)": st.integers(0, 86_399_999),
    "TIME(3)": st.integers(0, 86_399_999),
    "DECIMAL(1, 0)": st.integers(-9, 9),
    "DECIMAL(18, 2)": st.integers(-(10**18) + 1, 10**18 - 1),
    "DECIMAL(19, 0)": st.integers(-(10**19) + 1, 10**19 - 1),
    "DECIMAL(38, 20)": st.integers(-(10**38) + 1, 10**38 - 1),
    "TIMESTAMP(0)": st.tuples(MILLIS, st.just(0)),
    "TIMESTAMP(3)": st.tuples(MILLIS, st.just(0)),
    "TIMESTAMP(6)": st.tuples(MILLIS, st.integers(0, 999).map(lambda micros: micros * 1000)),
    "TIMESTAMP(9)": st.tuples(MILLIS, st.integers(0, 999_999)),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": st.tuples(MILLIS, st.integers(0, 999).map(lambda micros: micros * 1000)),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": st.tuples(MILLIS, st.just(0)),
    "TIMESTAMP(9) WITH LOCAL TIME ZONE": st.tuples(MILLIS, st.integers(0, 999_999)),
    "CHAR(5)": st.text(max_size=5),
    "VARCHAR(9)": st.text(max_size=9),
    "STRING": st.text(max_size=20),
    "BINARY(8)": st.binary(min_size=8, max_size=8),
    "VARBINARY(9)": st.binary(max_size=9),
    "BYTES": st.binary(max_size=20),
    "BLOB": st.binary(max_size=20),
}
TYPES = st.sampled_from(sorted(VALUES))
EXACT = Context(prec=60)


def primitive(text: str) -> Primitive:
    of, _ = parse_type(text, 0)
    assert isinstance(of, Primitive)
    return of


@st.composite
def tables(draw):
    """Draw column types, and rows of values of these types with nulls."""
    types = draw(st.lists(TYPES, min_size=1, max_size=8))
    row = st.tuples(*(st.none() | VALUES[of] for of in types))
    return types, draw(st.lists(row, min_size=1, max_size=6))


def rows_of(types, rows, **style) -> SerializedRows:
    return SerializedRows.of(pa.array([binary_row(types, row, **style) for row in rows], pa.binary()))


def internal(of: str, value: Any) -> object:
    """Return the internal form that a written value must have when read."""
    if value is None or not of.startswith("TIMESTAMP"):
        return value
    millis, nanos = value
    per_milli = 1 if arguments(of)[0] <= 3 else 1000 if arguments(of)[0] <= 6 else 10**6
    return millis * per_milli + nanos * per_milli // 10**6


def numbers(array: pa.Array) -> list[Any]:
    if pa.types.is_temporal(array.type):
        return list(array.view(pa.int32() if array.type.bit_width == 32 else pa.int64()).to_pylist())
    if pa.types.is_decimal(array.type):
        scale = array.type.scale
        return [None if v is None else int(v.scaleb(scale, EXACT)) for v in array.to_pylist()]
    return list(array.to_pylist())


@given(table=tables(), java_nulls=st.booleans())
def test_a_written_row_is_read_back(table, java_nulls):
    types, rows = table
    arrays = rows_of(types, rows, java_nulls=java_nulls).decode([primitive(of) for of in types], Misfit.REFUSE)
    for i, (of, array) in enumerate(zip(types, arrays, strict=True)):
        assert array is not None
        array.validate(full=True)
        assert array.type == arrow_type(primitive(of))
        assert numbers(array) == [internal(of, row[i]) for row in rows]


@given(table=tables())
def test_the_two_images_of_a_null_are_one_value(table):
    types, rows = table
    wanted = [primitive(of) for of in types]
    java = rows_of(types, rows, java_nulls=True).decode(wanted, Misfit.REFUSE)
    python = rows_of(types, rows, java_nulls=False).decode(wanted, Misfit.REFUSE)
    assert java == python


@pytest.mark.parametrize("arity", [1, 55, 56, 57, 63, 119, 120, 121, 200])
def test_null_bits_are_found_beyond_the_first_word(arity):
    for null in {0, arity // 2, arity - 1, min(arity - 1, 55), min(arity - 1, 56)}:
        values = [None if i == null else i for i in range(arity)]
        arrays = rows_of(["INT"] * arity, [values]).decode([primitive("INT")] * arity, Misfit.NULL)
        assert [None if array is None else array[0].as_py() for array in arrays] == values


@given(table=tables(), absent=st.lists(st.booleans(), min_size=6, max_size=6))
def test_a_null_in_the_column_is_null_in_every_field(table, absent):
    types, rows = table
    column = [None if gone else binary_row(types, row) for row, gone in zip(rows, absent, strict=False)]
    arrays = SerializedRows.of(pa.array(column, pa.binary())).decode([primitive(of) for of in types], Misfit.REFUSE)
    for i, (of, array) in enumerate(zip(types, arrays, strict=True)):
        assert array is not None
        expected = [None if gone else internal(of, row[i]) for row, gone in zip(rows, absent, strict=False)]
        assert numbers(array) == expected


@given(table=tables(), data=st.data())
def test_a_slice_of_a_column_is_read_like_the_whole(table, data):
    types, rows = table
    start = data.draw(st.integers(0, len(rows) - 1))
    column = pa.array([binary_row(types, row) for row in rows], pa.binary())
    wanted = [primitive(of) for of in types]
    whole = SerializedRows.of(column).decode(wanted, Misfit.REFUSE)
    part = SerializedRows.of(column.slice(start)).decode(wanted, Misfit.REFUSE)
    assert part == [array.slice(start) for array in whole if array is not None]


@given(table=tables(), data=st.data())
def test_any_bytes_decode_or_are_refused_and_never_reach_outside(table, data):
    types, rows = table
    image = bytearray(binary_row(types, rows[0]))
    for _ in range(data.draw(st.integers(1, 4))):
        image[data.draw(st.integers(0, len(image) - 1))] = data.draw(st.integers(0, 255))
    image = image[: data.draw(st.integers(0, len(image)))]
    try:
        arrays = SerializedRows.of(pa.array([bytes(image)], pa.binary())).decode(
            [primitive(of) for of in types], Misfit.NULL
        )
    except MetadataCorrupt:
        return
    for array in arrays:
        assert array is not None
        array.validate(full=True)


def test_rows_without_fields_are_read_whether_written_or_left_out():
    rows = SerializedRows.of(pa.array([EMPTY, b"", None], pa.binary()))
    assert rows.arity.tolist() == [0, 0, -1]
    assert rows.decode([], Misfit.REFUSE) == []
    assert len(EMPTY) == 12


def test_an_empty_text_is_not_a_null():
    (array,) = rows_of(["STRING"], [("",), (None,)]).decode([primitive("STRING")], Misfit.REFUSE)
    assert array is not None
    assert array.to_pylist() == ["", None]


def test_unwanted_fields_and_types_without_an_arrow_form_are_left_out():
    rows = rows_of(["INT", "BYTES", "INT"], [(1, b"a variant of bytes", 3)])
    arrays = rows.decode([primitive("INT"), primitive("VARIANT"), None], Misfit.NULL)
    assert [None if a is None else a.to_pylist() for a in arrays] == [[1], None, None]
    with pytest.raises(FormatUnsupported):
        rows.decode([primitive("INT"), primitive("VARIANT"), None], Misfit.REFUSE)


@pytest.mark.parametrize(
    "unscaled", [0, 1, -1, 127, 128, -127, -128, -129, 2**63, -(2**63), 2**119, -(2**119), -(2**119) - 1]
)
def test_a_decimal_of_any_number_of_bytes_keeps_its_sign(unscaled):
    (array,) = rows_of(["DECIMAL(38, 0)"], [(unscaled,)]).decode([primitive("DECIMAL(38, 0)")], Misfit.REFUSE)
    assert array is not None
    assert array.to_pylist() == [Decimal(unscaled)]


@pytest.mark.parametrize(
    "of", ["STRING", "BYTES", "DECIMAL(4, 2)", "DECIMAL(38, 0)", "TIMESTAMP(9)", "TIME(0)", "BIGINT"]
)
def test_the_slot_of_a_null_may_hold_anything(of):
    for garbage in (b"\xff" * 8, b"\x7f" * 8, slot(2**31 - 1, 2**32 - 1)):
        image = bytearray(one_field(garbage))
        image[5] = 1
        (array,) = SerializedRows.of(pa.array([bytes(image)], pa.binary())).decode([primitive(of)], Misfit.REFUSE)
        assert array is not None
        assert array.to_pylist() == [None]


FAR = 253_402_300_799_999  # 9999-12-31T23:59:59.999
MISFITS = [
    ("TIMESTAMP(9)", (FAR, 0)),
    ("TIMESTAMP(9)", (-FAR, 999_999)),
    ("TIMESTAMP(9)", ((2**63 - 1) // 10**6 + 1, 0)),
    ("TIMESTAMP(9)", (-(2**63) // 10**6 - 1, 0)),
    ("TIMESTAMP(6)", (2**62, 0)),
    ("TIMESTAMP(6)", ((2**63 - 1) // 1000 + 1, 0)),
    ("TIMESTAMP(6)", (0, 1)),
    ("TIME(3)", 86_400_000),
    ("TIME(3)", -1),
    ("DECIMAL(4, 2)", 10_000),
    ("DECIMAL(18, 0)", -(10**18)),
    ("DECIMAL(38, 0)", 10**38),
    ("DECIMAL(38, 0)", -(10**38)),
    ("DECIMAL(19, 0)", 2**126),
    ("STRING", b"\xff\xfe"),
    ("STRING", b"a longer text that is not \xc3"),
]


@pytest.mark.parametrize(("of", "value"), MISFITS)
def test_a_value_that_its_type_cannot_hold_is_null_for_bounds_and_refused_for_identity(of, value):
    rows = rows_of([of, "INT"], [(value, 7), (None, 8)])
    wanted = [primitive(of), primitive("INT")]
    bounds = rows.decode(wanted, Misfit.NULL)
    assert [a.to_pylist() for a in bounds if a is not None] == [[None, None], [7, 8]]
    with pytest.raises(FormatUnsupported):
        rows.decode(wanted, Misfit.REFUSE)


def test_the_extremes_of_a_nanosecond_timestamp_are_held():
    edge = (2**63 - 1) // 10**6 - 2
    (array,) = rows_of(["TIMESTAMP(9)"], [((edge, 999_999),), ((-edge, 0),)]).decode(
        [primitive("TIMESTAMP(9)")], Misfit.REFUSE
    )
    assert array is not None
    assert numbers(array) == [edge * 10**6 + 999_999, -edge * 10**6]


def test_text_of_many_bytes_beside_text_that_is_not_utf8_is_kept():
    (array,) = rows_of(["STRING"], [("ünïcödé text",), (b"\xff" * 9,), ("b",)]).decode(
        [primitive("STRING")], Misfit.NULL
    )
    assert array is not None
    assert array.to_pylist() == ["ünïcödé text", None, "b"]


def slot(offset: int, low: int) -> bytes:
    return struct.pack("<q", offset << 32 | low)


def one_field(content: bytes, rest: bytes = b"") -> bytes:
    return struct.pack(">i", 1) + b"\0" * 8 + content + rest


LONG = b"12345678" * 2
CORRUPT = {
    "no room for the arity": ("STRING", b"\0\0\0"),
    "an arity below zero": ("STRING", struct.pack(">i", -1) + b"\0" * 64),
    "an arity of millions": ("STRING", struct.pack(">i", 10**6) + b"\0" * 64),
    "no room for the slots": ("STRING", struct.pack(">i", 3) + b"\0" * 31),
    "another arity": ("STRING", binary_row(["INT", "INT"], [1, 2])),
    "an offset into the slots": ("STRING", one_field(slot(8, 8), LONG)),
    "an offset behind the row": ("STRING", one_field(slot(32, 8), LONG)),
    "a length behind the row": ("STRING", one_field(slot(16, 17), LONG)),
    "a length near 2**32": ("STRING", one_field(slot(16, 2**32 - 1), LONG)),
    "an offset near 2**31": ("STRING", one_field(slot(2**31 - 1, 8), LONG)),
    "a short value of 8 bytes": ("STRING", one_field(b"abcdefg\x88")),
    "a decimal of no bytes": ("DECIMAL(20, 0)", one_field(slot(16, 0), LONG)),
    "a decimal of 17 bytes": ("DECIMAL(20, 0)", one_field(slot(16, 17), LONG + LONG)),
    "a timestamp behind the row": ("TIMESTAMP(6)", one_field(slot(28, 0), LONG)),
    "a million nanoseconds": ("TIMESTAMP(6)", one_field(slot(16, 1_000_000), LONG)),
}


@pytest.mark.parametrize("case", CORRUPT)
@pytest.mark.parametrize("misfit", Misfit)
def test_a_row_that_breaks_its_layout_is_refused(case, misfit):
    of, image = CORRUPT[case]
    good = binary_row([of], [None])
    with pytest.raises(MetadataCorrupt):
        SerializedRows.of(pa.array([good, image], pa.binary())).decode([primitive(of)], misfit)


def test_fields_may_not_share_bytes():
    # Otherwise a small file could refer to one large value a thousand times.
    image = struct.pack(">i", 2) + b"\0" * 8 + slot(24, 16) * 2 + LONG
    with pytest.raises(MetadataCorrupt):
        SerializedRows.of(pa.array([image], pa.binary())).decode([primitive("BYTES")] * 2, Misfit.NULL)


def test_a_decimal_is_read_at_its_scale():
    (array,) = rows_of(["DECIMAL(38, 20)"], [(-(10**21),)]).decode([primitive("DECIMAL(38, 20)")], Misfit.REFUSE)
    assert array is not None
    assert array.to_pylist() == [Decimal(-10)]
