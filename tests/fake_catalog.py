"""A small Iceberg REST catalog with faults that tests choose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

from lakemuster.metadata.names import Levels
from tests.loopback_http import listening


@dataclass(frozen=True)
class Asked:
    """A request to the catalog."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str | None:
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme == "Bearer" else None


@dataclass(frozen=True)
class Reply:
    """A response.

    Attributes:
        breaks: where the connection is closed: "before" any byte of the response, or "within" its body.
    """

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: str = ""


def error(status: int, kind: str) -> Reply:
    return Reply(status, {"error": {"message": "planted", "type": kind, "code": status}})


@dataclass
class FakeCatalog:
    """The catalog's tables, rights and recorded requests.

    Attributes:
        tables: locations of current metadata, by levels.
        rights: the tables that each token may load; None: no token is required.
        unauthorized: the status for a token without rights.
        config: the response to ``/v1/config``.
        fault: returns a response in place of the catalog's, or None.
        etags: ETags of tables; the default is ``"theirs"``.
        credentials: storage credentials by table, for clients that request them.
    """

    uri: str = ""
    tables: dict[Levels, str] = field(default_factory=dict)
    rights: dict[str, set[Levels]] | None = None
    unauthorized: int = 401
    config: dict[str, object] = field(default_factory=lambda: {"defaults": {}, "overrides": {}})
    fault: Callable[[Asked], Reply | None] = lambda _: None
    etags: dict[Levels, str] = field(default_factory=dict)
    credentials: dict[Levels, object] = field(default_factory=dict)
    commits: list[Levels] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    issued: int = 0

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        found = self.fault(asked)
        return found if found is not None else self.own_reply(asked)

    def own_reply(self, asked: Asked) -> Reply:
        segments = [unquote(segment) for segment in urlsplit(asked.path).path.split("/")[2:]]
        overrides = self.config.get("overrides")
        prefix = overrides.get("prefix") if isinstance(overrides, dict) else None
        if segments == ["oauth", "tokens"]:
            return self._token(asked)
        if self.rights is not None and asked.token not in self.rights:
            return error(self.unauthorized, "NotAuthorizedException")
        if segments == ["config"]:
            return Reply(200, self.config)
        if prefix is not None:
            if segments[:1] != [prefix]:
                return error(404, "NoSuchNamespaceException")
            segments = segments[1:]
        return self._of_tables(asked, segments)

    def _token(self, asked: Asked) -> Reply:
        form = parse_qs(asked.body.decode())
        if form.get("client_secret") != ["secret"]:
            return Reply(401, {"error": "invalid_client"})
        self.issued += 1
        token = f"issued-{self.issued}"
        if self.rights is not None:
            self.rights[token] = set(self.tables)
        return Reply(200, {"access_token": token, "token_type": "bearer", "expires_in": 3600})

    def _may(self, asked: Asked, table: Levels) -> bool:
        return self.rights is None or table in self.rights[asked.token or ""]

    def _of_tables(self, asked: Asked, segments: list[str]) -> Reply:
        seen = [table for table in sorted(self.tables) if self._may(asked, table)]
        if segments == ["namespaces"]:
            parent = parse_qs(urlsplit(asked.path).query).get("parent", [""])[0]
            above = tuple(parent.split("\x1f")) if parent else ()
            below = [table[:-1] for table in seen if table[: len(above)] == above]
            if parent and not below:
                return error(404, "NoSuchNamespaceException")
            children = {levels[: len(above) + 1] for levels in below if len(levels) > len(above)}
            return Reply(200, {"namespaces": sorted(map(list, children))})
        namespace = tuple(segments[1].split("\x1f"))
        if len(segments) == 3 and segments[2] == "tables":
            if asked.method == "POST":
                return Reply(200, {"metadata-location": "made", "metadata": {}, "config": {}})
            found = [{"namespace": list(table[:-1]), "name": table[-1]} for table in seen if table[:-1] == namespace]
            return Reply(200, {"identifiers": found})
        if len(segments) < 4:
            return Reply(200, {"namespace": list(namespace), "properties": {}})
        table = (*namespace, segments[3])
        if table not in seen:
            return error(404, "NoSuchTableException")
        if asked.method == "POST":
            self.commits.append(table)
            return Reply(200, {"metadata-location": self.tables[table], "metadata": {}})
        if asked.method == "DELETE":
            del self.tables[table]
            return Reply(204)
        document: dict[str, object] = {
            "metadata-location": self.tables[table],
            "metadata": {"unknown": 1.10, "large": 12345678901234567890123},
            "config": {"token": "vended", "region": "here", "scan-planning-mode": "client"},
        }
        if table in self.credentials and "vended-credentials" in asked.headers.get("x-iceberg-access-delegation", ""):
            document["storage-credentials"] = self.credentials[table]
        return Reply(200, document, {"ETag": self.etags.get(table, '"theirs"')})


@contextmanager
def fake_catalog() -> Iterator[FakeCatalog]:
    """Run a catalog on 127.0.0.1."""
    catalog = FakeCatalog()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Send head and body in one packet, so that no delayed acknowledgement delays the body.
        wbufsize = -1
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            self._answer(catalog.reply(Asked(self.command, self.path, self._lower(), self._body())))

        def _lower(self) -> dict[str, str]:
            return {name.lower(): value for name, value in self.headers.items()}

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding") == "chunked":
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)
            return self.rfile.read(int(self.headers.get("content-length", 0)))

        def _answer(self, reply: Reply) -> None:
            if reply.breaks == "before":
                self.close_connection = True
                return
            body = b"" if reply.body is None else reply.body
            text = body if isinstance(body, bytes) else _json(body)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text) + (10 if reply.breaks == "within" else 0)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text)
            self.wfile.flush()
            self.close_connection = self.close_connection or reply.breaks == "within"

        def log_message(self, *_: object) -> None:
            pass

    with listening(Handler) as port:
        catalog.uri = f"http://127.0.0.1:{port}"
        yield catalog


def _json(document: object) -> bytes:
    """Return JSON text, with integers of any size."""
    return json.dumps(document).encode()
