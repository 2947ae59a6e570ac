"""Tell the requests of attached REST catalogs from our own, by their paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qs, unquote

from starlette.types import Scope

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.upstream.registry import Upstreams
from lakemuster.upstream.rest import RestCatalog

PREFIX = "/iceberg/v1/"
NATIVE = "/api/v1/tables/"
_TOKENS = "oauth/tokens"
_PLANNING = re.compile(r"namespaces/[^/]+/tables/[^/]+/(?:plan(?:/[^/]+)?|tasks)\Z")
_SEPARATOR = "\x1f"
_CHANGING_NOTHING = frozenset({"metrics", "sign"})
SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing."""
STATE = "sidecar"
"""Key of a request's state: its :class:`SidecarRequest`."""


@dataclass(frozen=True)
class SidecarRequest:
    """A request about an attached catalog.

    Attributes:
        rest: its path below the catalog, percent-encoded.
        is_native: the request is one of our own API, about a table of the catalog.
    """

    catalog: RestCatalog
    rest: str
    is_native: bool = False

    @property
    def is_forwarded(self) -> bool:
        """Whether the caller signs in at the catalog, and not here."""
        return self.catalog.settings.auth == "forward"

    @property
    def is_passed_on(self) -> bool:
        """Whether the catalog answers, and not this server."""
        return not self.is_native and _PLANNING.match(self.rest) is None

    @property
    def is_config(self) -> bool:
        """Whether it is the protocol's first request, for the configuration."""
        return self.rest == "config"

    @property
    def is_token_exchange(self) -> bool:
        """Whether it exchanges a credential for a token at the catalog."""
        return self.rest == _TOKENS

    def may_change(self, method: str) -> bool:
        """Whether the catalog may have other tables, or a table another state, after this request."""
        is_said_so = method not in SAFE and not self.is_token_exchange
        return is_said_so and self.segments[-1] not in _CHANGING_NOTHING

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The decoded segments of the path below the catalog."""
        return tuple(map(unquote, self.rest.split("/")))

    @property
    def namespace(self) -> Levels | None:
        """The namespace that the path names."""
        if len(self.segments) < 2 or self.segments[0] != "namespaces":
            return None
        endpoint = self.catalog.known_endpoint
        separator = _SEPARATOR if endpoint is None else unquote(endpoint.separator)
        return tuple(self.segments[1].split(separator))

    @property
    def table(self) -> Levels | None:
        """The table or view that the path names: its levels at the catalog."""
        namespace = self.namespace
        if namespace is None or len(self.segments) < 4 or self.segments[2] not in {"tables", "views"}:
            return None
        return (*namespace, self.segments[3])


def sidecar_request(scope: Scope, upstreams: Upstreams) -> SidecarRequest | None:
    """The attached REST catalog that a request is about; None: it is about tables whose catalog speaks to us alone.

    Raises:
        RequestInvalid: the path has empty or relative segments, which a catalog may read in its own way.
    """
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    if path.startswith(NATIVE):
        return _native(path, upstreams)
    if not path.startswith(PREFIX):
        return None
    rest = path.removeprefix(PREFIX)
    if rest == "config":
        warehouses = parse_qs(scope["query_string"].decode("latin-1")).get("warehouse", [])
        catalog = upstreams.rest(warehouses[0]) if len(warehouses) == 1 else None
        return None if catalog is None else SidecarRequest(catalog, rest)
    if rest == _TOKENS:
        forwarding = [
            catalog for catalog in upstreams if isinstance(catalog, RestCatalog) and catalog.settings.auth == "forward"
        ]
        return SidecarRequest(forwarding[0], rest) if len(forwarding) == 1 else None
    name, _, rest = rest.partition("/")
    catalog = upstreams.rest(unquote(name))
    if catalog is None:
        return None
    found = SidecarRequest(catalog, rest)
    if any(segment in {"", ".", ".."} for segment in found.segments):
        raise RequestInvalid("the path has an empty or a relative segment")
    return found


def _native(path: str, upstreams: Upstreams) -> SidecarRequest | None:
    name, _, rest = path.removeprefix(NATIVE).partition("/")
    try:
        catalog = upstreams.rest(parse_name(unquote(name))[0])
    except RequestInvalid:
        return None
    return None if catalog is None else SidecarRequest(catalog, rest, is_native=True)
