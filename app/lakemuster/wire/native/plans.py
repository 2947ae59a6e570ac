"""Request models of plans, and response models that serve only as documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    model_validator,
)

from lakemuster.predicates import NanMode
from lakemuster.validation_messages import did_you_mean
from lakemuster.wire.iceberg_rest.expressions import shallow
from lakemuster.wire.model import WireModel
from lakemuster.wire.native.rows import IcebergFile, IdText, Integer, PaimonFile

PAGE_SIZE, MAX_PAGE_SIZE = 1000, 10_000
TASK_FILES, MAX_TASK_FILES = 10_000, 1_000_000
MAX_NAMES, MAX_EXPLAINED = 10_000, 1_000
_INTEGER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_LARGEST = 2**63 - 1


def _long(given: object) -> object:
    """Validate a 64-bit integer, given as a number or text."""
    number = int(given) if isinstance(given, str) and _INTEGER.fullmatch(given) else given
    if isinstance(number, int) and not isinstance(number, bool) and -_LARGEST - 1 <= number <= _LARGEST:
        return number
    raise ValueError("an integer of 64 bits, as a number or as text")


def _instant(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


SnapshotId = Annotated[
    int,
    BeforeValidator(_long),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": "^-?[0-9]{1,19}$"}, {"type": "integer"}]}),
]
Instant = Annotated[
    StrictStr,
    BeforeValidator(_instant),
    Field(max_length=64),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 64}, {"type": "integer"}]}),
]
Text = Annotated[StrictStr, Field(min_length=1, max_length=4096)]
Names = Annotated[list[Text] | None, Field(max_length=MAX_NAMES, fail_fast=True)]
Paths = Annotated[list[Text] | None, Field(max_length=MAX_EXPLAINED, fail_fast=True)]
# Parsed by our own code: a union would try every kind of expression, and report why each does not match.
FilterJson = Annotated[
    object,
    AfterValidator(shallow),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "description": "A SQL condition, as in a WHERE clause."},
                {
                    "type": "object",
                    "additionalProperties": True,
                    "description": "An expression of the Iceberg REST catalog protocol.",
                },
                {"type": "boolean"},
                {"type": "null"},
            ]
        }
    ),
]


NAN = (
    "How NaN compares. `greatest`: NaN equals itself and is greater than every number (Spark, DuckDB). `unordered`: "
    "only `!=` is true for NaN (Trino, SQL). `any`: keep a file if a row may match by either rule. `none`: prune by "
    "bounds as if no value were NaN, which may lose rows with NaN (Iceberg's Java library, PyIceberg). Residuals use "
    "the same rule. Default: the table's setting, or `any` if it has none."
)


class QueryOptions(WireModel):
    """The rows and the snapshot that a request is about."""

    filter: FilterJson = Field(
        None,
        description="Predicate on the rows. Absent or null: all rows. Nulls compare by the rules of SQL in "
        "SQL text, and by those of Iceberg in JSON.",
    )
    snapshot_id: SnapshotId | None = Field(None, description="Id of the snapshot to plan. Absent: the current one.")
    ref: StrictStr | None = Field(
        None, min_length=1, max_length=1024, description="Plan the snapshot of this branch or tag."
    )
    as_of: Instant | None = Field(
        None,
        description="Plan the snapshot that was current at this time: RFC 3339, or milliseconds since 1970-01-01 UTC.",
    )
    case_sensitive: StrictBool = Field(
        True, description="Whether column names in `filter` and `select` are case-sensitive."
    )

    nan: NanMode | None = Field(None, description=NAN)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: object) -> object:
        """Refuse unknown keys early, instead of reporting them one by one: there may be very many."""
        if isinstance(given, Mapping):
            known = cls.model_fields
            unknown = [str(key)[:100] for key in islice(given, len(known) + 1) if key not in known]
            if unknown:
                shown = [key + did_you_mean(key, known) for key in unknown[:5]]
                raise ValueError(f"unknown keys: {', '.join(shown)}{', …' if len(unknown) > 5 else ''}")
        return given


class PlanOptions(QueryOptions):
    """The options that select the files of a plan, and what the response contains."""

    select: Names = Field(
        None,
        description="Dotted names of the columns that the reader projects. They must exist, and they limit the "
        'statistics that `stats: ["*"]` returns. The files of the plan do not depend on them. Absent: all columns.',
    )
    limit: StrictInt | None = Field(
        None,
        ge=1,
        le=_LARGEST,
        description="Number of rows that the reader needs: the plan ends once its files provably hold that many "
        "matching rows. Absent: no limit.",
    )
    strict: StrictBool = Field(False, description="Fail with status 400 if a conjunct of the filter cannot prune.")
    stats: Names = Field(
        None, description='Columns whose statistics to return; `["*"]` for all selected ones. Absent: none.'
    )
    start_snapshot_id: SnapshotId | None = Field(
        None,
        description="Incremental plan: only the data files that were appended after this snapshot, without deletes.",
    )
    scan_mode: Literal["delta", "changelog"] | None = Field(
        None,
        description="Paimon, with `start_snapshot_id`: `delta` plans the data files that commits appended, "
        "`changelog` the changelog files that they wrote. Default: `delta`.",
    )
    read_optimized: StrictBool = Field(
        False,
        description="Paimon: plan only the files of the highest level of a primary-key table, which need no merge. "
        "Rows that are not compacted yet are missing.",
    )
    splits: StrictBool = Field(
        False,
        description="Paimon: group the files into splits as Paimon's readers do; each file has the number of "
        "its split.",
    )
    split_target_size: StrictInt | None = Field(
        None,
        ge=1,
        le=_LARGEST,
        description="With `splits`: target size in bytes. Default: the table option `source.split.target-size`.",
    )
    split_open_file_cost: StrictInt | None = Field(
        None,
        ge=0,
        le=_LARGEST,
        description="With `splits`: minimum weight of a file in bytes. Default: the table option "
        "`source.split.open-file-cost`.",
    )
    end_snapshot_id: SnapshotId | None = Field(
        None,
        description="Last snapshot of an incremental plan, inclusive; used instead of `snapshot_id`. Absent: "
        "the current one.",
    )
    schema_id: StrictInt | None = Field(
        None,
        ge=0,
        le=_LARGEST,
        description="The schema whose column names `filter`, `select` and `stats` use. Absent: the newest one for the "
        "current snapshot of the table or of a branch, otherwise that of the snapshot.",
    )


class PlanRequest(PlanOptions):
    """A request to plan a scan. `snapshot_id`, `ref` and `as_of` are mutually exclusive."""

    plan_task: StrictStr | None = Field(
        None,
        max_length=4096,
        description="One of the `plan_tasks` of this plan: return only its files. The rest of the body must "
        "be the same.",
    )
    page_size: StrictInt = Field(
        PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="Maximum number of files in a page; streams ignore it."
    )
    page_token: StrictStr | None = Field(
        None,
        max_length=4096,
        description="The previous page's `next_page_token`; the rest of the body must be the same. Absent: "
        "the first page.",
    )


class PlanTasksRequest(PlanOptions):
    """A request to plan a scan in parts. `snapshot_id`, `ref` and `as_of` are mutually exclusive."""

    task_files: StrictInt = Field(
        TASK_FILES,
        ge=1,
        le=MAX_TASK_FILES,
        description="Approximate number of files in a part; a part may have fewer, or none.",
    )


class ExplainRequest(QueryOptions):
    """A request to explain a plan. `snapshot_id`, `ref` and `as_of` are mutually exclusive."""

    files: Paths = Field(
        None, description="Locations of data files to explain individually. The limit is lower for long filters."
    )


Residual = Annotated[
    object,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": True},
                {"type": "boolean"},
                {"type": "null"},
            ]
        }
    ),
    Field(
        description="Residual predicate on the file's rows, in the language of the filter: SQL text or an expression. "
        "Null if every row matches."
    ),
]
_Deletes = Annotated[
    list[int],
    Field(description="Indexes, from 0, into the page's `deletes`: the delete files that apply to this file."),
]


class PlannedIcebergFile(IcebergFile):
    """A data file to read."""

    deletes: _Deletes
    residual: Residual


class DeletionVectorOut(WireModel):
    """Location of a data file's deletion vector within its index file."""

    file_path: str
    offset: Integer
    length: Integer = Field(description="Length in bytes, as recorded by Paimon.")
    cardinality: Integer | None = Field(description="Number of deleted rows; null if not recorded.")


