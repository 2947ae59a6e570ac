"""JSON models of snapshots and of a refresh's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from lakemuster.metadata.snapshot import Snapshot
from lakemuster.wire.documents import plain
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import Id, Long, WireModel

State = Literal["known", "published", "quarantined"]


class ManifestListOut(WireModel):
    """Where one manifest list of a snapshot is."""

    role: Literal["manifests", "base", "delta", "changelog", "index"] = Field(
        description="Iceberg: manifests. Paimon: base, delta, changelog, and index for the index manifest."
    )
    location: str
    length: Long | None = Field(description="Bytes, where recorded.")


class SnapshotOut(WireModel):
    """One committed version of a table.

    Further keys are those of Paimon: ``commit_kind``, ``commit_user``, ``commit_identifier``,
    ``total_record_count``, ``delta_record_count``, ``watermark`` and the rest, as far as recorded.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    snapshot_id: Id
    parent_id: Id | None
    branch: str = Field(description="The Paimon branch whose folder holds it; main for Iceberg.")
    refs: list[str] = Field(description="The branches and tags that name it.")
    sequence_number: Long | None
    committed_at: str = Field(description="RFC 3339, to the millisecond.")
    operation: str | None = Field(examples=["append", "overwrite", "delete", "replace"])
    schema_id: Long | None
    summary: dict[str, str] = Field(description="Iceberg's summary without operation.")
    manifest_lists: list[ManifestListOut]
    state: State = Field(
        description="published: answers queries. known: will be indexed when it is asked for. "
        "quarantined: was read and refused, see error."
    )
    error: str | None = Field(description="Why it is quarantined.")
    warnings: list[str] = Field(
        description="What its writer got wrong and is answered all the same, such as counts of a manifest list that "
        "are not those of the manifest: answers follow the entries."
    )

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        state: State,
        error: str | None,
        full: Callable[[str], str] = str,
        warnings: Sequence[str] = (),
        refs: Sequence[str] = (),
    ) -> SnapshotOut:
        """Build the JSON of a snapshot; ``full`` converts a recorded location to one that can be read."""
        return cls.model_validate(
            {
                **{key: plain(value) for key, value in snapshot.extra.items()},
                "snapshot_id": snapshot.snapshot_id,
                "parent_id": snapshot.parent_id,
                "branch": snapshot.branch,
                "sequence_number": snapshot.sequence_number,
                "committed_at": format_instant(snapshot.committed_at_ms),
                "operation": snapshot.operation,
                "schema_id": snapshot.schema_id,
                "summary": dict(snapshot.summary),
                "manifest_lists": [
                    {"role": ref.role, "location": full(ref.location), "length": ref.length}
                    for ref in snapshot.manifest_lists
                ],
                "state": state,
                "error": error,
                "warnings": list(warnings),
                "refs": list(refs),
            }
        )


class QuarantinedOut(WireModel):
    """A snapshot that could not be read."""

    snapshot_id: str
    reason: str


class RefreshOut(WireModel):
    """What one refresh did."""

    table: str
    published: list[str] = Field(description="Ids of the snapshots that became visible.")
    quarantined: list[QuarantinedOut]
    lists_fetched: int
    manifests_fetched: int
    entries_decoded: int
    seconds: float
