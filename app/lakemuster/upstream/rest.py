"""An Iceberg REST catalog: its endpoint, the authentication of requests, and the pointers of its tables.

A table's pointer is the ``metadata-location`` of the load-table response. Apart from that, only the table's uuid and
vended credentials are read.
Source: the Iceberg REST catalog OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import orjson

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import NamespaceNotFound, TableNotFound, UpstreamFailed
from lakemuster.metadata.names import Levels
from lakemuster.single_flight import SingleFlight
from lakemuster.upstream.http_upstream import HttpAnswer, HttpUpstream
from lakemuster.upstream.json_members import NotAnObject, member, members
from lakemuster.upstream.oauth import TokenSource
from lakemuster.upstream.protocol import Identity
from lakemuster.upstream.sigv4 import SigV4
from lakemuster.upstream.vended import DELEGATION, VendedCredentials

FAILED_SECONDS = 1.0
"""How long a failure to get the configuration or a token is cached, before the next attempt."""
CONFIG_SECONDS = 300.0
"""Age at which a catalog's configuration is requested again."""
ONLY_REFS = {"snapshots": "refs"}
"""Parameters that limit a load-table response to the snapshots that refs name, which makes it smaller.

Some catalogs do not support them: Iceberg's own handlers, to 1.12, fail for a table with statistics of another snapshot
(apache/iceberg#17538); Polaris omits the ``metadata-location`` (apache/polaris#4656). The request is then repeated
without the parameters.
"""
REFS_UNSUPPORTED = 400
"""Status with which a catalog fails because of :data:`ONLY_REFS`."""
TOKEN_REFUSED = frozenset({401, 419})
"""Statuses of a catalog that does not accept a token, or no longer: 419 is the protocol's for expired credentials."""
PARENT_REFUSED = frozenset({400, 406, 501})
"""Statuses of a catalog without nested namespaces for a list of children (ClickHouse/ClickHouse#117329)."""
MAX_NAMESPACES = 100_000
MAX_TABLES = 1_000_000
"""Limits of a listing; a catalog may answer without end."""
_NO_NAMESPACE = "NoSuchNamespaceException"
_SEPARATOR = "%1F"
_MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The URLs of a catalog's API.

    Attributes:
        base: URL up to and including ``/v1``.
        prefix: path prefix of all requests but ``config`` and ``oauth/tokens``, percent-encoded; empty: none.
        separator: separates a namespace's levels in paths; percent-encoded.
    """

    base: str
    prefix: str = ""
    separator: str = _SEPARATOR

    def url(self, rest: str) -> str:
        """Return the URL of a path below the prefix; ``rest`` must be percent-encoded."""
        return f"{self.base}/{self.prefix}/{rest}" if self.prefix else f"{self.base}/{rest}"

    def namespace(self, levels: Levels) -> str:
        """Return a namespace as one path segment."""
        return self.separator.join(quote(level, safe="") for level in levels)

    def table(self, levels: Levels) -> str:
        """Return a table's path below the prefix."""
        return f"namespaces/{self.namespace(levels[:-1])}/tables/{quote(levels[-1], safe='')}"


class _ParentRefused(Exception):
    """The catalog refuses to list the children of a namespace."""

    def __init__(self, answer: HttpAnswer) -> None:
        super().__init__()
        self.answer = answer


@dataclass(slots=True)
class _Parents:
    """The answers to requests for the children of namespaces, in one listing.

    Attributes:
        are_listed: whether the catalog has listed the children of a namespace.
        refusal: its last refusal to list those of another; None: it refused none.
    """

    are_listed: bool = False
    refusal: HttpAnswer | None = None


