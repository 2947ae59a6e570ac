"""Rows as JSON text that parses back, with every value as ``metadata.values`` writes it."""

from __future__ import annotations

import datetime as dt
import json
import math
import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest import mock

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import SegmentCorrupt
from lakemuster.metadata.files import SPARSE
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.metadata.values import json_value, scaled
from lakemuster.wire import rows as rows_module
from lakemuster.wire import texts as texts_module
from lakemuster.wire.rows import FEW_ROWS, JSON_TEXT, chunks, json_items, json_lines, json_objects

INT64 = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 2, 2**53 + 2) | st.integers(-3, 3)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KINDS: list[tuple[Primitive, st.SearchStrategy[object]]] = [
    (Primitive(Kind.BOOLEAN, "boolean"), st.booleans()),
    (Primitive(Kind.INT, "int"), st.integers(-(2**31), 2**31 - 1)),
    (Primitive(Kind.LONG, "long"), INT64),
    (Primitive(Kind.FLOAT, "float"), st.floats(width=32)),
    (Primitive(Kind.DOUBLE, "double"), st.floats() | st.sampled_from([1.0, -0.0, 1e300, 5e-324])),
    (Primitive(Kind.DATE, "date"), st.integers(-(2**31), 2**31 - 1) | st.integers(-719_530, -719_520)),
    (Primitive(Kind.TIME, "time", unit="us"), st.integers(0, 86_400_000_000 - 1)),
    (Primitive(Kind.TIME, "time", unit="ms"), st.integers(0, 86_400_000 - 1)),
    (Primitive(Kind.TIMESTAMP, "timestamp", unit="us"), INT64),
    (Primitive(Kind.TIMESTAMP, "timestamp", unit="ms"), INT64),
    (Primitive(Kind.TIMESTAMPTZ, "timestamptz_ns", unit="ns"), INT64),
    (Primitive(Kind.STRING, "string"), TEXT),
    (Primitive(Kind.BINARY, "binary"), st.binary(max_size=5)),
    (Primitive(Kind.FIXED, "fixed[3]", length=3), st.binary(min_size=3, max_size=3)),
    (Primitive(Kind.UUID, "uuid"), st.uuids()),
    *(
        (
            Primitive(Kind.DECIMAL, f"decimal({p}, {s})", precision=p, scale=s),
            st.integers(-(10**p) + 1, 10**p - 1).map(partial(scaled, scale=s)),
        )
        for p, s in ((9, 0), (9, 2), (20, 6), (38, 10))
    ),
]