class PlannedPaimonFile(PaimonFile):
    """A data file to read."""

    raw_convertible: bool = Field(
        description="Whether the file can be read alone by a reader of its file format, applying the "
        "deletion vector by "
        "position."
    )
    section: Integer | None = Field(
        description="Number of the merge group within the plan: files of one group hold rows of the same keys, or "
        "columns of the same rows, and must be read together. Null if raw convertible."
    )
    deletion_vector: DeletionVectorOut | None
    split: Integer | None = Field(
        description="Number of the file's split within the plan; null unless the request has `splits`."
    )
    deletes: _Deletes
    residual: Residual


class NotAppliedOut(WireModel):
    """A conjunct that cannot prune; if `applied` has it too, it cannot prune files that may hold NaN."""

    filter: str = Field(description="The conjunct as written in the request.")
    reason: str = Field(description="Why it cannot prune, as text.")


class PlanCounts(WireModel):
    """Totals of the whole plan, before any limit."""

    manifests: int = Field(description="Data manifests of the snapshot.")
    manifests_kept: int = Field(description="Manifests that may hold matching files.")
    entries: int = Field(description="Entries of the kept manifests that were evaluated; pruned zones are excluded.")
    files: int = Field(description="Data files of the plan.")
    records: Integer = Field(description="Rows of these files, including deleted ones.")
    bytes: Integer = Field(description="Size of these files.")


class _OfPlan(WireModel):
    snapshot_id: IdText | None = Field(description="The planned snapshot; null for a table without snapshots.")
    schema_id: int = Field(description="The schema whose column names the request used.")
    applied: list[str] = Field(description="Conjuncts of the filter that can prune files.")
    not_applied: list[NotAppliedOut]
    counts: PlanCounts
    stale: str | None = Field(
        description="Why the response is not of the table's newest state; null if it is, or if the request "
        "pins a snapshot."
    )


class PlanPage(_OfPlan):
    """A page of a plan."""

    files: list[PlannedIcebergFile | PlannedPaimonFile]
    deletes: list[IcebergFile] = Field(description="Delete files that apply to files of this page.")
    next_page_token: str | None = Field(
        description="Token of the next page: send the same request with it as `page_token`. Null on the last page."
    )


class PlanTasks(_OfPlan):
    """A plan in parts. Each file of the plan is in exactly one part."""

    plan_tasks: list[str] = Field(
        description="Tokens of the parts: request the plan with one as `plan_task`, and the same body "
        "without `task_files`."
    )
