"""The answers of a catalog that would lead a client past this server, or show a caller what it may not see.

Only the members named here are changed: all others keep their text.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

from lakemuster.metadata.names import Levels
from lakemuster.upstream.json_members import NotAnObject, member, with_members

PLANNING_MODE = "scan-planning-mode"
_ELSEWHERE = frozenset({"uri", "prefix", "warehouse"})
"""Properties by which a catalog's configuration leads clients to itself."""
_ETAG = '"lakemuster-'
_LEGACY_ENDPOINTS = (
    "GET /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "POST /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces/{namespace}/properties",
    "DELETE /v1/{prefix}/namespaces/{namespace}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/tables/rename",
    "POST /v1/{prefix}/namespaces/{namespace}/register",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics",
    "POST /v1/{prefix}/transactions/commit",
)
"""The endpoints that clients assume of a catalog that lists none; those of views, if it says that it has them."""
_LEGACY_VIEWS = (
    "GET /v1/{prefix}/namespaces/{namespace}/views",
    "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "POST /v1/{prefix}/namespaces/{namespace}/views",
    "POST /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "POST /v1/{prefix}/views/rename",
)


def config(text: bytes, catalog: str, planning: tuple[str, ...]) -> bytes:
    """A catalog's configuration, in which clients stay with this server and plan here.

    Args:
        planning: the endpoints of planning, as the protocol names them.

    Raises:
        NotAnObject: it is no configuration.
    """
    defaults, overrides = _properties(text, "defaults"), _properties(text, "overrides")
    for properties in (defaults, overrides):
        for name in _ELSEWHERE | {PLANNING_MODE}:
            properties.pop(name, None)
    endpoints = member(text, "endpoints")
    has_views = str({**defaults, **overrides}.get("view-endpoints-supported", "")).lower() == "true"
    assumed = [*_LEGACY_ENDPOINTS, *(_LEGACY_VIEWS if has_views else ())]
    listed = list(endpoints) if isinstance(endpoints, list) else assumed
    return with_members(
        text,
        {
            "defaults": {**defaults, PLANNING_MODE: "server"},
            "overrides": {**overrides, "prefix": catalog},
            "endpoints": [*listed, *(endpoint for endpoint in planning if endpoint not in listed)],
        },
    )


def table(text: bytes, mode: str | None = None) -> bytes:
    """A load-table answer with our planning mode in place of the catalog's; the same text if there is none.

    Args:
        mode: ``client`` for a table that is not planned here; None: what the configuration says holds.

    Raises:
        NotAnObject: it is no load-table answer.
    """
    properties = _properties(text, "config")
    if properties.get(PLANNING_MODE) == mode:
        return text
    properties.pop(PLANNING_MODE, None)
    return with_members(text, {"config": properties if mode is None else {**properties, PLANNING_MODE: mode}})


def listing(text: bytes, shows_namespace: Callable[[Levels], bool], shows: Callable[[Levels], bool]) -> bytes:
    """A page of namespaces, tables or views with what a caller may see.

    Raises:
        NotAnObject: it is no such page.
    """
    changes: dict[str, object] = {}
    try:
        for namespaces in _items(text, "namespaces"):
            changes["namespaces"] = [levels for levels in namespaces if shows_namespace(tuple(levels))]
        for identifiers in _items(text, "identifiers"):
            changes["identifiers"] = [one for one in identifiers if shows((*one["namespace"], one["name"]))]
    except (KeyError, TypeError):
        raise NotAnObject("the page is not what the protocol says") from None
    return with_members(text, changes)


def _items(text: bytes, name: str) -> list[list[Any]]:
    """The list of that name, if there is one."""
    found = member(text, name)
    return [found] if isinstance(found, list) else []


def own_etag(theirs: str) -> str:
    """The ETag of a changed answer, which holds the catalog's."""
    return f'{_ETAG}{urlsafe_b64encode(theirs.encode("latin-1")).decode()}"'


def is_own_etag(given: str) -> bool:
    """Whether a header ``If-None-Match`` has an ETag of a changed answer."""
    return _ETAG in given


def their_etags(given: str) -> str:
    """A header ``If-None-Match`` for the catalog: its own ETags in place of those of changed answers."""
    return ", ".join(map(_theirs, given.split(",")))


def _theirs(etag: str) -> str:
    etag = etag.strip()
    if not etag.startswith(_ETAG):
        return etag
    try:
        return urlsafe_b64decode(etag.removeprefix(_ETAG).removesuffix('"')).decode("latin-1")
    except ValueError:
        return etag


def _properties(text: bytes, name: str) -> dict[str, Any]:
    found = member(text, name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise NotAnObject(f"{name} is no object")
    return found
