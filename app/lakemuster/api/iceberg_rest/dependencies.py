"""FastAPI dependencies of the Iceberg REST catalog: a namespace, a table, a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from lakemuster.api.identity.callers import Caller
from lakemuster.api.native.dependencies import (
    MAX_PAGE_SIZE,
    PAGE_SIZE,
    Target,
    api_of,
    caller_of,
    permit_at_catalog,
    permit_table,
)
from lakemuster.api.shared import Api
from lakemuster.api.sidecar.endpoints import endpoint_of
from lakemuster.api.sidecar.requests import STATE as SIDECAR
from lakemuster.api.sidecar.requests import SidecarRequest
from lakemuster.catalog.catalog_documents import ensure_listed
from lakemuster.errors import NamespaceNotFound, RequestInvalid, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name

PREFIX = "/iceberg/v1"
SEPARATOR = "\x1f"
_MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Paging:
    """The requested page of a list.

    Attributes:
        token: the page token; empty for the first page, None for the whole list.
        size: maximum number of items.
    """

    token: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Names:
    """The Iceberg tables that a caller may see, including companions, and the namespaces that their names imply.

    Attributes:
        catalog: the attached catalog that the tables are limited to, or None.
        namespaces: all that directly contain tables, sorted; those of an attached catalog without its name.
    """

    api: Api
    caller: Caller
    catalog: str | None
    namespaces: tuple[Levels, ...]

    @classmethod
    def of(cls, api: Api, caller: Caller, catalog: str | None = None) -> Names:
        """Return all names. A table whose name has one level is in no namespace, and is omitted.

        Args:
            catalog: an attached catalog, for its tables only, under their names there; None for all tables.

        Raises:
            UpstreamFailed: the catalog's tables were never listed, and cannot be listed now.
        """
        if catalog is not None:
            ensure_listed(api.services, catalog)
        known = (parse_name(namespace) for namespace in api.namespaces(caller, "iceberg") if namespace)
        if catalog is not None:
            known = (namespace[1:] for namespace in known if namespace[0] == catalog)
        return cls(api, caller, catalog, tuple(sorted(namespace for namespace in known if namespace)))

    def require(self, *spellings: Levels) -> Levels:
        """Return the first of a namespace's spellings that exists; a namespace exists if a table is in or below it.

        Raises:
            NamespaceNotFound: none exists.
        """
        for namespace in spellings:
            if self._below(namespace):
                return namespace
        shown = format_name(spellings[0])[:_MAX_SHOWN]
        raise NamespaceNotFound(f"namespace {shown} does not exist: no table is registered in it")

    def children(self, namespace: Levels) -> list[Levels]:
        """Return the direct children of a namespace; the empty namespace is the root."""
        depth = len(namespace) + 1
        return sorted({found[:depth] for found in self._below(namespace) if len(found) >= depth})

    def members(self, namespace: Levels) -> list[Levels]:
        """Return the tables directly in a namespace, sorted."""
        above = () if self.catalog is None else (self.catalog,)
        names = self.api.table_names(self.caller, "iceberg", format_name((*above, *namespace)))
        return sorted((*namespace, parse_name(name)[-1]) for name in names)

    def _below(self, namespace: Levels) -> list[Levels]:
        """Return a namespace, if it directly contains tables, and those below it."""
        return [found for found in self.namespaces if found[: len(namespace)] == namespace]


def levels_of(text: str) -> Levels:
    """Return the levels of a namespace from a path or query."""
    return tuple(text.split(SEPARATOR))


async def the_namespace(
    namespace: Annotated[
        str, Path(description="Levels of the namespace, separated by the unit separator 0x1F (`%1F` in URLs).")
    ],
) -> Levels:
    """Return the namespace in the path; it need not exist."""
    return levels_of(namespace)


async def the_table_name(table: Annotated[str, Path(description="Name of the table, without its namespace.")]) -> str:
    """Return the last level of a table's name."""
    return table


async def the_view_name(view: Annotated[str, Path(description="Name of the view, without its namespace.")]) -> str:
    """Return the last level of a view's name."""
    return view


async def the_catalog(
    catalog: Annotated[str, Path(description="Name of an attached catalog.")],
) -> str:
    """Return the attached catalog in the path."""
    return catalog


async def the_read_catalog(request: Request) -> str | None:
    """Return the attached catalog in the path, which must not be a REST catalog; None if the path names none.

    Raises:
        NamespaceNotFound: the catalog is not attached, is a REST catalog, or has no table that the caller may see.
    """
    catalog: str | None = request.path_params.get("catalog")
    if catalog is not None and not is_read_here(request, catalog):
        raise NamespaceNotFound(f"no catalog {catalog[:_MAX_SHOWN]} is attached")
    return catalog


def is_read_here(request: Request, catalog: str) -> bool:
    """Return whether an attached catalog has the name and no Iceberg REST API, and the caller may see a table of it."""
    api = api_of(request)
    upstreams = api.services.refresher.upstreams
    is_attached = catalog in upstreams and upstreams.rest(catalog) is None
    return is_attached and api.identity.policy.sees_namespace(caller_of(request), (catalog,))


def _catalog_of(request: Request) -> str | None:
    catalog: str | None = request.path_params.get("catalog")
    return catalog


async def the_table(
    request: Request,
    namespace: Annotated[Levels, Depends(the_namespace)],
    table: Annotated[str, Depends(the_table_name)],
    catalog: Annotated[str | None, Depends(_catalog_of)] = None,
) -> Target:
    """Return the table in the path, if the caller may see it; it need not be registered.

    Args:
        catalog: the attached catalog of the table, if the path names one.
    """
    levels = (*namespace, table)
    if catalog is not None:
        found: SidecarRequest | None = getattr(request.state, SIDECAR, None)
        if found is not None and found.catalog.last_endpoint is None:
            # A REST catalog's configuration has its own separator of levels.
            await endpoint_of(found.catalog)
        of_catalog = None if found is None else found.readings[-1].table
        if found is not None and of_catalog is not None:
            levels = (found.catalog.name, *of_catalog)
        elif is_read_here(request, catalog):
            levels = (catalog, *levels)
        else:
            raise TableNotFound(f"no catalog {catalog[:_MAX_SHOWN]} is attached")
    name = format_name(levels)
    try:
        known = parse_name(name) == levels
    except RequestInvalid:
        known = False
    if not known:
        raise TableNotFound("the table is not registered", table=name)
    permit_table(request, levels)
    await permit_at_catalog(request, levels)
    return Target(request, api_of(request), name)


async def paging(
    page_token: Annotated[
        str | None,
        Query(
            alias="pageToken",
            max_length=4096,
            description="Token of the page; empty for the first one. Absent: the whole list.",
        ),
    ] = None,
    page_size: Annotated[
        int,
        Query(
            alias="pageSize",
            ge=1,
            description=f"Maximum number of items in a page. More than {MAX_PAGE_SIZE:,} count as {MAX_PAGE_SIZE:,}.",
        ),
    ] = PAGE_SIZE,
) -> Paging:
    """Return the requested page."""
    return Paging(page_token, min(page_size, MAX_PAGE_SIZE))


TheReadCatalog = Annotated[str | None, Depends(the_read_catalog)]
TheNamespace = Annotated[Levels, Depends(the_namespace)]
TheIcebergTable = Annotated[Target, Depends(the_table)]
ThePaging = Annotated[Paging, Depends(paging)]
