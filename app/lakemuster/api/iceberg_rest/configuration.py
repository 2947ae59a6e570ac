"""The configuration route, which clients call first: it returns properties and the supported endpoints."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from lakemuster.api.iceberg_rest import catalog, planning, tables
from lakemuster.api.iceberg_rest.dependencies import PREFIX, is_read_here
from lakemuster.api.iceberg_rest.responses import CATALOG
from lakemuster.api.native.dependencies import api_of, needs
from lakemuster.api.warehouses import iceberg_warehouse, require_warehouse
from lakemuster.wire.iceberg_rest.catalog import CatalogConfig

router = APIRouter(prefix=PREFIX, tags=["iceberg"], dependencies=[needs("read")])


def endpoints(*routers: APIRouter) -> list[str]:
    """Return the endpoints of routers, in the protocol's form; clients use only these."""
    return [
        f"{method} {route.path.replace(PREFIX, '/v1/{prefix}').replace('_', '-')}"
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]


_CONFIG = CatalogConfig(
    # A default, not an override: a user may set scan-planning-mode=client.
    defaults={"scan-planning-mode": "server"},
    overrides={"namespace-separator": "%1F"},
    endpoints=endpoints(catalog.router, tables.router, planning.router),
)


@router.get("/config", name="iceberg_get_config", response_model=CatalogConfig, responses=CATALOG)
def get_config(
    request: Request,
    warehouse: Annotated[
        str,
        Query(
            description="Name of the warehouse, or of an attached catalog. May be absent; any name is accepted "
            "if the setting WAREHOUSE is not set and no catalog is attached."
        ),
    ] = "",
) -> Response:
    """Return the client configuration: the server plans scans unless the client sets `scan-planning-mode=client`."""
    api = api_of(request)
    overrides = dict(_CONFIG.overrides)
    if is_read_here(request, warehouse):
        overrides["prefix"] = warehouse
    else:
        require_warehouse(warehouse, iceberg_warehouse(api.services.settings))
    defaults = dict(_CONFIG.defaults)
    if (endpoint := api.identity.token_endpoint) is not None:
        defaults["oauth2-server-uri"] = endpoint
    return catalog.answer(_CONFIG.model_copy(update={"defaults": defaults, "overrides": overrides}))
