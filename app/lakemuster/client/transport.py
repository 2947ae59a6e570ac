"""The client's HTTP connection pool to one server: addresses, token, retries, and errors as exceptions."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from lakemuster.client.errors import AnswerIncomplete, ClientError, NotFoundError, ServerUnreachable
from lakemuster.client.network import connections, without_password
from lakemuster.client.tokens import Token, authorization_of
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.names import parse_name
from lakemuster.proxies import proxy_of

API = "/api/v1"
_RETRIED = frozenset({429, 502, 503, 504})
_NOT_READY = 202
"""The status while the server indexes what the request needs: the request is sent again until it is ready."""
_NO_PATH = "no such path"
"""The message of servers for an unknown path, for instance below an address with an extra path."""
MAX_DOCUMENT_BYTES = 2**30
"""Limit of a JSON document."""
MAX_REFUSAL_BYTES = 2**20
"""Limit of the body of an error, of which a larger one is not of Lakemuster."""
_FIRST_DELAY, _LONGEST_DELAY = 0.2, 10.0
_CONNECT_SECONDS = 10.0
_SECONDS = re.compile("[0-9]{1,9}")

Params = Mapping[str, str]
Json = Any
"""A parsed JSON document."""
T = TypeVar("T")


class Transport:
    """Sends requests. Only queries are retried, on connection errors and overload.

    Args:
        uri: the server's address, ``http://host:8181``.
        token: a bearer token, or a function that returns the current one, which is called before each request.
        timeout: seconds without a byte before a request counts as failed.
        retries: the maximum of retries of a query.
        compressed: ask for compressed responses.
        inner: an ``httpx`` transport in place of the network, for tests.

    Raises:
        ValueError: ``uri`` is not an http or https address.
        TokenMalformed: no header can have the token.
        NetworkSettingsInvalid: the environment names a proxy or certificates that cannot be used.
    """

    def __init__(
        self,
        uri: str,
        token: Token | None,
        *,
        timeout: float,
        retries: int,
        compressed: bool = False,
        inner: httpx.BaseTransport | None = None,
    ) -> None:
        self.uri = _address(uri)
        self._retries = max(0, retries)
        # Compressing takes longer than sending, except on a slow network.
        headers = {
            "User-Agent": "lakemuster-client",
            "Accept": "application/json",
            "Accept-Encoding": "gzip" if compressed else "identity",
        }
        self._authorization = authorization_of(token)
        self._headers = headers
        self._patience = httpx.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        self._inner = inner
        self._proxy = None if inner is not None else proxy_of(self.uri)
        self._connect()

    def _connect(self) -> None:
        self._client = httpx.Client(
            base_url=self.uri,
            headers=self._headers,
            timeout=self._patience,
            transport=connections(self._proxy) if self._inner is None else self._inner,
        )
        self._process = os.getpid()

    @property
    def _http(self) -> httpx.Client:
        # In a forked process, connections of the parent would get responses to requests of either process.
        if self._process != os.getpid():
            self._connect()
        return self._client

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, params: Params | None = None) -> Json:
        """Return the JSON document at ``path`` (below ``/api/v1``).

        Raises:
            ClientError: see ``client.errors``.
        """
        return self._document("GET", path, params=params)

    def query(self, path: str, body: object) -> Json:
        """Send a query in ``body``, which changes nothing and is retried; return the response's JSON document.

        Raises:
            ClientError: see ``client.errors``.
        """
        return self._document("POST", path, body=body, is_query=True)

    def send(self, method: str, path: str, body: object = None, *, timeout: float | None = None) -> Json:
        """Send ``body`` once, without retries; return the response's JSON document, None if it is empty.

        Raises:
            ClientError: see ``client.errors``.
        """
        return self._document(method, path, body=body, timeout=timeout)

    @contextmanager
    def stream(self, path: str, params: Params, media_type: str, *, body: object = None) -> Iterator[httpx.Response]:
        """Open a response of ``media_type``, to be read while it arrives.

        Args:
            body: a query that is too long for a query string; it is sent by POST.

        Raises:
            ClientError: see ``client.errors``; reading the response can also raise them.
        """
        method = "GET" if body is None else "POST"
        options = {"params": dict(params), "json": body, "headers": {"Accept": media_type}}
        response, content = self._ready(method, path, options, self._retries, is_stream=True)
        try:
            if response.status_code != 200:
                raise _refusal(response, content)
            yield response
        except httpx.HTTPError as cause:
            raise AnswerIncomplete(
                f"the response of {self.uri} was cut off: {_reason(cause)}", code="answer_incomplete"
            ) from cause
        finally:
            response.close()

    def read_stream(self, path: str, media_type: str, body: object, read: Callable[[Iterator[bytes]], T]) -> T:
        """Return what ``read`` returns for the whole response to a query; retry the query if the response is cut off.

        Raises:
            ClientError: see ``client.errors``.
        """
        attempt = 0
        while True:
            try:
                with self.stream(path, {}, media_type, body=body) as response:
                    return read(response.iter_bytes())
            except AnswerIncomplete as problem:
                if attempt == self._retries or not isinstance(problem.__cause__, httpx.TransportError):
                    raise
            _pause(attempt, None)
            attempt += 1

    def _document(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: object = None,
        timeout: float | None = None,
        is_query: bool = False,
    ) -> Json:
        options: dict[str, Any] = {"params": dict(params or {})}
        if body is not None:
            options["json"] = body
        if timeout is not None:
            options["timeout"] = httpx.Timeout(timeout, connect=_CONNECT_SECONDS)
        retries = self._retries if method == "GET" or is_query else 0
        response, content = self._ready(method, path, options, retries)
        if not response.is_success:
            raise _refusal(response, content)
        if not content and method != "GET" and not is_query:
            return None
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise AnswerIncomplete(
                f"{self.uri} did not answer with a JSON object: is it a Lakemuster server?",
                code="answer_incomplete",
                status=response.status_code,
            )
        return document

    def _ready(
        self, method: str, path: str, options: Mapping[str, Any], retries: int, *, is_stream: bool = False
    ) -> tuple[httpx.Response, bytes | bytearray]:
        while True:
            response, content = self._answered(method, path, options, retries, is_stream=is_stream)
            if response.status_code != _NOT_READY:
                return response, content
            _pause(0, response.headers.get("Retry-After"))

    def _answered(
        self, method: str, path: str, options: Mapping[str, Any], retries: int, *, is_stream: bool
    ) -> tuple[httpx.Response, bytes | bytearray]:
        """Return a response and its body; a stream's body is empty here, and still to be read."""
        for attempt in range(retries + 1):
            with _addresses():
                request = self._http.build_request(method, API + path, **options)
            if self._authorization is not None:
                request.headers["Authorization"] = self._authorization()
            try:
                response = self._http.send(request, stream=True)
                content = b"" if is_stream and response.status_code == 200 else self._body(response)
            except httpx.TransportError as cause:
                if attempt < retries:
                    _pause(attempt, None)
                    continue
                raise self._unreachable(cause) from cause
            except httpx.HTTPError as cause:
                raise AnswerIncomplete(
                    f"the response of {self.uri} cannot be read: {_reason(cause)}", code="answer_incomplete"
                ) from cause
            if response.status_code in _RETRIED and attempt < retries:
                _pause(attempt, response.headers.get("Retry-After"))
                continue
            break
        return response, content

    def _body(self, response: httpx.Response) -> bytes | bytearray:
        limit = MAX_DOCUMENT_BYTES if response.is_success else MAX_REFUSAL_BYTES
        content = bytearray()
        try:
            for part in response.iter_bytes():
                content += part
                if len(content) > limit:
                    if not response.is_success:
                        return b""
                    raise AnswerIncomplete(
                        f"the response of {self.uri} is larger than {limit >> 20} MiB",
                        code="answer_incomplete",
                        status=response.status_code,
                    )
        finally:
            response.close()
        return content

    def _unreachable(self, cause: httpx.TransportError) -> ServerUnreachable:
        way = "" if self._proxy is None else f" through the proxy {without_password(self._proxy)}"
        return ServerUnreachable(f"no response from {self.uri}{way}: {_reason(cause)}", code="server_unreachable")


