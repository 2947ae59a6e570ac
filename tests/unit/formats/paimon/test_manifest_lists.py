"""Manifest lists and index manifests of every version, writer and file format."""

from __future__ import annotations

import datetime as dt

import pytest

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest_list
from lakemuster.metadata.files import ADDED, PAIMON_INDEX_COLUMNS
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.writer import (
    CONTAINERS,
    INDEX_MEMBERS,
    avro,
    index_manifest,
    indexed,
    listed,
    manifest_list,
    record_type,
    schema,
    stats,
    table_of,
)

PLAIN = table_of(schema({"a": "INT", "s": "STRING"}))
PARTED = table_of(schema({"a": "INT", "d": "DATE", "s": "STRING"}, partition=["d", "s"]))
KEYED = ["DATE", "STRING"]


def partition(day: int | None, text: str | None) -> bytes:
    return binary_row(KEYED, [day, text])


def test_a_manifest_list_is_headers():
    data = manifest_list(
        listed(
            "manifest-a-0",
            _FILE_SIZE=1234,
            _NUM_ADDED_FILES=5,
            _NUM_DELETED_FILES=2,
            _PARTITION_STATS=stats(KEYED, [19858, "a"], [19859, "b"], [0, 3]),
            _SCHEMA_ID=4,
            _MIN_BUCKET=0,
            _MAX_BUCKET=3,
            _MIN_LEVEL=0,
            _MAX_LEVEL=5,
            _MIN_ROW_ID=10,
            _MAX_ROW_ID=19,
            _TOTAL_BUCKETS=4,
            _EXTRA_FILES=["manifest-a-0.avro.sidecar"],
        ),
        listed("manifest-a-1", _PARTITION_STATS=stats(KEYED, [None, None], [None, None], None)),
    )
    first, second = parse_manifest_list(data, PARTED, "s3://b/t")
    assert first == ManifestHeader(
        location="s3://b/t/manifest/manifest-a-0",
        length=1234,
        added_files_count=5,
        deleted_files_count=2,
        partitions=(
            PartitionFieldSummary(1, "d", False, lower=19858, upper=19859, null_count=0),
            PartitionFieldSummary(2, "s", True, lower="a", upper="b", null_count=3),
        ),
        schema_id=4,
        min_bucket=0,
        max_bucket=3,
        min_level=0,
        max_level=5,
        min_row_id=10,
        max_row_id=19,
        total_buckets=4,
        extra_files=("manifest-a-0.avro.sidecar",),
    )
    assert second.partitions == (PartitionFieldSummary(1, "d", None), PartitionFieldSummary(2, "s", None))
    assert second.extra_files is None


@pytest.mark.parametrize("members", [7, 11, 13, 15])
@pytest.mark.parametrize("container", CONTAINERS)
def test_lists_of_every_version_are_read(members, container):
    data = CONTAINERS[container](
        manifest_list(listed(_PARTITION_STATS=stats(KEYED, [1, "a"], [2, "b"], [0, 0])), members=members)
    )
    (header,) = parse_manifest_list(data, PARTED, "/t")
    assert (header.min_bucket, header.max_row_id, header.total_buckets, header.extra_files) == (None, None, None, None)
    assert header.partitions is not None
    assert [p.upper for p in header.partitions] == [2, "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"_FILE_NAME": "a/b"},
        {"_FILE_NAME": "."},
        {"_FILE_SIZE": -1},
        {"_NUM_ADDED_FILES": -1},
        {"_EXTRA_FILES": ["../x"]},
        {"_PARTITION_STATS": {"_MIN_VALUES": b"\0", "_MAX_VALUES": b"", "_NULL_COUNTS": None}},
    ],
)
def test_a_broken_list_is_refused(change):
    with pytest.raises(MetadataCorrupt):
        parse_manifest_list(manifest_list(listed(**change)), PLAIN, "/t")


