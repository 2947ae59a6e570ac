"""Routes of a table's history: snapshots, refs, schemas, partition specs."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, is_known, listing_answer
from lakemuster.api.native.dependencies import (
    PREFIX,
    BranchQuery,
    PagedQuery,
    SnapshotQuery,
    TheTable,
    needs,
    snapshot_id,
)
from lakemuster.api.native.list_parameters import SnapshotsQuery
from lakemuster.api.native.responses import LIST, READ_ONE
from lakemuster.api.threads import TableRoute
from lakemuster.catalog import history
from lakemuster.catalog.documents import snapshot_out
from lakemuster.catalog.listings import DocumentListing, in_order
from lakemuster.catalog.partition_readiness import ready_listing
from lakemuster.metadata.snapshot import MAIN
from lakemuster.wire.documents import REFS, SCHEMAS, SPECS, dumps
from lakemuster.wire.native.pages import (
    ReadyPartitionOut,
    ReadyPartitionsPage,
    RefsPage,
    SchemasPage,
    SnapshotsPage,
    SpecsPage,
)
from lakemuster.wire.native.schemas import RefOut
from lakemuster.wire.native.snapshots import FurtherSnapshotKeys, SnapshotOut

router = APIRouter(prefix=PREFIX, tags=["history"], dependencies=[needs("read")], route_class=TableRoute)


@router.get("/tables/{table}/snapshots", response_model=SnapshotsPage, responses=LIST)
def list_snapshots(table: TheTable, query: SnapshotsQuery) -> Response:
    """List the snapshots in the table's metadata, newest first, with the state of each in the index.

    Paimon numbers the snapshots of each branch separately: `ref` selects a branch, by default main. With `snapshot`,
    `as_of` or a tag: that snapshot and its ancestors.
    """
    record, listing, stale = history.snapshot_listing(
        table.services, table.name, query.selector(), query.sort, query.order
    )
    request = ListRequest(table.request, table.api, "snapshots", query, record.table_id)
    return listing_answer(request, listing, stale=stale, others=FurtherSnapshotKeys.model_fields)


@router.get(
    "/tables/{table}/snapshots/{id}",
    response_model=SnapshotOut,
    responses=READ_ONE,
)
def get_snapshot(
    table: TheTable, id: Annotated[str, Path(description="Id of the snapshot.")], query: BranchQuery
) -> Response:
    """Show a snapshot of main or of a branch; without `ref`, also of the only branch that has the id."""
    found, record = history.snapshot_of(table.services, table.name, snapshot_id(id), query.ref or query.other_branch)
    names = history.names_of(table.services, found)
    # The snapshot never changes, but its indexing state may.
    body = dumps(snapshot_out(found, record, names).model_dump(mode="json"))
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if is_known(headers["ETag"], table.request.headers.getlist("if-none-match")):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@router.get("/tables/{table}/refs", response_model=RefsPage, responses=LIST)
def list_refs(table: TheTable, query: SnapshotQuery) -> Response:
    """List branches and tags, by name. With a selected snapshot: those that refer to it."""
    record, refs, stale = history.refs_of(table.services, table.name, query.selector())
    listing = DocumentListing(
        REFS, refs, lambda ref: (ref.name, ref.kind), lambda ref: RefOut.of(ref).model_dump(mode="json")
    )
    request = ListRequest(table.request, table.api, "refs", query, record.table_id)
    return listing_answer(request, in_order(listing, query.order), stale=stale)


@router.get("/tables/{table}/schemas", response_model=SchemasPage, responses=LIST)
def list_schemas(table: TheTable, query: SnapshotQuery) -> Response:
    """List the table's schemas by id, including those of Paimon's branches.

    With a selected snapshot: the schema that it was written with.
    """
    record, found, stale = history.schemas_of(table.services, table.name, query.selector())
    listing = DocumentListing(
        SCHEMAS,
        found,
        lambda schema: (int(schema.branch != MAIN), schema.branch, schema.schema_id),
        lambda schema: schema.model_dump(mode="json"),
    )
    return listing_answer(
        ListRequest(table.request, table.api, "schemas", query, record.table_id),
        in_order(listing, query.order),
        stale=stale,
    )


@router.get("/tables/{table}/specs", response_model=SpecsPage, responses=LIST)
def list_specs(table: TheTable, query: SnapshotQuery) -> Response:
    """List the table's partition specs by id. With a selected snapshot: the specs of its manifests."""
    record, found, stale = history.specs_of(table.services, table.name, query.selector())
    listing = DocumentListing(
        SPECS,
        found,
        lambda spec: (spec.spec_id,),
        lambda spec: spec.model_dump(mode="json"),
    )
    request = ListRequest(table.request, table.api, "specs", query, record.table_id)
    return listing_answer(request, in_order(listing, query.order), stale=stale)


@router.get("/tables/{table}/ready_partitions", response_model=ReadyPartitionsPage, responses=LIST)
def list_ready_partitions(table: TheTable, query: PagedQuery) -> Response:
    """List the partitions that are complete by the rules of the table's settings, oldest first."""
    record, listing = ready_listing(table.services, table.name)
    request = ListRequest(table.request, table.api, "ready_partitions", query, record.table_id)
    ordered = in_order(listing, query.order)
    return listing_answer(request, ordered, stale=record.stale_reason, others=ReadyPartitionOut.model_fields)
