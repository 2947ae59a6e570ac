from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import pytest

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.manifests import parse_manifest_list
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary
from tests.unit.formats.iceberg.manifest_files import manifest, manifest_list, struct_of, table_of, write

COUNTS: dict[str, Any] = {
    "added_files_count": 1,
    "existing_files_count": 2,
    "deleted_files_count": 3,
    "added_rows_count": 4,
    "existing_rows_count": 5,
    "deleted_rows_count": 6,
}
ROW = {
    "manifest_path": "s3://b/t/metadata/m0.avro",
    "manifest_length": 99,
    "partition_spec_id": 0,
    "content": 1,
    "sequence_number": 7,
    "min_sequence_number": 3,
    "added_snapshot_id": 11,
    "partitions": [],
    "key_metadata": b"k",
    "first_row_id": 70,
    **COUNTS,
}
HEADER = ManifestHeader(
    "s3://b/t/metadata/m0.avro",
    99,
    "deletes",
    0,
    sequence_number=7,
    min_sequence_number=3,
    added_snapshot_id=11,
    partitions=(),
    key_metadata=b"k",
    first_row_id=70,
    **COUNTS,
)


def test_every_field_of_the_specification_is_read():
    assert parse_manifest_list(manifest_list([ROW], version=3), table_of()) == [HEADER]


def test_names_of_other_writers_and_unions_at_the_top_are_read():
    names = {"added_files_count": "added_data_files_count", "manifest_path": "p"}
    data = manifest_list([ROW], version=3, names=names, top_union=True)
    assert parse_manifest_list(data, table_of()) == [HEADER]


def test_a_list_of_v1_is_of_data_at_sequence_number_0_and_its_missing_counts_are_unknown():
    header = parse_manifest_list(manifest_list([{"manifest_path": "m"}], version=1), table_of())[0]
    assert (header.content, header.sequence_number, header.min_sequence_number) == ("data", 0, 0)
    assert [getattr(header, name) for name in COUNTS] == [None] * 6
    assert header.partitions is None


def test_manifests_keep_the_order_of_the_list():
    data = manifest_list([{"manifest_path": name} for name in "cab"])
    assert [header.location for header in parse_manifest_list(data, table_of())] == ["c", "a", "b"]


def test_an_empty_list_has_no_manifests():
    assert parse_manifest_list(manifest_list([]), table_of()) == []


SPEC = PartitionSpec(
    2,
    (
        PartitionField(1000, "day", "day", (1,)),
        PartitionField(1001, "price", "truncate[10]", (2,)),
        PartitionField(1002, "curve", "hilbert[3]", (1, 2)),
    ),
)
TABLE = table_of(struct_of(c1="timestamp", c2="decimal(9, 2)"), specs=(PartitionSpec(0, ()), SPEC))


def summary(lower, upper, **others):
    return {"contains_null": False, "contains_nan": None, "lower_bound": lower, "upper_bound": upper} | others


def summaries(*partitions):
    row = {"manifest_path": "m", "partition_spec_id": 2, "partitions": list(partitions)}
    return parse_manifest_list(manifest_list([row]), TABLE)[0].partitions


def test_partition_bounds_are_typed_by_their_fields_and_kept_raw():
    assert summaries(
        summary(struct.pack("<i", 1), struct.pack("<i", 2), contains_null=True),
        summary(b"\x64", b"\x01\x00", contains_nan=True),
        summary(b"ab", None),
    ) == (
        PartitionFieldSummary(1000, "day", True, None, 1, 2, struct.pack("<i", 1), struct.pack("<i", 2)),
        PartitionFieldSummary(1001, "price", False, True, Decimal("1.00"), Decimal("2.56"), b"\x64", b"\x01\x00"),
        PartitionFieldSummary(1002, "curve", False, None, None, None, b"ab", None),
    )


def test_partition_bounds_that_do_not_parse_have_no_value():
    partitions = summaries(summary(b"\x01", b""), summary(None, None), summary(None, None))
    assert partitions is not None
    first = partitions[0]
    assert (first.lower, first.upper, first.lower_raw, first.upper_raw) == (None, None, b"\x01", b"")


def test_another_number_of_summaries_than_the_spec_has_fields_is_corrupt():
    with pytest.raises(MetadataCorrupt, match="2 partition summaries"):
        summaries(summary(None, None), summary(None, None))


def test_an_empty_list_of_summaries_records_nothing():
    assert summaries() is None
    unpartitioned = {"manifest_path": "m", "partition_spec_id": 0, "partitions": []}
    assert parse_manifest_list(manifest_list([unpartitioned]), TABLE)[0].partitions == ()


def test_a_spec_that_the_table_does_not_have_is_corrupt():
    with pytest.raises(MetadataCorrupt, match="spec 4"):
        parse_manifest_list(manifest_list([ROW | {"partition_spec_id": 4}]), TABLE)


def test_unknown_content_is_corrupt():
    with pytest.raises(MetadataCorrupt, match="content 2"):
        parse_manifest_list(manifest_list([ROW | {"content": 2}]), table_of())


def test_a_manifest_is_no_manifest_list():
    with pytest.raises(MetadataCorrupt, match="not a manifest list"):
        parse_manifest_list(manifest([]), table_of())


@pytest.mark.parametrize("of", [["null", "string"], "int"])
def test_a_path_that_is_null_or_no_text_is_corrupt(of):
    fields = [
        {"name": "manifest_path", "type": of, "field-id": 500},
        {"name": "partition_spec_id", "type": "int", "field-id": 502},
    ]
    value = 3 if of == "int" else None
    data = write(
        {"type": "record", "name": "m", "fields": fields}, [{"manifest_path": value, "partition_spec_id": 0}], {}
    )
    with pytest.raises(MetadataCorrupt):
        parse_manifest_list(data, table_of())


@pytest.mark.parametrize("of", ["string", {"type": "array", "items": "long"}])
def test_summaries_of_another_shape_are_corrupt(of):
    fields = [
        {"name": "manifest_path", "type": "string", "field-id": 500},
        {"name": "partition_spec_id", "type": "int", "field-id": 502},
        {"name": "partitions", "type": of, "field-id": 507},
    ]
    row = {"manifest_path": "m", "partition_spec_id": 0, "partitions": "x" if of == "string" else [1]}
    with pytest.raises(MetadataCorrupt):
        parse_manifest_list(write({"type": "record", "name": "m", "fields": fields}, [row], {}), table_of())
