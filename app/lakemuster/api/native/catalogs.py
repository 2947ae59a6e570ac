"""Routes of attached catalogs: list them, and list the tables of one now."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.native.dependencies import PREFIX, TheApi, TheCaller, needs
from lakemuster.api.native.responses import CATALOGS, SYNC
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.catalog_documents import catalogs_out, sync_out
from lakemuster.errors import CatalogNotFound
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.catalogs import CatalogsOut, SyncOut

router = APIRouter(prefix=PREFIX, tags=["catalogs"], route_class=TableRoute)


@router.get("/catalogs", response_model=CatalogsOut, responses=CATALOGS, dependencies=[needs("read", parameters=False)])
def list_catalogs(caller: TheCaller, api: TheApi) -> Response:
    """List the attached catalogs of which the caller may see some table."""
    policy = api.identity.policy
    seen = catalogs_out(api.services, lambda levels: policy.sees(caller, levels))
    shown = [found for found in seen if policy.sees_namespace(caller, (found.name,))]
    return Response(dumps(CatalogsOut(catalogs=shown).model_dump(mode="json")), media_type="application/json")


@router.post(
    "/catalogs/{catalog}/sync",
    response_model=SyncOut,
    responses=SYNC,
    dependencies=[needs("refresh", parameters=False)],
)
def sync_catalog(
    caller: TheCaller, api: TheApi, catalog: Annotated[str, Path(description="Name of an attached catalog.")]
) -> Response:
    """List the tables of a catalog now: new ones are registered, and those that it has no longer are removed."""
    policy = api.identity.policy
    # A name that is no catalog's could be a namespace of the server's own tables, which the caller may see in part.
    if catalog not in api.services.refresher.upstreams or not policy.sees_namespace(caller, (catalog,)):
        raise CatalogNotFound(f"no catalog {catalog[:200]} is attached")
    policy.require_all(caller, "refresh", (catalog,))
    return Response(dumps(sync_out(api.services, catalog).model_dump(mode="json")), media_type="application/json")
