"""Variants in files, shredded in all ways, against a plain encoding of whole values."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.spark.reading.iceberg import read_schema
from lakemuster.spark.reading.model import NotReadable
from lakemuster.spark.reading.variants import VARIANT, is_variant, stores_variants, variants
from tests.unit.spark.reading.iceberg.lake import column, data_file, rows, table

Shape = None | str | list[Any] | dict[str, Any]
"""The shredding of values: none, or as a type, as arrays, as objects."""

TYPES = {"int": pa.int64(), "text": pa.string(), "flag": pa.bool_()}
MISSING = object()
NO_NAMES = b"\x01\0\0"


def metadata_of(names: list[str]) -> bytes:
    """Return a variant's metadata of names, with two-byte offsets."""
    texts = [name.encode() for name in names]
    ends = [sum(map(len, texts[:place])) for place in range(len(texts) + 1)]
    return bytes([0b01_0_0_0001]) + b"".join(one.to_bytes(2, "little") for one in [len(texts), *ends]) + b"".join(texts)


def encoded(value: Any, names: list[str]) -> bytes:
    """Return an unshredded value: three-byte offsets, two-byte ids, values of objects in reverse order of names."""
    match value:
        case None:
            return b"\0"
        case bool():
            return b"\x04" if value else b"\x08"
        case int():
            return b"\x18" + struct.pack("<q", value)
        case str():
            text = value.encode()
            return b"\x40" + struct.pack("<I", len(text)) + text
        case list():
            items = [encoded(one, names) for one in value]
            offsets = [sum(map(len, items[:place])) for place in range(len(items) + 1)]
            return (
                bytes([0b10_11, len(items)]) + b"".join(one.to_bytes(3, "little") for one in offsets) + b"".join(items)
            )
    ordered = sorted(value, key=str.encode)
    fields, starts = b"", {}
    for name in reversed(ordered):
        starts[name] = len(fields)
        fields += encoded(value[name], names)
    ids = b"".join(names.index(name).to_bytes(2, "little") for name in ordered)
    ends = b"".join(one.to_bytes(3, "little") for one in [*(starts[name] for name in ordered), len(fields)])
    return bytes([0b0_01_10_10, len(ordered)]) + ids + ends + fields


