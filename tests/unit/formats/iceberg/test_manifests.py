from __future__ import annotations

import struct
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro import read_header
from lakemuster.formats.iceberg.manifests import own_spec_id, parse_manifest
from lakemuster.kernels.loading import kernels_disabled
from lakemuster.metadata.files import ICEBERG_COLUMNS
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, map_of, struct_of, table_of, write

HEADER = ManifestHeader("s3://b/t/metadata/m0.avro", None)
DELETES = replace(HEADER, content="deletes")

FULL = entry(
    "s3://b/t/data/a.parquet",
    sequence_number=3,
    file_sequence_number=2,
    column_sizes=[{"key": 1, "value": 11}],
    value_counts=[{"key": 1, "value": 10}],
    null_value_counts=[{"key": 1, "value": 1}],
    nan_value_counts=[{"key": 1, "value": 2}],
    lower_bounds=bounds(c1=struct.pack("<i", -5)),
    upper_bounds=bounds(c1=struct.pack("<i", 5)),
    key_metadata=b"key",
    split_offsets=[4, 8],
    equality_ids=[1, 2],
    sort_order_id=7,
    first_row_id=40,
    referenced_data_file="s3://b/t/data/b.parquet",
    content_offset=16,
    content_size_in_bytes=32,
)


def parse(data, header=HEADER, table=None):
    parsed = parse_manifest(data, header, table or table_of())
    parsed.validate(full=True)
    return parsed


def test_every_field_of_the_specification_has_its_column():
    table = parse(manifest([FULL], version=3, schema=struct_of(c1="int")))
    assert table.to_pylist() == [
        {
            "status": 1,
            "snapshot_id": 9,
            "sequence_number": 3,
            "file_sequence_number": 2,
            "content": 0,
            "file_path": "s3://b/t/data/a.parquet",
            "file_format": "PARQUET",
            "record_count": 10,
            "file_size_in_bytes": 100,
            "key_metadata": b"key",
            "split_offsets": [4, 8],
            "equality_ids": [1, 2],
            "sort_order_id": 7,
            "first_row_id": 40,
            "referenced_data_file": "s3://b/t/data/b.parquet",
            "content_offset": 16,
            "content_size_in_bytes": 32,
            "column_size.1": 11,
            "value_count.1": 10,
            "null_count.1": 1,
            "nan_count.1": 2,
            "lower.1": -5,
            "upper.1": 5,
        }
    ]
    for name, of in ICEBERG_COLUMNS.items():
        assert table.schema.field(name).type == of


def test_fields_are_found_by_id_whatever_their_names():
    names = {"file_path": "path", "data_file": "r", "status": "s", "lower_bounds": "mins", "key": "k", "content": "c"}
    data = manifest([FULL], version=3, schema=struct_of(c1="int"), names=names)
    assert parse(data) == parse(manifest([FULL], version=3, schema=struct_of(c1="int")))


def test_a_field_whose_id_is_unknown_is_not_taken_by_its_name():
    avro = {
        "type": "record",
        "name": "e",
        "fields": [
            {"name": "status", "type": "int", "field-id": 0},
            {"name": "snapshot_id", "type": "long", "field-id": 999},
            {"name": "data_file", "field-id": 2, "type": file_record()},
        ],
    }
    table = parse(write(avro, [entry() | {"snapshot_id": 4}], {}))
    assert "snapshot_id" not in table.column_names


def test_fields_without_ids_are_taken_by_name():
    avro = {
        "type": "record",
        "name": "e",
        "fields": [
            {"name": "status", "type": "int"},
            {"name": "snapshot_id", "type": "long"},
            {"name": "data_file", "type": file_record(with_ids=False)},
        ],
    }
    assert parse(write(avro, [entry()], {})).column("snapshot_id").to_pylist() == [9]


def file_record(*, with_ids=True, **others):
    types = {
        "file_path": (100, "string"),
        "file_format": (101, "string"),
        "record_count": (103, "long"),
        "file_size_in_bytes": (104, "long"),
    }
    types.update(others)
    return {
        "type": "record",
        "name": "f",
        "fields": [
            {"name": name, "type": of} | ({"field-id": field_id} if with_ids else {})
            for name, (field_id, of) in types.items()
        ],
    }


