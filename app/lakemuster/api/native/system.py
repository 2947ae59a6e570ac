"""Routes of Paimon's system tables."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, listing_answer, snapshot_answer, views_of
from lakemuster.api.native.dependencies import PREFIX, PagedQuery, SnapshotParameters, TheTable, needs
from lakemuster.api.native.responses import LIST, LIST_OF_SNAPSHOT
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.arranged_rows import Arrangement, arranged
from lakemuster.catalog.listings import DocumentListing, in_order
from lakemuster.catalog.system_tables import (
    NAMES,
    KeyedListing,
    branch_rows,
    names_of,
    snapshot_rows,
    system_table,
    system_table_out,
)
from lakemuster.wire.native.system import SYSTEM, SystemPage, SystemTableOut, SystemTablePage

router = APIRouter(prefix=PREFIX, tags=["system tables"], dependencies=[needs("read")], route_class=TableRoute)


class SystemTableParameters(SnapshotParameters):
    """Parameters of a system table. Those of a table take no snapshot: ``ref`` may name a branch."""

    def choosing(self) -> dict[str, str]:
        """Return the parameters with a mark, so that page tokens and ETags differ from those of other lists."""
        return {**super().choosing(), "list": "system"}


SystemQuery = Annotated[SystemTableParameters, Query()]
SystemName = Annotated[
    str,
    Path(description="Name of the system table, as after the `$` in Paimon.", json_schema_extra={"enum": list(NAMES)}),
]


@router.get("/tables/{table}/system", response_model=SystemPage, responses=LIST)
def list_system_tables(table: TheTable, query: PagedQuery) -> Response:
    """List the system tables of a Paimon table with their columns. Empty for Iceberg."""
    record, _, stale = table.services.fresh(table.name)
    found = names_of(record)
    listing = DocumentListing(
        SYSTEM,
        found,
        lambda name: (name,),
        lambda name: system_table_out(name).model_dump(mode="json"),
    )
    request = ListRequest(table.request, table.api, "system", query, record.table_id)
    return listing_answer(request, in_order(listing, query.order), stale=stale, others=SystemTableOut.model_fields)


@router.get("/tables/{table}/system/{name}", response_model=SystemTablePage, responses=LIST_OF_SNAPSHOT)
def list_system_table(table: TheTable, name: SystemName, query: SystemQuery) -> Response:
    """List the rows of one of Paimon's system tables."""
    system, selector = system_table(name), query.selector()
    if system.of == "table":
        record, rows, stale = branch_rows(table.services, table.name, system, selector)
        request = ListRequest(table.request, table.api, name, query, record.table_id)
        return listing_answer(request, KeyedListing(system, rows, descending=query.order == "desc"), stale=stale)
    request, (view,), place = views_of(table, name, query, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or query.snapshot is not None
    return snapshot_answer(
        request,
        (view,),
        lambda: arranged(snapshot_rows(table.services, view, system), Arrangement(order=query.order)),
        pinned=pinned,
        place=place,
    )
