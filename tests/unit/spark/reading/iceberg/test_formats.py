"""Parquet, ORC and Avro files give the same rows of all types."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa
import pytest
import zstandard
from pyarrow import orc
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema

from lakemuster.spark.reading.iceberg import read_schema
from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.lake import column, file_row, parquet_file, rows, table

INNER = {"type": "struct", "fields": [column(21, "x", "long"), column(22, "y", "decimal(30, 4)", required=True)]}
COLUMNS = (
    column(1, "a", "long", required=True),
    column(2, "flag", "boolean"),
    column(3, "number", "int"),
    column(4, "ratio", "float"),
    column(5, "score", "double"),
    column(6, "price", "decimal(9, 2)"),
    column(7, "wide", "decimal(38, 10)"),
    column(8, "day", "date"),
    column(9, "local", "timestamp"),
    column(10, "instant", "timestamptz"),
    column(11, "name", "string"),
    column(12, "blob", "binary"),
    column(13, "code", "fixed[3]"),
    column(14, "key", "uuid"),
    column(20, "place", INNER),
    column(
        30, "words", {"type": "list", "element-id": 31, "element": {**INNER, "fields": [column(32, "w", "string")]},
                      "element-required": False}
    ),
    column(40, "counts", {"type": "map", "key-id": 41, "key": "string", "value-id": 42, "value": "decimal(5, 1)",
                          "value-required": False}),
    column(50, "pairs", {"type": "map", "key-id": 51, "key": "int", "value-id": 52, "value": "string",
                         "value-required": True}),
)  # fmt: skip
KEY = UUID("00112233-4455-6677-8899-aabbccddeeff")
ROWS: list[dict[str, Any]] = [
    {
        "a": 2**63 - 1,
        "flag": True,
        "number": -(2**31),
        "ratio": 0.5,
        "score": -1.5e300,
        "price": Decimal("-1234567.89"),
        "wide": Decimal("-1234567890123456789012345678.0123456789"),
        "day": date(1969, 12, 31),
        "local": datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=None),  # noqa: DTZ001
        "instant": datetime(2024, 2, 29, 12, 0, 0, 1, tzinfo=UTC),
        "name": "é𝄞",
        "blob": b"\0\xff",
        "code": b"abc",
        "key": KEY.bytes,
        "place": {"x": 1, "y": Decimal("-2.5000")},
        "words": [{"w": "v"}, None, {"w": None}],
        "counts": [("k", Decimal("1.5")), ("n", None)],
        "pairs": [(7, "seven")],
    },
    {name: 1 if name == "a" else None for name in (one["name"] for one in COLUMNS)},
    {"a": 0, "place": {"x": None, "y": Decimal(0)}, "words": [], "counts": [], "pairs": []},
]


def as_arrow(columns=COLUMNS, values=ROWS):
    schema = schema_to_pyarrow(Schema(**{"schema-id": 0, "type": "struct", "fields": list(columns)}))
    names = [one["name"] for one in columns]
    return pa.Table.from_pylist([{name: row.get(name) for name in names} for row in values], schema)


def write_parquet(path: Path, written: pa.Table):
    return parquet_file(path, written)


def write_orc(path: Path, written: pa.Table, **options):
    def renamed(field):
        of = field.type
        if pa.types.is_struct(of):
            of = pa.struct([renamed(one) for one in of])
        elif pa.types.is_large_list(of):
            of = pa.list_(renamed(of.value_field))
        elif pa.types.is_map(of):
            of = pa.map_(renamed(of.key_field), renamed(of.item_field))
        elif pa.types.is_fixed_size_binary(of) or isinstance(of, pa.BaseExtensionType):
            of = pa.binary()
        elif pa.types.is_large_string(of) or pa.types.is_large_binary(of):
            of = pa.string() if pa.types.is_large_string(of) else pa.binary()
        metadata = {"iceberg.id": field.metadata[b"PARQUET:field_id"]}
        return pa.field(field.name, of, field.nullable, metadata)

    plain = [column.cast(column.type.storage_type) if isinstance(column.type, pa.BaseExtensionType) else column
             for column in written.columns]  # fmt: skip
    fields = [renamed(field) for field in written.schema]
    arrays = [values.cast(field.type) for values, field in zip(plain, fields, strict=True)]
    orc.write_table(pa.table(arrays, schema=pa.schema(fields)), path, **options)
    return file_row(path, written.num_rows, file_format="orc")


def avro_type(of, names):
    """As Iceberg's Java writers have it: an Avro map for keys of text, an array of pairs for others."""
    if isinstance(of, str):
        kind, _, size = of.rstrip("])").replace("[", "(").partition("(")
        if kind == "decimal":
            precision, scale = map(int, size.split(","))
            fixed = {"type": "fixed", "name": next(names), "size": 16}
            return {**fixed, "logicalType": "decimal", "precision": precision, "scale": scale}
        if kind in {"fixed", "uuid"}:
            return {"type": "fixed", "name": next(names), "size": int(size or 16)}
        return {
            "binary": "bytes",
            "date": {"type": "int", "logicalType": "date"},
            "timestamp": {"type": "long", "logicalType": "local-timestamp-micros", "adjust-to-utc": False},
            "timestamptz": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
        }.get(kind, kind)
    if of["type"] == "struct":
        fields = [
            {
                "name": one["name"],
                "field-id": one["id"],
                "type": avro_type(one["type"], names) if one["required"] else ["null", avro_type(one["type"], names)],
            }
            for one in of["fields"]
        ]
        return {"type": "record", "name": next(names), "fields": fields}
    if of["type"] == "list":
        element = avro_type(of["element"], names)
        items = element if of["element-required"] else ["null", element]
        return {"type": "array", "items": items, "element-id": of["element-id"]}
    value = avro_type(of["value"], names)
    values = value if of["value-required"] else [value, "null"]
    if of["key"] == "string":
        return {"type": "map", "values": values, "key-id": of["key-id"], "value-id": of["value-id"]}
    fields = [
        {"name": "key", "type": avro_type(of["key"], names), "field-id": of["key-id"]},
        {"name": "value", "type": values, "field-id": of["value-id"]},
    ]
    pair = {"type": "record", "name": next(names), "fields": fields}
    return {"type": "array", "items": pair, "logicalType": "map"}