def table_path(name: str, *rest: str) -> str:
    """Return the path of a table's resource; a name is always one segment, whatever it contains.

    Raises:
        ClientError: ``request_invalid``, as servers answer: no table can have the name.
    """
    try:
        parse_name(name)
    except RequestInvalid as cause:
        raise ClientError(str(cause), code=cause.code) from None
    return "/".join(("/tables", quote(name, safe=""), *map(_segment, rest)))


@contextmanager
def _addresses() -> Iterator[None]:
    try:
        yield
    except httpx.InvalidURL:
        raise ClientError(
            "the request is too long for a query string: shorten the filter, or plan with it", code="request_invalid"
        ) from None
    except UnicodeEncodeError:
        raise ClientError(
            "the request has text that is not Unicode, and cannot be sent", code="request_invalid"
        ) from None


def _segment(text: str) -> str:
    # httpx resolves the segments "." and "..".
    return text.replace(".", "%2E") if text in (".", "..") else quote(text, safe="")


def _address(uri: str) -> str:
    try:
        parts = urlsplit(uri.strip())
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise _no_address(uri) from None
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("a server's address has no user, query or fragment; pass the token separately")
    if parts.scheme not in ("http", "https") or not parts.hostname or not has_port or re.search(r"\s", parts.netloc):
        raise _no_address(uri)
    address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix(API)}"
    try:
        url = httpx.URL(address)
        # Resolvers encode the host, and httpx decodes it: either may fail.
        url.host, url.raw_host.decode("ascii").encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        raise _no_address(uri) from None
    return address


def _no_address(uri: str) -> ValueError:
    return ValueError(f"not a server's address: {without_password(uri)!r}; http://host:8181 is one")


def _refusal(response: httpx.Response, content: bytes | bytearray) -> ClientError:
    status = response.status_code
    kind = NotFoundError if status == 404 else ClientError
    try:
        error = json.loads(content)["error"]
        code, message = str(error["code"]), str(error["message"])
        context = {key: value for key, value in error.items() if key not in ("code", "message")}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        server = f"{response.url.scheme}://{response.url.netloc.decode()}"
        return kind(
            f"{server} answered {status} {response.reason_phrase}".strip(), code=f"http_{status}", status=status
        )
    if message == _NO_PATH:
        message = f"the server has no such path: {response.url.copy_with(query=None)}"
    return kind(message, code=code, status=status, context=context)


def _reason(cause: httpx.HTTPError) -> str:
    if isinstance(cause, httpx.TimeoutException):
        return "timed out"
    return str(cause) or type(cause).__name__


def _pause(attempt: int, retry_after: str | None) -> None:
    delay = _FIRST_DELAY * 2**attempt * random.uniform(0.5, 1.5)
    if retry_after is not None and _SECONDS.fullmatch(retry_after):
        delay = max(delay, int(retry_after))
    time.sleep(min(delay, _LONGEST_DELAY))
