"""Convert index records to documents of the native API, for routes and for the command line on a local index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.reports import RefreshReport
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.native.schemas import SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import QuarantinedOut, RefreshOut, SnapshotOut


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
        names: the names of refs, by the branch and id of their snapshot.
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