def entry_record(**others):
    return {
        "type": "record",
        "name": "e",
        "fields": [
            {"name": "status", "type": "int", "field-id": 0},
            {"name": "data_file", "field-id": 2, "type": file_record(**others)},
        ],
    }


def test_a_map_whose_value_stands_first_is_read_by_ids():
    pair = {
        "type": "record",
        "name": "p",
        "fields": [
            {"name": "x", "type": "long", "field-id": 120},
            {"name": "y", "type": "int", "field-id": 119},
        ],
    }
    data = write(
        entry_record(value_counts=(109, {"type": "array", "items": pair})),
        [entry(value_counts=[{"x": 50, "y": 3}])],
        {},
    )
    assert parse(data).column("value_count.3").to_pylist() == [50]


def test_a_manifest_of_v1_has_content_and_sequence_numbers_zero():
    table = parse(manifest([entry(status=0), entry(status=2)], version=1))
    for name in ("content", "sequence_number", "file_sequence_number"):
        assert table.column(name).to_pylist() == [0, 0]


def test_nulls_of_v2_stay_null():
    table = parse(manifest([entry(snapshot_id=None), entry(sequence_number=4)]))
    assert table.column("snapshot_id").to_pylist() == [None, 9]
    assert table.column("sequence_number").to_pylist() == [None, 4]
    assert "file_sequence_number" not in table.column_names


def test_columns_without_any_value_are_left_out():
    names = parse(manifest([entry(), entry()], version=3)).column_names
    assert names == [
        "status",
        "snapshot_id",
        "content",
        "file_path",
        "file_format",
        "record_count",
        "file_size_in_bytes",
    ]


def test_a_manifest_without_entries_has_its_columns_and_no_rows():
    table = parse(manifest([], version=2, schema=struct_of(c1="int"), partition=[("p", 1000, "int")]))
    assert table.num_rows == 0
    assert {"status", "file_path", "record_count"} <= set(table.column_names)


def test_a_top_level_union_is_read():
    assert parse(manifest([entry("u.parquet")], top_union=True)).column("file_path").to_pylist() == ["u.parquet"]


def bound_of(data, table=None, header=HEADER, field_id=1):
    parsed = parse(data, header, table)
    name = f"lower.{field_id}"
    return parsed.schema.field(name).metadata[b"type"].decode(), parsed.column(name).to_pylist()[0]


def test_bounds_take_their_type_from_the_manifests_own_schema():
    data = manifest([entry(lower_bounds=bounds(c1=struct.pack("<i", 7)))], schema=struct_of(c1="int"))
    assert bound_of(data, table_of(struct_of(c1="long"))) == ("int", 7)


def test_bounds_take_their_type_from_the_current_schema_when_the_header_has_none():
    data = manifest([entry(lower_bounds=bounds(c1=struct.pack("<i", 7)))])
    schemas = (struct_of(0, c1="int"), struct_of(1, c1="long"), struct_of(2, c1="double"))
    assert bound_of(data, table_of(*schemas, current=1)) == ("long", 7)


def test_bounds_of_a_column_that_was_dropped_take_their_type_from_the_newest_schema_that_has_it():
    data = manifest([entry(lower_bounds=bounds(c1=struct.pack("<i", 7)))], schema=struct_of(c2="int"))
    schemas = (struct_of(0, c1="string"), struct_of(1, c1="date"), struct_of(2, c2="int"))
    assert bound_of(data, table_of(*schemas)) == ("date", date(1970, 1, 8))


def test_bounds_of_a_column_that_no_schema_knows_are_kept_raw():
    table = parse(manifest([entry(lower_bounds=bounds(c5=b"\x01"))]))
    assert table.column("lower_raw.5").to_pylist() == [b"\x01"]
    assert "lower.5" not in table.column_names


def test_bounds_of_position_deletes_are_typed_though_no_schema_lists_their_columns():
    lower = bounds(c2147483546=b"s3://b/t/a.parquet", c2147483545=struct.pack("<q", 12))
    data = manifest([entry(content=1, lower_bounds=lower)])
    assert bound_of(data, header=DELETES, field_id=2147483546) == ("string", "s3://b/t/a.parquet")
    assert bound_of(data, header=DELETES, field_id=2147483545) == ("long", 12)


