"""A small Paimon REST catalog with faults that tests choose. It has names, paths and newest snapshots, but no files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote_plus, urlsplit

from lakemuster.metadata.names import Levels
from tests.loopback_http import listening

PREFIX = "lake one"
TOKEN = "paimon-token"


@dataclass
class PaimonTable:
    """A table.

    Attributes:
        newest: the id of its newest snapshot; None if there is none.
        type: the option ``type``.
    """

    path: str
    newest: int | None = None
    type: str = "table"


@dataclass
class FakePaimonRest:
    """The catalog's tables by database and name, and the requested paths.

    Attributes:
        fault: returns a status and a document for a path in place of the catalog's response, or None.
        page: the number of names on a page.
    """

    uri: str = ""
    tables: dict[Levels, PaimonTable] = field(default_factory=dict)
    fault: Callable[[str], tuple[int, object] | None] = lambda _: None
    page: int = 2
    asked: list[str] = field(default_factory=list)

    def reply(self, target: str, authorization: str) -> tuple[int, object]:
        """Return the status and the document of a response."""
        self.asked.append(target)
        parts = urlsplit(target)
        if (found := self.fault(parts.path)) is not None:
            return found
        if authorization != f"Bearer {TOKEN}":
            return 401, _error(None, 401)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        segments = [unquote_plus(segment) for segment in parts.path.split("/")[2:]]
        if segments == ["config"]:
            return 200, {"defaults": {"prefix": "other"}, "overrides": {"prefix": PREFIX}}
        if segments[0] != PREFIX:
            return 404, _error(None, 404)
        return self._of_catalog(segments[1:], asked)

    def _of_catalog(self, segments: list[str], asked: dict[str, str]) -> tuple[int, object]:
        databases = sorted({database for database, _ in self.tables})
        if segments == ["databases"]:
            return 200, self._paged("databases", databases, asked)
        if segments[1] not in databases:
            return 404, _error("DATABASE", 404)
        if len(segments) == 3:
            kind = asked.get("tableType")
            members = {name: table for (database, name), table in self.tables.items() if database == segments[1]}
            names = sorted(name for name, table in members.items() if kind in {None, table.type})
            return 200, self._paged("tables", names, asked)
        table = self.tables.get((segments[1], segments[3]))
        if table is None:
            return 404, _error("TABLE", 404)
        if segments[4:] == ["snapshot"]:
            found = {"snapshot": {"snapshot": {"id": table.newest, "schemaId": 0}, "recordCount": 1}}
            return (404, _error("SNAPSHOT", 404)) if table.newest is None else (200, found)
        document = {"id": "u", "name": segments[3], "path": table.path, "schemaId": 0}
        return 200, {**document, "schema": {"fields": [], "options": {"type": table.type}}}

    def _paged(self, name: str, items: list[str], asked: dict[str, str]) -> dict[str, object]:
        start = int(asked.get("pageToken", "0"))
        end = start + self.page
        return {name: items[start:end], "nextPageToken": str(end) if end < len(items) else None}


def _error(kind: str | None, code: int) -> dict[str, object]:
    return {"resourceType": kind, "resourceName": "x", "message": "planted", "code": code}


@contextmanager
def fake_paimon_rest() -> Iterator[FakePaimonRest]:
    """Run a catalog on 127.0.0.1."""
    catalog = FakePaimonRest()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, document = catalog.reply(self.path, self.headers.get("authorization", ""))
            text = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    with listening(Handler) as port:
        catalog.uri = f"http://127.0.0.1:{port}"
        yield catalog
