"""The route that clients call first: how they are to be configured, and what this server has."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from lakemuster.api.iceberg_rest import catalog, planning, tables
from lakemuster.api.iceberg_rest.asking import PREFIX
from lakemuster.api.iceberg_rest.documented import CATALOG
from lakemuster.api.iceberg_rest.loading import CONFIG
from lakemuster.api.native.asking import needs
from lakemuster.errors import WarehouseNotFound
from lakemuster.wire.iceberg_rest.catalog import CatalogConfig

WAREHOUSES = frozenset({"", "lakemuster"})
"""Names of the one warehouse; most clients need give none."""

router = APIRouter(prefix=PREFIX, tags=["iceberg"], dependencies=[needs("read")])


def endpoints(*routers: APIRouter) -> list[str]:
    """What routers serve, as the protocol's document names it: a client believes that there is nothing else."""
    return [
        f"{method} {route.path.replace(PREFIX, '/v1/{prefix}').replace('_', '-')}"
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]


_CONFIG = CatalogConfig(
    defaults={},
    overrides={**CONFIG, "namespace-separator": "%1F"},
    endpoints=endpoints(catalog.router, tables.router, planning.router),
)


@router.get("/config", name="iceberg_get_config", response_model=CatalogConfig, responses=CATALOG)
def get_config(
    warehouse: Annotated[str, Query(description="The one warehouse is `lakemuster`, and may be left out.")] = "",
) -> Response:
    """How to configure a client."""
    if warehouse not in WAREHOUSES:
        raise WarehouseNotFound("there is one warehouse here: leave it out, or name it lakemuster")
    return catalog.answer(_CONFIG)
