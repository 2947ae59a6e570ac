"""An Iceberg REST catalog: where its requests go, how they are signed in, and the pointers of its tables.

A table's pointer is the ``metadata-location`` of the load-table answer. No other part of that answer is read.
Source: the Iceberg REST catalog OpenAPI document.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

import httpx
import orjson

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import (
    NamespaceNotFound,
    RequestInvalid,
    TableNotFound,
    UpstreamFailed,
    UpstreamTimedOut,
    UpstreamUnavailable,
)
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.upstream.breaker import Breaker
from lakemuster.upstream.json_members import NotAnObject, member
from lakemuster.upstream.oauth import TokenSource
from lakemuster.upstream.sigv4 import SigV4

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 10.0
"""Limit of the silence of a catalog that looks and listings wait for."""
MAX_BYTES = 64 * 2**20
"""Limit of an answer's bytes."""
CONFIG_SECONDS = 300.0
"""Age at which a catalog is asked for its configuration again."""
_CONNECTIONS = 32
_SEPARATOR = "%1F"
_MAX_PAGES = 100_000
_MAX_DEPTH = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a catalog's requests go.

    Attributes:
        base: URL up to and including ``/v1``.
        prefix: path segment of all but ``config`` and ``oauth/tokens``; empty: none.
        separator: of a namespace's levels in paths, percent-encoded.
    """

    base: str
    prefix: str = ""
    separator: str = _SEPARATOR

    def url(self, rest: str) -> str:
        """The URL of a path below the prefix; ``rest`` is percent-encoded."""
        return f"{self.base}/{self.prefix}/{rest}" if self.prefix else f"{self.base}/{rest}"

    def namespace(self, levels: Levels) -> str:
        """A namespace as one path segment."""
        return self.separator.join(quote(level, safe="") for level in levels)

    def table(self, levels: Levels) -> str:
        """A table's path."""
        return f"namespaces/{self.namespace(levels[:-1])}/tables/{quote(levels[-1], safe='')}"


