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
    """A scan to plan: of a snapshot, or of what was appended between two."""

    snapshot_id: Long | None = Field(None, description="The current one when left out.")
    select: Names | None = Field(None, description="Accepted; the files to read are the same.")
    filter: Annotated[Expression | None, AfterValidator(shallow)] = Field(
        None, description="What rows must match, in the older or the newer grammar."
    )
    min_rows_requested: Annotated[Long, Field(ge=0)] | None = Field(
        None, description="The plan may end once its files are known to hold so many matching rows."
    )
    case_sensitive: StrictBool = True
    use_snapshot_schema: StrictBool = Field(
        False, description="Whether the filter's names are the snapshot's or, by default, the table's."
    )
    start_snapshot_id: Long | None = Field(None, description="Plan what was appended after it.")
    end_snapshot_id: Long | None = Field(None, description="Plan what was appended up to it, and with it.")
    stats_fields: Names | None = Field(None, description="Columns to show statistics of; unknown ones are left out.")

    @model_validator(mode="after")
    def _one_kind_of_scan(self) -> Self:
        if (self.start_snapshot_id is None) != (self.end_snapshot_id is None):
            raise ValueError("start-snapshot-id and end-snapshot-id go together")
        if self.snapshot_id is not None and self.start_snapshot_id is not None:
            raise ValueError("snapshot-id excludes start-snapshot-id and end-snapshot-id")
        return self


class FetchScanTasksRequest(_Request):
    """A plan task to redeem."""

    plan_task: StrictStr


class Counts(RestModel):
    """Numbers by field id."""

    keys: list[int]
    values: list[int]


class Bounds(RestModel):
    """Bounds by field id: the hex of their single-value bytes."""

    keys: list[int]
    values: list[str]


class ContentFile(RestModel):
    """A file."""

    spec_id: int
    content: Literal["data", "position-deletes", "equality-deletes"]
    file_path: str
    file_format: str
    partition: list[Any] = Field(description="By position in the spec, in the JSON single-value form.")
    file_size_in_bytes: int
    record_count: int
    column_sizes: Counts | None = None
    value_counts: Counts | None = None
    null_value_counts: Counts | None = None
    nan_value_counts: Counts | None = None
    lower_bounds: Bounds | None = None
    upper_bounds: Bounds | None = None
    key_metadata: str | None = Field(None, description="Hex.")
    split_offsets: list[int] | None = None
    equality_ids: list[int] | None = None
    sort_order_id: int | None = None
    first_row_id: int | None = None
    data_sequence_number: int | None = Field(None, description="Of the file's rows; 0 in tables of format version 1.")
    file_sequence_number: int | None = Field(None, description="Of the commit that added the file.")
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_in_bytes: int | None = None


class FileScanTask(RestModel):
    """A data file to read."""

    data_file: ContentFile
    delete_file_references: list[int] | None = Field(None, description="Places in delete-files, from 0.")
    residual_filter: Expression = Field(description="What is left to ask of the file's rows, in the older grammar.")


class FetchScanTasksResult(RestModel):
    """A part of a plan."""

    plan_tasks: list[str] = Field(description="Further parts of the plan, to be redeemed in any order.")
    delete_files: list[ContentFile]
    file_scan_tasks: list[FileScanTask]


class PlanTableScanResult(FetchScanTasksResult):
    """A plan, whole or as plan tasks."""

    status: Literal["completed"]
    plan_id: str