def test_bounds_of_nested_columns_are_typed():
    inner = struct_of(c3="decimal(9, 2)")
    data = manifest([entry(lower_bounds=bounds(c3=b"\x01\x00"))], schema=struct_of(c1=inner))
    assert bound_of(data, field_id=3) == ("decimal(9, 2)", Decimal("2.56"))


DAY = {"type": "int", "logicalType": "date"}


def partition_of(value, avro_type, transform, source="timestamp", spec_in_header=True):
    field = {"name": "p", "transform": transform, "source-id": 1, "field-id": 1000}
    data = manifest(
        [entry(partition={"p": value}), entry(partition={"p": None})],
        partition=[("p", 1000, avro_type)],
        schema=struct_of(c1=source),
        spec=[field] if spec_in_header else None,
    )
    spec = PartitionSpec(0, () if spec_in_header else (PartitionField(1000, "p", transform, (1,)),))
    table = parse(data, table=table_of(struct_of(), specs=(spec,)))
    field = table.schema.field("partition.1000")
    assert table.column("partition.1000").to_pylist()[1] is None
    return table.column("partition.1000").to_pylist()[0], field.type, field.metadata[b"type"].decode()


FIXED_DECIMAL = {"type": "fixed", "name": "d", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}


@pytest.mark.parametrize("spec_in_header", [True, False])
@pytest.mark.parametrize(
    ("value", "avro_type", "transform", "source", "expected"),
    [
        (19723, "int", "day", "timestamp", (date(2024, 1, 1), pa.date32(), "date")),
        (date(2024, 1, 1), DAY, "day", "timestamp", (date(2024, 1, 1), pa.date32(), "date")),
        (54, "int", "year", "date", (54, pa.int32(), "int")),
        (7, "int", "bucket[16]", "string", (7, pa.int32(), "int")),
        ("abc", "string", "truncate[3]", "string", ("abc", pa.string(), "string")),
        (5, "long", "identity", "long", (5, pa.int64(), "long")),
        (5, "int", "identity", "long", (5, pa.int64(), "long")),
        (1.5, "float", "identity", "double", (1.5, pa.float64(), "double")),
        (
            b"\x01" * 16,
            {"type": "fixed", "name": "u", "size": 16},
            "identity",
            "uuid",
            (b"\x01" * 16, pa.binary(16), "uuid"),
        ),
        (
            Decimal("1.25"),
            FIXED_DECIMAL,
            "identity",
            "decimal(9, 2)",
            (Decimal("1.25"), pa.decimal128(9, 2), "decimal(9, 2)"),
        ),
        (
            Decimal("1.25"),
            FIXED_DECIMAL,
            "identity",
            "decimal(18, 2)",
            (Decimal("1.25"), pa.decimal128(18, 2), "decimal(18, 2)"),
        ),
        (b"xy", {"type": "fixed", "name": "x", "size": 2}, "identity", "binary", (b"xy", pa.binary(), "binary")),
        ("kept", "string", "zorder[3]", "long", ("kept", pa.string(), "string")),
        ("kept", "string", "identity", "long", ("kept", pa.string(), "string")),
        (3, "int", "zorder[3]", "long", (3, pa.int32(), "int")),
    ],
)
def test_partition_values_have_the_result_type_of_their_transform(
    value, avro_type, transform, source, expected, spec_in_header
):
    assert partition_of(value, avro_type, transform, source, spec_in_header) == expected


FIXED = {"type": "fixed", "name": "fixed_3", "size": 3}


