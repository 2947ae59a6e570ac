"""JSON models of snapshots and of a refresh's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from lakemuster.metadata.snapshot import Snapshot
from lakemuster.wire.documents import plain
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import Id, InstantText, Long, WireModel, also_keys_of

State = Literal["known", "published", "quarantined"]


class ManifestListOut(WireModel):
    """A manifest list of a snapshot."""

    role: Literal["manifests", "base", "delta", "changelog", "index"] = Field(
        description="Iceberg: `manifests`. Paimon: `base`, `delta`, `changelog`, or `index` for the index manifest."
    )
    location: str
    length: Long | None = Field(description="Size in bytes; null if not recorded.")


class FurtherSnapshotKeys(BaseModel):
    """Keys that a snapshot has if its format does. Only for documentation."""

    first_row_id: Long | None = Field(None, description="Iceberg, format version 3; of Paimon, see `next_row_id`.")
    added_rows: Long | None = Field(None, description="Iceberg, format version 3.")
    key_id: str | None = Field(None, description="Iceberg, format version 3.")
    version: int | None = Field(None, description="Paimon, as all keys that follow.")
    commit_kind: str | None = Field(None, examples=["APPEND", "COMPACT", "OVERWRITE", "ANALYZE"])
    commit_user: str | None = None
    commit_identifier: Long | None = None
    total_record_count: Long | None = None
    delta_record_count: Long | None = None
    changelog_record_count: Long | None = None
    watermark: Long | None = None
    next_row_id: Long | None = None
    statistics: str | None = None
    uuid: str | None = None
    writer_version: str | None = None
    base_manifest_list: str | None = None
    base_manifest_list_size: Long | None = None
    delta_manifest_list: str | None = None
    delta_manifest_list_size: Long | None = None
    changelog_manifest_list: str | None = None
    changelog_manifest_list_size: Long | None = None
    index_manifest: str | None = None
    properties: dict[str, str] | None = None


class SnapshotOut(WireModel):
    """One committed version of a table. Further keys depend on the format."""

    model_config = ConfigDict(frozen=True, extra="allow", json_schema_extra=also_keys_of(FurtherSnapshotKeys))

    snapshot_id: Id
    parent_id: Id | None
    branch: str = Field(description="The Paimon branch that the snapshot belongs to; `main` for Iceberg.")
    refs: list[str] = Field(description="Branches and tags that refer to the snapshot.")
    sequence_number: Long | None
    committed_at: InstantText = Field(description="Time of the commit, RFC 3339 with milliseconds.")
    operation: str | None = Field(examples=["append", "overwrite", "delete", "replace"])
    schema_id: Long | None
    summary: dict[str, str] = Field(description="Iceberg's summary, without `operation`.")
    manifest_lists: list[ManifestListOut]
    state: State = Field(
        description="`published`: indexed, available to queries. `known`: indexed when first requested. "
        "`quarantined`: its metadata cannot be accepted, see `error`."
    )
    error: str | None = Field(description="Why the snapshot is quarantined; null unless it is.")
    warnings: list[str] = Field(
        description="Errors of its writer that do not prevent reading it, such as counts of a manifest list that "
        "differ from the manifest; responses follow the entries."
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
    """A snapshot whose metadata cannot be accepted."""

    snapshot_id: str = Field(description="64-bit id as text.")
    reason: str


class RefreshOut(WireModel):
    """The result of a refresh."""

    table: str
    published: list[str] = Field(description="Ids of the snapshots that became available to queries.")
    quarantined: list[QuarantinedOut] = Field(description="Snapshots that were quarantined.")
    lists_fetched: int = Field(description="Manifest lists that were read.")
    manifests_fetched: int = Field(description="Manifests that were read.")
    entries_decoded: int = Field(description="Manifest entries that were decoded.")
    seconds: float = Field(description="Duration.")
