"""The answers of a catalog that would lead a client past this server, or show a caller what it may not see.

Only the members named here are changed: all others keep their text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lakemuster.metadata.names import Levels
from lakemuster.upstream.json_members import JsonObject, NotAnObject

PLANNING_MODE = "scan-planning-mode"
_CREDENTIALS = "storage-credentials"
_ELSEWHERE = frozenset({"uri", "prefix", "warehouse"})
"""Properties by which a catalog's configuration leads clients to itself."""
_OF_A_SESSION = frozenset({"token", "credential", "oauth2-server-uri"})
"""Properties by which a catalog signs in who asked: with this server's principal they are not the caller's."""
_OF_STORAGE = re.compile(r"secret|token|credential|access-key|account-key|shared-key|sas|password|connection-string")
"""Names of properties that give access to storage, or to its signer."""
_SIGNING = ("s3.signer", "s3.remote-signing")
_SIGNER_URI, _SIGNER_PATH = "s3.signer.uri", "s3.signer.endpoint"
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


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a catalog's response body.

    Attributes:
        form: tells this change from others of the same answer; ETags hold it.
        apply: gives the changed text. Raises ``NotAnObject``: the text is not what the protocol says.
    """

    form: str
    apply: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Shown:
    """Which of the catalog's session and storage properties a response to the caller includes.

    Attributes:
        session: what signs in there: true if the caller did ask, with its own principal.
        storage: what opens the storage's files.
    """

    session: bool = True
    storage: bool = True

    def of(self, properties: dict[str, Any]) -> dict[str, Any]:
        """The properties that are shown."""
        return {name: value for name, value in properties.items() if self._has(name)}

    def _has(self, name: str) -> bool:
        if not self.session and name in _OF_A_SESSION:
            return False
        return self.storage or (_OF_STORAGE.search(name.lower()) is None and not name.startswith(_SIGNING))


ALL = Shown()


def config(text: bytes, catalog: str, planning: tuple[str, ...], shown: Shown = ALL) -> bytes:
    """A catalog's configuration, in which clients stay with this server and plan here.

    Args:
        planning: the endpoints of planning, as the protocol names them.

    Raises:
        NotAnObject: it is no configuration.
    """
    given = JsonObject(text)
    defaults, overrides = shown.of(_properties(given, "defaults")), shown.of(_properties(given, "overrides"))
    for properties in (defaults, overrides):
        for name in _ELSEWHERE | {PLANNING_MODE}:
            properties.pop(name, None)
    endpoints = given.get("endpoints")
    has_views = str({**defaults, **overrides}.get("view-endpoints-supported", "")).lower() == "true"
    assumed = [*_LEGACY_ENDPOINTS, *(_LEGACY_VIEWS if has_views else ())]
    listed = list(endpoints) if isinstance(endpoints, list) else assumed
    return given.with_members(
        {
            "defaults": {**defaults, PLANNING_MODE: "server"},
            "overrides": {**overrides, "prefix": catalog},
            "endpoints": [*listed, *(endpoint for endpoint in planning if endpoint not in listed)],
        },
    )


@dataclass(frozen=True, slots=True)
class Signer:
    """Where clients have their requests to storage signed, if the catalog signs them itself.

    Attributes:
        base: URL of the catalog.
        theirs, ours: how paths of its signer begin there, and here.
    """

    base: str
    theirs: str
    ours: str

    def of(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Properties that lead to the signer through this server; the same if the signer is elsewhere."""
        uri, path = properties.get(_SIGNER_URI), str(properties.get(_SIGNER_PATH, ""))
        if uri is None or urlsplit(str(uri))[:2] != urlsplit(self.base)[:2] or not path.startswith(self.theirs):
            return properties
        others = {name: value for name, value in properties.items() if name != _SIGNER_URI}
        return {**others, _SIGNER_PATH: self.ours + path.removeprefix(self.theirs)}


def table(text: bytes, mode: str | None = None, shown: Shown = ALL, signer: Signer | None = None) -> bytes:
    """A load-table answer with our planning mode in place of the catalog's; the same text if nothing is to be changed.

    Args:
        mode: ``client`` for a table that is not planned here; None: what the configuration says holds.

    Raises:
        NotAnObject: it is no load-table answer.
    """
    given = JsonObject(text)
    before = _properties(given, "config")
    after = {name: value for name, value in shown.of(before).items() if name != PLANNING_MODE}
    after = after if mode is None else {**after, PLANNING_MODE: mode}
    after = after if signer is None else signer.of(after)
    changes: dict[str, object] = {} if after == before else {"config": after}
    if not shown.storage and given.get(_CREDENTIALS):
        changes[_CREDENTIALS] = []
    return given.with_members(changes) if changes else text


def listing(text: bytes, shows_namespace: Callable[[Levels], bool], shows: Callable[[Levels], bool]) -> bytes:
    """A page of namespaces, tables or views with what a caller may see.

    Raises:
        NotAnObject: it is no such page.
    """
    given, changes = JsonObject(text), dict[str, object]()
    try:
        for namespaces in _items(given, "namespaces"):
            changes["namespaces"] = [levels for levels in namespaces if shows_namespace(tuple(levels))]
        for identifiers in _items(given, "identifiers"):
            changes["identifiers"] = [one for one in identifiers if shows((*one["namespace"], one["name"]))]
    except (KeyError, TypeError):
        raise NotAnObject("the page is not what the protocol says") from None
    return given.with_members(changes)


def _items(given: JsonObject, name: str) -> list[list[Any]]:
    """The list of that name, if there is one."""
    found = given.get(name)
    return [found] if isinstance(found, list) else []


def _properties(given: JsonObject, name: str) -> dict[str, Any]:
    found = given.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise NotAnObject(f"{name} is no object")
    return found
