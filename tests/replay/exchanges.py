"""HTTP requests and responses: sent sequentially on one connection, and written to a file to be replayed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, RemoteDisconnected
from pathlib import Path
from typing import IO, Any, Self, cast
from urllib.parse import urlencode

SECONDS = 300
HOST = "localhost"
"""The ``Host`` header of all requests, so that no response contains the port."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request.

    Attributes:
        target: path and query as in the request line.
        headers: the headers except ``Host`` and ``Content-Length``.
    """

    method: str
    target: str
    headers: Pairs = ()
    body: bytes = b""

    @classmethod
    def get(cls, path: str, parameters: Mapping[str, object] | None = None, **headers: str) -> Self:
        """Return a GET request; an underscore in a header's name stands for a hyphen."""
        return cls("GET", with_query(path, parameters), _named(headers))

    @classmethod
    def post(cls, path: str, document: object, **headers: str) -> Self:
        """Return a POST request with a JSON document."""
        named = (("Content-Type", "application/json"), *_named(headers))
        return cls("POST", path, named, json.dumps(document).encode())

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Answer:
    """An HTTP response.

    Attributes:
        headers: sorted pairs with lower-case names, without ``Date``.
        is_whole: whether the body is complete.
    """

    status: int
    headers: Pairs
    body: bytes
    is_whole: bool = True

    def header(self, name: str) -> str | None:
        """Return the first value of a header."""
        return next((value for known, value in self.headers if known == name), None)

    @cached_property
    def document(self) -> Any:
        """The parsed JSON body; None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def get(self, key: str) -> Any:
        """Return a member of the JSON object; None if there is none."""
        return self.document.get(key) if isinstance(self.document, dict) else None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response.

    Attributes:
        session: the name of the server's settings.
    """

    session: str
    request: Request
    answer: Answer

    def record(self) -> bytes:
        """Return a line of JSON, followed by the response's body."""
        request, answer = self.request, self.answer
        asked = [request.method, request.target, request.headers, base64.b64encode(request.body).decode()]
        line = json.dumps([self.session, asked, [answer.status, answer.headers, answer.is_whole, len(answer.body)]])
        return line.encode() + b"\n" + answer.body

    @classmethod
    def of(cls, line: bytes, records: IO[bytes]) -> Self:
        """Parse a line of JSON, and read the body that follows it from ``records``."""
        session, (method, target, sent, asked), (status, headers, is_whole, length) = json.loads(line)
        request = Request(method, target, _pairs(sent), base64.b64decode(asked))
        return cls(session, request, Answer(status, _pairs(headers), records.read(length), is_whole))


@dataclass
class Connection:
    """A connection to a server, which is reopened if the server closes it. It numbers requests."""

    port: int
    count: int = 0
    _http: HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self._http = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)

    def send(self, request: Request) -> Answer:
        """Send a request, and return its response; reopen the connection once if the server has closed it."""
        self.count += 1
        try:
            return self._send(request)
        except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self._http.close()
            return self._send(request)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _send(self, request: Request) -> Answer:
        http = self._http
        given = {name.lower() for name, _ in request.headers}
        http.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
        for name, value in (("Host", HOST), ("X-Request-Id", f"replay-{self.count}")):
            if name.lower() not in given:
                http.putheader(name, value)
        for name, value in request.headers:
            http.putheader(name, value.encode("utf-8"))
        if request.body or request.method in ("POST", "PUT", "PATCH"):
            http.putheader("Content-Length", str(len(request.body)))
        http.endheaders(request.body or None)
        return _read(http.getresponse())


def _read(response: HTTPResponse) -> Answer:
    headers = sorted((name.lower(), value) for name, value in response.getheaders() if name.lower() != "date")
    try:
        body, is_whole = response.read(), True
    except HTTPException:
        body, is_whole = b"", False
    return Answer(response.status, tuple(headers), body, is_whole)


@contextmanager
def writing(path: Path) -> Iterator[Callable[[Exchange], None]]:
    """Yield a function that appends exchanges to a new file."""
    with gzip.open(path, "wb", compresslevel=3) as records:

        def write(exchange: Exchange) -> None:
            records.write(exchange.record())

        yield write


def read(path: Path) -> Iterator[Exchange]:
    """Yield the exchanges of a file."""
    with gzip.open(path, "rb") as records:
        while line := records.readline():
            yield Exchange.of(line, cast("IO[bytes]", records))


def with_query(path: str, parameters: Mapping[str, object] | None) -> str:
    """Return a request target; parameters that are None are omitted."""
    given = {name: value for name, value in (parameters or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _named(headers: Mapping[str, str]) -> Pairs:
    return tuple((name.replace("_", "-"), value) for name, value in headers.items())


def _pairs(given: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in given)
