"""Parquet, ORC and Avro files give the same rows for all types."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa
import pytest
import zstandard
from pyarrow import orc

from lakemuster.spark.reading.iceberg import read, read_schema
from lakemuster.spark.reading.model import NotReadable, Split
from lakemuster.spark.reading.orc_timestamps import timestamps_are_checked
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, file_row, rows, table
from tests.unit.spark.reading.iceberg.writers import write

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


FORMATS = ["parquet", "orc", "avro"]
EXPECTED = [
    {one["name"]: str(KEY) if one["name"] == "key" and row.get("key") else row.get(one["name"]) for one in COLUMNS}
    for row in ROWS
]


@pytest.mark.parametrize("format", FORMATS)
def test_all_types_come_as_they_were_written(tmp_path, format):
    file = write(format, tmp_path / "a", COLUMNS, ROWS)
    if format == "orc" and not timestamps_are_checked():
        with pytest.raises(NotReadable, match="newer pyarrow"):
            rows(table(*COLUMNS), file)
    else:
        assert rows(table(*COLUMNS), file) == EXPECTED


@pytest.mark.parametrize("format", FORMATS)
def test_columns_are_matched_by_id(tmp_path, format):
    file = write(format, tmp_path / "a", COLUMNS, ROWS)
    renamed = {"type": "struct", "fields": [column(22, "new y", "decimal(38, 4)"), column(99, "z", "int")]}
    of = table(column(20, "name", renamed), column(11, "place", "string"), column(98, "a", "long"))
    assert rows(of, file)[0] == {"name": {"new y": Decimal("-2.5000"), "z": None}, "place": "é𝄞", "a": None}
    assert [row["name"] is None for row in rows(of, file)] == [False, True, False]


@pytest.mark.parametrize("format", FORMATS)
def test_rows_of_no_column_and_of_new_columns_are_counted(tmp_path, format):
    file = write(format, tmp_path / "a", COLUMNS, ROWS)
    assert rows(table(*COLUMNS, columns=()), file) == [{}, {}, {}]
    assert rows(table(column(98, "new", "long")), file) == [{"new": None}] * 3


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("end", [0, 3, 100, 0.5, -1])
def test_a_truncated_file_is_named(tmp_path, format, end):
    path = tmp_path / "a"
    file = write(format, path, COLUMNS, ROWS)
    data = path.read_bytes()
    path.write_bytes(data[: int(end * len(data)) if isinstance(end, float) else end])
    with pytest.raises(NotReadable, match=rf"({path})"):
        rows(table(*COLUMNS), file)


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz"])
def test_avro_blocks_of_every_codec(tmp_path, codec):
    simple = COLUMNS[:1]
    values = [{"a": number} for number in range(20_000)]
    file = write("avro", tmp_path / "a", simple, values, codec=codec, sync_interval=1000)
    assert [row["a"] for row in rows(table(*simple), file)] == list(range(20_000))


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_avro_blocks_of_zstandard(tmp_path, count):
    simple = (COLUMNS[0], COLUMNS[10])
    values = [{"a": number, "name": "x" * (number % 50)} for number in range(count)]
    path = tmp_path / "a"
    file = write("avro", path, simple, values)
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
    file = write("avro", tmp_path / "a", simple, [{"a": 1}])
    with pytest.raises(NotReadable, match="1 rows, not 2"):
        rows(table(*simple), {**file, "record_count": 2})


@pytest.mark.parametrize("format", ["avro", "parquet"])
def test_wide_rows_come_in_smaller_batches(tmp_path, format):
    simple = (COLUMNS[0], COLUMNS[10])
    values = [{"a": number, "name": f"{number:08}" * 2**16} for number in range(100)]
    file = write(format, tmp_path / "a", simple, values)
    batches = list(read(table(*simple), Split((file,)), LocalFiles()))
    assert [number for batch in batches for number in batch.column("a").to_pylist()] == list(range(100))
    assert max(batch.nbytes for batch in batches) <= 18 * 2**20


def test_orc_files_of_several_stripes(tmp_path):
    simple = (COLUMNS[0], COLUMNS[10])
    values = [{"a": number, "name": f"{number}" * 20} for number in range(100_000)]
    file = write("orc", tmp_path / "a", simple, values, stripe_size=65_536, batch_size=1024)
    assert orc.ORCFile(str(tmp_path / "a")).nstripes > 1
    assert [row["a"] for row in rows(table(*simple), file)] == list(range(100_000))


def test_orc_timestamps_beyond_nanoseconds_are_refused(tmp_path, monkeypatch):
    simple = (COLUMNS[0], COLUMNS[8])
    file = write("orc", tmp_path / "a", simple, [{"a": 1, "local": datetime(9999, 12, 31)}])  # noqa: DTZ001
    with pytest.raises(NotReadable, match=r"out of range for nanosecond|newer pyarrow"):
        rows(table(*simple), file)
    monkeypatch.setattr("lakemuster.spark.reading.iceberg.orc.timestamps_are_checked", lambda: False)
    with pytest.raises(NotReadable, match="newer pyarrow"):
        rows(table(*simple), file)
    assert rows(table(*simple, columns=("a",)), file) == [{"a": 1}]


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


@pytest.mark.parametrize("type", ["time", "timestamp_ns", "timestamptz_ns", "geometry", "geography(OGC:CRS84)", "soon"])
def test_types_that_spark_does_not_have_are_refused_when_they_are_wanted(type):
    nested = column(2, "s", {"type": "list", "element-id": 3, "element": type, "element-required": False})
    for one, path in ((column(2, "t", type), "t"), (nested, r"s\.element")):
        with pytest.raises(NotReadable, match=rf"column {path} is "):
            read_schema(table(column(1, "a", "long"), one))
        read_schema(table(column(1, "a", "long"), one, columns=("a",)))
