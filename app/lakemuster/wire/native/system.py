"""JSON models of rows of Paimon's system tables, only for documentation: ``wire.rows`` writes them by column."""

from __future__ import annotations

from typing import Literal

import pyarrow as pa
from pydantic import Field

from lakemuster.wire.model import WireModel
from lakemuster.wire.native.pages import ListPage, SnapshotListPage
from lakemuster.wire.native.rows import IdText, Integer

SYSTEM = pa.schema([("name", pa.string()), ("of", pa.string()), ("columns", pa.string())])
"""System tables as Arrow rows; ``columns`` is JSON."""


SystemTableName = Literal[
    "aggregation_fields",
    "branches",
    "buckets",
    "consumers",
    "file_key_ranges",
    "files",
    "manifests",
    "options",
    "partitions",
    "schemas",
    "snapshots",
    "statistics",
    "table_indexes",
    "tags",
]


class SystemColumn(WireModel):
    """A column of a system table."""

    name: str
    type: str = Field(description="The column's type as Paimon writes it.", examples=["BIGINT NOT NULL"])


class SystemTableOut(WireModel):
    """One of Paimon's system tables."""

    name: SystemTableName
    of: Literal["snapshot", "table"] = Field(
        description="Whether its rows describe a snapshot, or the table (with `ref`: a branch)."
    )
    columns: list[SystemColumn]


class SystemSnapshot(WireModel):
    """A row of `$snapshots`."""

    snapshot_id: IdText
    schema_id: Integer | None
    commit_user: str | None
    commit_identifier: Integer | None
    commit_kind: str | None
    commit_time: str = Field(description="Time in UTC.")
    base_manifest_list: str | None
    delta_manifest_list: str | None
    changelog_manifest_list: str | None
    total_record_count: Integer | None
    delta_record_count: Integer | None
    changelog_record_count: Integer | None
    watermark: Integer | None
    next_row_id: Integer | None
    operation: str | None
    writer_version: str | None


class SystemSchema(WireModel):
    """A row of `$schemas`."""

    schema_id: Integer
    fields: str = Field(
        description="The columns, as JSON text; `partition_keys`, `primary_keys` and `options` are JSON text too."
    )
    partition_keys: str
    primary_keys: str
    options: str
    comment: str | None
    update_time: str | None = Field(description="Time in UTC.")


class SystemOption(WireModel):
    """A row of `$options`."""

    key: str
    value: str


class SystemTag(WireModel):
    """A row of `$tags`."""

    tag_name: str
    snapshot_id: IdText
    schema_id: Integer | None
    commit_time: str | None = Field(description="Time in UTC.")
    record_count: Integer | None
    create_time: str | None = Field(description="Wall-clock time in the writer's time zone, which is not recorded.")
    time_retained: str | None = Field(
        description="Retention as an ISO 8601 duration; null: unlimited.", examples=["PT72H"]
    )


class SystemBranch(WireModel):
    """A row of `$branches`."""

    branch_name: str
    create_time: str | None = Field(
        description="Creation time of the branch's folder, UTC; of its oldest file where folders have no times."
    )


class SystemConsumer(WireModel):
    """A row of `$consumers`."""

    consumer_id: str
    next_snapshot_id: IdText


class SystemAggregationField(WireModel):
    """A row of `$aggregation_fields`."""

    field_name: str
    field_type: str
    function: str
    function_options: str
    comment: str | None


class SystemManifest(WireModel):
    """A row of `$manifests`."""

    file_name: str
    file_size: Integer | None
    num_added_files: Integer | None
    num_deleted_files: Integer | None
    schema_id: Integer | None
    min_partition_stats: str | None
    max_partition_stats: str | None
    min_row_id: Integer | None
    max_row_id: Integer | None


class SystemKeyRange(WireModel):
    """A row of `$file_key_ranges`."""

    partition: str | None
    bucket: int | None
    file_path: str
    file_format: str | None
    schema_id: Integer | None
    level: int | None
    record_count: Integer | None
    file_size_in_bytes: Integer | None
    min_key: str | None
    max_key: str | None
    first_row_id: Integer | None


class SystemFile(SystemKeyRange):
    """A row of `$files`."""

    null_value_counts: str
    min_value_stats: str
    max_value_stats: str
    min_sequence_number: Integer | None
    max_sequence_number: Integer | None
    creation_time: str | None = Field(description="Wall-clock time in the writer's time zone, which is not recorded.")
    delete_row_count: Integer | None = Field(alias="deleteRowCount")
    file_source: Literal["APPEND", "COMPACT"] | None
    write_cols: list[str] | None


