"""Convert index records to documents of the native API, for routes and for the command line on a local index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from lakemuster.config import TableRules
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.pointers import warnings_of
from lakemuster.ingest.reports import RefreshReport
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.schemas import SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import QuarantinedOut, RefreshOut, SnapshotOut
from lakemuster.wire.native.tables import RewriteRule, TableDetails, TableOut


def table_out(record: TableRecord) -> TableOut:
    """Return a row of ``/tables``."""
    return TableOut.model_validate(_common(record, record.stale_reason))


def table_details(
    record: TableRecord, metadata: TableMetadata | None, stale: str | None, rules: TableRules
) -> TableDetails:
    """Return one table; ``metadata`` is None if it could never be read."""
    return TableDetails.model_validate(
        {
            **_common(record, stale),
            "properties": {} if metadata is None else dict(metadata.properties),
            "partition_keys": [] if metadata is None else _partition_keys(metadata),
            "primary_keys": [] if metadata is None else _primary_keys(metadata),
            "settings": asdict(rules),
        }
    )


def refresh_out(report: RefreshReport) -> RefreshOut:
    """Return the response of ``/refresh``."""
    return RefreshOut(
        table=report.table,
        published=list(report.published),
        quarantined=[QuarantinedOut(snapshot_id=number, reason=reason) for number, reason in report.quarantined],
        lists_fetched=report.lists_fetched,
        manifests_fetched=report.manifests_fetched,
        entries_decoded=report.entries_decoded,
        seconds=round(report.seconds, 3),
    )


def snapshot_out(
    table: TableRecord, record: SnapshotRecord, names: Mapping[tuple[str, int], Sequence[str]]
) -> SnapshotOut:
    """Return a snapshot, with the locations of its manifest lists after rewrites.

    Args:
        names: names of refs, by the branch and id of their snapshot.
    """
    snapshot = record.snapshot
    refs = names.get((snapshot.branch, snapshot.snapshot_id), ())
    moved = Rewrites(table.rewrites).apply
    return SnapshotOut.of(snapshot, record.state, record.error, moved, record.warnings, refs)


def schemas_out(metadata: TableMetadata) -> list[SchemaOut]:
    """Return every schema, in the order of ids; schemas of Paimon's branches follow those of main."""
    branches = {MAIN: metadata.schemas, **metadata.branch_schemas}
    newest = {branch: max((s.schema_id for s in schemas), default=0) for branch, schemas in branches.items()}
    newest[MAIN] = metadata.current_schema_id
    return [
        SchemaOut.of(schema, branch, current=schema.schema_id == newest[branch])
        for branch in sorted(branches, key=lambda branch: (branch != MAIN, branch))
        for schema in sorted(branches[branch], key=lambda schema: schema.schema_id)
    ]


def specs_out(metadata: TableMetadata) -> list[SpecOut]:
    """Return every partition spec, in the order of ids."""
    newest_first = sorted(metadata.schemas, key=lambda schema: -schema.schema_id)
    schemas: tuple[Schema, ...] = tuple(
        sorted(newest_first, key=lambda schema: schema.schema_id != metadata.current_schema_id)
    )
    return [
        SpecOut.of(spec, schemas, default=spec.spec_id == metadata.default_spec_id)
        for spec in sorted(metadata.specs, key=lambda spec: spec.spec_id)
    ]


def _common(record: TableRecord, stale: str | None) -> dict[str, object]:
    return {
        "name": record.name,
        "format": record.format,
        "location": record.location,
        "rewrite": [RewriteRule(old=old, new=new) for old, new in record.rewrites],
        "uuid": record.uuid,
        "format_version": record.format_version,
        "metadata_location": record.metadata_location,
        "current_snapshot_id": record.current_snapshot_id,
        "current_schema_id": record.current_schema_id,
        "default_spec_id": record.default_spec_id,
        "last_updated_at": None if record.last_updated_ms is None else format_instant(record.last_updated_ms),
        "checked_at": None if record.checked_at_ms is None else format_instant(record.checked_at_ms),
        "stale": stale,
        "warnings": list(warnings_of(record.pointer)) if record.format == "iceberg" else [],
    }


def _partition_keys(metadata: TableMetadata) -> list[str]:
    return [field.name for spec in metadata.specs if spec.spec_id == metadata.default_spec_id for field in spec.fields]


def _primary_keys(metadata: TableMetadata) -> list[str]:
    for schema in metadata.schemas:
        if schema.schema_id == metadata.current_schema_id:
            if schema.primary_keys:
                return list(schema.primary_keys)
            return [schema.names[i] for i in schema.identifier_field_ids if i in schema.names]
    return []