class RestCatalog:
    """One attached REST catalog, asked with this server's own principal. Safe from any thread."""

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        self.name = name
        self.settings = settings
        self.breaker = Breaker(name, clock)
        self._clock = clock
        properties = settings.properties
        self.headers = {
            key.removeprefix("header."): value for key, value in properties.items() if key.startswith("header.")
        }
        self.signer = SigV4(properties) if properties.get("rest.sigv4-enabled", "").lower() == "true" else None
        self._client = httpx.Client(
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
        )
        self.tokens = TokenSource(name, properties, self._client, clock)
        self._endpoint: tuple[Endpoint, float] | None = None
        self._lock = threading.Lock()

    @property
    def base(self) -> str:
        """The URL that the settings give, up to and including ``/v1``."""
        uri = self.settings.properties["uri"].rstrip("/")
        return uri if uri.endswith("/v1") else f"{uri}/v1"

    @property
    def known_endpoint(self) -> Endpoint | None:
        """Where requests go, if that is known; see :meth:`endpoint`."""
        found = self._endpoint
        return found[0] if found is not None and self._clock.monotonic() < found[1] else None

    def endpoint(self) -> Endpoint:
        """Where requests go, as the catalog's configuration says.

        Raises:
            UpstreamFailed: it gives none.
        """
        if (known := self.known_endpoint) is not None:
            return known
        with self._lock:
            if (known := self.known_endpoint) is not None:
                return known
            warehouse = self.settings.properties.get("warehouse")
            body = self._get(f"{self.base}/config", {} if warehouse is None else {"warehouse": warehouse})
            found = self.endpoint_of(body)
            self._endpoint = found, self._clock.monotonic() + CONFIG_SECONDS
            return found

    def endpoint_of(self, config: bytes) -> Endpoint:
        """Where requests go according to a configuration's text. A ``uri`` of another host is not followed.

        Raises:
            UpstreamFailed: it is no configuration.
        """
        try:
            parsed = orjson.loads(config)
            said = {**parsed.get("defaults", {}), **self.settings.properties, **parsed.get("overrides", {})}
        except (orjson.JSONDecodeError, AttributeError, TypeError):
            raise self._failed("its configuration is not what the protocol says") from None
        uri = str(said.get("uri", "")).rstrip("/")
        base = uri if uri.endswith("/v1") else f"{uri}/v1"
        if urlsplit(uri)[:2] != urlsplit(self.base)[:2]:
            base = self.base
        prefix = str(said.get("prefix", "")).strip("/")
        return Endpoint(base, quote(unquote(prefix), safe="/"), str(said.get("namespace-separator", _SEPARATOR)))

    def authorization(self) -> Mapping[str, str]:
        """The headers that sign in this server's principal.

        Raises:
            UpstreamFailed: there is no token to be had.
        """
        return self._asked(self._authorization)

    def _authorization(self) -> Mapping[str, str]:
        token = self.tokens.token(f"{self.base}/oauth/tokens")
        return self.headers if token is None else {**self.headers, "Authorization": f"Bearer {token}"}

    def pointer(self, levels: Levels) -> str:
        """The location of a table's current metadata.

        Args:
            levels: of the table's name at the catalog.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: it does not answer, or not as the protocol says.
        """
        endpoint = self.endpoint()
        try:
            body = self._get(endpoint.url(endpoint.table(levels)), {"snapshots": "refs"})
        except NamespaceNotFound as error:
            raise self._no_table(levels) from error
        return self.pointer_in(body)

    def pointer_in(self, table: bytes) -> str:
        """The location of the current metadata in a load-table answer. Raises: UpstreamFailed."""
        try:
            location = member(table, "metadata-location")
        except NotAnObject as cause:
            raise self._failed(f"its answer cannot be read: {cause}") from None
        if not isinstance(location, str) or not location:
            raise self._failed("it names no metadata-location: the table has no committed metadata")
        return location

    def name_of(self, levels: Levels) -> str | None:
        """The name under which a table of the catalog is one here.

        None: the settings exclude it, or its name cannot be written: a level has a slash or a control character.
        """
        name = format_name((self.name, *levels))
        try:
            is_name = parse_name(name) == (self.name, *levels)
        except RequestInvalid:
            return None
        return name if is_name and self.settings.has(format_name(levels)) else None

    def every_table(self) -> Iterator[Levels]:
        """Yield all tables of all namespaces. Raises: UpstreamFailed."""
        for namespace in self.namespaces():
            # A namespace that is dropped meanwhile has no tables.
            with suppress(NamespaceNotFound):
                yield from self.tables(namespace)

    def namespaces(self, parent: Levels = ()) -> Iterator[Levels]:
        """Yield all namespaces below one, depth first. Raises: UpstreamFailed."""
        endpoint = self.endpoint()
        asked = {"parent": endpoint.separator.join(parent).replace(_SEPARATOR, "\x1f")} if parent else {}
        for found in self._pages(endpoint.url("namespaces"), "namespaces", asked):
            levels = tuple(map(str, found))
            if len(levels) != len(parent) + 1 or levels[:-1] != parent or len(levels) > _MAX_DEPTH:
                raise self._failed("it lists a namespace that is no child of the one asked for")
            yield levels
            yield from self.namespaces(levels)

    def tables(self, namespace: Levels) -> Iterator[Levels]:
        """Yield the tables of a namespace. Raises: UpstreamFailed."""
        endpoint = self.endpoint()
        url = endpoint.url(f"namespaces/{endpoint.namespace(namespace)}/tables")
        for found in self._pages(url, "identifiers", {}):
            yield (*map(str, found["namespace"]), str(found["name"]))

    def _pages(self, url: str, name: str, parameters: Mapping[str, str]) -> Iterator[Any]:
        token = ""
        for _ in range(_MAX_PAGES):
            body = self._get(url, {**parameters, "pageToken": token})
            try:
                page = orjson.loads(body)
                yield from page[name]
                token = page.get("next-page-token") or ""
            except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
                raise self._failed("a list is not what the protocol says") from None
            if not token:
                return
        raise self._failed("a list does not end")

    def _get(self, url: str, parameters: Mapping[str, str]) -> bytes:
        status, body = self._asked(lambda: self._exchange(url, parameters))
        if status == 401:
            # The token may have been revoked before its time.
            self.tokens.forget()
            status, body = self._asked(lambda: self._exchange(url, parameters))
        if status == 200:
            return body
        kind = _error_type(body)
        if status == 404 and kind == "NoSuchTableException":
            raise TableNotFound(f"the catalog {self.name} has no such table", catalog=self.name)
        if status == 404 and kind == "NoSuchNamespaceException":
            raise NamespaceNotFound(f"the catalog {self.name} has no such namespace", catalog=self.name)
        raise self._failed(f"it answers with status {status}{f' ({kind})' if kind else ''}")

    def _exchange(self, url: str, parameters: Mapping[str, str]) -> tuple[int, bytes]:
        headers = {**self._authorization(), "Accept": "application/json"}
        with self._client.stream("GET", url, params=parameters, headers=headers, auth=self.signer) as answer:
            body = bytearray()
            for part in answer.iter_bytes():
                body += part
                if len(body) > MAX_BYTES:
                    raise self._failed(f"it answers with more than {MAX_BYTES} bytes")
            return answer.status_code, bytes(body)

    def _asked(self, ask: Callable[[], T]) -> T:
        """Ask the catalog, unless its breaker is open.

        Raises:
            UpstreamTimedOut, UpstreamUnavailable: it does not answer.
        """
        self.breaker.check()
        try:
            found = ask()
        except httpx.TimeoutException as cause:
            self.breaker.failed()
            raise UpstreamTimedOut(f"the catalog {self.name} has not answered in time", catalog=self.name) from cause
        except (httpx.HTTPError, httpx.InvalidURL) as cause:
            self.breaker.failed()
            reason = f"the catalog {self.name} does not answer: {type(cause).__name__}"
            raise UpstreamUnavailable(reason, catalog=self.name) from cause
        self.breaker.succeeded()
        return found

    def _failed(self, reason: str) -> UpstreamFailed:
        return UpstreamFailed(f"the catalog {self.name} cannot be used: {reason}", catalog=self.name)

    def _no_table(self, levels: Levels) -> TableNotFound:
        return TableNotFound(f"the catalog {self.name} has no such table", table=format_name((self.name, *levels)))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _error_type(body: bytes) -> str:
    try:
        kind = orjson.loads(body)["error"]["type"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
    return kind if isinstance(kind, str) and kind.isidentifier() else ""