class SystemBucket(WireModel):
    """A row of `$buckets`."""

    partition: str | None
    bucket: int | None
    record_count: Integer
    file_size_in_bytes: Integer
    file_count: Integer
    last_update_time: str | None = Field(
        description="Wall-clock time in the writer's time zone, which is not recorded."
    )


class SystemPartition(WireModel):
    """A row of `$partitions`."""

    partition: str | None
    record_count: Integer
    file_size_in_bytes: Integer
    file_count: Integer
    last_update_time: str | None = Field(
        description="Wall-clock time in the writer's time zone, which is not recorded."
    )
    created_at: None = Field(
        description="Always null, like `created_by`, `updated_by` and `options`: table metadata does not record it."
    )
    created_by: None
    updated_by: None
    options: None
    total_buckets: int | None
    done: bool
    deleted_record_count: Integer | None


class SystemVectorRange(WireModel):
    """Location of a data file's deletion vector: `f0` data file, `f1` offset, `f2` length in bytes."""

    f0: str | None
    f1: int | None
    f2: int | None
    cardinality: Integer | None = Field(alias="_CARDINALITY")


class SystemIndex(WireModel):
    """A row of `$table_indexes`."""

    partition: str | None
    bucket: int | None
    index_type: str
    file_name: str
    file_size: Integer | None
    row_count: Integer | None
    dv_ranges: list[SystemVectorRange] | None
    row_range_start: Integer | None
    row_range_end: Integer | None
    index_field_id: int | None
    index_field_name: str | None


class SystemStatistics(WireModel):
    """The row of `$statistics`."""

    snapshot_id: IdText
    schema_id: Integer
    merged_record_count: Integer | None = Field(alias="mergedRecordCount")
    merged_record_size: Integer | None = Field(alias="mergedRecordSize")
    colstat: str = Field(description="Column statistics, as JSON text.")


class SystemPage(ListPage):
    """A page of the system tables of a table."""

    system: list[SystemTableOut]


class SystemSnapshotsPage(ListPage):
    """A page of `$snapshots`."""

    snapshots: list[SystemSnapshot]


class SystemSchemasPage(ListPage):
    """A page of `$schemas`."""

    schemas: list[SystemSchema]


class SystemOptionsPage(ListPage):
    """A page of `$options`."""

    options: list[SystemOption]


class SystemTagsPage(ListPage):
    """A page of `$tags`."""

    tags: list[SystemTag]


class SystemBranchesPage(ListPage):
    """A page of `$branches`."""

    branches: list[SystemBranch]


class SystemConsumersPage(ListPage):
    """A page of `$consumers`."""

    consumers: list[SystemConsumer]


class SystemAggregationFieldsPage(ListPage):
    """A page of `$aggregation_fields`."""

    aggregation_fields: list[SystemAggregationField]


class SystemManifestsPage(SnapshotListPage):
    """A page of `$manifests`."""

    manifests: list[SystemManifest]


class SystemFilesPage(SnapshotListPage):
    """A page of `$files`."""

    files: list[SystemFile]


class SystemKeyRangesPage(SnapshotListPage):
    """A page of `$file_key_ranges`."""

    file_key_ranges: list[SystemKeyRange]


class SystemPartitionsPage(SnapshotListPage):
    """A page of `$partitions`."""

    partitions: list[SystemPartition]


class SystemBucketsPage(SnapshotListPage):
    """A page of `$buckets`."""

    buckets: list[SystemBucket]


class SystemIndexesPage(SnapshotListPage):
    """A page of `$table_indexes`."""

    table_indexes: list[SystemIndex]


class SystemStatisticsPage(SnapshotListPage):
    """A page of `$statistics`."""

    statistics: list[SystemStatistics]


SystemTablePage = (
    SystemSnapshotsPage
    | SystemSchemasPage
    | SystemOptionsPage
    | SystemTagsPage
    | SystemBranchesPage
    | SystemConsumersPage
    | SystemAggregationFieldsPage
    | SystemManifestsPage
    | SystemFilesPage
    | SystemKeyRangesPage
    | SystemPartitionsPage
    | SystemBucketsPage
    | SystemIndexesPage
    | SystemStatisticsPage
)
"""A page of any system table."""