def write_avro(path: Path, written: pa.Table, columns=COLUMNS, **options):
    schema = avro_type({"type": "struct", "fields": columns}, (f"r{number}" for number in count()))
    values: list[Any] = written.to_pylist()
    for row in values:
        if row.get("key") is not None:
            row["key"] = row["key"].bytes if isinstance(row["key"], UUID) else row["key"]
        if row.get("counts") is not None:
            row["counts"] = dict(row["counts"])
        if row.get("pairs") is not None:
            row["pairs"] = [{"key": key, "value": value} for key, value in row["pairs"]]
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), values, **options)
    return file_row(path, written.num_rows, file_format="avro")


WRITERS = {"parquet": write_parquet, "orc": write_orc, "avro": write_avro}
EXPECTED = [
    {one["name"]: str(KEY) if one["name"] == "key" and row.get("key") else row.get(one["name"]) for one in COLUMNS}
    for row in ROWS
]


@pytest.mark.parametrize("format", WRITERS)
def test_all_types_come_as_they_were_written(tmp_path, format):
    file = WRITERS[format](tmp_path / "a", as_arrow())
    assert rows(table(*COLUMNS), file) == EXPECTED


@pytest.mark.parametrize("format", WRITERS)
def test_columns_are_matched_by_id(tmp_path, format):
    file = WRITERS[format](tmp_path / "a", as_arrow())
    renamed = {"type": "struct", "fields": [column(22, "new y", "decimal(38, 4)"), column(99, "z", "int")]}
    of = table(column(20, "name", renamed), column(11, "place", "string"), column(98, "a", "long"))
    assert rows(of, file)[0] == {"name": {"new y": Decimal("-2.5000"), "z": None}, "place": "é𝄞", "a": None}
    assert [row["name"] is None for row in rows(of, file)] == [False, True, False]


