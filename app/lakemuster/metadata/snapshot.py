"""Snapshots, refs and manifest headers: a table's metadata before any manifest is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema

Format = str
"""The name of a table format, as in ``formats.registry``."""
Role = Literal["manifests", "base", "delta", "changelog", "index"]
"""Which manifest list of a snapshot: Iceberg has ``manifests``, Paimon the others; ``index`` is its index manifest."""

MAIN = "main"

UNREADABLE = "unreadable"
"""Key of ``Snapshot.extra``: why a snapshot's own file could not be parsed."""


@dataclass(frozen=True, slots=True)
class ManifestListRef:
    """Where one manifest list (or Paimon's index manifest) of a snapshot is; ``length`` in bytes if recorded."""

    role: Role
    location: str
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One committed version of a table.

    Attributes:
        snapshot_id: unique within ``branch`` (Iceberg: within the table).
        branch: Paimon: the branch whose folder holds it; Iceberg: always ``main``.
        source: the file it was read from: Paimon keeps expired snapshots as tags and changelogs.
        manifest_lists: in reading order.
        inline_manifests: Iceberg v1 snapshots without a manifest list: manifest locations.
        summary: Iceberg's summary, without ``operation``; empty for Paimon.
        extra: other fields of the format, named as in the native API (snake_case).
    """

    snapshot_id: int
    committed_at_ms: int
    manifest_lists: tuple[ManifestListRef, ...]
    branch: str = MAIN
    source: Literal["snapshot", "tag", "changelog"] = "snapshot"
    parent_id: int | None = None
    sequence_number: int | None = None
    operation: str | None = None
    schema_id: int | None = None
    inline_manifests: tuple[str, ...] = ()
    summary: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_expired(self) -> bool:
        """Whether only the snapshot's changelog remains: its state cannot be read, and its other lists may be gone."""
        return self.source == "changelog"


@dataclass(frozen=True, slots=True)
class Ref:
    """A name for a snapshot. ``branch`` is the branch that ``snapshot_id`` belongs to (Iceberg: main)."""

    name: str
    kind: Literal["branch", "tag"]
    snapshot_id: int
    branch: str = MAIN
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableMetadata:
    """The table metadata that a pointer names: everything but the manifests.

    Attributes:
        location: the table's root, as recorded by its writer (Iceberg) or given (Paimon).
        metadata_location: Iceberg: the metadata file; Paimon: the latest snapshot file.
        schemas: by increasing id. Paimon branches' schemas are in ``branch_schemas``.
        snapshot_log: (timestamp_ms, snapshot_id), oldest first, for time travel on main.
        current_snapshot_id: the current snapshot of main; None for a table without snapshots.
        extra: the format's other table-level fields.
        metadata_bytes: the size of Iceberg's metadata file as it is stored; None where it is not known.
    """

    format: Format
    format_version: int
    uuid: str | None
    location: str
    metadata_location: str
    schemas: tuple[Schema, ...]
    current_schema_id: int
    specs: tuple[PartitionSpec, ...]
    default_spec_id: int
    properties: Mapping[str, str]
    snapshots: tuple[Snapshot, ...]
    current_snapshot_id: int | None
    refs: tuple[Ref, ...]
    snapshot_log: tuple[tuple[int, int], ...]
    last_updated_ms: int | None = None
    branch_schemas: Mapping[str, tuple[Schema, ...]] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    metadata_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionFieldSummary:
    """Bounds of one partition field over a manifest's entries.

    ``lower`` and ``upper`` are internal forms (see ``types``) of the field's result type, None when
    missing; the raw bytes are Iceberg's single-value serialisation. ``null_count`` is Paimon's.
    """

    field_id: int
    name: str
    contains_null: bool | None
    contains_nan: bool | None = None
    lower: object = None
    upper: object = None
    lower_raw: bytes | None = None
    upper_raw: bytes | None = None
    null_count: int | None = None


@dataclass(frozen=True, slots=True)
class ManifestHeader:
    """One row of a manifest list: Iceberg's ``manifest_file``, Paimon's manifest descriptor.

    ``content`` is ``data``, ``deletes`` or, for Paimon's index manifest, ``index``.
    Counts are of entries by status; None when the writer left them out ("assume non-zero").
    Paimon's ADD and DELETE counts are ``added_files_count`` and ``deleted_files_count``.
    """

    location: str
    length: int | None
    content: Literal["data", "deletes", "index"] = "data"
    spec_id: int = 0
    sequence_number: int | None = None
    min_sequence_number: int | None = None
    added_snapshot_id: int | None = None
    added_files_count: int | None = None
    existing_files_count: int | None = None
    deleted_files_count: int | None = None
    added_rows_count: int | None = None
    existing_rows_count: int | None = None
    deleted_rows_count: int | None = None
    partitions: tuple[PartitionFieldSummary, ...] | None = None
    key_metadata: bytes | None = None
    first_row_id: int | None = None
    schema_id: int | None = None
    min_bucket: int | None = None
    max_bucket: int | None = None
    min_level: int | None = None
    max_level: int | None = None
    min_row_id: int | None = None
    max_row_id: int | None = None
    total_buckets: int | None = None
    extra_files: tuple[str, ...] | None = None