class RestCatalog(HttpUpstream):
    """One attached REST catalog."""

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        properties = settings.properties
        self.signer = SigV4(properties) if properties.get("rest.sigv4-enabled", "").lower() == "true" else None
        self.tokens = TokenSource(name, properties, self._post_form, clock)
        self._endpoint: tuple[Endpoint, float] | None = None
        self._shared = SingleFlight(FAILED_SECONDS, clock.monotonic)
        self.vended = VendedCredentials(self.pointer, clock) if settings.vended else None

    @property
    def base(self) -> str:
        """The URL that the settings give, up to and including ``/v1``."""
        uri = self.settings.properties["uri"].rstrip("/")
        return uri if uri.endswith("/v1") else f"{uri}/v1"

    @property
    def known_endpoint(self) -> Endpoint | None:
        """The cached endpoint, or None if it is absent or too old; see :meth:`endpoint`."""
        found = self._endpoint
        return found[0] if found is not None and self._clock.monotonic() < found[1] else None

    @property
    def last_endpoint(self) -> Endpoint | None:
        """The endpoint that was loaded last, whatever its age; None: none was loaded yet."""
        return None if self._endpoint is None else self._endpoint[0]

    def endpoint(self) -> Endpoint:
        """Return the endpoint that the catalog's configuration gives; it is cached for ``CONFIG_SECONDS``.

        Raises:
            UpstreamFailed: the configuration cannot be loaded.
        """
        if (known := self.known_endpoint) is not None:
            return known
        self._shared.run("endpoint", self._load_endpoint)
        assert self._endpoint is not None
        return self._endpoint[0]

    def _load_endpoint(self) -> None:
        warehouse = self.settings.properties.get("warehouse")
        answer = self._exchange(f"{self.base}/config", {} if warehouse is None else {"warehouse": warehouse}, {})
        if answer.status != 200:
            raise self._refused(answer)
        self._endpoint = self.endpoint_of(answer.body), self._clock.monotonic() + CONFIG_SECONDS

    def endpoint_of(self, config: bytes) -> Endpoint:
        """Return the endpoint that a configuration's text gives. A ``uri`` with another scheme or host is ignored.

        Raises:
            UpstreamFailed: the text is not a configuration.
        """
        try:
            parsed = orjson.loads(config)
            defaults, overrides = _stated(parsed.get("defaults")), _stated(parsed.get("overrides"))
            said = {**defaults, **self.settings.properties, **overrides}
        except (orjson.JSONDecodeError, AttributeError, TypeError):
            raise self._failed("its configuration does not follow the protocol") from None
        uri = str(said.get("uri", "")).rstrip("/")
        base = uri if uri.endswith("/v1") else f"{uri}/v1"
        if urlsplit(uri)[:2] != urlsplit(self.base)[:2]:
            base = self.base
        prefix = str(said.get("prefix", "")).strip("/")
        return Endpoint(base, quote(unquote(prefix), safe="/"), str(said.get("namespace-separator", _SEPARATOR)))

    def authorization(self) -> Mapping[str, str]:
        """Return the headers that authenticate this server's principal.

        Raises:
            UpstreamFailed: no token can be obtained.
        """
        if not self.tokens.is_known:
            self._shared.run("token", lambda: self._request(lambda: self.tokens.renew(f"{self.base}/oauth/tokens")))
        token = self.tokens.token
        return self.headers if token is None else {**self.headers, "Authorization": f"Bearer {token}"}

    def _post_form(self, url: str, form: Mapping[str, str]) -> HttpAnswer:
        # The catalog may need its own headers, such as a realm; they may be secret from another server.
        is_at_catalog = urlsplit(url)[:2] == urlsplit(self.base)[:2]
        own = {name: value for name, value in self.headers.items() if is_at_catalog and name.lower() != "authorization"}
        return self._posted(url, form, own)

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        return self.pointer_in(self._table(levels))

    def identity(self, levels: Levels) -> Identity:
        """See :meth:`Upstream.identity`."""
        answer = self._table(levels)
        return Identity(self.pointer_in(answer), _uuid_in(answer))

    def _table(self, levels: Levels) -> bytes:
        endpoint = self.endpoint()
        try:
            answer = self._loaded(endpoint.url(endpoint.table(levels)), DELEGATION if self.vended is not None else {})
        except NamespaceNotFound as error:
            raise self._no_table(levels) from error
        if self.vended is not None:
            self.vended.note(levels, answer.body, answer.sent_at)
        return answer.body

    def pointer_in(self, table: bytes) -> str:
        """Return the location of the current metadata in a load-table response. Raises: UpstreamFailed."""
        try:
            location = member(table, "metadata-location")
        except NotAnObject as cause:
            raise self._failed(f"its answer cannot be read: {cause}") from None
        if not isinstance(location, str) or not location:
            raise self._failed("it names no metadata-location: the table has no committed metadata")
        return location

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        count = 0
        for number, namespace in enumerate(self.namespaces(), 1):
            if number > MAX_NAMESPACES:
                raise self._failed(f"it lists more than {MAX_NAMESPACES} namespaces")
            # A namespace that is dropped meanwhile has no tables.
            with suppress(NamespaceNotFound):
                for table in self.tables(namespace):
                    count += 1
                    if count > MAX_TABLES:
                        raise self._failed(f"it lists more than {MAX_TABLES} tables")
                    yield table

    def namespaces(self) -> Iterator[Levels]:
        """Yield all namespaces, depth first. Raises: UpstreamFailed."""
        yield from self._below((), _Parents())

    def _below(self, parent: Levels, parents: _Parents) -> Iterator[Levels]:
        endpoint = self.endpoint()
        asked = {"parent": unquote(endpoint.separator).join(parent)} if parent else {}
        try:
            for found in self._listed(endpoint.url("namespaces"), "namespaces", asked):
                levels = self._levels(found)
                if len(levels) != len(parent) + 1 or levels[:-1] != parent or len(levels) > _MAX_DEPTH:
                    raise self._failed("it lists a namespace that is not a child of the requested one")
                yield levels
                yield from self._below(levels, parents)
            parents.are_listed |= parent != ()
        except NamespaceNotFound:
            # A namespace that is dropped meanwhile has no children.
            if not parent:
                raise self._failed("it does not list its namespaces") from None
        except _ParentRefused as refusal:
            parents.refusal = refusal.answer
        if parents.are_listed and parents.refusal is not None:
            # The catalog has nested namespaces: those below the refused one are missing.
            raise self._refused(parents.refusal)

    def tables(self, namespace: Levels) -> Iterator[Levels]:
        """Yield the tables of a namespace. Raises: UpstreamFailed."""
        endpoint = self.endpoint()
        url = endpoint.url(f"namespaces/{endpoint.namespace(namespace)}/tables")
        for found in self._listed(url, "identifiers", {}):
            if not isinstance(found, dict):
                raise self._no_list()
            levels, name = self._levels(found.get("namespace")), self._levels([found.get("name")])
            yield (*levels, *name)

    def _levels(self, found: object) -> Levels:
        if not isinstance(found, list) or not found or not all(isinstance(level, str) for level in found):
            raise self._no_list()
        return tuple(found)

    def _listed(self, url: str, name: str, parameters: Mapping[str, str]) -> Iterator[Any]:
        def page(token: str) -> tuple[list[Any], str]:
            answer = self._exchange(url, {**parameters, "pageToken": token}, {})
            if answer.status == 404 and _error_type(answer.body) == _NO_NAMESPACE:
                raise self._no_namespace()
            if "parent" in parameters and answer.status in PARENT_REFUSED and _error_type(answer.body):
                raise _ParentRefused(answer)
            if answer.status != 200:
                raise self._refused(answer)
            try:
                found = orjson.loads(answer.body)
                items, following = found[name], found.get("next-page-token") or ""
            except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
                raise self._no_list() from None
            if not isinstance(items, list) or not isinstance(following, str):
                raise self._no_list()
            return items, following

        return self._pages(page)

    def _no_list(self) -> UpstreamFailed:
        return self._failed("a list does not follow the protocol")

    def _loaded(self, url: str, headers: Mapping[str, str]) -> HttpAnswer:
        answer = self._exchange(url, ONLY_REFS, headers)
        if answer.status == REFS_UNSUPPORTED or (answer.status == 200 and not _names_metadata(answer.body)):
            answer = self._exchange(url, {}, headers)
        if answer.status == 200:
            return answer
        kind = _error_type(answer.body)
        if answer.status == 404 and kind == "NoSuchTableException":
            raise TableNotFound(f"the catalog {self.name} has no such table", catalog=self.name)
        if answer.status == 404 and kind == _NO_NAMESPACE:
            raise self._no_namespace()
        raise self._refused(answer)

    def _no_namespace(self) -> NamespaceNotFound:
        return NamespaceNotFound(f"the catalog {self.name} has no such namespace", catalog=self.name)

    def _refused(self, answer: HttpAnswer) -> UpstreamFailed:
        kind = _error_type(answer.body)
        return self._failed(f"it answers with status {answer.status}{f' ({kind})' if kind else ''}")

    def _exchange(self, url: str, parameters: Mapping[str, str], headers: Mapping[str, str]) -> HttpAnswer:
        answer = self._signed_in(url, parameters, headers)
        if answer.status in TOKEN_REFUSED:
            # The token may have been revoked before it expires.
            self.tokens.forget()
            answer = self._signed_in(url, parameters, headers)
        return answer

    def _signed_in(self, url: str, parameters: Mapping[str, str], headers: Mapping[str, str]) -> HttpAnswer:
        signed_in = {**self.authorization(), **headers}
        return self._request(lambda: self._answer(url, parameters, signed_in, self.signer))


def _names_metadata(table: bytes) -> bool:
    try:
        return bool(member(table, "metadata-location"))
    except NotAnObject:
        return False


def _stated(properties: Any) -> dict[str, Any]:
    """Return the properties of a configuration that have values; like clients, take null for an absent one."""
    return {name: value for name, value in ({} if properties is None else properties).items() if value is not None}


def _error_type(body: bytes) -> str:
    try:
        kind = orjson.loads(body)["error"]["type"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
    return kind if isinstance(kind, str) and kind.isidentifier() else ""


def _uuid_in(table: bytes) -> str | None:
    """Return the uuid in a load-table response, or None."""
    try:
        found = next((one for one in members(table) if one.name == "metadata"), None)
        uuid = None if found is None else member(table[found.start : found.end], "table-uuid")
    except NotAnObject:
        return None
    return uuid if isinstance(uuid, str) else None
