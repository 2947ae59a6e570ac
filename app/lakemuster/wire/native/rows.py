"""JSON models of rows of a snapshot's lists, only for documentation: ``wire.rows`` writes them by column."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from lakemuster.wire.model import SingleValue, WireModel

Integer = Annotated[
    int | str, WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]})
]
IdText = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^-?[0-9]+$"})]
Values = Annotated[
    dict[str, SingleValue],
    Field(description="Values by column, in the JSON single-value form of the Iceberg specification."),
]
Counts = Annotated[
    dict[str, Integer], Field(description="Counts by column; columns without a recorded count are absent.")
]

Content = Literal["data", "position-deletes", "equality-deletes", "changelog"]


class _IcebergFile(WireModel):
    snapshot_id: IdText | None
    sequence_number: Integer | None
    file_sequence_number: Integer | None
    content: Content
    file_path: str
    file_format: str | None
    spec_id: int
    partition: Values
    record_count: Integer | None
    file_size_in_bytes: Integer | None
    key_metadata: str | None = Field(description="Bytes in hex; null if not recorded.")
    split_offsets: list[Integer] | None
    equality_ids: list[int] | None
    sort_order_id: int | None
    first_row_id: Integer | None
    referenced_data_file: str | None
    content_offset: Integer | None
    content_size_in_bytes: Integer | None


class IcebergFile(_IcebergFile):
    """A file of an Iceberg table. Column statistics are present in entries, and where `stats` requests them."""

    column_sizes: Counts | None = None
    value_counts: Counts | None = None
    null_value_counts: Counts | None = None
    nan_value_counts: Counts | None = None
    lower_bounds: Values | None = None
    upper_bounds: Values | None = None


class _PaimonFile(WireModel):
    content: Content
    file_path: str
    file_name: str
    file_format: str | None
    spec_id: int
    partition: Values
    bucket: int | None
    total_buckets: int | None
    record_count: Integer | None
    file_size_in_bytes: Integer | None
    file_source: Literal["append", "compact"] | None
    min_key: Values
    max_key: Values
    min_sequence_number: Integer | None
    max_sequence_number: Integer | None
    schema_id: Integer | None
    level: int | None
    extra_files: list[str] | None
    creation_time: str | None = Field(description="Wall-clock time in the writer's time zone, which is not recorded.")
    delete_row_count: Integer | None
    embedded_file_index: str | None = Field(description="Bytes in hex; null if not recorded.")
    value_stats_cols: list[str] | None
    external_path: str | None
    first_row_id: Integer | None
    write_cols: list[str] | None
    write_cols_sequences: list[Integer] | None


class PaimonFile(_PaimonFile):
    """A file of a Paimon table. Column statistics are present in entries, and where `stats` requests them."""

    key_null_value_counts: Counts | None = None
    key_lower_bounds: Values | None = None
    key_upper_bounds: Values | None = None
    null_value_counts: Counts | None = None
    lower_bounds: Values | None = None
    upper_bounds: Values | None = None
    branch: str | None = Field(
        None,
        description="For tables with `scan.fallback-branch` or `scan.primary-branch`: the branch of the file and of "
        "its `schema_id`; null for the requested branch.",
    )


class _Entry(WireModel):
    status: Literal["existing", "added", "deleted"]
    manifest: str = Field(description="Location of the manifest that has the entry.")


class IcebergEntry(_IcebergFile, _Entry):
    """An entry of a manifest."""

    column_sizes: Counts
    value_counts: Counts
    null_value_counts: Counts
    nan_value_counts: Counts
    lower_bounds: Values
    upper_bounds: Values
    lower_bounds_raw: dict[str, str] | None = Field(description="Lower bounds by column as recorded, in hex.")
    upper_bounds_raw: dict[str, str] | None = Field(description="Upper bounds by column as recorded, in hex.")


class PaimonEntry(_PaimonFile, _Entry):
    """An entry of a manifest."""

    key_null_value_counts: Counts
    key_lower_bounds: Values
    key_upper_bounds: Values
    null_value_counts: Counts
    lower_bounds: Values
    upper_bounds: Values


class FieldSummary(WireModel):
    """Summary of a partition field over the files of a manifest."""

    contains_null: bool | None
    contains_nan: bool | None
    null_count: Integer | None
    lower_bound: SingleValue
    upper_bound: SingleValue


class _Manifest(WireModel):
    manifest_path: str
    partitions: dict[str, FieldSummary | None]
    manifest_length: Integer | None
    content: Literal["data", "deletes", "index"]
    added_files_count: Integer | None
    deleted_files_count: Integer | None


class IcebergManifest(_Manifest):
    """A manifest, as recorded in a manifest list."""

    partition_spec_id: int
    sequence_number: Integer | None
    min_sequence_number: Integer | None
    added_snapshot_id: IdText | None
    existing_files_count: Integer | None
    added_rows_count: Integer | None
    existing_rows_count: Integer | None
    deleted_rows_count: Integer | None
    key_metadata: str | None = Field(description="Bytes in hex; null if not recorded.")
    first_row_id: Integer | None


class PaimonManifest(_Manifest):
    """A manifest, as recorded in a manifest list."""

    in_list: Literal["base", "delta", "changelog", "index"] = Field(
        alias="list", description="The manifest list that has it."
    )
    schema_id: Integer | None
    min_bucket: int | None
    max_bucket: int | None
    min_level: int | None
    max_level: int | None
    min_row_id: Integer | None
    max_row_id: Integer | None
    total_buckets: int | None
    extra_files: list[str] | None


class Partition(WireModel):
    """A partition of one spec with totals over its live files. Counts of delete files are for Iceberg only."""

    partition: Values
    spec_id: int
    record_count: Integer
    file_count: Integer
    total_data_file_size_in_bytes: Integer
    position_delete_record_count: Integer | None = None
    position_delete_file_count: Integer | None = None
    equality_delete_record_count: Integer | None = None
    equality_delete_file_count: Integer | None = None
    last_updated_at: str | None = Field(
        description="Iceberg: time of the last commit, RFC 3339. Paimon: creation time of the newest file, wall-clock "
        "time in the writer's time zone, which is not recorded."
    )
    last_updated_snapshot_id: IdText | None = None


class DeletionVector(WireModel):
    """Location of a data file's deletion vector within its index file; offset and length are in bytes."""

    data_file: str
    offset: Integer
    length: Integer
    cardinality: Integer | None


class GlobalIndex(WireModel):
    """The rows and columns that a global index covers."""

    row_range_start: Integer | None
    row_range_end: Integer | None
    index_field_id: int | None
    extra_field_ids: list[int] | None
    index_meta: str | None = Field(description="Bytes in hex; null if not recorded.")
    source_meta: str | None = Field(description="Bytes in hex; null if not recorded.")


class IndexFile(WireModel):
    """An index file of a Paimon table."""

    index_type: str = Field(examples=["HASH", "DELETION_VECTORS"])
    file_path: str
    file_name: str
    partition: Values
    bucket: int | None
    file_size_in_bytes: Integer | None
    row_count: Integer | None
    deletion_vectors: list[DeletionVector] | None
    external_path: str | None
    global_index: GlobalIndex | None


class IcebergChange(_IcebergFile):
    """A file that is live in only one of two snapshots."""

    change: Literal["added", "removed"]


class PaimonChange(_PaimonFile):
    """A file that is live in only one of two snapshots."""

    change: Literal["added", "removed"]
