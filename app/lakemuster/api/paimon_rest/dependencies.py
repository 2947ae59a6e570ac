"""FastAPI dependencies of the Paimon REST catalog: a database, a table and its branch, a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, TypeVar, cast
from urllib.parse import unquote_plus

from fastapi import Depends, Path, Query, Request, params

from lakemuster.api.identity.callers import Caller
from lakemuster.api.native.dependencies import MAX_PAGE_SIZE, PAGE_SIZE, TheCaller, api_of, permit_table
from lakemuster.api.shared import Api
from lakemuster.catalog import TableRecord
from lakemuster.catalog.page_tokens import Key, Place, read_token, write_token
from lakemuster.catalog.services import Services
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import NamespaceNotFound, RequestInvalid, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.metadata.snapshot import MAIN

ROOT = "/paimon/v1"
CATALOG = "lakemuster"
PREFIX = f"{ROOT}/{CATALOG}"
"""Java's client requires a prefix; the configuration route sends this one."""

DEFAULT_DATABASE = "default"
"""It exists even without a table: Spark and Flink load it at start, and would create it if it were missing."""

SPLITTER = "$"
_BRANCH = "branch_"
_MAX_SHOWN = 200

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Paging:
    """The requested page of a list.

    Attributes:
        token: the page token; None for the first page.
        size: maximum number of items.
    """

    token: str | None
    size: int


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A request about one table.

    Attributes:
        levels: the levels of the table's name.
        branch: ``main``, unless the requested name has another branch.
        object: the table's name as requested, with its branch.
    """

    api: Api
    caller: Caller
    levels: Levels
    branch: str
    object: str

    @property
    def services(self) -> Services:
        """The catalog's use cases."""
        return self.api.services

    @property
    def name(self) -> str:
        """The table's name in canonical spelling."""
        return format_name(self.levels)

    @property
    def database(self) -> str:
        """The database's name."""
        return format_name(self.levels[:-1])


@dataclass(frozen=True, slots=True)
class Names:
    """The Paimon tables that a caller may see, and the databases that their names imply."""

    api: Api
    caller: Caller

    def all(self) -> list[Levels]:
        """Return the names of all tables, in no order."""
        names = map(parse_name, self.api.table_names(self.caller, "paimon"))
        return [name for name in names if is_expressible(name)]

    def databases(self) -> list[str]:
        """Return all databases with a table, sorted."""
        return sorted(filter(None, self.api.namespaces(self.caller, "paimon", without=SPLITTER)))

    def members(self, database: str) -> dict[str, TableRecord]:
        """Return the tables of a database by their names without the database.

        Raises:
            NamespaceNotFound: it has no table, and is not the default database.
        """
        of = [table for table in self.api.tables(self.caller, database) if table.format == "paimon"] if database else []
        named = ((parse_name(table.name), table) for table in of)
        found = {levels[-1]: table for levels, table in named if is_expressible(levels)}
        if not found and database != DEFAULT_DATABASE:
            raise NamespaceNotFound(
                f"database {database[:_MAX_SHOWN]} does not exist: no Paimon table is registered in it"
            )
        return dict(sorted(found.items()))


def is_expressible(name: Levels) -> bool:
    """Return whether the protocol can express a name: with a database, and a table without ``$``, the separator."""
    return len(name) > 1 and SPLITTER not in name[-1]


def path_name(request: Request, at: int, decoded: str) -> str:
    """Return a name from the path, decoded as form data, since clients encode a space as a plus sign.

    Args:
        at: the name's distance from the segment ``databases``.
        decoded: the name, decoded as a path.
    """
    if "+" not in decoded:
        return decoded
    segments = request.scope.get("raw_path", b"").decode("ascii", "replace").split("/")
    start = segments.index("databases") + at if "databases" in segments else len(segments)
    return unquote_plus(segments[start]) if start < len(segments) else decoded


async def the_database(
    request: Request,
    database: Annotated[
        str, Path(description="Name of the database: the levels of a table's name except the last, dotted.")
    ],
) -> str:
    """Return the database in the path; it need not exist."""
    return path_name(request, 1, database)