def test_partition_bounds_of_another_arity_are_unknown():
    (header,) = parse_manifest_list(
        manifest_list(listed(_PARTITION_STATS=stats(["DATE"], [1], [2], [0]))), PARTED, "/t"
    )
    assert header.partitions is None


def test_an_index_manifest_is_read():
    vectors = [
        {"f0": "data-1.parquet", "f1": 1, "f2": 22, "_CARDINALITY": 3},
        {"f0": "data-2.parquet", "f1": 31, "f2": 24},
    ]
    index = {
        "_ROW_RANGE_START": 0,
        "_ROW_RANGE_END": 9,
        "_INDEX_FIELD_ID": 4,
        "_EXTRA_FIELD_IDS": [5],
        "_INDEX_META": b"m",
    }
    data = index_manifest(
        indexed(_PARTITION=partition(1, "x"), _BUCKET=2),
        indexed(
            "index-1", _PARTITION=partition(None, ""), _INDEX_TYPE="DELETION_VECTORS", _DELETIONS_VECTORS_RANGES=vectors
        ),
        indexed(
            "index-2",
            _PARTITION=partition(2, "x"),
            _INDEX_TYPE="bitmap",
            _GLOBAL_INDEX=index,
            _EXTERNAL_PATH="s3://x/index-2",
        ),
        indexed("index-3", _PARTITION=partition(2, "x"), _INDEX_TYPE="DELETION_VECTORS", _DELETIONS_VECTORS_RANGES=[]),
    )
    decoded = parse_index_manifest(data, PARTED)
    decoded.validate(full=True)
    assert decoded.schema.names == [*PAIMON_INDEX_COLUMNS, "partition.1", "partition.2"]
    rows = decoded.to_pylist()
    assert rows[0] == {
        "status": ADDED,
        "bucket": 2,
        "index_type": "HASH",
        "file_name": "index-0",
        "file_size_in_bytes": 8,
        "row_count": 2,
        "deletion_vectors": None,
        "external_path": None,
        "global_index": None,
        "partition.1": dt.date(1970, 1, 2),
        "partition.2": "x",
    }
    assert rows[1]["deletion_vectors"] == [
        {"data_file": "data-1.parquet", "offset": 1, "length": 22, "cardinality": 3},
        {"data_file": "data-2.parquet", "offset": 31, "length": 24, "cardinality": None},
    ]
    assert rows[2]["global_index"] == {
        "row_range_start": 0,
        "row_range_end": 9,
        "index_field_id": 4,
        "extra_field_ids": [5],
        "index_meta": b"m",
        "source_meta": None,
    }
    assert rows[2]["external_path"] == "s3://x/index-2"
    assert rows[3]["deletion_vectors"] == []


@pytest.mark.parametrize("members", [8, 9, 10, 11])
@pytest.mark.parametrize("container", CONTAINERS)
def test_index_manifests_of_every_version_are_read(members, container):
    data = CONTAINERS[container](index_manifest(indexed(), members=members))
    decoded = parse_index_manifest(data, PLAIN)
    assert decoded.schema.names == list(PAIMON_INDEX_COLUMNS)
    assert decoded.column("index_type").to_pylist() == ["HASH"]
    assert len(INDEX_MEMBERS) == 11


def test_ranges_without_a_cardinality_are_of_an_older_writer():
    members = dict(INDEX_MEMBERS)
    items = {
        "type": "record",
        "name": "r",
        "fields": [{"name": n, "type": t} for n, t in (("f0", "string"), ("f1", "int"), ("f2", "int"))],
    }
    members["_DELETIONS_VECTORS_RANGES"] = ["null", {"type": "array", "items": items}]
    record = indexed(_DELETIONS_VECTORS_RANGES=[{"f0": "d", "f1": 1, "f2": 2}])
    decoded = parse_index_manifest(avro(record_type(members), [record]), PLAIN)
    assert decoded.column("deletion_vectors").to_pylist() == [
        [{"data_file": "d", "offset": 1, "length": 2, "cardinality": None}]
    ]
