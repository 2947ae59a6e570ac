"""Routes of what a table was and is: snapshots, refs, schemas, specs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.listings import DocumentListing
from lakemuster.api.native.answers import Asked, listing_answer
from lakemuster.api.native.asking import (
    PREFIX,
    BranchQuery,
    PagedQuery,
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
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.documents import REFS, SCHEMAS, SNAPSHOTS, SPECS, Document, dumps
from lakemuster.wire.native.pages import RefsPage, SchemasPage, SnapshotsPage, SpecsPage
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import SnapshotOut

router = APIRouter(prefix=PREFIX, tags=["history"], dependencies=[needs("read")])


@router.get("/tables/{table}/snapshots", response_model=SnapshotsPage, responses=LIST)
def list_snapshots(table: TheTable, query: PagedQuery) -> Response:
    """All snapshots that the table's metadata knows, oldest first, and what became of each."""
    record, records, stale = table.services.snapshots(table.name)
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
def list_refs(table: TheTable, query: PagedQuery) -> Response:
    """Branches and tags, by name."""
    record, metadata, stale = table.services.fresh(table.name)
    refs = sorted(metadata.refs, key=lambda ref: (ref.name, ref.kind))
    listing = DocumentListing(
        REFS, refs, lambda ref: (ref.name, ref.kind), lambda ref: RefOut.of(ref).model_dump(mode="json")
    )
    return listing_answer(Asked(table.request, table.api, "refs", query, record.table_id), listing, stale=stale)


@router.get("/tables/{table}/schemas", response_model=SchemasPage, responses=LIST)
def list_schemas(table: TheTable, query: PagedQuery) -> Response:
    """Every version of the table's columns, by id; those of Paimon's branches too."""
    record, metadata, stale = table.services.fresh(table.name)
    branches = {MAIN: metadata.schemas, **metadata.branch_schemas}
    found = sorted(
        ((branch, schema) for branch, schemas in branches.items() for schema in schemas),
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
def list_specs(table: TheTable, query: PagedQuery) -> Response:
    """Every version of the table's partitioning, by id."""
    record, metadata, stale = table.services.fresh(table.name)
    schemas = _current_first(metadata)
    listing = DocumentListing(
        SPECS,
        sorted(metadata.specs, key=lambda spec: spec.spec_id),
        lambda spec: (spec.spec_id,),
        lambda spec: SpecOut.of(spec, schemas, default=spec.spec_id == metadata.default_spec_id).model_dump(
            mode="json"
        ),
    )
    return listing_answer(Asked(table.request, table.api, "specs", query, record.table_id), listing, stale=stale)


def _by_time(record: SnapshotRecord) -> tuple[int, int]:
    return record.snapshot.committed_at_ms, record.row_id


def _snapshot(table: TableRecord, record: SnapshotRecord) -> Document:
    full = Rewrites(table.rewrites).apply
    return SnapshotOut.of(record.snapshot, record.state, record.error, full).model_dump(mode="json")


def _current_first(metadata: TableMetadata) -> tuple[Schema, ...]:
    newest_first = sorted(metadata.schemas, key=lambda schema: -schema.schema_id)
    return tuple(sorted(newest_first, key=lambda schema: schema.schema_id != metadata.current_schema_id))
