from __future__ import annotations

import gzip
import time
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import CatalogError, FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.table_metadata import parse_table_metadata
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.snapshot import ManifestListRef, Ref, Snapshot

SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "required": True, "type": "long"}]}

SNAPSHOT = {
    "snapshot-id": 10,
    "sequence-number": 1,
    "timestamp-ms": 1000,
    "manifest-list": "s3://b/t/metadata/snap-10.avro",
    "summary": {"operation": "append", "added-records": "3"},
    "schema-id": 0,
}

V2: dict[str, Any] = {
    "format-version": 2,
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "s3://b/t",
    "last-sequence-number": 1,
    "last-updated-ms": 1000,
    "last-column-id": 1,
    "schemas": [SCHEMA],
    "current-schema-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "default-spec-id": 0,
    "last-partition-id": 999,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "default-sort-order-id": 0,
    "properties": {"write.format.default": "parquet"},
    "current-snapshot-id": 10,
    "snapshots": [SNAPSHOT],
    "snapshot-log": [{"timestamp-ms": 1000, "snapshot-id": 10}],
    "metadata-log": [{"timestamp-ms": 900, "metadata-file": "s3://b/t/metadata/v0.metadata.json"}],
    "refs": {"main": {"snapshot-id": 10, "type": "branch"}},
}

V1: dict[str, Any] = {
    "format-version": 1,
    "location": "s3://b/t",
    "last-updated-ms": 1000,
    "last-column-id": 1,
    "schema": {"type": "struct", "fields": [{"id": 1, "name": "a", "required": True, "type": "long"}]},
    "partition-spec": [
        {"name": "a", "transform": "identity", "source-id": 1},
        {"name": "b", "transform": "bucket[4]", "source-id": 1},
    ],
    "current-snapshot-id": -1,
}


def parse(document):
    return parse_table_metadata(orjson.dumps(document), "s3://b/t/metadata/v1.metadata.json")


def but(document, **members):
    """Return a document with changed members; ``_`` stands for ``-``, None removes a member."""
    named = {name.replace("_", "-"): value for name, value in members.items()}
    return {name: value for name, value in (document | named).items() if value is not None}


def test_metadata_of_v2_is_read():
    table = parse(V2)
    assert (table.format, table.format_version, table.uuid) == ("iceberg", 2, "9c12d441-03fe-4693-9a96-a0705ddf69c1")
    assert (table.location, table.metadata_location) == ("s3://b/t", "s3://b/t/metadata/v1.metadata.json")
    assert [schema.schema_id for schema in table.schemas] == [0]
    assert table.specs == (PartitionSpec(0, ()),)
    assert (table.current_schema_id, table.default_spec_id, table.current_snapshot_id) == (0, 0, 10)
    assert table.snapshots == (
        Snapshot(
            snapshot_id=10,
            committed_at_ms=1000,
            manifest_lists=(ManifestListRef("manifests", "s3://b/t/metadata/snap-10.avro"),),
            sequence_number=1,
            operation="append",
            schema_id=0,
            summary={"added-records": "3"},
        ),
    )
    assert table.refs == (Ref("main", "branch", 10),)
    assert table.snapshot_log == ((1000, 10),)
    assert table.last_updated_ms == 1000
    assert table.properties == {"write.format.default": "parquet"}
    assert table.extra == {
        "last_sequence_number": 1,
        "last_column_id": 1,
        "last_partition_id": 999,
        "sort_orders": [{"order_id": 0, "fields": []}],
        "default_sort_order_id": 0,
        "metadata_log": [{"timestamp_ms": 900, "metadata_file": "s3://b/t/metadata/v0.metadata.json"}],
    }


