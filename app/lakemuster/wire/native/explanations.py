"""JSON models of explained plans: pruning levels, and reasons for files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.wire.model import WireModel
from lakemuster.wire.native.plans import NotAppliedOut
from lakemuster.wire.native.rows import IdText, Values

LevelName = Literal["manifests", "segments", "zones", "entries", "indexes", "groups"]


class DroppedOut(WireModel):
    """Files dropped by one conjunct."""

    filter: str = Field(description="The conjunct as written in the request.")
    dropped: int = Field(description="How many it dropped of those that the conjuncts before it kept.")


class LevelOut(WireModel):
    """One level of pruning, in order: manifests by partition bounds, segments, zones, entries.

    Paimon tables with file indexes in their manifests have the level `indexes` next: files without a matching row by
    these indexes. Where files are merged on read, `groups` is the last level: merge groups (buckets or ranges of row
    ids) are dropped as a whole.
    """

    level: LevelName
    seen: int = Field(description="Number of items that reached the level; entries count live data files only.")
    kept: int = Field(description="Items that it kept.")
    dropped: int = Field(description="Items that it dropped.")
    dropped_by: list[DroppedOut]


class ReasonOut(WireModel):
    """What the statistics of one column or partition field prove about one comparison."""

    filter: str = Field(description="The comparison as written in the request.")
    column: str | None = Field(description="Name of the column or partition field; null if none can decide.")
    verdict: Literal["cannot match", "may match", "unknown"] = Field(
        description="`cannot match` drops the file; `may match` and `unknown` keep it."
    )
    bound: Values = Field(
        description="The recorded statistics: `lower`, `upper`, `null_count`, `nan_count`, `value_count`, or the "
        "`value` of a partition."
    )
    reason: str = Field(description="The reason as text.")


class FileReasonOut(WireModel):
    """Why a plan contains a file, or does not."""

    file_path: str = Field(description="The location as requested.")
    state: Literal["kept", "dropped", "deleted", "absent"] = Field(
        description="`kept` or `dropped` by the filter; `deleted`: by an entry of the snapshot; `absent`: the snapshot "
        "lists no such data file."
    )
    level: LevelName | None = Field(description="The level that dropped it; null unless dropped.")
    dropped_by: str | None = Field(description="The first conjunct that drops it; null unless dropped.")
    reasons: list[ReasonOut]


class ExplanationOut(WireModel):
    """Which files a filter drops, at which level, and why."""

    snapshot_id: IdText | None
    funnel: list[LevelOut] = Field(description="The levels of pruning, in order.")
    applied: list[str] = Field(description="Conjuncts of the filter that can prune files.")
    not_applied: list[NotAppliedOut]
    files: list[FileReasonOut] = Field(description="One item per requested file, in the order of the request.")
    stale: str | None = Field(
        description="Why the response is not of the table's newest state; null if it is, or if the request "
        "pins a snapshot."
    )
