"""Recognize requests about attached REST catalogs by their paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import parse_qsl, unquote, urlencode

from starlette.requests import Request
from starlette.types import Scope

from lakemuster.api.sidecar.page_tokens import PARAMETER
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.upstream.registry import Upstreams
from lakemuster.upstream.rest import RestCatalog

PREFIX = "/iceberg/v1/"
NATIVE = "/api/v1/tables/"
_TOKENS = "oauth/tokens"
_WAREHOUSE = "warehouse"
_SEPARATOR = "\x1f"
_SEPARATORS = re.compile(r"[/\\]")
_OF_STORAGE = frozenset({"credentials", "sign"})
_SIGNING = frozenset({"s3-sign"})
MAX_BODY_BYTES = 64 * 2**20
"""Limit of the body of a forwarded request."""
SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing."""
STATE = "sidecar"
"""Key of the :class:`SidecarRequest` in a request's state."""
UPSTREAM = "upstream"
"""Key, in a request's state, of the name of the catalog that it used and the seconds that the catalog took."""


@dataclass(frozen=True)
class SidecarRequest:
    """A request about an attached catalog.

    Attributes:
        rest: its path below the catalog, percent-encoded.
        parameters: of its query string, decoded, in order.
        is_native: whether the request is one of the native API, about a table of the catalog.
    """

    catalog: RestCatalog
    rest: str
    is_native: bool = False
    parameters: tuple[tuple[str, str], ...] = ()

    @cached_property
    def readings(self) -> tuple[SidecarRequest, ...]:
        """The request and, if its path has a plus, the one that a catalog reads which decodes a plus as a space.

        Iceberg's Java client encodes a space in a name as a plus, and a plus as ``%2B`` (apache/iceberg#17759).
        """
        spaced = self.rest.replace("+", "%20")
        return (self,) if spaced == self.rest else (self, replace(self, rest=spaced))

    @property
    def is_forwarded(self) -> bool:
        """Whether the caller signs in at the catalog, and not here."""
        return self.catalog.settings.auth == "forward"

    @property
    def is_passed_on(self) -> bool:
        """Whether the catalog answers, and not this server."""
        is_refused = self.is_token_exchange and not self.is_forwarded
        return not (self.is_native or self._is_planning or is_refused)

    @property
    def _is_planning(self) -> bool:
        below = self._below_table
        return (below[:1] == ("plan",) and len(below) <= 2) or below == ("tasks",)

    @property
    def _below_table(self) -> tuple[str, ...]:
        """The segments below a table's path; empty if there are none, or the path names no table."""
        names_table = self.segments[0] == "namespaces" and self.segments[2:3] == ("tables",)
        return self.segments[4:] if names_table else ()

    @property
    def is_config(self) -> bool:
        """Whether it requests the configuration, as clients do first."""
        return self.rest == "config"

    @property
    def is_token_exchange(self) -> bool:
        """Whether it exchanges a credential for a token at the catalog."""
        return self.rest == _TOKENS

    def may_change(self, method: str) -> bool:
        """Return whether the request may change the catalog's tables."""
        return method not in SAFE and not (self.is_token_exchange or self.is_report or self.is_of_storage)

    @property
    def is_load(self) -> bool:
        """Whether its path is that of a table: not of a view, and not below a table."""
        return self.table is not None and len(self.segments) == 4 and self.segments[2] == "tables"

    @property
    def is_list(self) -> bool:
        """Whether its path is that of a list of namespaces, tables or views."""
        segments = self.segments
        is_below = len(segments) == 3 and segments[0] == "namespaces" and segments[2] in {"tables", "views"}
        return segments == ("namespaces",) or is_below

    @property
    def is_creation(self) -> bool:
        """Whether its path is one for creating or registering tables."""
        segments = self.segments
        return len(segments) == 3 and segments[0] == "namespaces" and segments[2] in {"tables", "register"}

    @property
    def is_report(self) -> bool:
        """Whether it reports metrics of a scan or a commit."""
        return self._below_table == ("metrics",)

    @property
    def is_of_storage(self) -> bool:
        """Whether it requests storage credentials, or the signature of a request to storage."""
        segments = self.segments
        is_signing = segments[0] == "s3-sign" or segments[-3:] == ("aws", "s3", "sign")
        return (self._below_table[:1] != () and self._below_table[0] in _OF_STORAGE) or is_signing

    @property
    def may_be_of_storage(self) -> bool:
        """Like :attr:`is_of_storage`, for any way in which a catalog may resolve the path.

        Some servers decode slashes first, or drop what follows a semicolon.
        """
        parts = [part.partition(";")[0] for segment in self.segments for part in _SEPARATORS.split(segment)]
        # A namespace and a table may have such names.
        named = 4 if parts[0] == "namespaces" else 0
        return self.is_of_storage or not (_OF_STORAGE | _SIGNING).isdisjoint(parts[named:])

    def query(self, query_string: bytes, unseal: Callable[[str], str] | None = None) -> bytes:
        """Return the query string for the catalog, whose own warehouse replaces the one that clients name.

        Args:
            unseal: decrypts page tokens; None if they are the catalog's.
        """
        if unseal is not None and any(name == PARAMETER for name, _ in self.parameters):
            read = [(name, unseal(value) if name == PARAMETER else value) for name, value in self.parameters]
            return query_string if tuple(read) == self.parameters else urlencode(read).encode()
        if not self.is_config:
            return query_string
        warehouse = self.catalog.settings.properties.get(_WAREHOUSE)
        others = [(name, value) for name, value in self.parameters if name != _WAREHOUSE]
        return urlencode([*others, *([] if warehouse is None else [(_WAREHOUSE, warehouse)])]).encode()

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The decoded segments of the path below the catalog."""
        return tuple(map(unquote, self.rest.split("/")))

    @property
    def namespace(self) -> Levels | None:
        """The namespace that the path names, or None."""
        if len(self.segments) < 2 or self.segments[0] != "namespaces":
            return None
        return self.levels(self.segments[1])

    def levels(self, namespace: str) -> Levels:
        """Return the levels of a decoded namespace, with the catalog's separator or the protocol's default."""
        # A request is parsed again after its response, when the configuration may be too old for another request.
        endpoint = self.catalog.last_endpoint
        separator = _SEPARATOR if endpoint is None else unquote(endpoint.separator)
        return tuple(namespace.replace(separator, _SEPARATOR).split(_SEPARATOR))

    @property
    def parents(self) -> tuple[Levels, ...]:
        """The namespaces whose children it lists."""
        is_list = self.segments == ("namespaces",)
        return tuple(self.levels(value) for name, value in self.parameters if is_list and name == "parent" and value)

    @property
    def is_filtered(self) -> bool:
        """Whether the response shows no hidden name: it is a list, which is filtered, or is about one namespace."""
        return self.is_list or (len(self.segments) == 2 and self.segments[0] == "namespaces")

    @property
    def table(self) -> Levels | None:
        """The levels, at the catalog, of the table or view that the path names, or None."""
        namespace = self.namespace
        if namespace is None or len(self.segments) < 4 or self.segments[2] not in {"tables", "views"}:
            return None
        return (*namespace, self.segments[3])


def note_upstream(request: Request, catalog: RestCatalog, seconds: float) -> None:
    """Record the time that a catalog took, for the access log and the metrics."""
    setattr(request.state, UPSTREAM, (catalog.name, seconds))


def sidecar_request(scope: Scope, upstreams: Upstreams) -> SidecarRequest | None:
    """Parse a request about an attached REST catalog; None: it is not about one.

    Raises:
        RequestInvalid: the path has empty or relative segments, which a catalog may resolve in its own way.
    """
    if not upstreams.has_rest:
        return None
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    if path.startswith(NATIVE):
        return _native(path, upstreams)
    if not path.startswith(PREFIX):
        return None
    rest = path.removeprefix(PREFIX)
    if rest == "config":
        parameters = _parameters(scope)
        warehouses = [value for name, value in parameters if name == _WAREHOUSE]
        catalog = upstreams.rest(warehouses[0]) if len(warehouses) == 1 else None
        return None if catalog is None else SidecarRequest(catalog, rest, parameters=parameters)
    if rest == _TOKENS:
        forwarding = [
            catalog for catalog in upstreams if isinstance(catalog, RestCatalog) and catalog.settings.auth == "forward"
        ]
        return SidecarRequest(forwarding[0], rest) if len(forwarding) == 1 else None
    name, _, rest = rest.partition("/")
    catalog = upstreams.rest(unquote(name))
    if catalog is None:
        return None
    found = SidecarRequest(catalog, rest, parameters=_parameters(scope))
    if any(map(_is_relative, found.segments)):
        raise RequestInvalid("the path has an empty or a relative segment")
    return found


def _parameters(scope: Scope) -> tuple[tuple[str, str], ...]:
    return tuple(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))


def _is_relative(segment: str) -> bool:
    """Return whether a server may resolve a segment: some decode slashes first, or drop what follows a semicolon."""
    parts = [part.partition(";")[0] for part in _SEPARATORS.split(segment)]
    return not segment.partition(";")[0] or any(part in {".", ".."} for part in parts)


def _native(path: str, upstreams: Upstreams) -> SidecarRequest | None:
    name, _, rest = path.removeprefix(NATIVE).partition("/")
    try:
        catalog = upstreams.rest(parse_name(unquote(name))[0])
    except RequestInvalid:
        return None
    return None if catalog is None else SidecarRequest(catalog, rest, is_native=True)
