"""The protocol's routes for tables of attached catalogs, below the catalog's name, which clients use as their prefix.

Lakemuster plans scans for all catalogs. The sidecar forwards other requests to a REST catalog, so they do not reach
these routes. Tables of other catalogs are served here, read-only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute

from lakemuster.api.iceberg_rest import catalog as own_catalog
from lakemuster.api.iceberg_rest import planning, tables, unsupported
from lakemuster.api.iceberg_rest.dependencies import PREFIX, TheReadCatalog, the_catalog
from lakemuster.api.native.dependencies import needs
from lakemuster.errors import OperationUnsupported


async def refuse(catalog: TheReadCatalog) -> None:
    """Fail: the catalog is only read."""
    raise OperationUnsupported(
        f"the catalog {catalog} is only read here: change its tables through that catalog itself", catalog=catalog
    )


def _of_catalogs(router: APIRouter, endpoint: Callable[..., Any] | None = None) -> APIRouter:
    """Return a copy of a router for attached catalogs.

    Args:
        endpoint: handles all routes; None for the original endpoints.
    """
    copy = APIRouter(tags=["iceberg"], dependencies=[needs("read")], route_class=router.route_class)
    for route in router.routes:
        assert isinstance(route, APIRoute)
        copy.add_api_route(
            route.path.replace(PREFIX, f"{PREFIX}/{{catalog}}"),
            endpoint or route.endpoint,
            methods=list(route.methods or ()),
            name=f"{route.name}_of_catalog",
            summary=route.summary,
            description=route.description,
            status_code=route.status_code,
            response_model=route.response_model,
            response_model_exclude_none=route.response_model_exclude_none,
            responses=route.responses,
            dependencies=[*route.dependencies[1:], Depends(the_catalog)],
            include_in_schema=endpoint is None,
        )
    return copy


planning_router = _of_catalogs(planning.router)
routers = (_of_catalogs(own_catalog.router), _of_catalogs(tables.router), _of_catalogs(unsupported.router, refuse))
