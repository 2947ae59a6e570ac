"""JSON models of a table's timeline."""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from lakemuster.wire.documents import EXTRA
from lakemuster.wire.model import Id, InstantText, Long, WireModel
from lakemuster.wire.native.pages import ListPage
from lakemuster.wire.native.snapshots import State

KINDS = ("added", "removed", "total")
FIGURES = ("data_files", "delete_files", "records", "bytes")
_INSTANT = pa.timestamp("ms", "UTC")
_COUNTS = [(f"{kind}_{name}", pa.int64()) for kind in KINDS for name in FIGURES]
TIMELINE = pa.schema(
    [
        ("snapshot_id", pa.int64()),
        ("parent_id", pa.int64()),
        ("branch", pa.string()),
        ("refs", pa.list_(pa.string())),
        ("committed_at", _INSTANT),
        ("operation", pa.string()),
        ("commit_kind", pa.string()),
        ("state", pa.string()),
        *_COUNTS,
        ("partitions", pa.int64()),
        ("reason", pa.string()),
        ("writer", pa.string()),
        ("gap_before", pa.string()),
        (EXTRA, pa.string()),
    ]
)
PERIODS = pa.schema(
    [
        ("start", _INSTANT),
        ("end", _INSTANT),
        ("commits", pa.int64()),
        ("operations", pa.string()),
        ("snapshot_id", pa.int64()),
        ("refs", pa.list_(pa.string())),
        *_COUNTS,
        ("partitions", pa.int64()),
        ("uncounted", pa.int64()),
        ("reason", pa.string()),
        ("gaps", pa.string()),
        (EXTRA, pa.string()),
    ]
)


class GapOut(WireModel):
    """Snapshots that have expired: no metadata has them any more."""

    snapshots: int | None = Field(description="Their number; null where it is not known.")


class FiguresOut(WireModel):
    """Exact figures, null where the index does not have them.

    Bytes are those of data files and delete files; of a deletion vector, its own bytes in its file. Records are those
    of data files, rows that deletes hide included.
    """

    added_data_files: Long | None
    added_delete_files: Long | None
    added_records: Long | None
    added_bytes: Long | None
    removed_data_files: Long | None
    removed_delete_files: Long | None
    removed_records: Long | None
    removed_bytes: Long | None
    partitions: Long | None = Field(description="Partitions in which files were added or removed.")
    total_data_files: Long | None = Field(description="Live data files after the commit, or the period's last one.")
    total_delete_files: Long | None
    total_records: Long | None
    total_bytes: Long | None


class CommitOut(FiguresOut):
    """What one commit added and removed, and the state that it left."""

    snapshot_id: Id
    parent_id: Id | None
    branch: str
    refs: list[str] = Field(description="Branches and tags that refer to the snapshot.")
    committed_at: InstantText = Field(description="Time of the commit, RFC 3339 with milliseconds.")
    operation: str | None
    commit_kind: str | None = Field(description="Paimon: APPEND, COMPACT, OVERWRITE or ANALYZE.")
    state: State = Field(description="State of the snapshot in the index.")
    reason: str | None = Field(description="Why figures are null; null if none is.")
    writer: dict[str, int] | None = Field(
        description="Figures that the commit's writer recorded, unchecked, by the names of ours; only where ours are "
        "null."
    )
    gap_before: GapOut | None = Field(description="What has expired between this snapshot and the one before it.")


class PeriodOut(FiguresOut):
    """What the commits of a period added and removed, and the state that the last one left."""

    start: InstantText = Field(description="Start of the period, RFC 3339.")
    end: InstantText = Field(description="End of the period, exclusive.")
    commits: int
    operations: dict[str, int] = Field(description="Number of commits by operation; Paimon: by kind if it has none.")
    snapshot_id: Id = Field(description="The last commit's snapshot.")
    refs: list[str] = Field(description="Branches and tags that refer to snapshots of the period.")
    uncounted: int = Field(description="Commits whose changes are not known; if there are any, all changes are null.")
    reason: str | None = Field(description="Why figures are null; null if none is.")
    gaps: list[GapOut] = Field(description="What has expired before snapshots of the period.")


class TimelinePage(ListPage):
    """A page of a timeline: commits, or periods if the request names a `bucket`. Periods without commits are absent."""

    timeline: list[CommitOut | PeriodOut]


class IndexingOut(WireModel):
    """How far the indexing of the snapshots that a request needs has come. The same request continues to wait."""

    snapshots: int = Field(description="Snapshots that the request needs.")
    indexed: int = Field(description="Those that are indexed.")
    quarantined: int = Field(description="Those whose metadata cannot be accepted.")
