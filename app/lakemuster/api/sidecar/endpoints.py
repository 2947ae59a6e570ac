"""The prerequisites of a request to a catalog: its endpoint, and the headers of this server's principal."""

from __future__ import annotations

from collections.abc import Mapping

from lakemuster.api.threads import run_for
from lakemuster.upstream.rest import Endpoint, RestCatalog


async def own_authorization(catalog: RestCatalog) -> Mapping[str, str]:
    """Return the headers that authenticate this server's principal. Raises: UpstreamFailed."""
    if catalog.tokens.is_known:
        return catalog.authorization()
    return await run_for(f"catalog {catalog.name}", catalog.authorization)


async def endpoint_of(catalog: RestCatalog) -> Endpoint:
    """Return a catalog's endpoint. Raises: UpstreamFailed."""
    known = catalog.known_endpoint
    return await run_for(f"catalog {catalog.name}", catalog.endpoint) if known is None else known
