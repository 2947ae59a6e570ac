"""JSON responses of the Paimon REST catalog."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from starlette.responses import Response

from lakemuster.wire.paimon_rest.catalog import RestModel


def answer(document: RestModel, headers: Mapping[str, str] | None = None) -> Response:
    """Return the JSON response for a protocol document."""
    body = orjson.dumps(document.model_dump(mode="json", by_alias=True))
    return Response(body, media_type="application/json", headers=dict(headers or {}))