def decoded(value: bytes, names: list[str]) -> Any:
    """Decode a value, and check that an object's fields are in the order of their names."""
    kind, about = value[0] & 3, value[0] >> 2
    if kind == 1:
        return value[1 : 1 + about].decode()
    if kind == 0:
        match about:
            case 0:
                return None
            case 1 | 2:
                return about == 1
            case 6:
                return struct.unpack("<q", value[1:9])[0]
        assert about == 16
        return value[5 : 5 + struct.unpack("<I", value[1:5])[0]].decode()
    size, is_large = (about & 3) + 1, about >> (4 if kind == 2 else 2) & 1
    count, at = (int.from_bytes(value[1:5], "little"), 5) if is_large else (value[1], 2)
    ids = []
    if kind == 2:
        id_size = (about >> 2 & 3) + 1
        ids = [int.from_bytes(value[at + id_size * n :][:id_size], "little") for n in range(count)]
        at += id_size * count
    offsets = [int.from_bytes(value[at + size * n :][:size], "little") for n in range(count + 1)]
    data = value[at + size * (count + 1) :]
    items = [decoded(data[start:], names) for start in offsets[:count]]
    if kind == 3:
        return items
    keys = [names[one] for one in ids]
    assert keys == sorted(set(keys), key=str.encode)
    return dict(zip(keys, items, strict=True))


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from names_in(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from names_in(one)


def type_of(shape: Shape) -> pa.DataType:
    return pa.struct([("value", pa.binary()), *([] if shape is None else [("typed_value", typed_type(shape))])])


def typed_type(shape: Shape) -> pa.DataType:
    match shape:
        case str():
            return TYPES[shape]
        case list():
            return pa.list_(type_of(shape[0]))
        case dict():
            return pa.struct([(name, type_of(one)) for name, one in shape.items()])
    raise AssertionError(shape)


def shredded(value: Any, shape: Shape, names: list[str]) -> dict[str, Any] | None:
    """Return the Parquet group that stores a value; MISSING is stored as two nulls."""
    if value is MISSING:
        return {"value": None, "typed_value": None}
    fits = {"int": type(value) is int, "text": type(value) is str, "flag": type(value) is bool}
    match shape:
        case str() if fits[shape]:
            return {"value": None, "typed_value": value}
        case list() if isinstance(value, list):
            return {"value": None, "typed_value": [shredded(one, shape[0], names) for one in value]}
        case dict() if isinstance(value, dict):
            typed = {name: shredded(value.get(name, MISSING), one, names) for name, one in shape.items()}
            rest = {name: one for name, one in value.items() if name not in shape}
            return {"value": encoded(rest, names) if rest else None, "typed_value": typed}
    return {"value": encoded(value, names), "typed_value": None}


NAMES = st.sampled_from(["a", "b", "é", "\U0001f600", "", "long" * 80])
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.sampled_from(["", "x", "y" * 63, "é" * 40])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
SHAPES: st.SearchStrategy[Shape] = st.recursive(
    st.none() | st.sampled_from(sorted(TYPES)),
    lambda inner: inner.map(lambda one: [one]) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=5,
)


def stored(values: list[Any], shape: Shape, names: list[str]) -> pa.StructArray:
    """Return a file's column of values; MISSING becomes null."""
    of = type_of(shape)
    form = pa.struct([pa.field("metadata", pa.binary()), *of])
    groups = [
        None if value is MISSING else {"metadata": metadata_of(names), **(shredded(value, shape, names) or {})}
        for value in values
    ]
    return pa.array(groups, form)


@given(values=st.lists(VALUES | st.just(MISSING), max_size=6), shape=SHAPES, start=st.integers(0, 3))
def test_shredded_values_are_the_whole_ones(values, shape, start):
    names = sorted({name for value in values for name in names_in(value)}, reverse=True)
    array = stored(values, shape, names).slice(start)
    assert stores_variants(array.type)
    found = variants(array)
    found.validate(full=True)
    assert is_variant(found.type)
    for value, one in zip(values[start:], found.to_pylist(), strict=True):
        if value is MISSING:
            assert one is None
        else:
            assert one["metadata"] == metadata_of(names)
            assert decoded(one["value"], names) == value


def test_values_that_are_not_shredded_stay_as_they_are():
    array = pa.array(
        [{"metadata": NO_NAMES, "value": b"anything"}, None, {"metadata": NO_NAMES, "value": None}],
        pa.struct([("value", pa.large_binary()), ("metadata", pa.dictionary(pa.int8(), pa.binary()))]),
    )
    assert variants(array).to_pylist() == [
        {"value": b"anything", "metadata": NO_NAMES},
        None,
        {"value": b"\0", "metadata": NO_NAMES},  # a missing required variant is the variant null
    ]


MOMENT = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
PRIMITIVES: list[tuple[Any, pa.DataType, str]] = [
    (True, pa.bool_(), "04"),
    (False, pa.bool_(), "08"),
    (-2, pa.int8(), "0c fe"),
    (-2, pa.int16(), "10 feff"),
    (-2, pa.int32(), "14 feffffff"),
    (-2, pa.int64(), "18 feffffffffffffff"),
    (1.0, pa.float64(), "1c 000000000000f03f"),
    (Decimal("-0.02"), pa.decimal128(9, 2), "20 02 feffffff"),
    (Decimal("-0.02"), pa.decimal128(18, 2), "24 02 feffffffffffffff"),
    (Decimal("-" + "9" * 38), pa.decimal128(38, 0), "28 00 010000003f" + "58 75 a2 f5 f6 76 3c e6 09 c4 b4"),
    (date(1969, 12, 31), pa.date32(), "2c ffffffff"),
    (MOMENT, pa.timestamp("us", "UTC"), "30 40420f0000000000"),
    (MOMENT.replace(tzinfo=None), pa.timestamp("us"), "34 40420f0000000000"),
    (1.0, pa.float32(), "38 0000803f"),
    (b"\xff", pa.binary(), "3c 01000000 ff"),
    ("x", pa.string(), "05 78"),
    ("x" * 63, pa.string(), "fd" + "78" * 63),
    ("x" * 64, pa.large_string(), "40 40000000" + "78" * 64),
    (time(0, 0, 1), pa.time64("us"), "44 40420f0000000000"),
    (MOMENT, pa.timestamp("ns", "UTC"), "48 00ca9a3b00000000"),
    (MOMENT.replace(tzinfo=None), pa.timestamp("ns"), "4c 00ca9a3b00000000"),
    (bytes(range(16)), pa.binary(16), "50 000102030405060708090a0b0c0d0e0f"),
]


@pytest.mark.parametrize(("value", "type", "expected"), PRIMITIVES, ids=lambda one: str(one)[:20])
def test_primitives_are_encoded_as_the_specification_says(value, type, expected):
    form = pa.struct([("metadata", pa.binary()), ("typed_value", type)])
    array = pa.array([{"metadata": NO_NAMES, "typed_value": value}], form)
    assert stores_variants(array.type)
    if "9" * 38 in str(value):
        expected = (b"\x28\0" + int(value).to_bytes(16, "little", signed=True)).hex()
    assert variants(array).to_pylist()[0]["value"] == bytes.fromhex(expected)


LARGE = [{"many": list(range(300))}, {str(number): number for number in range(300)}, ["x" * 300, "y" * 70_000]]


@pytest.mark.parametrize("value", LARGE, ids=["array", "object", "bytes"])
def test_large_values(value):
    names = sorted(names_in(value))
    shape: Shape = dict.fromkeys(names, "int") if "0" in value else {"many": ["int"]}
    array = stored([value], ["text"] if isinstance(value, list) else shape, names)
    assert decoded(variants(array).to_pylist()[0]["value"], names) == value


def test_other_groups_are_no_variants():
    value, metadata = ("value", pa.binary()), ("metadata", pa.binary())
    for of in (
        pa.binary(),
        pa.struct([value]),
        pa.struct([metadata]),
        pa.struct([metadata, ("value", pa.string())]),
        pa.struct([("metadata", pa.string()), value]),
        pa.struct([metadata, value, value]),
        pa.struct([metadata, value, ("more", pa.int64())]),
        pa.struct([metadata, value, ("typed_value", pa.uint32())]),
        pa.struct([metadata, value, ("typed_value", pa.timestamp("ms"))]),
        pa.struct([metadata, value, ("typed_value", pa.binary(8))]),
        pa.struct([metadata, value, ("typed_value", pa.map_(pa.string(), pa.int64()))]),
        pa.struct([metadata, value, ("typed_value", pa.list_(pa.int64()))]),
        pa.struct([metadata, value, ("typed_value", pa.struct([("a", pa.int64())]))]),
        pa.struct([metadata, value, ("typed_value", pa.struct([("a", pa.struct([]))]))]),
    ):
        assert not stores_variants(of), of
    assert not is_variant(pa.struct([value, metadata]))


TEXT = {"metadata": metadata_of(["a", "b"]), "value": None, "typed_value": None}
OBJECT = pa.struct(
    [("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.struct([("a", type_of("int"))]))]
)
PLAIN = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.int64())])
A = {"a": {"value": None, "typed_value": 1}}
DAMAGED: Mapping[str, tuple[pa.DataType, dict[str, Any]]] = {
    "has no metadata": (PLAIN, {"metadata": None, "typed_value": 1}),
    "unsupported version of a variant's metadata": (PLAIN, {"metadata": b"\x02\0\0", "typed_value": 1}),
    "has two values$": (PLAIN, {"value": b"\0", "typed_value": 1}),
    "two values of a field": (OBJECT, {"value": encoded({"a": 2}, ["a"]), "typed_value": A}),
    "does not name its field 'a'": (OBJECT, {"metadata": NO_NAMES, "typed_value": A}),
    "an object and another value": (OBJECT, {"value": b"\0", "typed_value": A}),
    "cannot be decoded": (OBJECT, {"value": encoded({"b": 2}, ["a", "b"])[:-10], "typed_value": A}),
    "be decoded": (OBJECT, {"value": encoded({"c": 2}, ["a", "b", "c"]), "typed_value": A}),
    "decoded": (OBJECT, {"value": b"", "typed_value": A}),
    "a shredded variant cannot": (PLAIN, {"metadata": metadata_of(["a", "b"])[:3], "typed_value": 1}),
}


