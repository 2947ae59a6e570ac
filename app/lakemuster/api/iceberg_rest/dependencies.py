"""What a request of the protocol says: a namespace, a table, a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from lakemuster.api.auth import Caller
from lakemuster.api.native.dependencies import MAX_PAGE_SIZE, PAGE_SIZE, Api, Target, TheCaller, api_of
from lakemuster.errors import NamespaceNotFound, RequestInvalid, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name

PREFIX = "/iceberg/v1"
SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Paging:
    """Which page of a list is asked for.

    Attributes:
        token: None asks for everything; the empty text, for the first page.
        size: at most so many items.
    """

    token: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Names:
    """The Iceberg tables that exist for a caller, companions too, and the namespaces that their names imply."""

    tables: tuple[Levels, ...]

    @classmethod
    def of(cls, api: Api, caller: Caller) -> Names:
        """All of them, by name. A table of a single level is in no namespace, and does not appear."""
        names = (parse_name(table.name) for table in api.services.iceberg_tables())
        return cls(tuple(sorted(name for name in names if len(name) > 1 and caller.sees(name))))

    def require(self, *spellings: Levels) -> Levels:
        """The first of a namespace's spellings that exists: a table lies in it, or below.

        Raises:
            NamespaceNotFound: none does.
        """
        for namespace in spellings:
            if self._below(namespace):
                return namespace
        raise NamespaceNotFound("no table is registered in that namespace")

    def children(self, namespace: Levels) -> list[Levels]:
        """The namespaces right below one; the empty one holds them all."""
        depth = len(namespace) + 1
        return sorted({table[:depth] for table in self._below(namespace) if len(table) > depth})

    def members(self, namespace: Levels) -> list[Levels]:
        """The tables right in a namespace."""
        return [table for table in self._below(namespace) if len(table) == len(namespace) + 1]

    def _below(self, namespace: Levels) -> list[Levels]:
        depth = len(namespace)
        return [table for table in self.tables if len(table) > depth and table[:depth] == namespace]


def levels_of(text: str) -> Levels:
    """The levels of a namespace in a path or query."""
    return tuple(text.split(SEPARATOR))


async def the_namespace(
    namespace: Annotated[
        str, Path(description="Levels of the namespace, the unit separator 0x1F (`%1F` in URLs) between them.")
    ],
) -> Levels:
    """The namespace that the path names, whether or not it exists."""
    return levels_of(namespace)


async def the_table_name(table: Annotated[str, Path(description="The table's own name.")]) -> str:
    """The last level of a table's name."""
    return table


async def the_view_name(view: Annotated[str, Path(description="The view's own name.")]) -> str:
    """The last level of a view's name."""
    return view


async def the_table(
    request: Request,
    caller: TheCaller,
    namespace: Annotated[Levels, Depends(the_namespace)],
    table: Annotated[str, Depends(the_table_name)],
) -> Target:
    """The table that the path names, if it may exist for the caller."""
    levels = (*namespace, table)
    name = format_name(levels)
    try:
        known = parse_name(name) == levels
    except RequestInvalid:
        known = False
    if not known:
        raise TableNotFound("no table of that name is registered")
    caller.require_table(levels)
    return Target(request, api_of(request), name)


async def paging(
    page_token: Annotated[
        str | None,
        Query(alias="pageToken", max_length=4096, description="Empty for a first page; left out for everything."),
    ] = None,
    page_size: Annotated[
        int, Query(alias="pageSize", ge=1, le=MAX_PAGE_SIZE, description="At most so many items a page.")
    ] = PAGE_SIZE,
) -> Paging:
    """The page that the query asks for."""
    return Paging(page_token, page_size)


TheNamespace = Annotated[Levels, Depends(the_namespace)]
TheIcebergTable = Annotated[Target, Depends(the_table)]
ThePaging = Annotated[Paging, Depends(paging)]
