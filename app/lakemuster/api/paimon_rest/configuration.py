"""The route that clients call first: how they are to be configured."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from lakemuster.api.native.asking import needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.asking import CATALOG, ROOT
from lakemuster.api.paimon_rest.documented import CONFIG
from lakemuster.wire.paimon_rest.catalog import Config

_CONFIG = Config(defaults={}, overrides={"prefix": CATALOG, "data-token.enabled": "false"})

router = APIRouter(prefix=ROOT, tags=["paimon"], dependencies=[needs("read")])


@router.get("/config", name="paimon_get_config", response_model=Config, responses=CONFIG)
def get_config(
    _: Annotated[
        str, Query(alias="warehouse", description="Not looked at: there is one warehouse. pypaimon demands some name.")
    ] = "",
) -> Response:
    """How to configure a client: the prefix of all other paths, and that files are read with its own credentials."""
    return answer(_CONFIG)