@pytest.mark.parametrize("reason", DAMAGED)
def test_damaged_ones_are_refused(reason):
    form, group = DAMAGED[reason]
    with pytest.raises(pa.ArrowInvalid, match=reason):
        variants(pa.array([{**TEXT, **group}], form))


def test_columns_of_iceberg_files(tmp_path):
    groups = stored([{"a": 1}, MISSING, 7], {"a": "int"}, ["a"])
    file = data_file(tmp_path / "a.parquet", [(1, "id", pa.array([1, 2, 3])), (2, "v", groups)])
    of = table(column(1, "id", "long"), column(2, "v", "variant"), column(3, "later", "variant"))
    found = rows(of, file)
    assert [row["later"] for row in found] == [None] * 3
    assert found[1]["v"] is None
    assert [decoded(found[row]["v"]["value"], ["a"]) for row in (0, 2)] == [{"a": 1}, 7]
    assert read_schema(of).field("v").type.equals(VARIANT, check_metadata=True)


def test_other_columns_are_read_where_a_variant_cannot_be(tmp_path):
    groups = pa.array([{"metadata": NO_NAMES, "value": "text"}])
    file = data_file(tmp_path / "a.parquet", [(1, "id", pa.array([1])), (2, "v", groups)])
    columns = (column(1, "id", "long"), column(2, "v", "variant"))
    assert rows(table(*columns, columns=("id",)), file) == [{"id": 1}]
    with pytest.raises(NotReadable, match=r"column v has another type: .*not variant \(.*a\.parquet\)"):
        rows(table(*columns), file)


def test_a_damaged_variant_names_its_file(tmp_path):
    groups = pa.array([{**TEXT, "value": b"\0", "typed_value": 1}], PLAIN)
    file = data_file(tmp_path / "a.parquet", [(2, "v", groups)])
    with pytest.raises(NotReadable, match=r"column v .*has two values \(.*a\.parquet\)"):
        rows(table(column(2, "v", "variant")), file)


def test_equality_deletes_do_not_compare_variants(tmp_path):
    groups = stored([7], None, [])
    file = data_file(tmp_path / "a.parquet", [(2, "v", groups)])
    delete = {
        **data_file(tmp_path / "d.parquet", [(2, "v", groups)]),
        "content": "equality-deletes",
        "equality_ids": [2],
    }
    with pytest.raises(NotReadable, match="field 2, which is unknown or cannot be compared"):
        rows(table(column(2, "v", "variant")), {**file, "deletes": [delete]})