def test_metadata_of_v1_with_one_schema_and_one_spec_is_read():
    table = parse(V1)
    assert (table.current_schema_id, table.default_spec_id) == (0, 0)
    assert table.schemas[0].names == {1: "a"}
    assert table.specs[0].fields == (
        PartitionField(1000, "a", "identity", (1,)),
        PartitionField(1001, "b", "bucket[4]", (1,)),
    )
    assert (table.uuid, table.current_snapshot_id, table.refs, table.snapshots) == (None, None, (), ())


def test_snapshots_of_v1_hold_manifests_and_have_no_sequence_number():
    snapshot = {"snapshot-id": 3, "timestamp-ms": 5, "manifests": ["m1.avro", "m2.avro"]}
    table = parse(but(V1, snapshots=[snapshot], current_snapshot_id=3))
    assert table.snapshots == (Snapshot(3, 5, (), sequence_number=0, inline_manifests=("m1.avro", "m2.avro")),)
    assert table.refs == (Ref("main", "branch", 3),)


def test_members_of_v3_are_read_and_kept():
    snapshot = SNAPSHOT | {"first-row-id": 0, "added-rows": 3, "key-id": "k1", "parent-snapshot-id": 9}
    statistics = [
        {
            "snapshot-id": 10,
            "statistics-path": "s.puffin",
            "blob-metadata": [{"type": "apache-datasketches-theta-v1", "properties": {"ndv-a": "1"}}],
        }
    ]
    keys = [{"key-id": "k1", "encrypted-key-metadata": "aWNl", "properties": {"a-b": "c"}}]
    document = but(
        V2,
        format_version=3,
        next_row_id=3,
        encryption_keys=keys,
        statistics=statistics,
        partition_statistics=[{"snapshot-id": 10}],
        snapshots=[snapshot],
    )
    table = parse(document)
    assert table.snapshots[0].parent_id == 9
    assert table.snapshots[0].extra == {"first_row_id": 0, "added_rows": 3, "key_id": "k1"}
    assert table.extra["next_row_id"] == 3
    assert table.extra["encryption_keys"] == [
        {"key_id": "k1", "encrypted_key_metadata": "aWNl", "properties": {"a-b": "c"}}
    ]
    assert table.extra["statistics"] == [
        {
            "snapshot_id": 10,
            "statistics_path": "s.puffin",
            "blob_metadata": [{"type": "apache-datasketches-theta-v1", "properties": {"ndv-a": "1"}}],
        }
    ]


def test_fields_with_several_sources_and_unknown_transforms_are_read():
    field = {"name": "z", "transform": "zorder[2]", "source-ids": [1, 2], "field-id": 1000}
    table = parse(but(V2, partition_specs=[{"spec-id": 0, "fields": [field]}]))
    assert table.specs[0].fields == (PartitionField(1000, "z", "zorder[2]", (1, 2)),)


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("VOID", "void"),
        ("Identity", "identity"),
        ("BUCKET[16]", "bucket[16]"),
        ("Truncate[4]", "truncate[4]"),
        ("DAY", "day"),
        ("Hilbert[3]", "Hilbert[3]"),
    ],
)
def test_known_transforms_are_read_in_any_case(written, known):
    field = {"name": "p", "transform": written, "source-id": 1, "field-id": 1000}
    table = parse(but(V2, partition_specs=[{"spec-id": 0, "fields": [field]}]))
    assert table.specs[0].fields == (PartitionField(1000, "p", known, (1,)),)


def test_schemas_and_specs_come_by_increasing_id():
    schemas = [SCHEMA | {"schema-id": 2}, SCHEMA | {"schema-id": 0}]
    specs = [{"spec-id": 1, "fields": []}, {"spec-id": 0, "fields": []}]
    table = parse(but(V2, schemas=schemas, partition_specs=specs))
    assert [schema.schema_id for schema in table.schemas] == [0, 2]
    assert [spec.spec_id for spec in table.specs] == [0, 1]