def with_prefixed_values(fields, partitions):
    """Return a manifest whose blocks hold ``fixed`` partition values after their lengths, as Iceberg Java writes them.

    Args:
        fields: name and size of each field, the second and further ones of a size by a reference to its type.
        partitions: the partition tuples of the entries.
    """
    declared: dict[int, str] = {}
    types = []
    for _, size in fields:
        types.append(declared.get(size) or {"type": "fixed", "name": f"fixed_{size}", "size": size})
        declared[size] = f"fixed_{size}"
    numbered = [(name, 1000 + at) for at, (name, _) in enumerate(fields)]
    said, stored = (
        manifest(
            entries,
            partition=[(*field, of) for field, of in zip(numbered, avro, strict=True)],
            schema=struct_of(**{f"c{at}": f"fixed[{size}]" for at, (_, size) in enumerate(fields, 1)}),
            spec=[
                {"name": name, "transform": "identity", "source-id": at, "field-id": field_id}
                for at, (name, field_id) in enumerate(numbered, 1)
            ],
        )
        for avro, entries in ((types, []), (["bytes"] * len(fields), [entry(partition=one) for one in partitions]))
    )
    head, blocks = read_header(said), read_header(stored)
    return said[: head.data_offset - 16] + stored[blocks.data_offset - 16 :]


@pytest.mark.parametrize("compiled", [True, False])
def test_fixed_partition_values_of_iceberg_java_are_read_without_their_length(compiled):
    values = [{"p": b"\x01\x02\x03", "q": b"\xff\xfe\xfd"}, {"p": None, "q": b"abc"}, {"p": b"xyz", "q": None}]
    data = with_prefixed_values([("p", 3), ("q", 3)], values)
    with nullcontext() if compiled else kernels_disabled():
        table = parse(data)
    assert table.column("partition.1000").type == pa.binary(3)
    assert table.column("partition.1000").to_pylist() == [value["p"] for value in values]
    assert table.column("partition.1001").to_pylist() == [value["q"] for value in values]
    assert table.column("record_count").to_pylist() == [10, 10, 10]


@pytest.mark.parametrize("rows", [10, None])
def test_fixed_partition_values_after_their_length_do_not_run_into_the_record_count(rows):
    # As Avro says, the value is 06 ab cd, and the record count ef 14, which is -1336.
    data = with_prefixed_values([("p", 3)], [{"p": b"\xab\xcd\xef"}])
    table = parse(data, replace(HEADER, length=len(data), added_rows_count=rows))
    assert table.column("partition.1000").to_pylist() == [b"\xab\xcd\xef"]
    assert table.column("record_count").to_pylist() == [10]


def test_fixed_partition_values_that_begin_like_a_length_are_read_as_the_record_counts_say():
    value = {"p": b"\x06\xab\xcd"}
    data = manifest([entry(partition=value, record_count=200)], partition=[("p", 1000, FIXED)], schema=struct_of())
    table = parse(data, replace(HEADER, added_rows_count=200))
    assert table.column("partition.1000").to_pylist() == [b"\x06\xab\xcd"]
    assert table.column("record_count").to_pylist() == [200]


@pytest.mark.parametrize("logical", [{}, {"logicalType": "timestamp-micros", "adjust-to-utc": True}])
def test_a_partition_of_timestamps_is_in_utc_with_and_without_its_logical_type(logical):
    _, of, text = partition_of(1704067200000000, {"type": "long", **logical}, "identity", "timestamptz")
    assert (of, text) == (pa.timestamp("us", "UTC"), "timestamptz")


@pytest.mark.parametrize("value", [-1, 86_400_000_000])
def test_a_partition_time_outside_of_the_day_is_corrupt(value):
    with pytest.raises(MetadataCorrupt, match="partition field p"):
        partition_of(value, "long", "identity", "time")


def test_partition_values_are_told_by_field_id_not_by_name():
    fields = (PartitionField(1000, "a", "identity", (1,)), PartitionField(1001, "b", "identity", (2,)))
    data = manifest(
        [entry(partition={"x": "left", "y": "right"})], partition=[("x", 1001, "string"), ("y", 1000, "string")]
    )
    table = parse(data, table=table_of(struct_of(c1="string", c2="string"), specs=(PartitionSpec(0, fields),)))
    assert table.column("partition.1001").to_pylist() == ["left"]
    assert table.column("partition.1000").to_pylist() == ["right"]


def test_a_void_partition_field_has_no_column():
    for of in ("int", "null"):
        partition = [("p", 1000, of)] if of != "null" else []
        data = manifest([entry(partition={"p": None})], partition=partition)
        assert not any(name.startswith("partition.") for name in parse(data).column_names)


