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


class SystemColumn(WireModel):
    """One column."""

    name: str
    type: str = Field(description="In Paimon's words.", examples=["BIGINT NOT NULL"])


class SystemTableOut(WireModel):
    """One of Paimon's system tables."""

    name: str
    of: Literal["snapshot", "table"] = Field(
        description="What its rows are of: the chosen snapshot; or the table, or the branch that ref names."
    )
    columns: list[SystemColumn]


class SystemSnapshot(WireModel):
    """A row of ``$snapshots``."""

    snapshot_id: IdText
    schema_id: Integer | None
    commit_user: str | None
    commit_identifier: Integer | None
    commit_kind: str | None
    commit_time: str = Field(description="UTC.")
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
    """A row of ``$schemas``."""

    schema_id: Integer
    fields: str = Field(description="JSON, as are the next three.")
    partition_keys: str
    primary_keys: str
    options: str
    comment: str | None
    update_time: str | None = Field(description="UTC.")


class SystemOption(WireModel):
    """A row of ``$options``."""

    key: str
    value: str


class SystemTag(WireModel):
    """A row of ``$tags``."""

    tag_name: str
    snapshot_id: IdText
    schema_id: Integer | None
    commit_time: str | None = Field(description="UTC.")
    record_count: Integer | None
    create_time: str | None = Field(description="Wall-clock time of the writer's zone.")
    time_retained: str | None = Field(description="An ISO 8601 duration.", examples=["PT72H"])


class SystemBranch(WireModel):
    """A row of ``$branches``."""

    branch_name: str
    create_time: str | None = Field(
        description="UTC. Of the branch's folder; of its oldest file where folders have no times."
    )


class SystemConsumer(WireModel):
    """A row of ``$consumers``."""

    consumer_id: str
    next_snapshot_id: IdText


class SystemAggregationField(WireModel):
    """A row of ``$aggregation_fields``."""

    field_name: str
    field_type: str
    function: str
    function_options: str
    comment: str | None


class SystemManifest(WireModel):
    """A row of ``$manifests``."""

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
    """A row of ``$file_key_ranges``."""

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
    """A row of ``$files``."""

    null_value_counts: str
    min_value_stats: str
    max_value_stats: str
    min_sequence_number: Integer | None
    max_sequence_number: Integer | None
    creation_time: str | None = Field(description="Wall-clock time of the writer's zone.")
    delete_row_count: Integer | None = Field(alias="deleteRowCount")
    file_source: Literal["APPEND", "COMPACT"] | None
    write_cols: list[str] | None


class SystemBucket(WireModel):
    """A row of ``$buckets``."""

    partition: str | None
    bucket: int | None
    record_count: Integer
    file_size_in_bytes: Integer
    file_count: Integer
    last_update_time: str | None = Field(description="Wall-clock time of the writer's zone.")


class SystemPartition(WireModel):
    """A row of ``$partitions``."""

    partition: str | None
    record_count: Integer
    file_size_in_bytes: Integer
    file_count: Integer
    last_update_time: str | None = Field(description="Wall-clock time of the writer's zone.")
    created_at: None = Field(description="Catalogs know it, metadata does not; so with the next three.")
    created_by: None
    updated_by: None
    options: None
    total_buckets: int | None
    done: bool
    deleted_record_count: Integer | None


class SystemVectorRange(WireModel):
    """Where a data file's deletion vector is in its index file."""

    f0: str | None
    f1: int | None
    f2: int | None
    cardinality: Integer | None = Field(alias="_CARDINALITY")


class SystemIndex(WireModel):
    """A row of ``$table_indexes``."""

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
    """The row of ``$statistics``."""

    snapshot_id: IdText
    schema_id: Integer
    merged_record_count: Integer | None = Field(alias="mergedRecordCount")
    merged_record_size: Integer | None = Field(alias="mergedRecordSize")
    colstat: str = Field(description="JSON.")


class SystemPage(ListPage):
    """What system tables there are."""

    system: list[SystemTableOut]


class SystemSnapshotsPage(ListPage):
    """Of ``snapshots``."""

    snapshots: list[SystemSnapshot]


class SystemSchemasPage(ListPage):
    """Of ``schemas``."""

    schemas: list[SystemSchema]


class SystemOptionsPage(ListPage):
    """Of ``options``."""

    options: list[SystemOption]


class SystemTagsPage(ListPage):
    """Of ``tags``."""

    tags: list[SystemTag]


class SystemBranchesPage(ListPage):
    """Of ``branches``."""

    branches: list[SystemBranch]


class SystemConsumersPage(ListPage):
    """Of ``consumers``."""

    consumers: list[SystemConsumer]


class SystemAggregationFieldsPage(ListPage):
    """Of ``aggregation_fields``."""

    aggregation_fields: list[SystemAggregationField]


class SystemManifestsPage(SnapshotListPage):
    """Of ``manifests``."""

    manifests: list[SystemManifest]


class SystemFilesPage(SnapshotListPage):
    """Of ``files``."""

    files: list[SystemFile]


class SystemKeyRangesPage(SnapshotListPage):
    """Of ``file_key_ranges``."""

    file_key_ranges: list[SystemKeyRange]


class SystemPartitionsPage(SnapshotListPage):
    """Of ``partitions``."""

    partitions: list[SystemPartition]


class SystemBucketsPage(SnapshotListPage):
    """Of ``buckets``."""

    buckets: list[SystemBucket]


class SystemIndexesPage(SnapshotListPage):
    """Of ``table_indexes``."""

    table_indexes: list[SystemIndex]


class SystemStatisticsPage(SnapshotListPage):
    """Of ``statistics``."""

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