def test_tags_and_branches_keep_their_retention():
    refs = {
        "audit": {"snapshot-id": 10, "type": "branch", "min-snapshots-to-keep": 5},
        "eoy": {"snapshot-id": 10, "type": "tag", "max-ref-age-ms": 7},
    }
    table = parse(but(V2, refs=refs))
    assert table.refs == (
        Ref("main", "branch", 10),
        Ref("audit", "branch", 10, extra={"min_snapshots_to_keep": 5}),
        Ref("eoy", "tag", 10, extra={"max_ref_age_ms": 7}),
    )


def test_the_type_of_a_ref_is_read_in_any_case():
    refs = {"main": {"snapshot-id": 10, "type": "BRANCH"}, "eoy": {"snapshot-id": 10, "type": "Tag"}}
    assert parse(but(V2, refs=refs)).refs == (Ref("main", "branch", 10), Ref("eoy", "tag", 10))


def test_main_tells_the_current_snapshot_when_nothing_else_does():
    assert parse(but(V2, current_snapshot_id=None)).current_snapshot_id == 10


@pytest.mark.parametrize("current", [None, -1])
def test_a_table_without_a_current_snapshot_has_no_main(current):
    table = parse(but(V2, current_snapshot_id=current, refs=None))
    assert (table.current_snapshot_id, table.refs) == (None, ())


def test_main_at_no_snapshot_is_left_out():
    refs = {"main": {"snapshot-id": -1, "type": "branch"}}
    table = parse(but(V2, current_snapshot_id=-1, snapshots=[], snapshot_log=[], refs=refs))
    assert (table.current_snapshot_id, table.refs) == (None, ())


def test_a_parent_of_minus_one_is_no_parent():
    assert parse(but(V2, snapshots=[SNAPSHOT | {"parent-snapshot-id": -1}])).snapshots[0].parent_id is None


def test_properties_that_were_not_quoted_are_taken_as_text():
    properties = {"a": 1, "b": True, "c": None, "d": 1.5, "e": "x"}
    assert parse(but(V2, properties=properties)).properties == {"a": "1", "b": "true", "d": "1.5", "e": "x"}


