"""The same routes for the tables of attached catalogs, below the catalog's name, which clients have as their prefix.

Plans are ours for every catalog. The tables of a REST catalog are read there: the sidecar passes such requests on, and
they do not come here. Those of other catalogs are read here, and their catalog is not written to.
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
    """The routes of a router for attached catalogs.

    Args:
        endpoint: answers all of them; None: the same as before.
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
