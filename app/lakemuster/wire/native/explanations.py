"""JSON models of explained plans: pruning levels, and reasons for files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.wire.model import WireModel
from lakemuster.wire.native.plans import NotAppliedOut
from lakemuster.wire.native.rows import IdText, Values

LevelName = Literal["manifests", "segments", "zones", "entries", "indexes", "groups"]


class DroppedOut(WireModel):
    """What one conjunct dropped."""

    filter: str = Field(description="In the caller's words.")
    dropped: int = Field(description="What the conjuncts before it had left.")


class LevelOut(WireModel):
    """One step of pruning: manifests by their partition bounds, their segments and zones, then entry by entry.

    Of Paimon tables with file indexes in their manifests, `indexes` is next: files of which those leave no row. Where
    files are merged, `groups` is the last: files that go only together, buckets or ranges of row ids.
    """

    level: LevelName
    seen: int = Field(description="What reached it. Of entries, live data files only.")
    kept: int
    dropped: int
    dropped_by: list[DroppedOut]


class ReasonOut(WireModel):
    """What one column, or one partition field, says of one comparison."""

    filter: str = Field(description="The comparison, in the caller's words.")
    column: str | None = Field(description="The column's or partition field's name; null where none can tell.")
    verdict: Literal["cannot match", "may match", "unknown"] = Field(description="Unknown keeps the file.")
    bound: Values = Field(
        description="What was recorded: `lower`, `upper`, `null_count`, `nan_count`, `value_count`, or a "
        "partition's `value`."
    )
    reason: str = Field(description="In words.")


class FileReasonOut(WireModel):
    """Why a plan has a file, or has it not."""

    file_path: str = Field(description="As it was asked for.")
    state: Literal["kept", "dropped", "deleted", "absent"] = Field(
        description="`deleted` by an entry of the snapshot; `absent`: the snapshot lists no such data file."
    )
    level: LevelName | None = Field(description="Where it was dropped.")
    dropped_by: str | None = Field(description="The first conjunct that drops it.")
    reasons: list[ReasonOut]


class ExplanationOut(WireModel):
    """A plan, explained."""

    snapshot_id: IdText | None
    funnel: list[LevelOut]
    applied: list[str] = Field(description="The conjuncts of the filter that can drop files.")
    not_applied: list[NotAppliedOut]
    files: list[FileReasonOut] = Field(description="One for each file that was asked for, in that order.")
    stale: str | None = Field(description="Why this is not the newest state; null when it is, or when it is pinned.")
