"""The Avro records of manifests and manifest lists, as Java Iceberg writes them to file headers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

_DOCS = {
    500: "Location URI with FS scheme",
    501: "Total file size in bytes",
    502: "Spec ID used to write",
    517: "Contents of the manifest: 0=data, 1=deletes",
    515: "Sequence number when the manifest was added",
    516: "Lowest sequence number in the manifest",
    503: "Snapshot ID that added the manifest",
    504: "Added entry count",
    505: "Existing entry count",
    506: "Deleted entry count",
    512: "Added rows count",
    513: "Existing rows count",
    514: "Deleted rows count",
    507: "Summary for each partition",
    509: "True if any file has a null partition value",
    518: "True if any file has a nan partition value",
    510: "Partition lower bound for all files",
    511: "Partition upper bound for all files",
    134: "Contents of the file: 0=data, 1=position deletes, 2=equality deletes",
    100: "Location URI with FS scheme",
    101: "File format name: avro, orc, or parquet",
    102: "Partition data tuple, schema based on the partition spec",
    103: "Number of records in the file",
    104: "Total file size in bytes",
    108: "Map of column id to total size on disk",
    109: "Map of column id to total count, including null and NaN",
    110: "Map of column id to null value count",
    137: "Map of column id to number of NaN values in the column",
    125: "Map of column id to lower bound",
    128: "Map of column id to upper bound",
    131: "Encryption key metadata blob",
    132: "Splittable offsets",
    135: "Equality comparison field IDs",
    140: "Sort order ID",
    143: "Fully qualified location (URI with FS scheme) of a data file that all deletes reference",
    144: "The offset in the file where the content starts",
    145: "The length of referenced content stored in the file",
}


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record: a type's name, ``(element id, type)``, ``(key id, value id, type)`` or a record."""

    field_id: int
    name: str
    type: str | tuple[int, str | Record] | tuple[int, int, str] | Record
    required: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """A record; ``name`` is its name in Avro."""

    name: str
    members: tuple[Member, ...]


_SUMMARY = Record(
    "r508",
    (
        Member(509, "contains_null", "boolean"),
        Member(518, "contains_nan", "boolean", required=False),
        Member(510, "lower_bound", "binary", required=False),
        Member(511, "upper_bound", "binary", required=False),
    ),
)
MANIFEST_FILE = Record(
    "manifest_file",
    (
        Member(500, "manifest_path", "string"),
        Member(501, "manifest_length", "long"),
        Member(502, "partition_spec_id", "int"),
        Member(517, "content", "int"),
        Member(515, "sequence_number", "long"),
        Member(516, "min_sequence_number", "long"),
        Member(503, "added_snapshot_id", "long"),
        Member(504, "added_data_files_count", "int"),
        Member(505, "existing_data_files_count", "int"),
        Member(506, "deleted_data_files_count", "int"),
        Member(512, "added_rows_count", "long"),
        Member(513, "existing_rows_count", "long"),
        Member(514, "deleted_rows_count", "long"),
        Member(507, "partitions", (508, _SUMMARY), required=False),
    ),
)


_OF_DELETES = (
    Member(143, "referenced_data_file", "string", required=False),
    Member(144, "content_offset", "long", required=False),
    Member(145, "content_size_in_bytes", "long", required=False),
)


def manifest_entry(partition: tuple[Member, ...], *, deletes: bool = False) -> Record:
    """Return the record of manifests with a partition tuple: of format version 2, or of 3 with ``deletes``."""
    data_file = Record(
        "r2",
        (
            Member(134, "content", "int"),
            Member(100, "file_path", "string"),
            Member(101, "file_format", "string"),
            Member(102, "partition", Record("r102", partition)),
            Member(103, "record_count", "long"),
            Member(104, "file_size_in_bytes", "long"),
            Member(108, "column_sizes", (117, 118, "long"), required=False),
            Member(109, "value_counts", (119, 120, "long"), required=False),
            Member(110, "null_value_counts", (121, 122, "long"), required=False),
            Member(137, "nan_value_counts", (138, 139, "long"), required=False),
            Member(125, "lower_bounds", (126, 127, "binary"), required=False),
            Member(128, "upper_bounds", (129, 130, "binary"), required=False),
            Member(131, "key_metadata", "binary", required=False),
            Member(132, "split_offsets", (133, "long"), required=False),
            Member(135, "equality_ids", (136, "int"), required=False),
            Member(140, "sort_order_id", "int", required=False),
            *(_OF_DELETES if deletes else ()),
        ),
    )
    return Record(
        "manifest_entry",
        (
            Member(0, "status", "int"),
            Member(1, "snapshot_id", "long", required=False),
            Member(3, "sequence_number", "long", required=False),
            Member(4, "file_sequence_number", "long", required=False),
            Member(2, "data_file", data_file),
        ),
    )


@cache
def avro_schema(record: Record) -> dict[str, Any]:
    """Return the record's Avro schema with Iceberg's field ids."""
    fields = []
    for member in record.members:
        inner = _avro_type(member.type)
        field: dict[str, Any] = {"name": member.name, "type": inner if member.required else ["null", inner]}
        if member.field_id in _DOCS:
            field["doc"] = _DOCS[member.field_id]
        if not member.required:
            field["default"] = None
        fields.append(field | {"field-id": member.field_id})
    return {"type": "record", "name": record.name, "fields": fields}


def _avro_type(kind: object) -> Any:
    match kind:
        case "binary":
            return "bytes"
        case "date":
            return {"type": "int", "logicalType": "date"}
        case str():
            return kind
        case Record():
            return avro_schema(kind)
        case (element_id, element):
            return {"type": "array", "items": _avro_type(element), "element-id": element_id}
        case (key_id, value_id, value):
            pair = [
                {"name": "key", "type": "int", "field-id": key_id},
                {"name": "value", "type": _avro_type(value), "field-id": value_id},
            ]
            items = {"type": "record", "name": f"k{key_id}_v{value_id}", "fields": pair}
            return {"type": "array", "items": items, "logicalType": "map"}
    raise AssertionError(kind)


def iceberg_schema(record: Record) -> dict[str, Any]:
    """Return the record as an Iceberg schema, which Java also writes to the header."""
    return {"type": "struct", "schema-id": 0, "fields": _iceberg_fields(record)}


def _iceberg_fields(record: Record) -> list[dict[str, Any]]:
    fields = []
    for member in record.members:
        field = {"id": member.field_id, "name": member.name, "required": member.required}
        field["type"] = _iceberg_type(member.type)
        fields.append(field | ({"doc": _DOCS[member.field_id]} if member.field_id in _DOCS else {}))
    return fields


def _iceberg_type(kind: object) -> Any:
    match kind:
        case str():
            return kind
        case Record():
            return {"type": "struct", "fields": _iceberg_fields(kind)}
        case (element_id, element):
            return {
                "type": "list",
                "element-id": element_id,
                "element": _iceberg_type(element),
                "element-required": True,
            }
        case (key_id, value_id, value):
            keys = {"key-id": key_id, "key": "int", "value-id": value_id, "value": value}
            return {"type": "map"} | keys | {"value-required": True}
    raise AssertionError(kind)
