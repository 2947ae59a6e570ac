"""The columns of each list that are shown as text; ``--json`` has all columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_COLUMNS: dict[str, tuple[str, ...]] = {
    "catalogs": ("name", "type", "auth", "reachable", "tables", "synced_at", "seconds", "error"),
    "jobs": ("name", "state", "held_by", "last_run_at", "outcome", "seconds", "next_run_at", "report", "error"),
    "tables": ("name", "format", "current_snapshot_id", "location", "stale"),
    "snapshots": (
        "snapshot_id",
        "parent_id",
        "committed_at",
        "branch",
        "refs",
        "operation",
        "commit_kind",
        "schema_id",
        "state",
        "error",
        "warnings",
    ),
    "refs": ("name", "type", "snapshot_id", "branch"),
    "schemas": ("schema_id", "branch", "current", "fields"),
    "specs": ("spec_id", "default", "fields"),
    "manifests": (
        "list",
        "content",
        "spec_id",
        "sequence_number",
        "added_files_count",
        "existing_files_count",
        "deleted_files_count",
        "manifest_length",
        "manifest_path",
    ),
    "entries": (
        "status",
        "content",
        "snapshot_id",
        "sequence_number",
        "partition",
        "bucket",
        "level",
        "record_count",
        "file_size_in_bytes",
        "file_path",
    ),
    "files": (
        "content",
        "file_format",
        "partition",
        "bucket",
        "level",
        "record_count",
        "file_size_in_bytes",
        "file_path",
    ),
    "plan": (
        "content",
        "file_format",
        "partition",
        "bucket",
        "level",
        "record_count",
        "file_size_in_bytes",
        "deletes",
        "section",
        "split",
        "residual",
        "file_path",
    ),
    "funnel": ("level", "seen", "dropped", "kept", "dropped_by"),
    "reasons": ("state", "level", "filter", "column", "verdict", "reason", "file_path"),
    "statistics": ("aggregate", "exact", "value", "lower", "upper", "may_be_null", "reason"),
    "partitions": (
        "partition",
        "spec_id",
        "record_count",
        "file_count",
        "total_data_file_size_in_bytes",
        "position_delete_file_count",
        "equality_delete_file_count",
        "last_updated_at",
    ),
    "indexes": ("index_type", "partition", "bucket", "row_count", "file_size_in_bytes", "file_path"),
    "stats": ("figure", "value"),
    "columns": (
        "column",
        "type",
        "value_count",
        "null_count",
        "nan_count",
        "column_size",
        "lower_bound",
        "upper_bound",
        "bounds_hold",
        "overlap",
    ),
    "diff": ("change", "content", "partition", "bucket", "record_count", "file_size_in_bytes", "file_path"),
}


def columns_of(kind: str, row: Mapping[str, object]) -> Sequence[str]:
    """Return a list's columns in order: those of its kind that its rows have; all of them for system tables."""
    if kind.startswith("$"):
        return tuple(row)
    return tuple(column for column in _COLUMNS[kind] if column in row)
