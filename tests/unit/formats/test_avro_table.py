"""Avro types as Arrow types, with equal results from all decoders."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import get_args
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.avro import Engine, read_table
from tests.examples import examples
from tests.unit.formats.avro_files import container, record, reference_rows, sized, written

ENGINES = ["native", "fastavro"]
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
MOON = datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC)
LOCAL = NEW_YEAR.replace(tzinfo=None)
engines = pytest.mark.parametrize("engine", ENGINES)


def column(schema: object, rows: list[object], engine: Engine) -> pa.ChunkedArray:
    data = written(record(("a", schema)), [{"a": row} for row in rows])
    return read_table(data, engine=engine)[1].column("a")


@engines
@pytest.mark.parametrize(
    ("schema", "arrow", "rows"),
    [
        ("boolean", pa.bool_(), [True, False]),
        ("int", pa.int32(), [0, -(2**31), 2**31 - 1]),
        ("long", pa.int64(), [0, -(2**63), 2**63 - 1]),
        ("float", pa.float32(), [0.5, float("inf"), -0.0]),
        ("double", pa.float64(), [0.1, float("-inf")]),
        ("bytes", pa.binary(), [b"", b"\xff\x00"]),
        ("string", pa.string(), ["", "héllo \U0001f986"]),
        ({"type": "fixed", "name": "f", "size": 3}, pa.binary(3), [b"abc", b"\0\0\0"]),
        ({"type": "enum", "name": "e", "symbols": ["A", "B"]}, pa.string(), ["B", "A"]),
        ({"type": "array", "items": "int"}, pa.list_(pa.field("item", pa.int32(), nullable=False)), [[], [1, 2]]),
        ({"type": "array", "items": ["null", "int"]}, pa.list_(pa.int32()), [[None], [1, None]]),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_types_keep_their_values_with_and_without_null(engine, schema, arrow, rows):
    required = column(schema, rows, engine)
    assert required.type == arrow
    assert required.to_pylist() == rows
    for branches in (["null", schema], [schema, "null"]):
        nullable = column(branches, [*rows, None, rows[0]], engine)
        assert nullable.type == arrow
        assert nullable.to_pylist() == [*rows, None, rows[0]]


@engines
@pytest.mark.parametrize(
    ("stored", "logical", "arrow", "row", "value"),
    [
        ("int", "date", pa.date32(), date(2024, 2, 29), date(2024, 2, 29)),
        ("int", "time-millis", pa.time32("ms"), time(1, 2, 3, 4000), time(1, 2, 3, 4000)),
        ("long", "time-micros", pa.time64("us"), time(1, 2, 3, 4), time(1, 2, 3, 4)),
        ("long", "timestamp-millis", pa.timestamp("ms"), NEW_YEAR, NEW_YEAR.replace(tzinfo=None)),
        ("long", "timestamp-micros", pa.timestamp("us"), MOON, MOON.replace(tzinfo=None)),
        ("long", "local-timestamp-micros", pa.timestamp("us"), LOCAL, LOCAL),
        ("string", "uuid", pa.binary(16), UUID(int=5), UUID(int=5).bytes),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_logical_types_become_arrows(engine, stored, logical, arrow, row, value):
    values = column(["null", {"type": stored, "logicalType": logical}], [row, None], engine)
    assert values.type == arrow
    assert values.to_pylist() == [value, None]


@engines
@pytest.mark.parametrize("unit", ["millis", "micros", "nanos"])
def test_timestamps_beyond_pythons_are_read(engine, unit):
    schema = record(("a", {"type": "long", "logicalType": f"timestamp-{unit}"}))
    table = read_table(
        container(schema, [(2, b"\xfe" + b"\xff" * 8 + b"\x01" + b"\xff" * 9 + b"\x01")]), engine=engine
    )[1]
    assert table.column("a").cast(pa.int64()).to_pylist() == [2**63 - 1, -(2**63)]


@engines
@pytest.mark.parametrize("size", [None, 1, 9, 16, 20])
def test_decimals_of_any_length(engine, size):
    unscaled = [127, -128, 0, *([] if size == 1 else [10**15 + 7, -(10**15) - 7]), *([10**37] if size != 9 else [])]
    unscaled = [number for number in unscaled if size != 1 or abs(number) < 200]
    if size is None:
        kind: dict[str, object] = {"type": "bytes"}
        stored = [sized(number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)) for number in unscaled]
    else:
        kind = {"type": "fixed", "name": "f", "size": size}
        stored = [number.to_bytes(size, "big", signed=True) for number in unscaled]
    schema = record(("a", ["null", {**kind, "logicalType": "decimal", "precision": 38, "scale": 2}]))
    blocks = [(len(stored) + 1, b"\0" + b"".join(b"\2" + each for each in stored))]
    values = read_table(container(schema, blocks), engine=engine)[1].column("a")
    assert values.type == pa.decimal128(38, 2)
    assert values.to_pylist() == [None, *(Decimal(number).scaleb(-2) for number in unscaled)]


@engines
@pytest.mark.parametrize("stored", [b"", b"\x7f" + bytes(15), b"\x7f" + bytes(16), b"\x00\x80" + bytes(15)])
def test_decimals_past_their_digits_are_corrupt(engine, stored):
    schema = record(("a", {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 0}))
    with pytest.raises(MetadataCorrupt, match="decimal"):
        read_table(container(schema, [(1, sized(stored))]), engine=engine)


@engines
def test_an_invalid_logical_type_is_ignored(engine):
    for kind in (
        {"type": "bytes", "logicalType": "decimal", "precision": 39},
        {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 4},
        {"type": "bytes", "logicalType": "date"},
    ):
        table = read_table(container(record(("a", kind)), [(1, sized(b"xy"))]), engine=engine)[1]
        assert table.column("a").to_pylist() == [b"xy"]
        assert table.column("a").type == pa.binary()


@engines
def test_a_map_is_a_list_of_its_entries_duplicates_kept(engine):
    schema = record(("a", {"type": "map", "values": "int"}))
    entry = sized(b"k") + b"\x02"
    table = read_table(container(schema, [(1, b"\x04" + entry + entry + b"\0")]), engine=engine)[1]
    assert table.column("a").to_pylist() == [[{"key": "k", "value": 1}, {"key": "k", "value": 1}]]


@engines
def test_an_array_in_several_parts_with_sizes_is_one_list(engine):
    schema = record(("a", {"type": "array", "items": "int"}))
    data = b"\x02\x0e" + b"\x03\x04\x0c\x0a" + b"\0"
    table = read_table(container(schema, [(1, data)]), engine=engine)[1]
    assert table.column("a").to_pylist() == [[7, 6, 5]]


@engines
def test_what_takes_no_bytes_is_left_out(engine):
    empty = record(name="empty")
    schema = record(("none", "null"), ("a", "int"), ("partition", empty), ("maybe", ["null", "empty"]), ("b", "int"))
    rows: list[object] = [
        {"none": None, "a": 1, "partition": {}, "maybe": {}, "b": 2},
        {"none": None, "a": 3, "partition": {}, "maybe": None, "b": 4},
    ]
    table = read_table(written(schema, rows), engine=engine)[1]
    assert table.to_pylist() == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


@engines
@pytest.mark.parametrize("null_first", [True, False])
def test_a_union_with_null_around_rows_is_unwrapped(engine, null_first):
    row = record(("a", "int"))
    schema = ["null", row] if null_first else [row, "null"]
    table = read_table(written(schema, [{"a": 1}, {"a": 2}]), engine=engine)[1]
    assert table.to_pylist() == [{"a": 1}, {"a": 2}]
    with pytest.raises(MetadataCorrupt, match="null"):
        read_table(written(schema, [{"a": 1}, None]), engine=engine)


@engines
def test_members_of_a_null_record_are_no_values(engine):
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 3}
    inner = {"type": "record", "name": "inner", "fields": [{"name": "a", "type": decimal}]}
    outer = {
        "type": "record",
        "name": "outer",
        "fields": [
            {"name": "a", "type": decimal},
            {"name": "b", "type": ["null", decimal]},
            {"name": "c", "type": ["null", inner]},
        ],
    }
    one = Decimal("1.125")
    rows = [None, {"a": one, "b": None, "c": None}, {"a": -one, "b": one, "c": {"a": one}}, None]
    assert column(["null", outer], rows, engine).to_pylist() == rows


@engines
def test_a_type_may_be_referred_to_by_name_within_its_namespace(engine):
    inner = {**record(("x", "int"), name="inner"), "namespace": "n.s"}
    schema = {**record(("a", inner), ("b", "inner"), ("c", ["null", "n.s.inner"]), name="outer"), "namespace": "n.s"}
    rows = [{"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}]
    assert read_table(written(schema, rows), engine=engine)[1].to_pylist() == rows


@engines
def test_names_that_avro_does_not_allow_are_kept(engine):
    schema = record(("größe in-bytes", "int"), ("", "int"), ("a.b", record(("1", "int"), name="2-3")))
    table = read_table(container(schema, [(1, b"\x02\x04\x06")]), engine=engine)[1]
    assert table.to_pylist() == [{"größe in-bytes": 1, "": 2, "a.b": {"1": 3}}]


@engines
def test_a_file_without_blocks_is_an_empty_table_of_its_columns(engine):
    header, table = read_table(container(record(("a", "int"), ("b", ["null", "string"])), []), engine=engine)
    assert header.codec == "null"
    assert table.num_rows == 0
    assert table.schema == pa.schema([pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.string())])


@engines
def test_an_empty_block_adds_nothing(engine):
    data = container(record(("a", "int")), [(1, b"\x02"), (0, b""), (1, b"\x04")])
    assert read_table(data, engine=engine)[1].column("a").to_pylist() == [1, 2]


def test_rows_of_many_blocks_keep_their_order_through_every_engine():
    rows = [{"a": number, "b": "x" * (number % 50)} for number in range(30_000)]
    data = written(record(("a", "long"), ("b", "string")), rows, codec="deflate", block_bytes=500)
    for engine in get_args(Engine):
        assert read_table(data, engine=engine)[1].to_pylist() == rows


@engines
def test_large_files_come_in_chunks_that_make_one_table(monkeypatch, engine):
    for name in ("_CHUNK_BYTES", "_NATIVE_CHUNK_BYTES"):
        monkeypatch.setattr(f"lakemuster.formats.avro.table.{name}", 10_000)
    rows = [{"a": number} for number in range(30_000)]
    _, table = read_table(written(record(("a", "long")), rows, block_bytes=1000), engine=engine)
    assert table.column("a").num_chunks > 3
    assert table.to_pylist() == rows


def test_without_the_native_decoder_fastavro_reads_files_of_any_size(monkeypatch):
    monkeypatch.setattr("lakemuster.formats.avro.table.is_available", lambda: False)
    monkeypatch.setattr("lakemuster.formats.avro.table.decode_native", None)
    for size in (1, 30_000):
        rows = [{"a": number} for number in range(size)]
        assert read_table(written(record(("a", "long")), rows))[1].to_pylist() == rows


@engines
def test_no_descriptor_stays_open(engine):
    data = written(record(("a", "long")), [{"a": 1}])
    read_table(data, engine=engine)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        read_table(data, engine=engine)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "schema", ["int", record(), ["null", record()], record(("a", "null")), {"type": "map", "values": "int"}]
)
def test_rows_that_are_no_records_with_fields_are_unsupported(schema):
    with pytest.raises(FormatUnsupported):
        read_table(container(schema, []))


@pytest.mark.parametrize(
    "branches", [["int", "string"], ["null", "int", "string"], ["null"], ["int"], [], ["null", "null"]]
)
def test_a_union_of_anything_but_null_and_one_type_is_unsupported(branches):
    with pytest.raises(FormatUnsupported):
        read_table(container(record(("a", branches)), []))


PLAIN = st.sampled_from(["boolean", "int", "long", "float", "double", "bytes", "string"])


@st.composite
def kinds(draw: st.DrawFn, depth: int = 3) -> tuple[object, st.SearchStrategy[object], bool]:
    """Draw a schema, a strategy of its values, and whether a value takes bytes; ``with_names`` fills in names."""
    choice = draw(st.integers(0, 9 if depth else 3))
    if choice <= 3:
        kind = draw(PLAIN)
        return kind, VALUES[kind], True
    if choice == 4:
        return {"type": "fixed", "name": "?", "size": 4}, st.binary(min_size=4, max_size=4), True
    if choice == 5:
        return {"type": "enum", "name": "?", "symbols": ["A", "B", "C"]}, st.sampled_from("ABC"), True
    if choice == 6:
        fields = draw(st.lists(kinds(depth - 1), max_size=3))
        named = {f"f{index}": each for index, each in enumerate(fields)}
        schema = record(*((name, each[0]) for name, each in named.items()), name="?")
        return schema, st.fixed_dictionaries({name: each[1] for name, each in named.items()}), any(f[2] for f in fields)
    inner, values, heavy = draw(kinds(depth - 1))
    if choice in (7, 8) and isinstance(inner, list) and any(weightless(branch) for branch in inner):
        return "int", VALUES["int"], True
    if choice == 7 and heavy:
        return {"type": "array", "items": inner}, st.lists(values, max_size=4), True
    if choice == 8 and heavy:
        return {"type": "map", "values": inner}, st.dictionaries(st.text(max_size=4), values, max_size=3), True
    if isinstance(inner, list):
        return inner, values, heavy
    order = draw(st.booleans())
    return (["null", inner] if order else [inner, "null"]), st.none() | values, True


VALUES: dict[str, st.SearchStrategy[object]] = {
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=20),
    "string": st.text(max_size=20),
}


def with_names(schema: object, number: list[int]) -> object:
    if isinstance(schema, list):
        return [with_names(each, number) for each in schema]
    if not isinstance(schema, dict):
        return schema
    number[0] += 1
    return {
        key: f"t{number[0]}" if value == "?" else with_names(value, number) if key != "symbols" else value
        for key, value in schema.items()
    } | ({"fields": [with_names(field, number) for field in schema["fields"]]} if "fields" in schema else {})


def weightless(schema: object) -> bool:
    return (
        isinstance(schema, dict) and "fields" in schema and all(weightless(each["type"]) for each in schema["fields"])
    )


def expected(schema: object, value: object) -> object:
    """Return the expected table value for a value that fastavro reads."""
    if isinstance(schema, list):
        inner = schema[0] if schema[1] == "null" else schema[1]
        return None if value is None else expected(inner, value)
    if not isinstance(schema, dict):
        return value
    if "fields" in schema:
        assert isinstance(value, dict)
        return {
            field["name"]: expected(field["type"], value[field["name"]])
            for field in schema["fields"]
            if not weightless(field["type"])
            and not (isinstance(field["type"], list) and any(weightless(branch) for branch in field["type"]))
        }
    if schema["type"] == "array":
        assert isinstance(value, list)
        return [expected(schema["items"], each) for each in value]
    if schema["type"] == "map":
        assert isinstance(value, dict)
        return [{"key": key, "value": expected(schema["values"], each)} for key, each in value.items()]
    return value


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_all_decoders_give_what_fastavro_alone_reads(data):
    fields = data.draw(st.lists(kinds(), min_size=1, max_size=4), label="schema")
    schema = with_names(record(("first", "int"), *((f"c{i}", each[0]) for i, each in enumerate(fields))), [0])
    row = st.fixed_dictionaries({"first": VALUES["int"], **{f"c{i}": each[1] for i, each in enumerate(fields)}})
    rows = data.draw(st.lists(row, max_size=6), label="rows")
    file = written(schema, rows, block_bytes=data.draw(st.sampled_from([1, 16000])))
    tables = [read_table(file, engine=engine)[1] for engine in ENGINES]
    for table in tables:
        table.validate(full=True)
        assert table.to_pylist() == [expected(schema, each) for each in reference_rows(file)]
    assert tables[0].schema == tables[1].schema