def test_a_void_partition_field_of_avros_null_type_is_read():
    members = [{"name": "p", "type": "null", "field-id": 1000}, {"name": "q", "type": "int", "field-id": 1001}]
    tuple_type = {"type": "record", "name": "r102", "fields": members}
    data = write(entry_record(partition=(102, tuple_type)), [entry(partition={"p": None, "q": 3})], {})
    table = parse(data)
    assert table.column("partition.1001").to_pylist() == [3]
    assert "partition.1000" not in table.column_names


COUNTS: dict[str, Any] = {
    "added_files_count": 2,
    "existing_files_count": 1,
    "deleted_files_count": 1,
    "added_rows_count": 11,
    "existing_rows_count": 5,
    "deleted_rows_count": 7,
}
MIXED = [
    entry(record_count=10),
    entry(record_count=1),
    entry(status=0, record_count=5),
    entry(status=2, record_count=7),
]


def test_entries_that_agree_with_the_manifest_list_are_read():
    assert parse(manifest(MIXED), replace(HEADER, **COUNTS)).num_rows == 4


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("by", [1, -1])
def test_a_count_that_is_not_the_manifest_lists_is_corrupt(name, by):
    header = replace(HEADER, **{name: COUNTS[name] + by})
    with pytest.raises(MetadataCorrupt, match=name):
        parse(manifest(MIXED), header)


@pytest.mark.parametrize("status", [-1, 3, 300])
def test_an_unknown_status_is_corrupt(status):
    with pytest.raises(MetadataCorrupt, match="status"):
        parse(manifest([entry(status=status)]))


@pytest.mark.parametrize(("content", "header"), [(1, HEADER), (3, DELETES), (0, DELETES), (-1, HEADER)])
def test_content_that_is_not_of_its_manifest_is_corrupt(content, header):
    with pytest.raises(MetadataCorrupt, match="content"):
        parse(manifest([entry(content=content)]), header)


@pytest.mark.parametrize(
    "avro",
    [
        {"type": "record", "name": "e", "fields": [{"name": "x", "type": "int"}]},
        {"type": "record", "name": "e", "fields": [{"name": "status", "type": "int", "field-id": 0}]},
        entry_record(file_path=(999, "string")),
        entry_record(file_path=(100, "long")),
        entry_record(file_path=(100, ["null", "string"])),
        entry_record(split_offsets=(132, "string")),
        entry_record(value_counts=(109, map_of(119, 120, "string"))),
        entry_record(value_counts=(109, {"type": "array", "items": "long"})),
        entry_record(lower_bounds=(125, map_of(126, 127, "long"))),
        entry_record(lower_bounds=(125, "bytes")),
        {
            "type": "record",
            "name": "e",
            "fields": [
                {"name": "status", "type": "int", "field-id": 0},
                {"name": "data_file", "type": {"type": "array", "items": file_record()}, "field-id": 2},
            ],
        },
    ],
)
def test_records_that_are_no_manifest_entries_are_corrupt(avro):
    with pytest.raises(MetadataCorrupt):
        parse(write(avro, [value_of(avro)], {}))


def value_of(avro):
    """Return a value of an Avro type."""
    match avro:
        case {"type": "record", "fields": fields}:
            return {field["name"]: value_of(field["type"]) for field in fields}
        case {"type": "array", "items": items}:
            return [value_of(items)]
        case list() as branches:
            return None if branches[1] == "string" else value_of(branches[1])
    return {"int": 1, "long": 1, "string": "a", "bytes": b"a"}[avro]


@pytest.mark.parametrize("metadata", [{"schema": "{"}, {"schema": "[]"}, {"partition-spec": "{}"}])
def test_a_header_that_does_not_parse_is_corrupt(metadata):
    with pytest.raises(MetadataCorrupt):
        parse(manifest([entry()], metadata=metadata))


def test_the_spec_of_a_manifest_is_told_by_its_own_header():
    assert own_spec_id(manifest([entry()], metadata={"partition-spec-id": "3"})) == 3
    assert own_spec_id(manifest([entry()])) is None