async def the_table(
    request: Request,
    caller: TheCaller,
    database: Annotated[str, Depends(the_database)],
    table: Annotated[
        str,
        Path(
            description="Name of the table without its database, optionally followed by `$branch_` and the name "
            "of a branch."
        ),
    ],
) -> TableRequest:
    """Return the table in the path, if the caller may see it; it need not be registered."""
    said = path_name(request, 3, table)
    name, _, rest = said.partition(SPLITTER)
    branch = rest.removeprefix(_BRANCH) if rest.startswith(_BRANCH) else ""
    try:
        levels = (*parse_name(database), name)
        known = parse_name(format_name(levels)) == levels and format_name(levels[:-1]) == database
    except RequestInvalid:
        known = False
    if not known or (said != name and (not branch or SPLITTER in branch)):
        raise TableNotFound("the table is not registered", table=f"{database}.{said}")
    permit_table(request, levels)
    return TableRequest(api_of(request), caller, levels, branch or MAIN, said)


async def _a_table(table: Annotated[str, Path(description="Name of the table, without its database.")]) -> str:
    return table


async def _a_view(view: Annotated[str, Path(description="Name of the view.")]) -> str:
    return view


async def _a_function(function: Annotated[str, Path(description="Name of the function.")]) -> str:
    return function


async def _a_branch(branch: Annotated[str, Path(description="Name of the branch.")]) -> str:
    return branch


async def _a_tag(tag: Annotated[str, Path(description="Name of the tag.")]) -> str:
    return tag


def path_parameters(path: str) -> list[params.Depends]:
    """Document the parameters in a path, for routes that do not read them."""
    known: dict[str, Callable[..., object]] = {
        "{database}": the_database,
        "{table}": _a_table,
        "{view}": _a_view,
        "{function}": _a_function,
        "{branch}": _a_branch,
        "{tag}": _a_tag,
    }
    return [cast("params.Depends", Depends(taken)) for name, taken in known.items() if name in path]


async def paging(
    max_results: Annotated[
        int,
        Query(
            alias="maxResults",
            ge=0,
            description="Maximum number of items in a page. 0 or absent: the server's default. "
            f"More than {MAX_PAGE_SIZE:,} count as {MAX_PAGE_SIZE:,}.",
        ),
    ] = 0,
    page_token: Annotated[
        str | None,
        Query(
            alias="pageToken",
            max_length=4096,
            description="The previous page's `nextPageToken`. Absent: the first page.",
        ),
    ] = None,
) -> Paging:
    """Return the requested page."""
    return requested_page(page_token, max_results)


def requested_page(token: str | None, size: int | None) -> Paging:
    """Return the page that the protocol's parameters request: an empty token and the size 0 stand for none."""
    return Paging(token or None, min(size or PAGE_SIZE, MAX_PAGE_SIZE))


def page_of(
    api: Api, requested: Paging, items: Iterable[T], key: Callable[[T], Key], audience: Audience
) -> tuple[list[T], str | None]:
    """Return the items of the requested page, and the token of the next page.

    Args:
        items: in increasing order of their keys.
    """
    after = read_token(requested.token, audience, api.token_signer).key if requested.token else None
    page: list[T] = []
    for item in items:
        if after is not None and key(item) <= after:
            continue
        if len(page) == requested.size:
            return page, write_token(Place((), key(page[-1])), audience, api.token_signer)
        page.append(item)
    return page, None


TheDatabase = Annotated[str, Depends(the_database)]
ThePaimonTable = Annotated[TableRequest, Depends(the_table)]
ThePaging = Annotated[Paging, Depends(paging)]
DatabasePattern = Annotated[
    str | None,
    Query(
        alias="databaseNamePattern", max_length=4096, description="A name, or a prefix followed by `%`. Absent: all."
    ),
]
TablePattern = Annotated[
    str | None,
    Query(alias="tableNamePattern", max_length=4096, description="A name, or a prefix followed by `%`. Absent: all."),
]
TableType = Annotated[
    str | None,
    Query(
        alias="tableType",
        max_length=200,
        description="Only tables with this option `type`; it is `table` if unset. Absent: all.",
    ),
]
PartitionPattern = Annotated[
    str | None,
    Query(
        alias="partitionNamePattern",
        max_length=4096,
        description="A partition name, `k=v/k=v`, or a prefix followed by `%`. Absent: all.",
    ),
]
