"""The error for a missing or hidden table over HTTP; it suggests tables that the caller and the protocol can see."""

from __future__ import annotations

from fastapi import Request

from lakemuster.api.native.dependencies import api_of, caller_of
from lakemuster.api.sidecar.requests import STATE as SIDECAR
from lakemuster.catalog.missing_tables import not_registered, without_suggestions
from lakemuster.errors import TableNotFound
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import Format

_PROTOCOLS: dict[str, tuple[Format, str | None]] = {"/iceberg/": ("iceberg", None), "/paimon/": ("paimon", "$")}
"""By path prefix: the format of the tables that the protocol shows, and the character that marks names of system tables
in it; other paths show all tables."""


def table_not_found(request: Request, error: TableNotFound) -> TableNotFound:
    """Return the error to send: without context, and the same whether the table is hidden or missing.

    Args:
        error: as raised; its context has the table's name if the request named one.
    """
    name = error.context.get("table")
    if not isinstance(name, str):
        return TableNotFound(error.message)
    found = getattr(request.state, SIDECAR, None)
    # Only the catalog knows which other tables are visible to a caller that it authenticates.
    if request.method == "HEAD" or (found is not None and found.is_forwarded):
        return without_suggestions(name)
    api, caller, path = api_of(request), caller_of(request), request.scope["path"]
    shown, mark = next((own for prefix, own in _PROTOCOLS.items() if path.startswith(prefix)), (None, None))

    def is_visible(levels: Levels) -> bool:
        is_shown = shown is None or (len(levels) > 1 and (mark is None or mark not in levels[-1]))
        return is_shown and api.identity.policy.sees(caller, levels)

    return not_registered(api.services, name, format=shown, is_visible=is_visible)
