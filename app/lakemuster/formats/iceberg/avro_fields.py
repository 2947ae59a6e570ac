"""Find the columns of manifests and manifest lists by field id: writers differ in the names.

A field without an id is matched by the name that the specification, or a known writer, gives it.

Source: Iceberg spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

DATA_FILE, PARTITION = 2, 102

ENTRY_FIELDS = {0: "status", 1: "snapshot_id", 3: "sequence_number", 4: "file_sequence_number", DATA_FILE: "data_file"}

FILE_FIELDS = {
    134: "content",
    100: "file_path",
    101: "file_format",
    PARTITION: "partition",
    103: "record_count",
    104: "file_size_in_bytes",
    131: "key_metadata",
    132: "split_offsets",
    135: "equality_ids",
    140: "sort_order_id",
    142: "first_row_id",
    143: "referenced_data_file",
    144: "content_offset",
    145: "content_size_in_bytes",
    108: "column_sizes",
    109: "value_counts",
    110: "null_value_counts",
    137: "nan_value_counts",
    125: "lower_bounds",
    128: "upper_bounds",
}

STATISTICS = {
    "column_sizes": "column_size",
    "value_counts": "value_count",
    "null_value_counts": "null_count",
    "nan_value_counts": "nan_count",
    "lower_bounds": "lower",
    "upper_bounds": "upper",
}
"""The kind of column (see ``metadata.files``) that each map of statistics becomes."""

KEY_IDS = frozenset({117, 119, 121, 138, 126, 129})
"""Field ids of the keys of the maps of statistics."""

LIST_FIELDS = {
    500: "manifest_path",
    501: "manifest_length",
    502: "partition_spec_id",
    517: "content",
    515: "sequence_number",
    516: "min_sequence_number",
    503: "added_snapshot_id",
    504: "added_files_count",
    505: "existing_files_count",
    506: "deleted_files_count",
    512: "added_rows_count",
    513: "existing_rows_count",
    514: "deleted_rows_count",
    507: "partitions",
    519: "key_metadata",
    520: "first_row_id",
}

SUMMARY_FIELDS = {509: "contains_null", 518: "contains_nan", 510: "lower_bound", 511: "upper_bound"}

_OTHER_NAMES = {
    "added_data_files_count": "added_files_count",
    "existing_data_files_count": "existing_files_count",
    "deleted_data_files_count": "deleted_files_count",
}


@dataclass(frozen=True)
class Member:
    """A field of an Avro record: its own name, its id, and its members.

    ``members`` are the fields of the record that it is, or that its list holds.
    """

    name: str
    field_id: int | None = None
    members: tuple[Member, ...] = field(default=())

    def names(self, wanted: Mapping[int, str]) -> dict[str, str]:
        """Return the file's own name of each wanted field, by the specification's name; absent fields are left out."""
        found: dict[str, str] = {}
        for member in self.members:
            name = wanted.get(member.field_id) if member.field_id is not None else _standard(member.name)
            if name is not None:
                found.setdefault(name, member.name)
        return found

    def member(self, name: str) -> Member:
        """Return the member of that name in the file."""
        return next(member for member in self.members if member.name == name)


def _standard(name: str) -> str:
    return _OTHER_NAMES.get(name, name)


def rows_of(schema: object) -> Member:
    """Return the record of a row, from an Avro schema whose limits the Avro reader has checked."""
    named: dict[str, object] = {}
    return Member("", None, tuple(_members(schema, named)))


def _members(schema: object, named: dict[str, object]) -> Iterator[Member]:
    schema = _record(schema, named)
    if not isinstance(schema, dict):
        return
    if (name := schema.get("name")) is not None:
        named[name] = schema
    for item in schema.get("fields", ()):
        field_id = item.get("field-id")
        yield Member(
            item["name"], field_id if isinstance(field_id, int) else None, tuple(_members(item["type"], named))
        )


def _record(schema: object, named: dict[str, object]) -> object:
    """Return the record within unions with null, lists and named references."""
    while not (isinstance(schema, dict) and schema.get("type") == "record"):
        if isinstance(schema, list):
            schema = next((branch for branch in schema if branch != "null"), None)
        elif isinstance(schema, dict) and schema.get("type") == "array":
            schema = schema.get("items")
        elif isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
            schema = schema["type"]
        elif isinstance(schema, str) and schema in named:
            return named[schema]
        else:
            return None
    return schema
