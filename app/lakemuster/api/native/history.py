"""Routes of what a table was and is: snapshots, refs, schemas, specs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.documents import schemas_out, snapshot_out, specs_out
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
from lakemuster.metadata.snapshot import MAIN
from lakemuster.planner.parts import manifest_records
from lakemuster.planner.view import Selector, View
from lakemuster.wire.documents import REFS, SCHEMAS, SNAPSHOTS, SPECS, dumps
from lakemuster.wire.native.pages import RefsPage, SchemasPage, SnapshotsPage, SpecsPage
from lakemuster.wire.native.schemas import RefOut
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
        SNAPSHOTS,
        sorted(records, key=_by_time),
        _by_time,
        lambda snapshot: snapshot_out(record, snapshot).model_dump(mode="json"),
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
    return Response(dumps(snapshot_out(found, record).model_dump(mode="json")), media_type="application/json")


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
    found = [
        schema
        for schema in schemas_out(metadata)
        if view is None or (schema.branch, schema.schema_id) == (_place(view)[0], view.schemas[0].schema_id)
    ]
    listing = DocumentListing(
        SCHEMAS,
        found,
        lambda schema: (int(schema.branch != MAIN), schema.branch, schema.schema_id),
        lambda schema: schema.model_dump(mode="json"),
    )
    return listing_answer(Asked(table.request, table.api, "schemas", query, record.table_id), listing, stale=stale)


@router.get("/tables/{table}/specs", response_model=SpecsPage, responses=LIST)
def list_specs(table: TheTable, query: SnapshotQuery) -> Response:
    """Every version of the table's partitioning, by id. Of a chosen snapshot: those that its manifests have."""
    view = _chosen(table, query)
    used = None if view is None else {m.header.spec_id for m in manifest_records(table.services.index, view)}
    record, metadata, stale = table.services.fresh(table.name)
    listing = DocumentListing(
        SPECS,
        [spec for spec in specs_out(metadata) if used is None or spec.spec_id in used],
        lambda spec: (spec.spec_id,),
        lambda spec: spec.model_dump(mode="json"),
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
