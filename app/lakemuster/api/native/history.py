"""Routes of what a table was and is: snapshots, refs, schemas, specs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.listings import DocumentListing
from lakemuster.api.native.answers import Asked, listing_answer
from lakemuster.api.native.asking import (
    PREFIX,
    BranchQuery,
    OfSnapshot,
    SnapshotQuery,
    Target,
    TheTable,
    needs,
    snapshot_id,
)
from lakemuster.api.native.documented import LIST, READ
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.snapshots import get_snapshot as stored_snapshot
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.planner import lists
from lakemuster.planner.view import Selector, View
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.documents import REFS, SCHEMAS, SNAPSHOTS, SPECS, Document, dumps
from lakemuster.wire.native.pages import RefsPage, SchemasPage, SnapshotsPage, SpecsPage
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import SnapshotOut

router = APIRouter(prefix=PREFIX, tags=["history"], dependencies=[needs("read")])


@router.get("/tables/{table}/snapshots", response_model=SnapshotsPage, responses=LIST)
def list_snapshots(table: TheTable, query: SnapshotQuery) -> Response:
    """The snapshots that the table's metadata knows, oldest first, and what became of each.

    Of a chosen snapshot: it and the ones that led to it.
    """
    view = _chosen(table, query)
    record, records, stale = table.services.snapshots(table.name)
    if view is not None:
        records = _history(records, view)
    listing = DocumentListing(
        SNAPSHOTS, sorted(records, key=_by_time), _by_time, lambda snapshot: _snapshot(record, snapshot)
    )
    return listing_answer(Asked(table.request, table.api, "snapshots", query, record.table_id), listing, stale=stale)


@router.get(
    "/tables/{table}/snapshots/{id}",
    response_model=SnapshotOut,
    responses=READ,
)
def get_snapshot(
    table: TheTable, id: Annotated[str, Path(description="A snapshot's id.")], query: BranchQuery
) -> Response:
    """One snapshot."""
    number = snapshot_id(id)
    found, _, _ = table.services.fresh(table.name)
    with table.services.index.database.reading() as session:
        record = stored_snapshot(session, found.table_id, number, query.branch)
    return Response(dumps(_snapshot(found, record)), media_type="application/json")


@router.get("/tables/{table}/refs", response_model=RefsPage, responses=LIST)
def list_refs(table: TheTable, query: SnapshotQuery) -> Response:
    """Branches and tags, by name. Of a chosen snapshot: those that name it."""
    view = _chosen(table, query)
    record, metadata, stale = table.services.fresh(table.name)
    refs = sorted(
        (ref for ref in metadata.refs if view is None or (ref.branch, ref.snapshot_id) == _place(view)),
        key=lambda ref: (ref.name, ref.kind),
    )
    listing = DocumentListing(
        REFS, refs, lambda ref: (ref.name, ref.kind), lambda ref: RefOut.of(ref).model_dump(mode="json")
    )
    return listing_answer(Asked(table.request, table.api, "refs", query, record.table_id), listing, stale=stale)


@router.get("/tables/{table}/schemas", response_model=SchemasPage, responses=LIST)
def list_schemas(table: TheTable, query: SnapshotQuery) -> Response:
    """Every version of the table's columns, by id; those of Paimon's branches too.

    Of a chosen snapshot: the one that it was written with.
    """
    view = _chosen(table, query)
    record, metadata, stale = table.services.fresh(table.name)
    branches = {MAIN: metadata.schemas, **metadata.branch_schemas}
    found = sorted(
        (
            (branch, schema)
            for branch, schemas in branches.items()
            for schema in schemas
            if view is None or (branch, schema.schema_id) == (_place(view)[0], view.schemas[0].schema_id)
        ),
        key=lambda pair: (pair[0] != MAIN, pair[0], pair[1].schema_id),
    )
    newest = {branch: max((s.schema_id for s in schemas), default=0) for branch, schemas in branches.items()}
    newest[MAIN] = metadata.current_schema_id

    def document(pair: tuple[str, Schema]) -> Document:
        branch, schema = pair
        return SchemaOut.of(schema, branch, current=schema.schema_id == newest[branch]).model_dump(mode="json")

    listing = DocumentListing(SCHEMAS, found, lambda pair: (int(pair[0] != MAIN), pair[0], pair[1].schema_id), document)
    return listing_answer(Asked(table.request, table.api, "schemas", query, record.table_id), listing, stale=stale)


@router.get("/tables/{table}/specs", response_model=SpecsPage, responses=LIST)
def list_specs(table: TheTable, query: SnapshotQuery) -> Response:
    """Every version of the table's partitioning, by id. Of a chosen snapshot: those that its manifests have."""
    view = _chosen(table, query)
    used = None if view is None else {m.header.spec_id for m in lists.manifest_records(table.services.index, view)}
    record, metadata, stale = table.services.fresh(table.name)
    schemas = _current_first(metadata)
    listing = DocumentListing(
        SPECS,
        sorted((s for s in metadata.specs if used is None or s.spec_id in used), key=lambda spec: spec.spec_id),
        lambda spec: (spec.spec_id,),
        lambda spec: SpecOut.of(spec, schemas, default=spec.spec_id == metadata.default_spec_id).model_dump(
            mode="json"
        ),
    )
    return listing_answer(Asked(table.request, table.api, "specs", query, record.table_id), listing, stale=stale)


def _chosen(table: Target, query: OfSnapshot) -> View | None:
    """The view of the snapshot that is asked for; None when none is."""
    selector = query.selector()
    return None if selector == Selector() else table.services.view(table.name, selector)


def _place(view: View) -> tuple[str, int | None]:
    """The branch and id of a view's snapshot; no ref or schema is at that of a table without snapshots."""
    return (MAIN, None) if view.snapshot is None else (view.snapshot.snapshot.branch, view.snapshot_id)


def _history(records: Sequence[SnapshotRecord], view: View) -> list[SnapshotRecord]:
    """A snapshot and its ancestors; Paimon's follow one another by id within their branch."""
    branch, at = _place(view)
    by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == branch}
    if view.table.format == "paimon":
        return [record for number, record in by_id.items() if at is not None and number <= at]
    found: list[SnapshotRecord] = []
    while at is not None and (record := by_id.pop(at, None)) is not None:
        found.append(record)
        at = record.snapshot.parent_id
    return found


def _by_time(record: SnapshotRecord) -> tuple[int, int]:
    return record.snapshot.committed_at_ms, record.row_id


def _snapshot(table: TableRecord, record: SnapshotRecord) -> Document:
    full = Rewrites(table.rewrites).apply
    return SnapshotOut.of(record.snapshot, record.state, record.error, full).model_dump(mode="json")


def _current_first(metadata: TableMetadata) -> tuple[Schema, ...]:
    newest_first = sorted(metadata.schemas, key=lambda schema: -schema.schema_id)
    return tuple(sorted(newest_first, key=lambda schema: schema.schema_id != metadata.current_schema_id))
