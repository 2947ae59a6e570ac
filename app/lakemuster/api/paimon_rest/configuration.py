"""The configuration route, which clients call first."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from lakemuster.api.native.dependencies import api_of, needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import CATALOG, ROOT
from lakemuster.api.paimon_rest.responses import CONFIG
from lakemuster.api.warehouses import require_warehouse
from lakemuster.wire.paimon_rest.catalog import Config

_CONFIG = Config(defaults={}, overrides={"prefix": CATALOG, "data-token.enabled": "false"})

router = APIRouter(prefix=ROOT, tags=["paimon"], dependencies=[needs("read")])


@router.get("/config", name="paimon_get_config", response_model=Config, responses=CONFIG)
def get_config(
    request: Request,
    warehouse: Annotated[
        str,
        Query(
            description="Name of the warehouse. May be absent; any name is accepted unless the setting WAREHOUSE "
            "is set."
        ),
    ] = "",
) -> Response:
    """Return the client configuration: the prefix of all other paths, and that clients use their own credentials."""
    require_warehouse(warehouse, api_of(request).services.settings.warehouse)
    return answer(_CONFIG)