@pytest.mark.parametrize("format", WRITERS)
def test_rows_of_no_column_and_of_new_columns_are_counted(tmp_path, format):
    file = WRITERS[format](tmp_path / "a", as_arrow())
    assert rows(table(*COLUMNS, columns=()), file) == [{}, {}, {}]
    assert rows(table(column(98, "new", "long")), file) == [{"new": None}] * 3


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("end", [0, 3, 100, 0.5, -1])
def test_a_truncated_file_is_named(tmp_path, format, end):
    path = tmp_path / "a"
    file = WRITERS[format](path, as_arrow())
    data = path.read_bytes()
    path.write_bytes(data[: int(end * len(data)) if isinstance(end, float) else end])
    with pytest.raises(NotReadable, match=rf"({path})"):
        rows(table(*COLUMNS), file)


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz"])
def test_avro_blocks_of_every_codec(tmp_path, codec):
    simple = COLUMNS[:1]
    values = as_arrow(simple, [{"a": number} for number in range(20_000)])
    file = write_avro(tmp_path / "a", values, simple, codec=codec, sync_interval=1000)
    assert [row["a"] for row in rows(table(*simple), file)] == list(range(20_000))


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_avro_blocks_of_zstandard(tmp_path, count):
    simple = (COLUMNS[0], COLUMNS[10])
    values = as_arrow(simple, [{"a": number, "name": "x" * (number % 50)} for number in range(count)])
    path = tmp_path / "a"
    file = write_avro(path, values, simple)
    header: Any = {}
    with path.open("rb") as source:
        blocks = fastavro.block_reader(source)
        header = {"magic": b"Obj\x01", "meta": {**blocks.metadata, "avro.codec": "zstandard"}, "sync": b"s" * 16}
        packed = b"".join(
            as_long(block.num_records) + as_long(len(data)) + data + header["sync"]
            for block in blocks
            for data in [zstandard.compress(block.bytes_.getvalue())]
        )
    with path.open("wb") as target:
        fastavro.schemaless_writer(
            target, HEADER, {**header, "meta": {k: v.encode() for k, v in header["meta"].items()}}
        )
        target.write(packed)
    assert [(row["a"], len(row["name"])) for row in rows(table(*simple), file)] == [
        (at, at % 50) for at in range(count)
    ]


HEADER = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}


def as_long(number: int) -> bytes:
    target = io.BytesIO()
    fastavro.schemaless_writer(target, "long", number)
    return target.getvalue()


def test_an_avro_file_that_ends_after_a_block_is_short(tmp_path):
    simple = COLUMNS[:1]
    file = write_avro(tmp_path / "a", as_arrow(simple, [{"a": 1}]), simple)
    with pytest.raises(NotReadable, match="1 rows, not 2"):
        rows(table(*simple), {**file, "record_count": 2})


def test_orc_files_of_several_stripes(tmp_path):
    simple = (COLUMNS[0], COLUMNS[10])
    values = as_arrow(simple, [{"a": number, "name": f"{number}" * 20} for number in range(100_000)])
    file = write_orc(tmp_path / "a", values, stripe_size=65_536, batch_size=1024)
    assert orc.ORCFile(str(tmp_path / "a")).nstripes > 1
    assert [row["a"] for row in rows(table(*simple), file)] == list(range(100_000))


def test_orc_columns_with_dots_in_their_names(tmp_path):
    dotted = (column(1, "s.x", "long"), column(2, "s", {"type": "struct", "fields": [column(3, "x", "long")]}))
    names = [pa.field(name, pa.int64(), metadata={"iceberg.id": at}) for name, at in (("s.x", "1"), ("x", "3"))]
    schema = pa.schema([names[0], pa.field("s", pa.struct([names[1]]), metadata={"iceberg.id": "2"})])
    orc.write_table(pa.Table.from_pylist([{"s.x": 1, "s": {"x": 2}}], schema), tmp_path / "a")
    file = file_row(tmp_path / "a", 1, file_format="orc")
    assert rows(table(*dotted), file) == [{"s.x": 1, "s": {"x": 2}}]
    assert rows(table(dotted[1]), file) == [{"s": {"x": 2}}]


def test_spark_takes_the_types():
    assert {str(field.type) for field in read_schema(table(*COLUMNS))} >= {
        "int64", "bool", "decimal128(38, 10)", "timestamp[us]", "timestamp[us, tz=UTC]", "string", "binary",
    }  # fmt: skip


@pytest.mark.parametrize(
    "type", ["time", "timestamp_ns", "timestamptz_ns", "variant", "geometry", "geography(OGC:CRS84)", "soon"]
)
def test_types_that_spark_does_not_have_are_refused_when_they_are_wanted(type):
    nested = column(2, "s", {"type": "list", "element-id": 3, "element": type, "element-required": False})
    for one, path in ((column(2, "t", type), "t"), (nested, r"s\.element")):
        with pytest.raises(NotReadable, match=rf"column {path} is "):
            read_schema(table(column(1, "a", "long"), one))
        read_schema(table(column(1, "a", "long"), one, columns=("a",)))
