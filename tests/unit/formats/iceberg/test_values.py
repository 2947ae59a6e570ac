from __future__ import annotations

import math
import struct
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.values import decode_value, encode_array, raw_bounds
from lakemuster.metadata.types import arrow_type
from tests.unit.formats.iceberg.single_values import TYPES, VALUES, decode_array, encode, internal

COLUMNS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.tuples(st.just(name), st.lists(st.none() | VALUES[name], min_size=1, max_size=8))
)
UNORDERED = ("unknown", "variant", "geometry(srid:4326)", "geography", "interval_of_the_future")


def same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    return one == other and type(one) is type(other)


@given(COLUMNS)
def test_canonical_bytes_decode_to_their_values_and_nothing_is_odd(column):
    name, values = column
    of = TYPES[name]
    raw = [None if value is None else encode(name, value) for value in values]
    decoded = decode_array(pa.array(raw, pa.binary()), of)
    assert decoded.odd is None
    if all(value is None for value in values):
        assert decoded.values is None
        return
    assert decoded.values is not None
    assert decoded.values.type == arrow_type(of)
    decoded.values.validate(full=True)
    assert all(map(same, internal(decoded.values, of), values))
    assert encode_array(decoded.values).to_pylist() == raw


@given(COLUMNS)
def test_one_value_at_a_time_reads_the_same_bytes(column):
    name, values = column
    for value in values:
        if value is not None:
            raw = encode(name, value)
            assert same(decode_value(TYPES[name], raw), value)


ANY_BYTES = st.lists(st.none() | st.binary(max_size=20), min_size=1, max_size=10)


@given(st.sampled_from([*sorted(VALUES), *UNORDERED]), ANY_BYTES, st.integers(0, 3))
def test_any_bytes_come_back_and_are_taken_for_the_same_values_by_both_decoders(name, raw, skipped):
    of = parse_primitive(name)
    array = pa.array(raw, pa.binary())[skipped:]
    raw = raw[skipped:]
    decoded = decode_array(array, of)
    if decoded.values is not None:
        decoded.values.validate(full=True)
        assert all(map(same, internal(decoded.values, of), [v if v is None else decode_value(of, v) for v in raw]))
    else:
        assert all(value is None or decode_value(of, value) is None for value in raw)
    assert raw_bounds(as_table(array, decoded), "lower", 7).to_pylist() == raw


def as_table(array, decoded):
    columns = {"other": pa.nulls(len(array))}
    if decoded.values is not None:
        columns["lower.7"] = decoded.values
    if decoded.odd is not None:
        columns["lower_raw.7"] = pa.array(
            [value if odd else None for value, odd in zip(array.to_pylist(), decoded.odd, strict=True)], pa.binary()
        )
    return pa.table(columns)


def decoded_one(name, raw):
    decoded = decode_array(pa.array([raw], pa.binary()), parse_primitive(name))
    value = None if decoded.values is None else internal(decoded.values, parse_primitive(name))[0]
    return value, decoded.odd is not None


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("long", struct.pack("<i", -7), -7),
        ("double", struct.pack("<f", 1.5), 1.5),
        ("timestamp", struct.pack("<i", -1), -86_400_000_000),
        ("timestamp_ns", struct.pack("<i", 1), 86_400_000_000_000),
        ("boolean", b"\x02", True),
        ("decimal(9, 2)", b"\x00\x00\x01", Decimal("0.01")),
        ("decimal(9, 2)", b"\xff\xff", Decimal("-0.01")),
        ("decimal(38, 0)", b"\xff" * 19 + b"\x85", Decimal(-123)),
        ("decimal(9, 0)", b"\x00" * 40 + b"\x07", Decimal(7)),
    ],
)
def test_bytes_of_other_forms_are_read_and_kept(name, raw, value):
    assert decoded_one(name, raw) == (value, True)
    assert decode_value(parse_primitive(name), raw) == value


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("int", b""),
        ("int", struct.pack("<q", 1)),
        ("long", b"\x01\x02\x03"),
        ("timestamptz", struct.pack("<i", 1)),
        ("timestamp_ns", struct.pack("<i", 2**31 - 1)),
        ("time", struct.pack("<q", 86_400_000_000)),
        ("time", struct.pack("<q", -1)),
        ("string", b"\xff"),
        ("string", b"\xed\xa0\x80"),
        ("uuid", b"\x00" * 15),
        ("fixed[5]", b"\x00" * 4),
        ("decimal(9, 2)", b""),
        ("decimal(9, 2)", (10**9).to_bytes(4, "big")),
        ("decimal(38, 2)", (10**38).to_bytes(17, "big")),
        ("boolean", b""),
    ],
)
def test_bytes_that_are_no_value_of_the_type_have_none_and_are_kept(name, raw):
    assert decoded_one(name, raw) == (None, True)
    assert decode_value(parse_primitive(name), raw) is None


def test_nan_stays_nan_with_its_payload():
    raw = struct.pack("<Q", 0x7FF8DEADBEEF0001)
    decoded = decode_array(pa.array([raw], pa.binary()), parse_primitive("double"))
    assert decoded.values is not None
    assert math.isnan(decoded.values[0].as_py())
    assert decoded.odd is None
    assert encode_array(decoded.values).to_pylist() == [raw]


def test_one_bad_string_leaves_the_others_typed():
    decoded = decode_array(pa.array([b"a", b"\xff", None, "é".encode()], pa.binary()), parse_primitive("string"))
    assert decoded.values is not None
    assert decoded.values.to_pylist() == ["a", None, None, "é"]
    assert decoded.odd is not None
    assert decoded.odd.tolist() == [False, True, False, False]


def test_nulls_of_a_huge_fixed_type_take_no_memory():
    of = parse_primitive("fixed[900000000]")
    decoded = decode_array(pa.array([b"x", None], pa.binary()), of)
    assert decoded.values is None
    assert decoded.odd is not None
    assert decoded.odd.tolist() == [True, False]


def test_an_empty_column_has_no_values():
    assert decode_array(pa.array([], pa.binary()), parse_primitive("long")).values is None


def test_bounds_of_a_column_that_the_table_does_not_have_are_null():
    table = pa.table({"status": pa.array([1, 1], pa.int8())})
    assert raw_bounds(table, "upper", 3).to_pylist() == [None, None]
