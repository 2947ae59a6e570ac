"""Change the responses of a catalog that would lead a client past this server, or show a caller what it may not see.

Only the members named here are changed: all others keep their text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lakemuster.metadata.names import Levels
from lakemuster.upstream.json_members import JsonObject, NotAnObject

PLANNING_MODE = "scan-planning-mode"
_OF_CREDENTIALS: Mapping[str, object] = {"storage-credentials": [], "remote-signing-config": None}
"""Members of a load-table response that give access to storage, or to its signer, and their values without it."""
_ELSEWHERE = frozenset({"uri", "prefix", "warehouse"})
"""Properties by which a catalog's configuration directs clients to the catalog."""
_OF_A_SESSION = frozenset({"token", "credential", "oauth2-server-uri", "header.authorization"})
"""Properties that authenticate at the catalog; those of this server's principal are not for the caller."""
_OF_STORAGE = re.compile(r"secret|token|credential|(access|account|shared)[.-]?key|sas|password|connection[.-]?string")
"""Names of properties that give access to storage, or to its signer."""
_SIGNING = ("s3.signer", "s3.remote-signing", "signer.")
_SIGNERS = (("signer.uri", "signer.endpoint"), ("s3.signer.uri", "s3.signer.endpoint"))
"""Properties with the base URI and the path of a signer; the former names are those of S3 only, and older."""
_NEXT_PAGE = "next-page-token"
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
"""The endpoints that clients assume of a catalog with no or an empty list; views are added if its properties say so."""
_LEGACY_VIEWS = (
    "GET /v1/{prefix}/namespaces/{namespace}/views",
    "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "POST /v1/{prefix}/namespaces/{namespace}/views",
    "POST /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "POST /v1/{prefix}/views/rename",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a catalog's response body.

    Attributes:
        form: identifies the change among those of the same response; part of ETags. None: the response has no ETag.
        apply: returns the changed text. Raises ``NotAnObject``: the text violates the protocol.
    """

    form: str | None
    apply: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Shown:
    """The choice of the catalog's session and storage properties that a response to the caller includes.

    Attributes:
        session: whether it includes those that authenticate at the catalog: the caller used its own principal.
        storage: whether it includes those that give access to the storage's files.
    """

    session: bool = True
    storage: bool = True

    def of(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Return the properties that are shown."""
        return {name: value for name, value in properties.items() if self._has(name)}

    def _has(self, name: str) -> bool:
        name = name.lower()
        if not self.session and name in _OF_A_SESSION:
            return False
        return self.storage or (_OF_STORAGE.search(name) is None and not name.startswith(_SIGNING))


ALL = Shown()


def config(text: bytes, catalog: str, planning: tuple[str, ...], shown: Shown = ALL) -> bytes:
    """Return a catalog's configuration, changed so that clients use this server, and plan here.

    Args:
        planning: the endpoints of planning, as the protocol names them.

    Raises:
        NotAnObject: the text is not a configuration.
    """
    given = JsonObject(text)
    defaults, overrides = shown.of(_properties(given, "defaults")), shown.of(_properties(given, "overrides"))
    for properties in (defaults, overrides):
        for name in _ELSEWHERE | {PLANNING_MODE}:
            properties.pop(name, None)
    endpoints = given.get("endpoints")
    has_views = str({**defaults, **overrides}.get("view-endpoints-supported", "")).lower() == "true"
    assumed = [*_LEGACY_ENDPOINTS, *(_LEGACY_VIEWS if has_views else ())]
    listed = list(endpoints) if isinstance(endpoints, list) and endpoints else assumed
    return given.with_members(
        {
            "defaults": {**defaults, PLANNING_MODE: "server"},
            "overrides": {**overrides, "prefix": catalog},
            "endpoints": [*listed, *(endpoint for endpoint in planning if endpoint not in listed)],
        },
    )


@dataclass(frozen=True, slots=True)
class Signer:
    """The catalog's endpoint that signs clients' requests to storage (remote signing), and its path here.

    Attributes:
        base: URL of the catalog.
        theirs, ours: prefixes of the signer's path at the catalog, and here.
    """

    base: str
    theirs: str
    ours: str

    def of(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Return properties that name the signer by its path here; unchanged if the signer is not at the catalog.

        Without a URI, the path is relative to the URI of the catalog, which for clients is this server.
        """
        found = dict(properties)
        for uri_name, path_name in _SIGNERS:
            uri, path = found.get(uri_name), str(found.get(path_name, "")).removeprefix("/")
            is_there = uri is None or urlsplit(str(uri))[:2] == urlsplit(self.base)[:2]
            if is_there and path.startswith(self.theirs):
                found.pop(uri_name, None)
                found[path_name] = self.ours + path.removeprefix(self.theirs)
        return found


def table(text: bytes, mode: str | None = None, shown: Shown = ALL, signer: Signer | None = None) -> bytes:
    """Return a load-table response with our planning mode in place of the catalog's; the same text if nothing changes.

    Args:
        mode: ``client`` for a table that is not planned here; None: the mode of the configuration applies.

    Raises:
        NotAnObject: the text is not a load-table response.
    """
    given = JsonObject(text)
    before = _properties(given, "config")
    after = {name: value for name, value in shown.of(before).items() if name != PLANNING_MODE}
    after = after if mode is None else {**after, PLANNING_MODE: mode}
    after = after if signer is None else signer.of(after)
    changes: dict[str, object] = {} if after == before else {"config": after}
    if not shown.storage:
        changes |= {name: none for name, none in _OF_CREDENTIALS.items() if given.get(name)}
    return given.with_members(changes) if changes else text


def listing(
    text: bytes,
    shows_namespace: Callable[[Levels], bool],
    shows: Callable[[Levels], bool],
    seal: Callable[[str], str],
) -> bytes:
    """Return a page of namespaces, tables or views with only those that a caller may see.

    Args:
        seal: encrypts the token of the next page.

    Raises:
        NotAnObject: the text is not such a page.
    """
    given, changes = JsonObject(text), dict[str, object]()
    try:
        for namespaces in _items(given, "namespaces"):
            changes["namespaces"] = [levels for levels in namespaces if shows_namespace(tuple(levels))]
        for identifiers in _items(given, "identifiers"):
            changes["identifiers"] = [one for one in identifiers if shows((*one["namespace"], one["name"]))]
    except (KeyError, TypeError):
        raise NotAnObject("the page does not follow the protocol") from None
    if token := given.get(_NEXT_PAGE):
        changes[_NEXT_PAGE] = seal(str(token))
    return given.with_members(changes)


def _items(given: JsonObject, name: str) -> list[list[Any]]:
    """Return the member of that name in a list of its own; an empty list if it is absent or not a list."""
    found = given.get(name)
    return [found] if isinstance(found, list) else []


def _properties(given: JsonObject, name: str) -> dict[str, Any]:
    found = given.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise NotAnObject(f"{name} is not an object")
    return found
