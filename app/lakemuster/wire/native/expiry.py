"""JSON models of what an expiry of snapshots would remove."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.metadata.files import ExpiredKind
from lakemuster.wire.model import Id, InstantText, Long, SingleValue, WireModel
from lakemuster.wire.native.pages import ListPage


class ExpiredSnapshotOut(WireModel):
    """A snapshot that would go."""

    snapshot_id: Id
    committed_at: InstantText = Field(description="Time of the commit, RFC 3339 with milliseconds.")


class ExpiredRefOut(WireModel):
    """A branch or tag that would go."""

    name: str
    type: Literal["branch", "tag"]
    snapshot_id: Id
    reason: str


class ExpiredTotalOut(WireModel):
    """The files of one kind that would go."""

    kind: ExpiredKind
    files: int
    bytes: Long | None = Field(description="Null if the size of any is not known, see `reason`.")
    reason: str | None = Field(description="Why bytes are null; null if they are not.")


class ExpiredPartitionOut(WireModel):
    """The files of one partition that would go. A Puffin file with vectors of several partitions counts in one."""

    spec_id: int | None
    partition: dict[str, SingleValue] = Field(description="Values by partition field.")
    data_files: int
    delete_files: int
    changelog_files: int = Field(description="Paimon: changelog files.")
    records: Long = Field(description="Rows in the data files.")
    bytes: Long = Field(description="Bytes of all these files.")


class ExpiryOut(WireModel):
    """What an expiry of snapshots would remove now. Nothing is removed."""

    snapshots: list[ExpiredSnapshotOut] = Field(description="Oldest first.")
    retained: int = Field(description="Snapshots that would stay.")
    refs: list[ExpiredRefOut] = Field(description="Iceberg: branches and tags that would go.")
    totals: list[ExpiredTotalOut]
    partitions: list[ExpiredPartitionOut] = Field(description="Largest first.")
    settings: dict[str, SingleValue] = Field(
        description="The values that decided, by the names of the table's properties; times in milliseconds."
    )
    refused: str | None = Field(description="Why the expiry would fail; null if it would not.")
    now: InstantText = Field(description="The time of the expiry, RFC 3339.")
    branch: str = Field(description="Paimon: the branch that expires. Iceberg: `main`, for all branches.")
    stale: str | None = Field(description="Why this is not of the table's newest state; null if it is.")


class ExpiredFileOut(WireModel):
    """A file that would go."""

    kind: ExpiredKind
    file_path: str
    file_size_in_bytes: Long | None = Field(description="Null with a `reason` if it is not known.")
    record_count: Long | None = Field(description="Of data, delete and changelog files.")
    spec_id: int | None
    partition: dict[str, SingleValue] | None = Field(description="Values by partition field; null for metadata files.")
    reason: str | None


class ExpiredFilesPage(ListPage):
    """A page of the files that an expiry would remove."""

    files: list[ExpiredFileOut]
