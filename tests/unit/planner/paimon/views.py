"""Views of Paimon tables without an index, for tests of the planner's pure parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.planner.view import View


def view_of(metadata: TableMetadata, location: str = "s3://b/t", rewrites: Sequence[tuple[str, str]] = ()) -> View:
    """Return a view of a table without snapshots."""
    unknown = dict.fromkeys(
        [
            *("checked_at_ms", "stale_reason", "pointer", "metadata_location", "table_location", "uuid"),
            *("format_version", "current_schema_id", "default_spec_id", "current_snapshot_id", "last_updated_ms"),
        ]
    )
    record = TableRecord(
        table_id=1,
        name="t",
        format="paimon",
        location=location,
        rewrites=tuple(rewrites),
        allowed_roots=(),
        created_at_ms=0,
        generation=0,
        **unknown,
    )
    return View(record, replace(metadata, location=location), None)