@pytest.mark.parametrize("version", [4, 5, 99])
def test_later_versions_are_not_supported(version):
    with pytest.raises(FormatUnsupported, match=str(version)):
        parse(but(V2, format_version=version))


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "metadata"),
        (but(V2, format_version="2"), "format-version"),
        (but(V2, format_version=None), "format-version"),
        (but(V2, format_version=0), "format-version"),
        (but(V2, location=None), "location"),
        (but(V2, table_uuid=7), "table-uuid"),
        (but(V2, schemas={}), "schemas"),
        (but(V2, schemas=None), "schemas"),
        (but(V2, schemas=[SCHEMA | {"schema-id": "0"}]), "schemas[0].schema-id"),
        (but(V2, schemas=[SCHEMA, but(SCHEMA, fields=[])]), "schemas"),
        (but(V2, current_schema_id=4), "current-schema-id"),
        (but(V2, current_schema_id=None), "current-schema-id"),
        (but(V2, current_schema_id=2**40), "current-schema-id"),
        (but(V2, default_spec_id=3), "default-spec-id"),
        (but(V2, partition_specs=[{"fields": []}]), "partition-specs[0].spec-id"),
        (but(V2, partition_specs=None), "partition-spec"),
        (
            but(V2, partition_specs=[{"spec-id": 0, "fields": [{"name": "x"}]}]),
            "partition-specs[0].fields[0].transform",
        ),
        (
            but(V2, partition_specs=[{"spec-id": 0, "fields": [{"name": "x", "transform": "identity"}]}]),
            "partition-specs[0].fields[0].source-id",
        ),
        (but(V2, properties=[]), "properties"),
        (but(V2, properties={"a": []}), "properties.a"),
        (but(V2, snapshots=[7]), "snapshots[0]"),
        (but(V2, snapshots=[but(SNAPSHOT, snapshot_id=True)]), "snapshots[0].snapshot-id"),
        (but(V2, snapshots=[but(SNAPSHOT, snapshot_id=2**63)]), "snapshots[0].snapshot-id"),
        (but(V2, snapshots=[but(SNAPSHOT, timestamp_ms=None)]), "snapshots[0].timestamp-ms"),
        (but(V2, snapshots=[SNAPSHOT, but(SNAPSHOT, snapshot_id=11, manifest_list=None)]), "snapshots[1].manifests"),
        (but(V2, snapshots=[but(SNAPSHOT, summary={"operation": {}})]), "snapshots[0].summary.operation"),
        (but(V2, snapshots=[SNAPSHOT, SNAPSHOT]), "snapshots"),
        (but(V2, snapshots=[]), "current-snapshot-id"),
        (but(V2, refs={"main": {"snapshot-id": 11, "type": "branch"}}), "refs.main"),
        (but(V2, refs={"x": {"snapshot-id": 10, "type": "bookmark"}}), "refs.x.type"),
        (but(V2, refs={"x": 3}), "refs.x"),
        (but(V2, snapshot_log=[{"timestamp-ms": 1}]), "snapshot-log[0].snapshot-id"),
    ],
)
def test_what_breaks_the_specification_is_corrupt_and_its_path_is_named(document, path):
    with pytest.raises(MetadataCorrupt) as raised:
        parse(document)
    assert raised.value.message.startswith(path + " ")
    assert raised.value.context["path"] == path


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[1" * 3000, b'{"format-version": NaN}'])
def test_what_is_no_json_is_corrupt(data):
    with pytest.raises(MetadataCorrupt):
        parse_table_metadata(data, "v1.metadata.json")


def nested(levels, leaf="int"):
    of: object = leaf
    for level in range(levels):
        of = {"type": "list", "element-id": level + 2, "element": of, "element-required": True}
    return of


def test_types_are_read_to_a_depth_of_64_and_no_deeper():
    def document(levels):
        field = {"id": 1, "name": "a", "required": False, "type": nested(levels)}
        return but(V2, schemas=[but(SCHEMA, fields=[field])])

    assert len(parse(document(63)).schemas[0].names) == 64
    with pytest.raises(LimitExceeded):
        parse(document(65))


def test_parts_that_are_kept_unread_are_bounded_in_depth():
    deep: object = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(LimitExceeded):
        parse(but(V2, statistics=deep))


def test_compressed_metadata_is_read_whatever_its_name():
    data = orjson.dumps(V2)
    packed = gzip.compress(data)
    found, plain = parse_table_metadata(packed, "x"), parse_table_metadata(data, "x")
    assert (found.metadata_bytes, plain.metadata_bytes) == (len(packed), len(data))
    assert replace(found, metadata_bytes=len(data)) == plain


def test_metadata_of_9000_snapshots_is_read_at_once():
    summary = {f"total-{i}": str(i) for i in range(12)} | {"operation": "append"}
    snapshots = [SNAPSHOT | {"snapshot-id": 10**18 + i, "summary": summary} for i in range(9000)]
    log = [{"timestamp-ms": i, "snapshot-id": 10**18 + i} for i in range(9000)]
    refs = {"main": {"snapshot-id": 10**18, "type": "branch"}}
    document = but(V2, snapshots=snapshots, snapshot_log=log, current_snapshot_id=10**18, refs=refs)
    data = orjson.dumps(document)
    started = time.process_time()
    assert len(parse_table_metadata(data, "x").snapshots) == 9000
    assert time.process_time() - started < 2  # leaves room for a busy machine


PATHS = [(key,) for key in V2] + [("snapshots", 0, key) for key in SNAPSHOT] + [("schemas", 0, key) for key in SCHEMA]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(PATHS), JSON)
def test_no_member_of_any_value_raises_anything_but_our_errors(path, value):
    document = orjson.loads(orjson.dumps(V2))
    owner = document
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = value
    try:
        table = parse(document)
    except CatalogError:
        return
    orjson.dumps(dict(table.extra))