@pytest.fixture(params=["row by row", "by column", "by column, without machine code"], autouse=True, scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with each implementation; all write the same text."""
    rows = FEW_ROWS if request.param == "row by row" else 0
    compiled = request.param != "by column, without machine code"
    with (
        mock.patch.object(rows_module, "FEW_ROWS", rows),
        mock.patch.object(texts_module, "is_available", return_value=compiled),
    ):
        yield


def column(kind: Primitive, values: list[object]) -> tuple[pa.Field, pa.Array]:
    """Return an Arrow field with the type's text, and an array of values in internal form."""
    of = arrow_type(kind)
    assert of is not None
    plain = [value.bytes if isinstance(value, uuid.UUID) else value for value in values]
    if pa.types.is_temporal(of):
        array = pa.array(plain, pa.int32() if of.bit_width == 32 else pa.int64()).view(of)
    else:
        array = pa.array(plain, of)
    return pa.field("v", of, metadata={b"type": kind.text.encode()}), array


@given(st.data())
def test_every_value_is_written_as_the_scalar_form_says(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(KINDS))
    column_values = data.draw(st.lists(st.none() | values, min_size=1, max_size=6))
    start = data.draw(st.integers(0, len(column_values) - 1))
    field, array = column(kind, column_values)
    batch = pa.RecordBatch.from_arrays([array], schema=pa.schema([field])).slice(start)
    written = [row["v"] for row in json_objects(batch)]
    expected = [orjson.loads(orjson.dumps(json_value(kind, value))) for value in column_values[start:]]
    assert list(map(repr, written)) == list(map(repr, expected))


@given(st.data())
def test_values_that_repeat_are_written_as_if_they_did_not(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(KINDS))
    few = data.draw(st.lists(values | st.none(), min_size=1, max_size=2))
    column_values = [one for one in few for _ in range(data.draw(st.integers(1, 9)))]
    start = data.draw(st.integers(0, len(column_values) - 1))
    field, array = column(kind, column_values)
    lists = pa.ListArray.from_arrays(list(range(0, 2 * len(array) + 1, 2)), pa.concat_arrays([array, array]))
    listed = pa.field("l", pa.list_(field.with_name("item")))
    batch = pa.RecordBatch.from_arrays([array, lists.cast(listed.type)], schema=pa.schema([field, listed]))
    rows = [row for at in range(start, len(array)) for row in json_objects(batch.slice(at, 1))]
    assert list(map(repr, json_objects(batch.slice(start)))) == list(map(repr, rows))


def test_a_text_that_repeats_but_once_is_seen() -> None:
    for values in (["ab", "ab", "ac"], ["ab", "b", "aab"], ["ab", "abab", ""], ["", "", "a"], ["", ""], ["é", "é"]):
        for number in range(len(values)):
            texts = [*values[number:], *values[:number]]
            assert [row["v"] for row in json_objects(pa.record_batch({"v": texts}))] == texts


def nested(depth: int) -> st.SearchStrategy[pa.DataType]:
    """Return a strategy of Arrow types: lists, structs and maps of a few scalars."""
    leaf: st.SearchStrategy[pa.DataType] = st.sampled_from([pa.int32(), pa.string(), pa.bool_()])
    if depth == 0:
        return leaf
    inner = nested(depth - 1)
    return (
        leaf
        | inner.map(pa.list_)
        | inner.map(lambda kind: pa.map_(pa.string(), kind))
        | st.lists(inner, max_size=3).map(lambda kinds: pa.struct([(f"f{i}", kind) for i, kind in enumerate(kinds)]))
    )


def values_of(kind: pa.DataType) -> st.SearchStrategy[object]:
    """Return a strategy of Python values of an Arrow type, including null."""
    if pa.types.is_map(kind):
        pairs = st.dictionaries(TEXT, values_of(kind.item_type), max_size=3).map(lambda found: list(found.items()))
        return st.none() | pairs
    if pa.types.is_list(kind):
        return st.none() | st.lists(values_of(kind.value_type), max_size=3)
    if pa.types.is_struct(kind):
        return st.none() | st.fixed_dictionaries({f.name: values_of(f.type) for f in kind})
    if pa.types.is_string(kind):
        return st.none() | TEXT
    return st.none() | (st.booleans() if pa.types.is_boolean(kind) else st.integers(-5, 5))


def as_json(kind: pa.DataType, value: Any) -> Any:
    """Return the JSON form of a value of ``values_of``."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return {key: as_json(kind.item_type, item) for key, item in value}
    if pa.types.is_list(kind):
        return [as_json(kind.value_type, item) for item in value]
    if pa.types.is_struct(kind):
        return {field.name: as_json(field.type, value[field.name]) for field in kind}
    return value


@given(st.data())
def test_nested_values_keep_their_shape(data: st.DataObject) -> None:
    kind = data.draw(nested(2))
    rows = data.draw(st.lists(values_of(kind), min_size=1, max_size=5))
    start = data.draw(st.integers(0, len(rows) - 1))
    batch = pa.record_batch({"v": pa.array(rows, kind)}).slice(start)
    assert [row["v"] for row in json_objects(batch)] == [as_json(kind, value) for value in rows[start:]]


@given(st.lists(TEXT, min_size=1, max_size=4, unique=True), st.lists(TEXT, min_size=4, max_size=4))
def test_names_and_values_of_any_text_survive(names: list[str], values: list[str]) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([values[i]]) for i in range(len(names))], names=names)
    assert json.loads(bytes(json_lines(batch))) == dict(zip(names, values, strict=False))


@st.composite
def batches(draw: st.DrawFn) -> pa.RecordBatch:
    """Draw a batch of columns of all kinds, some with special handling: ids, sparse structs."""
    rows = draw(st.integers(1, 4))
    fields, arrays = [], []
    for name in draw(st.lists(st.sampled_from(["snapshot_id", "v", "w", "é"]), min_size=1, max_size=4)):
        if draw(st.booleans()):
            kind, values = draw(st.sampled_from(KINDS))
            field, array = column(kind, draw(st.lists(st.none() | values, min_size=rows, max_size=rows)))
            if draw(st.booleans()):
                array = pa.StructArray.from_arrays([array, array], fields=[field.with_name("a"), field.with_name("b")])
                metadata = {SPARSE: b"1"} if draw(st.booleans()) else None
                field = pa.field("v", array.type, metadata=metadata)
        else:
            of = draw(nested(2))
            array = pa.array(draw(st.lists(values_of(of), min_size=rows, max_size=rows)), of)
            field = pa.field("v", of, metadata={SPARSE: b"1"} if draw(st.booleans()) else None)
        fields.append(field.with_name(name))
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields)).slice(draw(st.integers(0, rows - 1)))


@given(batches())
def test_few_rows_and_many_are_written_alike(batch: pa.RecordBatch) -> None:
    many = pa.Table.from_batches([batch] * (FEW_ROWS + 1)).combine_chunks().to_batches()[0]
    assert json_lines(many) == bytes(json_lines(batch)) * (FEW_ROWS + 1)
    assert json_items(many) == b",".join([json_items(batch)] * (FEW_ROWS + 1))


def test_lines_and_items_hold_the_same_objects() -> None:
    batch = pa.record_batch({"a": [1, None], "b": ["x\ny", "z"]})
    assert json_lines(batch) == b'{"a":1,"b":"x\\ny"}\n{"a":null,"b":"z"}\n'
    assert json_items(batch) == b'{"a":1,"b":"x\\ny"},{"a":null,"b":"z"}'
    assert json_lines(batch.slice(0, 0)) == json_items(batch.slice(0, 0)) == b""


def test_a_row_without_columns_is_an_empty_object() -> None:
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert json_objects(batch) == [{}, {}]


@pytest.mark.parametrize("name", ["snapshot_id", "parent_id", "added_snapshot_id", "last_updated_snapshot_id"])
def test_ids_are_text_however_small(name: str) -> None:
    assert json_objects(pa.record_batch({name: [1, None]})) == [{name: "1"}, {name: None}]


def test_numbers_that_are_not_ids_stay_numbers_up_to_two_to_the_53rd() -> None:
    batch = pa.record_batch({"sequence_number": [2**53, 2**53 + 1]})
    assert [row["sequence_number"] for row in json_objects(batch)] == [2**53, str(2**53 + 1)]


def test_a_sparse_struct_leaves_out_what_was_not_recorded() -> None:
    kind = pa.struct([("a", pa.int32()), ("b", pa.string()), ("c", pa.int32())])
    rows = [{"a": None, "b": "{,", "c": None}, {"a": 1, "b": None, "c": None}, {"a": None, "b": None, "c": None}, None]
    sparse = pa.field("lower_bounds", kind, metadata={SPARSE: b"1"})
    batch = pa.RecordBatch.from_arrays([pa.array(rows, kind)], schema=pa.schema([sparse]))
    assert [row["lower_bounds"] for row in json_objects(batch)] == [{"b": "{,"}, {"a": 1}, {}, None]


def test_a_null_partition_value_is_a_value() -> None:
    kind = pa.struct([("day", pa.date32())])
    batch = pa.record_batch({"partition": pa.array([{"day": None}], kind)})
    assert json_objects(batch) == [{"partition": {"day": None}}]


def test_of_members_with_one_name_the_recorded_one_is_shown() -> None:
    old, new = pa.array([1, None, None], pa.int32()), pa.array([None, "x", None])
    both = pa.StructArray.from_arrays([old, new], names=["a", "a"])
    assert [row["s"] for row in json_objects(pa.record_batch({"s": both}))] == [{"a": 1}, {"a": "x"}, {"a": None}]


def test_other_arrow_layouts_of_text_and_bytes_are_read() -> None:
    batch = pa.record_batch(
        {
            "large": pa.array(["a"], pa.large_string()),
            "view": pa.array(["b"], pa.string_view()),
            "coded": pa.array(["c"]).dictionary_encode(),
            "bytes": pa.array([b"\x01"], pa.large_binary()),
            "nothing": pa.nulls(1),
        }
    )
    assert json_objects(batch) == [{"large": "a", "view": "b", "coded": "c", "bytes": "01", "nothing": None}]


def test_a_map_with_other_keys_than_text_is_an_object_still() -> None:
    kind = pa.map_(pa.int32(), pa.int64())
    assert json_objects(pa.record_batch({"m": pa.array([[(1, 2), (3, 4)]], kind)})) == [{"m": {"1": 2, "3": 4}}]


def test_text_that_is_not_utf8_is_refused() -> None:
    for values in ([b"\xff\xfe"], [b"\xff", b"\xff"], [b"a", b"\xff"]):
        broken = pa.array(values).view(pa.string())
        lists = pa.ListArray.from_arrays(list(range(len(broken) + 1)), broken)
        for array in (broken, pa.StructArray.from_arrays([broken], ["t"]), lists):
            with pytest.raises(SegmentCorrupt):
                json_lines(pa.record_batch({"v": array}))


def test_dates_of_python_are_those_of_iso() -> None:
    batch = pa.record_batch({"d": [dt.date(2024, 2, 29)], "t": [dt.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=dt.UTC)]})
    assert json_objects(batch) == [{"d": "2024-02-29", "t": "2024-02-29T01:02:03.000004+00:00"}]


def test_negative_zero_keeps_its_sign() -> None:
    (row,) = json_objects(pa.record_batch({"f": [-0.0]}))
    assert math.copysign(1, float(str(row["f"]))) == -1


@given(st.integers(1, 50), st.integers(1, 2000))
def test_chunks_are_the_batch_again(rows: int, chunk_bytes: int) -> None:
    batch = pa.record_batch({"a": list(range(rows)), "b": ["x" * 20] * rows})
    pieces = list(chunks(batch, chunk_bytes))
    assert pa.Table.from_batches(pieces).to_pylist() == batch.to_pylist()
    assert all(piece.num_rows for piece in pieces)


def test_strings_that_are_json_are_not_quoted_again() -> None:
    field = pa.field("v", pa.string(), metadata={JSON_TEXT: b"1"})
    batch = pa.RecordBatch.from_arrays([pa.array(['{"a": [1]}', None, '"x"'])], schema=pa.schema([field]))
    assert json_objects(batch) == [{"v": {"a": [1]}}, {"v": None}, {"v": "x"}]


def test_lists_of_a_part_of_a_batch() -> None:
    lists = pa.array([[1], [2, 3], [], [4], None], pa.list_(pa.int64()))
    batch = pa.RecordBatch.from_arrays([lists], names=["v"])
    for start in range(5):
        for length in range(1, 6 - start):
            part = batch.slice(start, length)
            assert json_objects(part) == part.to_pylist()
