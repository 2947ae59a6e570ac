"""Manifests and manifest lists as different writers lay them out, written by fastavro."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import fastavro

from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import TableMetadata

Json = Any


def optional(of: Json) -> Json:
    return ["null", of]


def map_of(key_id: int, value_id: int, value: str) -> Json:
    members = [
        {"name": "key", "type": "int", "field-id": key_id},
        {"name": "value", "type": value, "field-id": value_id},
    ]
    record = {"type": "record", "name": f"k{key_id}_v{value_id}", "fields": members}
    return optional({"type": "array", "items": record, "logicalType": "map"})


ENTRY: list[tuple[str, Json, int, int]] = [
    ("status", "int", 0, 1),
    ("snapshot_id", optional("long"), 1, 1),
    ("sequence_number", optional("long"), 3, 2),
    ("file_sequence_number", optional("long"), 4, 2),
]
"""Name, Avro type, field id, and the format version that added the field."""

FILE: list[tuple[str, Json, int, int]] = [
    ("content", "int", 134, 2),
    ("file_path", "string", 100, 1),
    ("file_format", "string", 101, 1),
    ("partition", None, 102, 1),
    ("record_count", "long", 103, 1),
    ("file_size_in_bytes", "long", 104, 1),
    ("column_sizes", map_of(117, 118, "long"), 108, 1),
    ("value_counts", map_of(119, 120, "long"), 109, 1),
    ("null_value_counts", map_of(121, 122, "long"), 110, 1),
    ("nan_value_counts", map_of(138, 139, "long"), 137, 1),
    ("lower_bounds", map_of(126, 127, "bytes"), 125, 1),
    ("upper_bounds", map_of(129, 130, "bytes"), 128, 1),
    ("key_metadata", optional("bytes"), 131, 1),
    ("split_offsets", optional({"type": "array", "items": "long", "element-id": 133}), 132, 1),
    ("equality_ids", optional({"type": "array", "items": "int", "element-id": 136}), 135, 2),
    ("sort_order_id", optional("int"), 140, 1),
    ("first_row_id", optional("long"), 142, 3),
    ("referenced_data_file", optional("string"), 143, 2),
    ("content_offset", optional("long"), 144, 3),
    ("content_size_in_bytes", optional("long"), 145, 3),
]

LIST: list[tuple[str, Json, int, int]] = [
    ("manifest_path", "string", 500, 1),
    ("manifest_length", "long", 501, 1),
    ("partition_spec_id", "int", 502, 1),
    ("content", "int", 517, 2),
    ("sequence_number", "long", 515, 2),
    ("min_sequence_number", "long", 516, 2),
    ("added_snapshot_id", optional("long"), 503, 1),
    ("added_files_count", optional("int"), 504, 1),
    ("existing_files_count", optional("int"), 505, 1),
    ("deleted_files_count", optional("int"), 506, 1),
    ("added_rows_count", optional("long"), 512, 1),
    ("existing_rows_count", optional("long"), 513, 1),
    ("deleted_rows_count", optional("long"), 514, 1),
    (
        "partitions",
        optional(
            {
                "type": "array",
                "element-id": 508,
                "items": {
                    "type": "record",
                    "name": "r508",
                    "fields": [
                        {"name": "contains_null", "type": "boolean", "field-id": 509},
                        {"name": "contains_nan", "type": optional("boolean"), "field-id": 518},
                        {"name": "lower_bound", "type": optional("bytes"), "field-id": 510},
                        {"name": "upper_bound", "type": optional("bytes"), "field-id": 511},
                    ],
                },
            }
        ),
        507,
        1,
    ),
    ("key_metadata", optional("bytes"), 519, 1),
    ("first_row_id", optional("long"), 520, 3),
]


def record(name: str, members: Sequence[tuple[str, Json, int, int]], version: int, names: Mapping[str, str]) -> Json:
    return {
        "type": "record",
        "name": name,
        "fields": [
            {"name": names.get(member, member), "type": of, "field-id": field_id}
            for member, of, field_id, since in members
            if since <= version
        ],
    }


def write(schema: Json, records: Sequence[Json], metadata: Mapping[str, str], *, top_union: bool = False) -> bytes:
    out = io.BytesIO()
    parsed = fastavro.parse_schema(optional(schema) if top_union else schema)
    fastavro.writer(out, parsed, records, codec="deflate", metadata=dict(metadata))
    return out.getvalue()


def partition_fields(partition: Sequence[tuple[str, int, Json]]) -> Json:
    members = [{"name": name, "type": optional(of), "field-id": field_id} for name, field_id, of in partition]
    return {"type": "record", "name": "r102", "fields": members}


def entry(path: str = "a.parquet", *, status: int = 1, snapshot_id: int | None = 9, **others: Json) -> Json:
    """Return a manifest entry; fields that are not given are null or have a default."""
    own = {name: others.pop(name) for name in ("sequence_number", "file_sequence_number") if name in others}
    plain = {
        "content": 0,
        "file_path": path,
        "file_format": "PARQUET",
        "partition": {},
        "record_count": 10,
        "file_size_in_bytes": 100,
    }
    return {"status": status, "snapshot_id": snapshot_id, **own, "data_file": plain | others}


def bounds(**values: bytes) -> Json:
    """Return a map of bounds by field id: ``bounds(c1=b"...")``."""
    return [{"key": int(name[1:]), "value": value} for name, value in values.items()]


def manifest(
    entries: Sequence[Json],
    *,
    version: int = 2,
    partition: Sequence[tuple[str, int, Json]] = (),
    schema: Json = None,
    spec: Json = None,
    metadata: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    top_union: bool = False,
) -> bytes:
    """Return a manifest.

    Args:
        partition: the fields of the partition tuple: name, field id, Avro type.
        schema, spec: the JSON in the header; None leaves the key out.
        names: replacements for the specification's field names.
    """
    renamed = names or {}
    file_members = [
        (name, partition_fields(partition) if name == "partition" else of, field_id, since)
        for name, of, field_id, since in FILE
    ]
    data_file = record("r2", file_members, version, renamed)
    avro = record("manifest_entry", ENTRY, version, renamed)
    avro["fields"].append({"name": renamed.get("data_file", "data_file"), "type": data_file, "field-id": 2})
    header = dict(metadata or {})
    if schema is not None:
        header["schema"] = json.dumps(schema)
    if spec is not None:
        header["partition-spec"] = json.dumps(spec)
    return write(avro, [_renamed(one, renamed) for one in entries], header, top_union=top_union)


def _renamed(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return value


def manifest_list(
    rows: Sequence[Json], *, version: int = 2, names: Mapping[str, str] | None = None, top_union: bool = False
) -> bytes:
    """Return a manifest list; fields that a row does not give are null or have a default."""
    renamed = names or {}
    plain = {
        "manifest_length": 1234,
        "partition_spec_id": 0,
        "content": 0,
        "sequence_number": 5,
        "min_sequence_number": 4,
    }
    avro = record("manifest_file", LIST, version, renamed)
    return write(avro, [_renamed(plain | row, renamed) for row in rows], {}, top_union=top_union)


def struct_of(schema_id: int = 0, **columns: Json) -> Json:
    """Return a schema's JSON: ``struct_of(c1="int", c2="string")``."""
    fields = [{"id": int(name[1:]), "name": name, "required": False, "type": of} for name, of in columns.items()]
    return {"type": "struct", "schema-id": schema_id, "fields": fields}


def table_of(
    *schemas: Json, specs: Sequence[PartitionSpec] = (PartitionSpec(0, ()),), current: int | None = None
) -> TableMetadata:
    """Return table metadata with these schemas and specs, without snapshots."""
    parsed: tuple[Schema, ...] = tuple(parse_schema(schema, "schema") for schema in schemas or (struct_of(),))
    return TableMetadata(
        format="iceberg",
        format_version=2,
        uuid=None,
        location="s3://b/t",
        metadata_location="s3://b/t/metadata/v1.metadata.json",
        schemas=parsed,
        current_schema_id=parsed[-1].schema_id if current is None else current,
        specs=tuple(specs),
        default_spec_id=specs[-1].spec_id,
        properties={},
        snapshots=(),
        current_snapshot_id=None,
        refs=(),
        snapshot_log=(),
    )
