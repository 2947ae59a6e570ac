"""The route that clients call first: how they are to be configured."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from lakemuster.api.native.asking import needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.asking import CATALOG, ROOT
from lakemuster.api.paimon_rest.documented import LISTED
from lakemuster.errors import WarehouseNotFound
from lakemuster.wire.paimon_rest.catalog import Config

WAREHOUSES = frozenset({"", CATALOG})
"""Names of the one warehouse; Java's client need give none, pypaimon must."""

_CONFIG = Config(defaults={}, overrides={"prefix": CATALOG, "data-token.enabled": "false"})

router = APIRouter(prefix=ROOT, tags=["paimon"], dependencies=[needs("read")])


@router.get("/config", name="paimon_get_config", response_model=Config, responses=LISTED)
def get_config(
    warehouse: Annotated[str, Query(description="The one warehouse is `lakemuster`, and may be left out.")] = "",
) -> Response:
    """How to configure a client: the prefix of all other paths, and that files are read with its own credentials."""
    if warehouse not in WAREHOUSES:
        raise WarehouseNotFound("there is one warehouse here: leave it out, or name it lakemuster")
    return answer(_CONFIG)
