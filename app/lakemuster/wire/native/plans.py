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
                {"type": "string", "description": "A SQL condition, such as stands after WHERE."},
                {"type": "object", "description": "An expression of the Iceberg REST catalog protocol."},
                {"type": "boolean"},
                {"type": "null"},
            ]
        }
    ),
]


NAN = (
    "What comparisons with NaN mean. `greatest`: NaN equals itself and is above every number (Spark, DuckDB); "
    "`unordered`: only `!=` is true of it (Trino, SQL); `any`: files are kept that either could match; `none`: bounds "
    "are believed, and rows of NaN may be lost, as by Iceberg's Java library and PyIceberg. Residuals are meant in the "
    "same way. Left out: the table's setting, or `any`."
)


class _QueryOptions(WireModel):
    filter: FilterJson = Field(
        None, description="What rows must match. Null compares as SQL has it in SQL text, as Iceberg has it in JSON."
    )
    snapshot_id: SnapshotId | None = Field(None, description="The snapshot to plan; the current one when left out.")
    ref: StrictStr | None = Field(None, min_length=1, max_length=1024, description="A branch or tag.")
    as_of: Instant | None = Field(
        None, description="The snapshot that was current then: RFC 3339, or milliseconds since 1970."
    )
    case_sensitive: StrictBool = Field(
        True, description="Whether `ID` is another column than `id`, in filter and select."
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
                raise ValueError(f"unknown keys: {', '.join(unknown[:5])}{', …' if len(unknown) > 5 else ''}")
        return given


class PlanOptions(_QueryOptions):
    """What chooses the files of a plan, and what is told of them."""

    select: Names = Field(
        None,
        description="The columns that the reader wants, by dotted name. They are checked, and limit the statistics "
        'that `stats: ["*"]` shows. They do not change which files are read.',
    )
    limit: StrictInt | None = Field(
        None,
        ge=1,
        le=_LARGEST,
        description="Rows that are enough: the plan ends once its files are known to hold so many that match.",
    )
    strict: StrictBool = Field(False, description="Refuse a filter of which some conjunct cannot prune.")
    stats: Names = Field(None, description='Columns to show statistics of; `["*"]` for all that are selected.')
    start_snapshot_id: SnapshotId | None = Field(
        None, description="Plan what was appended after this snapshot, and nothing else; without deletes."
    )
    scan_mode: Literal["delta", "changelog"] | None = Field(
        None,
        description="Paimon, with `start_snapshot_id`: the files that commits appended (when left out), or the "
        "changelog files that they wrote.",
    )
    read_optimized: StrictBool = Field(
        False,
        description="Paimon: only files of the highest level of a primary-key table, which need no merging; "
        "what was not compacted yet is left out.",
    )
    splits: StrictBool = Field(
        False, description="Paimon: pack the files into splits, as its own readers do; each file tells its own."
    )
    split_target_size: StrictInt | None = Field(
        None, ge=1, le=_LARGEST, description="With `splits`: bytes; the table's `source.split.target-size` if left out."
    )
    split_open_file_cost: StrictInt | None = Field(
        None,
        ge=0,
        le=_LARGEST,
        description="With `splits`: bytes that a file weighs at least; the table's `source.split.open-file-cost`.",
    )
    end_snapshot_id: SnapshotId | None = Field(
        None, description="The last snapshot of an incremental plan; in the place of `snapshot_id`."
    )


class PlanRequest(PlanOptions):
    """A plan to make. `snapshot_id`, `ref` and `as_of` exclude each other."""

    plan_task: StrictStr | None = Field(
        None,
        max_length=4096,
        description="One of the `plan_tasks` of this plan, the rest of the body as it was there: its files alone.",
    )
    page_size: StrictInt = Field(
        PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="At most so many files; streams ignore it."
    )
    page_token: StrictStr | None = Field(
        None, max_length=4096, description="next_page_token of the page before, the rest of the body unchanged."
    )


class PlanTasksRequest(PlanOptions):
    """A plan to make in parts. `snapshot_id`, `ref` and `as_of` exclude each other."""

    task_files: StrictInt = Field(
        TASK_FILES, ge=1, le=MAX_TASK_FILES, description="About so many files in each part; it may hold fewer, or none."
    )


class ExplainRequest(_QueryOptions):
    """A plan to explain. `snapshot_id`, `ref` and `as_of` exclude each other."""

    files: Paths = Field(None, description="Locations of data files to explain one by one; fewer with long filters.")


Residual = Annotated[
    object,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "boolean"}, {"type": "null"}]}),
    Field(
        description="What is left to ask of the file's rows, in the filter's language: SQL text, or an expression. "
        "Null when every row matches."
    ),
]
_Deletes = Annotated[list[int], Field(description="Which of this page's `deletes` apply to the file, from 0.")]


class PlannedIcebergFile(IcebergFile):
    """A data file to read."""

    deletes: _Deletes
    residual: Residual


class DeletionVectorOut(WireModel):
    """Where the positions of a file's deleted rows are."""

    file_path: str
    offset: Integer
    length: Integer = Field(description="Bytes, as Paimon records them.")
    cardinality: Integer | None = Field(description="Deleted rows.")


class PlannedPaimonFile(PaimonFile):
    """A data file to read."""

    raw_convertible: bool = Field(
        description="A plain reader of the format may read the file alone, its deletion vector applied by position."
    )
    section: Integer | None = Field(
        description="Files of one number hold rows of the same keys, or columns of the same rows, and are read "
        "together; null where raw convertible. Numbers hold within one plan."
    )
    deletion_vector: DeletionVectorOut | None
    split: Integer | None = Field(description="Files of one number are one split; null if `splits` was not asked.")
    deletes: _Deletes
    residual: Residual


class NotAppliedOut(WireModel):
    """A conjunct that drops no file; or none of those that may hold NaN, where `applied` has it too."""

    filter: str = Field(description="In the caller's words.")
    reason: str


class PlanCounts(WireModel):
    """The whole plan in numbers, before any limit."""

    manifests: int = Field(description="Of data files, in the snapshot.")
    manifests_kept: int
    entries: int = Field(description="Of the kept manifests, those that zones did not exclude.")
    files: int
    records: Integer = Field(description="Rows of the files, deleted ones too.")
    bytes: Integer


class _OfPlan(WireModel):
    snapshot_id: IdText | None = Field(description="All of the plan is of it; null for a table without snapshots.")
    applied: list[str] = Field(description="The conjuncts of the filter that can drop files.")
    not_applied: list[NotAppliedOut]
    counts: PlanCounts
    stale: str | None = Field(description="Why this is not the newest state; null when it is, or when it is pinned.")


class PlanPage(_OfPlan):
    """A page of a plan."""

    files: list[PlannedIcebergFile | PlannedPaimonFile]
    deletes: list[IcebergFile] = Field(description="The delete files that apply to files of this page.")
    next_page_token: str | None = Field(description="Repeat the request with it as page_token; null on the last page.")


class PlanTasks(_OfPlan):
    """A plan in parts, which together are the plan: each file is in one of them."""

    plan_tasks: list[str] = Field(
        description="Ask for the plan with one of them as plan_task, the rest of the body unchanged but for task_files."
    )
