"""Routes of attached catalogs: list them, and list the tables of one now."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, PagedQuery, TheApi, TheCaller, needs
from lakemuster.api.native.responses import LIST_OF_TABLES, SYNC
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.catalog_documents import catalogs_out, sync_out
from lakemuster.catalog.listings import DocumentListing, in_order
from lakemuster.errors import CatalogNotFound
from lakemuster.wire.documents import CATALOGS, dumps
from lakemuster.wire.native.catalogs import SyncOut
from lakemuster.wire.native.pages import CatalogsPage

router = APIRouter(prefix=PREFIX, tags=["catalogs"], route_class=TableRoute)


@router.get("/catalogs", response_model=CatalogsPage, responses=LIST_OF_TABLES, dependencies=[needs("read")])
def list_catalogs(caller: TheCaller, api: TheApi, query: PagedQuery, request: Request) -> Response:
    """List the attached catalogs of which the caller may see some table."""
    policy = api.identity.policy
    seen = catalogs_out(api.services, lambda levels: policy.sees(caller, levels))
    shown = [found for found in seen if policy.sees_namespace(caller, (found.name,))]
    listing = DocumentListing(CATALOGS, shown, lambda one: (one.name,), lambda one: one.model_dump(mode="json"))
    return listing_answer(ListRequest(request, api, "catalogs", query), in_order(listing, query.order), stale=None)


@router.post(
    "/catalogs/{catalog}/sync",
    response_model=SyncOut,
    responses=SYNC,
    # A catalog that the caller may not see is not found, even if it has the role for no table.
    dependencies=[needs("read", parameters=False)],
)
def sync_catalog(
    caller: TheCaller, api: TheApi, catalog: Annotated[str, Path(description="Name of an attached catalog.")]
) -> Response:
    """List the tables of a catalog now: new ones are registered, and those that it no longer has are removed."""
    policy = api.identity.policy
    # A name that is not a catalog's could be a namespace of the server's own tables, which the caller may see in part.
    if catalog not in api.services.refresher.upstreams or not policy.sees_namespace(caller, (catalog,)):
        raise CatalogNotFound(f"no catalog {catalog[:200]} is attached")
    policy.require_all(caller, "refresh", (catalog,))
    return Response(dumps(sync_out(api.services, catalog).model_dump(mode="json")), media_type="application/json")
