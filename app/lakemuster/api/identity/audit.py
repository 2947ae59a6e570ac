"""The audit log: who did what to which table, with which outcome. Each request has one line of JSON.

Lines go to the logger ``lakemuster.audit`` if the server authenticates callers. They contain no token, no query string
and no filter. With ``AUDIT_FILTERS`` they contain the filter that a request names, including its literals.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import orjson
from starlette.types import Scope

from lakemuster.metadata.names import format_name

AUDIT = logging.getLogger("lakemuster.audit")
_MAX_FILTER = 16_384
_MAX_PATH = 200
_PLAN_ID = re.compile(r"(/iceberg/.*/plan/)[^/]+$")
_OUTCOMES = {401: "unauthenticated", 403: "denied", 404: "missing", 429: "limited"}


def log_request(scope: Scope, status: int, *, broken: bool, with_filter: bool) -> None:
    """Write the line of a completed request.

    Args:
        status: 0: the client disconnected before a response.
        broken: whether the response failed after its first byte.
    """
    state, route = scope["state"], scope.get("route")
    line: dict[str, object] = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "logger": AUDIT.name,
        "request_id": state["request_id"],
        "caller": state.get("caller"),
        "peer": state.get("peer"),
        "method": scope["method"][:7],
        "action": getattr(route, "name", None),
        "table": state.get("table") or _table(scope.get("path_params", {})),
        "outcome": "broken" if broken else _outcome(status),
        "status": status,
    }
    if route is None:
        line["path"] = shown_path(scope["path"])
    if with_filter and (found := _filter(scope)) is not None:
        line["filter"] = found
    AUDIT.info(orjson.dumps(line, default=str).decode())


def shown_path(path: str) -> str:
    """Return a path for logs, without a plan's id, which contains the filter."""
    return _PLAN_ID.sub(r"\1{plan-id}", path)[:_MAX_PATH]


def _outcome(status: int) -> str:
    if status == 0:
        return "abandoned"
    if status < 400:
        return "done"
    return _OUTCOMES.get(status, "refused" if status < 500 else "failed")


def _table(names: Mapping[str, Any]) -> str | None:
    """Return the table that a path names, as spelled there, or None."""
    table = names.get("table")
    if not isinstance(table, str):
        return None
    if "database" in names:
        return f"{names['database']}.{table}"
    if "namespace" in names:
        # Below an attached catalog's name, a path names its tables as the catalog does.
        catalog = [names["catalog"]] if "catalog" in names else []
        return format_name([*catalog, *names["namespace"].split("\x1f"), table])
    return table


def _filter(scope: Scope) -> object:
    """Return the filter that a request names, in its query string or its JSON body, or None."""
    found: object = next(iter(parse_qs(scope["query_string"].decode("latin-1")).get("filter", ())), None)
    if found is None:
        try:
            document = orjson.loads(scope["state"].get("body") or b"null")
        except orjson.JSONDecodeError:
            return None
        found = document.get("filter") if isinstance(document, dict) else None
    if found is None or len(orjson.dumps(found)) <= _MAX_FILTER:
        return found
    return "too long to be logged"
