"""Request models of scan planning, and response models that serve only as documentation."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    WithJsonSchema,
    model_validator,
)

from lakemuster.wire.iceberg_rest.catalog import RestModel, hyphened
from lakemuster.wire.iceberg_rest.expressions import shallow

Long = Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]
Names = Annotated[list[StrictStr], Field(fail_fast=True)]
# Parsed by our own code: a union would try every kind of expression, and report why each does not match.
Expression = Annotated[
    object, WithJsonSchema({"anyOf": [{"type": "object", "additionalProperties": True}, {"type": "boolean"}]})
]


class _Request(BaseModel):
    """A request body; what it does not know it leaves alone, as the protocol's other servers do."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=hyphened, populate_by_name=True)


class PlanTableScanRequest(_Request):
    """A scan to plan: of one snapshot, or of the files appended between two."""

    snapshot_id: Long | None = Field(None, description="Id of the snapshot to plan. Absent: the current one.")
    select: Names | None = Field(None, description="Accepted; the files of the plan do not depend on it.")
    filter: Annotated[Expression | None, AfterValidator(shallow)] = Field(
        None, description="Predicate on the rows, in either grammar of the protocol. Absent: all rows."
    )
    min_rows_requested: Annotated[Long, Field(ge=0)] | None = Field(
        None, description="The plan may end once its files provably hold that many matching rows. Absent: no limit."
    )
    case_sensitive: StrictBool = Field(True, description="Whether column names in `filter` are case-sensitive.")
    use_snapshot_schema: StrictBool = Field(
        False,
        description="Whether column names may also be those of the snapshot's schema. Default: only those of the "
        "table's current schema. A name with two meanings prunes files that neither needs.",
    )
    start_snapshot_id: Long | None = Field(None, description="Plan the files appended after this snapshot.")
    end_snapshot_id: Long | None = Field(None, description="Last snapshot of an incremental plan, inclusive.")
    stats_fields: Names | None = Field(
        None, description="Columns whose statistics to return; unknown names are ignored. Absent: none."
    )

    @model_validator(mode="after")
    def _one_kind_of_scan(self) -> Self:
        if (self.start_snapshot_id is None) != (self.end_snapshot_id is None):
            raise ValueError("start-snapshot-id and end-snapshot-id must be given together")
        if self.snapshot_id is not None and self.start_snapshot_id is not None:
            raise ValueError("snapshot-id and start-snapshot-id are mutually exclusive")
        return self


class FetchScanTasksRequest(_Request):
    """A plan task to fetch."""

    plan_task: StrictStr


class Counts(RestModel):
    """Counts by field id."""

    keys: list[int]
    values: list[int]


class Bounds(RestModel):
    """Bounds by field id, in single-value binary serialization as hex."""

    keys: list[int]
    values: list[str]


class ContentFile(RestModel):
    """A data or delete file."""

    spec_id: int
    content: Literal["data", "position-deletes", "equality-deletes"]
    file_path: str
    file_format: str
    partition: list[Any] = Field(description="Values by position in the partition spec, in the JSON single-value form.")
    file_size_in_bytes: int
    record_count: int
    column_sizes: Counts | None = None
    value_counts: Counts | None = None
    null_value_counts: Counts | None = None
    nan_value_counts: Counts | None = None
    lower_bounds: Bounds | None = None
    upper_bounds: Bounds | None = None
    key_metadata: str | None = Field(None, description="Bytes in hex.")
    split_offsets: list[int] | None = None
    equality_ids: list[int] | None = None
    sort_order_id: int | None = None
    first_row_id: int | None = None
    data_sequence_number: int | None = Field(None, description="Data sequence number; 0 in tables of format version 1.")
    file_sequence_number: int | None = Field(
        None, description="File sequence number: that of the commit that added the file."
    )
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_in_bytes: int | None = None


class FileScanTask(RestModel):
    """A data file to read."""

    data_file: ContentFile
    delete_file_references: list[int] | None = Field(None, description="Indexes, from 0, into `delete-files`.")
    residual_filter: Expression = Field(
        description="Residual predicate on the file's rows, in the older grammar of the protocol."
    )


class FetchScanTasksResult(RestModel):
    """Part of a plan."""

    plan_tasks: list[str] = Field(description="Tokens of further parts of the plan, to be fetched in any order.")
    delete_files: list[ContentFile]
    file_scan_tasks: list[FileScanTask]


class PlanTableScanResult(FetchScanTasksResult):
    """A completed plan: its files, or plan tasks."""

    status: Literal["completed"]
    plan_id: str
