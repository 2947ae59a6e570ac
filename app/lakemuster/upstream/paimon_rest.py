"""A Paimon REST catalog: its tables, their locations, and the ids of their newest snapshots.

Source: Paimon's REST API (``RESTApi``, ``ResourcePaths``), pypaimon's client.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import quote_plus

import orjson

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import NamespaceNotFound, SnapshotNotFound, TableNotFound
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import Format
from lakemuster.upstream.http_upstream import HttpUpstream

CONFIG_SECONDS = 300.0
"""Age at which a catalog's configuration is requested again."""
PAGE = "1000"
"""Requested number of items of a page."""
_OWN_TYPES = frozenset({"table", "materialized-table"})
"""Values of the table option ``type`` that mark tables with Paimon metadata."""
_MISSING = {"DATABASE": NamespaceNotFound, "TABLE": TableNotFound, "SNAPSHOT": SnapshotNotFound}


class PaimonRestCatalog(HttpUpstream):
    """One attached Paimon REST catalog: its databases are namespaces of one level."""

    format: ClassVar[Format] = "paimon"

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        self._signed_in = dict(self.headers)
        if (token := settings.properties.get("token")) is not None:
            self._signed_in["Authorization"] = f"Bearer {token}"
        self._base: tuple[str, float] | None = None
        self._lock = threading.Lock()

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        found = self._table(levels)
        schema = found.get("schema")
        options = schema.get("options") if isinstance(schema, dict) else None
        kind = options.get("type") if isinstance(options, dict) else None
        if kind is not None and not isinstance(kind, str):
            raise self._failed("a table's type does not follow the protocol")
        if kind is not None and kind not in _OWN_TYPES:
            raise self._no_table(levels)
        path = found.get("path")
        if not isinstance(path, str) or not path:
            raise self._failed("a table has no path")
        return path.rstrip("/")

    def newest_snapshot(self, levels: Levels) -> int | None:
        """See :meth:`Upstream.newest_snapshot`; 0: the table has no snapshot."""
        try:
            found = self._get(f"{self._path(levels)}/snapshot")
            number = found["snapshot"]["snapshot"]["id"]
        except SnapshotNotFound:
            return 0
        except NamespaceNotFound as error:
            raise self._no_table(levels) from error
        except (KeyError, TypeError):
            raise self._failed("a snapshot does not follow the protocol") from None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number < 2**63:
            raise self._failed("a snapshot has no id")
        return number

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        for database in self._names("databases", "databases", {}):
            # A database that is dropped meanwhile has no tables.
            with suppress(NamespaceNotFound):
                for name in self._names(f"databases/{_segment(database)}/tables", "tables", {"tableType": "table"}):
                    yield database, name

    def _table(self, levels: Levels) -> Mapping[str, Any]:
        try:
            return self._get(self._path(levels))
        except (NamespaceNotFound, TableNotFound) as error:
            raise self._no_table(levels) from error

    def _path(self, levels: Levels) -> str:
        # A name with "$" denotes a branch or a system table.
        if len(levels) != 2 or "$" in levels[1]:
            raise self._no_table(levels)
        return f"databases/{_segment(levels[0])}/tables/{_segment(levels[1])}"

    def _names(self, path: str, name: str, asked: Mapping[str, str]) -> Iterator[str]:
        def page(token: str) -> tuple[list[str], str]:
            found = self._get(path, {**asked, "maxResults": PAGE, **({"pageToken": token} if token else {})})
            names, following = found.get(name, False), found.get("nextPageToken") or ""
            if names is None:
                names = []
            if not isinstance(names, list) or not isinstance(following, str):
                raise self._failed("a list does not follow the protocol")
            if not all(isinstance(one, str) and one for one in names):
                raise self._failed("a list has an item that is not a name")
            return names, following

        return self._pages(page)

    def _get(self, path: str, parameters: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        return self._object(f"{self._prefixed()}/{path}", parameters or {})

    def _prefixed(self) -> str:
        """Return the catalog's URL with the prefix of its configuration."""
        known = self._base
        if known is not None and self._clock.monotonic() < known[1]:
            return known[0]
        properties = self.settings.properties
        base = f"{properties['uri'].rstrip('/')}/v1"
        config = self._object(f"{base}/config", {"warehouse": properties["warehouse"]})
        try:
            said = {**(config.get("defaults") or {}), **properties, **(config.get("overrides") or {})}
        except TypeError:
            raise self._failed("its configuration does not follow the protocol") from None
        prefix = str(said.get("prefix") or "")
        found = f"{base}/{_segment(prefix)}" if prefix else base
        with self._lock:
            self._base = found, self._clock.monotonic() + CONFIG_SECONDS
        return found

    def _object(self, url: str, parameters: Mapping[str, str]) -> Mapping[str, Any]:
        answer = self._request(lambda: self._answer(url, parameters, self._signed_in))
        try:
            found = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            found = None
        if answer.status == 200 and isinstance(found, dict):
            return found
        kind = found.get("resourceType") if isinstance(found, dict) else None
        if answer.status == 404 and kind in _MISSING:
            raise _MISSING[kind](f"the catalog {self.name} has no such {kind.lower()}", catalog=self.name)
        if answer.status == 200:
            raise self._failed("its answer does not follow the protocol")
        raise self._failed(f"it answers with status {answer.status}")


def _segment(name: str) -> str:
    """Return a name as a path segment, encoded as the protocol's clients do."""
    return quote_plus(name, safe="*").replace("~", "%7E")
