"""Paimon's JSON documents of every version, and the table metadata assembled from them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import CatalogError, FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.table_metadata import (
    assemble,
    parse_consumer,
    parse_schema,
    parse_snapshot,
    parse_statistics,
    parse_tag,
)
from lakemuster.metadata.snapshot import ManifestListRef, Ref, Snapshot
from tests.unit.formats.paimon.writer import schema

SCHEMA: dict[str, Any] = {
    "version": 3,
    "id": 4,
    "fields": [
        {"id": 0, "name": "k", "type": "INT NOT NULL"},
        {"id": 7, "name": "dt", "type": "STRING", "description": "day"},
    ],
    "highestFieldId": 7,
    "partitionKeys": ["dt"],
    "primaryKeys": ["dt", "k"],
    "options": {"bucket": "4"},
    "comment": "orders",
    "timeMillis": 1723000000000,
}
OLD = {
    "version": 3,
    "id": 5,
    "schemaId": 0,
    "baseManifestList": "manifest-list-a-0",
    "deltaManifestList": "manifest-list-a-1",
    "commitUser": "u",
    "commitIdentifier": 9223372036854775807,
    "commitKind": "APPEND",
    "timeMillis": 1700000000000,
    "totalRecordCount": 9,
    "deltaRecordCount": 2,
}
NEW = OLD | {
    "uuid": "0b6",
    "baseManifestListSize": 100,
    "deltaManifestListSize": 200,
    "changelogManifestList": "manifest-list-a-changelog",
    "changelogManifestListSize": 300,
    "indexManifest": "index-manifest-a-0",
    "changelogRecordCount": 1,
    "watermark": -9223372036854775808,
    "statistics": "stat-a-0",
    "properties": {"k": "v"},
    "nextRowId": 11,
    "operation": "MERGE",
    "writerVersion": "python-2.1.0-abc",
    "logOffsets": {},
    "somethingLater": {"deep": [1]},
}


def dumped(document: object) -> bytes:
    return json.dumps(document).encode()


def test_a_schema_is_read():
    read = parse_schema(dumped(SCHEMA))
    assert (read.schema_id, read.highest_field_id, read.comment, read.created_at_ms) == (4, 7, "orders", 1723000000000)
    assert [(f.field_id, f.name, f.type.text, f.required, f.doc) for f in read.fields] == [
        (0, "k", "INT", True, None),
        (7, "dt", "STRING", False, "day"),
    ]
    assert (read.partition_keys, read.primary_keys, read.identifier_field_ids) == (("dt",), ("dt", "k"), (7, 0))
    assert dict(read.options) == {"bucket": "4"}


@pytest.mark.parametrize(
    ("version", "options"),
    [
        (None, {"bucket": "1", "file.format": "orc"}),
        (1, {"bucket": "1", "file.format": "orc"}),
        (2, {"file.format": "orc"}),
        (3, {}),
    ],
)
def test_old_schemas_have_the_defaults_of_their_time(version, options):
    document = {**SCHEMA, "version": version, "options": {}}
    if version is None:
        del document["version"]
    assert dict(parse_schema(dumped(document)).options) == options
    kept = {**document, "options": {"bucket": "9", "file.format": "avro"}}
    assert dict(parse_schema(dumped(kept)).options) == {"bucket": "9", "file.format": "avro"}


@pytest.mark.parametrize("key", ["partitionKeys", "primaryKeys", "options", "comment", "timeMillis", "highestFieldId"])
def test_what_a_schema_may_lack_may_be_null(key):
    absent = {name: value for name, value in SCHEMA.items() if name != key}
    assert parse_schema(dumped(SCHEMA | {key: None})) == parse_schema(dumped(absent))


@pytest.mark.parametrize(
    "change",
    [
        {"id": None},
        {"id": "4"},
        {"id": True},
        {"id": 1.5},
        {"id": 2**63},
        {"fields": None},
        {"fields": {}},
        {"fields": [{"id": 0, "name": "a", "type": "INT"}, {"id": 0, "name": "b", "type": "INT"}]},
        {"fields": [{"id": 0, "name": "a", "type": "INT"}, {"id": 1, "name": "a", "type": "INT"}]},
        {"partitionKeys": ["gone"]},
        {"primaryKeys": "k"},
        {"options": {"a": {}}},
        {"options": []},
    ],
    ids=repr,
)
def test_a_broken_schema_is_refused(change):
    with pytest.raises(MetadataCorrupt):
        parse_schema(dumped(SCHEMA | change))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b'"text"', b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("parse", [parse_schema, parse_snapshot, parse_statistics, parse_consumer])
def test_what_is_not_a_json_object_is_refused(parse, data):
    with pytest.raises(MetadataCorrupt):
        parse(data)


def test_a_map_of_lists_on_both_sides_is_no_clash_of_ids():
    lists = {"type": "ARRAY", "element": "INT"}
    document = SCHEMA | {
        "fields": [*SCHEMA["fields"], {"id": 9, "name": "m", "type": {"type": "MAP", "key": lists, "value": lists}}]
    }
    assert [f.name for f in parse_schema(dumped(document)).fields] == ["k", "dt", "m"]


@pytest.mark.parametrize("parse", [parse_schema, parse_snapshot])
def test_a_document_of_a_later_version_is_not_served(parse):
    with pytest.raises(FormatUnsupported):
        parse(dumped({**SCHEMA, **OLD, "version": 4}))


def test_an_early_snapshot_is_read():
    read = parse_snapshot(dumped(OLD), "main", "s3://b/t")
    assert (read.snapshot_id, read.parent_id, read.schema_id, read.committed_at_ms) == (5, 4, 0, 1700000000000)
    assert (read.operation, read.source, read.branch) == ("append", "snapshot", "main")
    assert read.manifest_lists == (
        ManifestListRef("base", "s3://b/t/manifest/manifest-list-a-0"),
        ManifestListRef("delta", "s3://b/t/manifest/manifest-list-a-1"),
    )
    assert read.extra["commit_identifier"] == 9223372036854775807
    assert read.extra["total_record_count"] == 9
    assert read.extra["watermark"] is None


def test_a_late_snapshot_is_read_whole():
    read = parse_snapshot(dumped(NEW), "b1", "/t", "changelog")
    assert [(r.role, r.location, r.length) for r in read.manifest_lists] == [
        ("base", "/t/manifest/manifest-list-a-0", 100),
        ("delta", "/t/manifest/manifest-list-a-1", 200),
        ("changelog", "/t/manifest/manifest-list-a-changelog", 300),
        ("index", "/t/manifest/index-manifest-a-0", None),
    ]
    assert (read.operation, read.branch, read.source) == ("MERGE", "b1", "changelog")
    assert read.extra == {
        "version": 3,
        "base_manifest_list": "manifest-list-a-0",
        "base_manifest_list_size": 100,
        "delta_manifest_list": "manifest-list-a-1",
        "delta_manifest_list_size": 200,
        "changelog_manifest_list": "manifest-list-a-changelog",
        "changelog_manifest_list_size": 300,
        "index_manifest": "index-manifest-a-0",
        "total_record_count": 9,
        "delta_record_count": 2,
        "changelog_record_count": 1,
        "commit_identifier": 9223372036854775807,
        "watermark": -9223372036854775808,
        "next_row_id": 11,
        "commit_user": "u",
        "commit_kind": "APPEND",
        "statistics": "stat-a-0",
        "uuid": "0b6",
        "operation": "MERGE",
        "writer_version": "python-2.1.0-abc",
        "properties": {"k": "v"},
        "log_offsets": {},
    }


@pytest.mark.parametrize("key", sorted(NEW.keys() - OLD.keys()))
def test_a_null_in_a_snapshot_is_as_good_as_nothing(key):
    absent = {name: value for name, value in NEW.items() if name != key}
    assert parse_snapshot(dumped(NEW | {key: None})) == parse_snapshot(dumped(absent))


@pytest.mark.parametrize(
    "change",
    [
        {"id": None},
        {"schemaId": None},
        {"timeMillis": None},
        {"timeMillis": "2024"},
        {"baseManifestList": None},
        {"deltaManifestList": None},
        {"baseManifestList": "../../secrets"},
        {"baseManifestList": "a/b"},
        {"baseManifestList": ".."},
        {"baseManifestList": ""},
        {"indexManifest": "a\\b"},
        {"indexManifest": "a\x00b"},
        {"baseManifestListSize": -1},
        {"totalRecordCount": "9"},
        {"commitKind": 3},
        {"properties": "x"},
    ],
    ids=repr,
)
def test_a_broken_snapshot_is_refused(change):
    with pytest.raises(MetadataCorrupt):
        parse_snapshot(dumped(NEW | change))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from([*NEW, *SCHEMA, "colStats", "type", "element"]), inner)
        ),
        max_leaves=20,
    )
)
def test_any_json_is_read_or_refused(value):
    for parse in (parse_schema, parse_snapshot, parse_statistics, parse_consumer, lambda data: parse_tag(data, "t")):
        try:
            parse(dumped(value))
        except CatalogError:
            continue


TIMES = [
    ([2024, 8, 7, 11, 22, 33, 123456789], "2024-08-07T11:22:33.123456789"),
    ([2024, 8, 7, 11, 22, 33, 120000000], "2024-08-07T11:22:33.12"),
    ([2024, 8, 7, 11, 22, 33], "2024-08-07T11:22:33"),
    ([2024, 8, 7, 11, 22], "2024-08-07T11:22:00"),
    ([2024, 8, 7], "2024-08-07T00:00:00"),
    ("2024-08-07T11:22:33", "2024-08-07T11:22:33"),
]


@pytest.mark.parametrize(("written", "text"), TIMES)
def test_a_tag_is_a_snapshot_and_a_name(written, text):
    tag, snapshot = parse_tag(dumped(OLD | {"tagCreateTime": written, "tagTimeRetained": 259200.0}), "kept", "b1", "/t")
    assert tag == Ref("kept", "tag", 5, "b1", {"tag_create_time": text, "tag_time_retained": 259200.0})
    assert snapshot == parse_snapshot(dumped(OLD), "b1", "/t", "tag")


def test_a_tag_may_have_neither_time():
    tag, _ = parse_tag(dumped(OLD | {"tagCreateTime": None}), "kept")
    assert tag.extra == {}


@pytest.mark.parametrize(
    "written", [[2024, 13, 1], [2024, 1], [2024, 1, 1, 1, 1, 1, 10**9], [2024, 1, 1, "x"], 7, {}, [1] * 8]
)
def test_a_tag_of_no_time_is_refused(written):
    with pytest.raises(MetadataCorrupt):
        parse_tag(dumped(OLD | {"tagCreateTime": written}), "kept")


def test_statistics_are_read():
    document = {
        "snapshotId": 3,
        "schemaId": 1,
        "mergedRecordCount": 10,
        "mergedRecordSize": 2000,
        "colStats": {
            "a": {"colId": 4, "distinctCount": 2, "min": "1", "max": "9", "nullCount": 0, "avgLen": 8, "maxLen": 8},
            "b": {"colId": 5},
        },
    }
    read = parse_statistics(dumped(document))
    assert (read.snapshot_id, read.schema_id, read.merged_record_count, read.merged_record_size) == (3, 1, 10, 2000)
    assert (read.columns["a"].lower, read.columns["a"].upper, read.columns["a"].distinct_count) == ("1", "9", 2)
    assert read.columns["b"].lower is None
    assert parse_statistics(dumped({"snapshotId": 3, "schemaId": 1})).columns == {}


def test_a_consumer_says_what_it_reads_next():
    assert parse_consumer(b'{"nextSnapshot": 7}') == 7


def at(number: int, source: str = "snapshot", branch: str = "main") -> Snapshot:
    return parse_snapshot(dumped(OLD | {"id": number, "timeMillis": 1000 + number}), branch, "/t", source)  # type: ignore[arg-type]


def test_a_table_is_put_together():
    first, second = (
        schema({"a": "INT", "p": "STRING"}, ids=[0, 3]),
        schema({"p": "STRING", "a": "INT"}, ids=[3, 0], schema_id=1, partition=["p"], options={"bucket": "2"}),
    )
    other = schema({"a": "INT", "p": "STRING"}, ids=[0, 3], schema_id=1)
    table = assemble(
        "/t",
        {"main": [second, first], "b1": [other, first], "empty": [first]},
        [at(3), at(2), at(2, "tag"), at(1, "tag"), at(1, "changelog"), at(9, branch="b1"), at(7, "tag", "b1")],
        [Ref("z", "tag", 7, "b1"), Ref("y", "tag", 2), Ref("x", "tag", 1)],
        {"reader": 3},
    )
    assert [(s.branch, s.snapshot_id, s.source) for s in table.snapshots] == [
        ("main", 1, "tag"),
        ("main", 2, "snapshot"),
        ("main", 3, "snapshot"),
        ("b1", 7, "tag"),
        ("b1", 9, "snapshot"),
    ]
    assert [(r.name, r.kind, r.branch, r.snapshot_id) for r in table.refs] == [
        ("main", "branch", "main", 3),
        ("b1", "branch", "b1", 9),
        ("x", "tag", "main", 1),
        ("y", "tag", "main", 2),
        ("z", "tag", "b1", 7),
    ]
    assert table.snapshot_log == ((1002, 2), (1003, 3))
    assert (table.current_snapshot_id, table.last_updated_ms) == (3, 1003)
    assert table.metadata_location == "/t/snapshot/snapshot-3"
    assert [s.schema_id for s in table.schemas] == [0, 1]
    assert table.current_schema_id == 1
    assert {name: [s.schema_id for s in some] for name, some in table.branch_schemas.items()} == {
        "b1": [0, 1],
        "empty": [0],
    }
    (spec,) = table.specs
    assert [(f.field_id, f.name, f.transform, f.source_ids) for f in spec.fields] == [(3, "p", "identity", (3,))]
    assert table.properties == {"bucket": "2"}
    assert (table.extra["branches"], table.extra["consumers"]) == (["b1", "empty"], {"reader": 3})
    assert (table.format, table.format_version) == ("paimon", 3)


def test_a_table_without_snapshots_is_a_table():
    table = assemble("/t", {"main": [schema({"a": "INT"})]}, [])
    assert (table.current_snapshot_id, table.refs, table.snapshot_log) == (None, (), ())
    assert table.metadata_location == "/t/schema/schema-0"
    assert table.last_updated_ms == 1


def test_a_table_without_a_schema_is_none():
    with pytest.raises(MetadataCorrupt):
        assemble("/t", {"b1": [schema({"a": "INT"})]}, [])
