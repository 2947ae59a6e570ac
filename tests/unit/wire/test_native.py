"""The native API's documents."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestListRef, Ref, Snapshot
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import SnapshotOut
from lakemuster.wire.native.tables import NewTable

INT, TEXT = Primitive(Kind.INT, "int"), Primitive(Kind.STRING, "string")


def test_a_snapshot_has_text_ids_and_its_formats_own_keys() -> None:
    snapshot = Snapshot(
        snapshot_id=2**62,
        committed_at_ms=1_714_521_600_123,
        manifest_lists=(ManifestListRef("base", "s3://b/t/manifest/list-0", 10),),
        parent_id=5,
        sequence_number=2**60,
        extra={"commit_kind": "APPEND", "commit_identifier": 2**63 - 1, "total_record_count": 3},
    )
    document = SnapshotOut.of(snapshot, "published", None).model_dump(mode="json")
    assert document["snapshot_id"] == str(2**62)
    assert document["parent_id"] == "5"
    assert document["sequence_number"] == str(2**60)
    assert document["committed_at"] == "2024-05-01T00:00:00.123Z"
    assert document["commit_kind"] == "APPEND"
    assert document["commit_identifier"] == "9223372036854775807"
    assert document["total_record_count"] == 3
    assert document["manifest_lists"] == [{"role": "base", "location": "s3://b/t/manifest/list-0", "length": 10}]


def test_a_formats_own_key_cannot_replace_ours() -> None:
    snapshot = Snapshot(1, 0, (), extra={"state": "published", "snapshot_id": 7})
    document = SnapshotOut.of(snapshot, "quarantined", "bad").model_dump(mode="json")
    assert (document["state"], document["snapshot_id"]) == ("quarantined", "1")


def test_a_schema_is_in_icebergs_json_form() -> None:
    struct = StructType((Field(5, "x", INT, doc="an x", initial_default=0),))
    schema = Schema(
        3,
        (
            Field(1, "id", INT, required=True),
            Field(2, "tags", ListType(Field(3, "element", TEXT, required=True))),
            Field(4, "s", struct),
            Field(6, "m", MapType(Field(7, "key", TEXT, required=True), Field(8, "value", INT), "MULTISET")),
        ),
        identifier_field_ids=(1,),
    )
    document = SchemaOut.of(schema, "main", current=True).model_dump(mode="json")
    assert document["fields"] == [
        {"id": 1, "name": "id", "required": True, "type": "int"},
        {
            "id": 2,
            "name": "tags",
            "required": False,
            "type": {"type": "list", "element-id": 3, "element": "string", "element-required": True},
        },
        {
            "id": 4,
            "name": "s",
            "required": False,
            "type": {
                "type": "struct",
                "fields": [
                    {"id": 5, "name": "x", "required": False, "type": "int", "doc": "an x", "initial-default": 0}
                ],
            },
        },
        {
            "id": 6,
            "name": "m",
            "required": False,
            "type": {
                "type": "map",
                "key-id": 7,
                "key": "string",
                "value-id": 8,
                "value": "int",
                "value-required": False,
                "text": "MULTISET",
            },
        },
    ]


def test_a_spec_tells_the_types_of_its_values() -> None:
    spec = PartitionSpec(
        1, (PartitionField(1000, "id_bucket", "bucket[16]", (1,)), PartitionField(1001, "n", "identity", (2,)))
    )
    schemas = (Schema(0, (Field(1, "id", INT), Field(2, "n", TEXT))),)
    document = SpecOut.of(spec, schemas, default=True).model_dump(mode="json")
    assert [field["type"] for field in document["fields"]] == ["int", "string"]
    assert document["fields"][0]["source_ids"] == [1]


def test_a_ref_shows_its_retention() -> None:
    ref = Ref("v1", "tag", 9, extra={"max_ref_age_ms": 5})
    assert RefOut.of(ref).model_dump(mode="json") == {
        "name": "v1",
        "type": "tag",
        "snapshot_id": "9",
        "branch": "main",
        "max_ref_age_ms": 5,
    }


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "a.b"},
        {"name": "", "location": "x"},
        {"name": "a.b", "location": "x", "format": "delta"},
        {"name": "a.b", "location": "x", "rewrite": [{"old": "a"}]},
        {"name": "a.b", "location": "x", "rewrites": []},
    ],
)
def test_a_new_table_says_what_it_should_and_nothing_else(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NewTable.model_validate(body)
