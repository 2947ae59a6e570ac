"""Tables, snapshots, refs, schemas and specs of the local index as rows of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator

from lakemuster.api.services import Services
from lakemuster.cli.sources import Notice, Row
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.refresh import RefreshReport
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import QuarantinedOut, RefreshOut, SnapshotOut
from lakemuster.wire.native.tables import RewriteRule, TableOut


def table_row(record: TableRecord) -> Row:
    """A row of ``/tables``."""
    return TableOut(
        name=record.name,
        format=record.format,
        location=record.location,
        rewrite=[RewriteRule(old=old, new=new) for old, new in record.rewrites],
        uuid=record.uuid,
        format_version=record.format_version,
        metadata_location=record.metadata_location,
        current_snapshot_id=record.current_snapshot_id,
        current_schema_id=record.current_schema_id,
        default_spec_id=record.default_spec_id,
        last_updated_at=None if record.last_updated_ms is None else format_instant(record.last_updated_ms),
        checked_at=None if record.checked_at_ms is None else format_instant(record.checked_at_ms),
        stale=record.stale_reason,
    ).model_dump(mode="json")


def refresh_row(report: RefreshReport) -> Row:
    """The answer of ``/refresh``."""
    return RefreshOut(
        table=report.table,
        published=list(report.published),
        quarantined=[QuarantinedOut(snapshot_id=number, reason=reason) for number, reason in report.quarantined],
        lists_fetched=report.lists_fetched,
        manifests_fetched=report.manifests_fetched,
        entries_decoded=report.entries_decoded,
        seconds=round(report.seconds, 3),
    ).model_dump(mode="json")


def history_rows(services: Services, kind: str, name: str, notice: Notice) -> Iterator[Row]:
    """Rows of ``/snapshots``, ``/refs``, ``/schemas`` or ``/specs``."""
    if kind == "snapshots":
        table, records, stale = services.snapshots(name)
        rows = _snapshots(table, records)
    else:
        _, metadata, stale = services.fresh(name)
        rows = {"refs": _refs, "schemas": _schemas, "specs": _specs}[kind](metadata)
    if stale is not None:
        notice(stale)
    yield from rows


def _snapshots(table: TableRecord, records: list[SnapshotRecord]) -> Iterator[Row]:
    full = Rewrites(table.rewrites).apply
    for record in sorted(records, key=lambda record: (record.snapshot.committed_at_ms, record.row_id)):
        yield SnapshotOut.of(record.snapshot, record.state, record.error, full).model_dump(mode="json")


def _refs(metadata: TableMetadata) -> Iterator[Row]:
    for ref in sorted(metadata.refs, key=lambda ref: (ref.name, ref.kind)):
        yield RefOut.of(ref).model_dump(mode="json")


def _schemas(metadata: TableMetadata) -> Iterator[Row]:
    branches = {MAIN: metadata.schemas, **metadata.branch_schemas}
    for branch in sorted(branches, key=lambda branch: (branch != MAIN, branch)):
        schemas = sorted(branches[branch], key=lambda schema: schema.schema_id)
        current = metadata.current_schema_id if branch == MAIN else schemas[-1].schema_id
        for schema in schemas:
            yield SchemaOut.of(schema, branch, current=schema.schema_id == current).model_dump(mode="json")


def _specs(metadata: TableMetadata) -> Iterator[Row]:
    newest_first = sorted(metadata.schemas, key=lambda schema: -schema.schema_id)
    schemas = tuple(sorted(newest_first, key=lambda schema: schema.schema_id != metadata.current_schema_id))
    for spec in sorted(metadata.specs, key=lambda spec: spec.spec_id):
        is_default = spec.spec_id == metadata.default_spec_id
        yield SpecOut.of(spec, schemas, default=is_default).model_dump(mode="json")
