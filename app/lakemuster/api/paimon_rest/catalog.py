"""Routes of the catalog: databases and table names; there are no views or functions."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api.native.dependencies import TheApi, TheCaller, needs
from lakemuster.api.paimon_rest import tables
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import (
    PREFIX,
    DatabasePattern,
    Names,
    TablePattern,
    TableType,
    TheDatabase,
    ThePaging,
    page_of,
    path_parameters,
)
from lakemuster.api.paimon_rest.responses import LISTED
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import NotFound, ViewNotFound
from lakemuster.metadata.names import format_name
from lakemuster.wire.paimon_rest.catalog import (
    DatabaseOut,
    DatabasesOut,
    FunctionDetailsOut,
    FunctionsOut,
    PaimonIdentifier,
    PaimonIdentifiersOut,
    TablesOut,
    ViewDetailsOut,
    ViewsOut,
)
from lakemuster.wire.paimon_rest.patterns import NamePattern

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")])


@router.get("/databases", name="paimon_list_databases", response_model=DatabasesOut, responses=LISTED)
def list_databases(api: TheApi, caller: TheCaller, paging: ThePaging, pattern: DatabasePattern = None) -> Response:
    """List the databases that have a Paimon table."""
    like = NamePattern.of(pattern)
    names = [name for name in Names(api, caller).databases() if like.matches(name)]
    audience = Audience(0, "paimon databases", {"like": pattern or ""}, caller.name)
    found, token = page_of(api, paging, names, lambda name: (name,), audience)
    return answer(DatabasesOut(databases=found, next_page_token=token))


@router.get("/databases/{database}", name="paimon_get_database", response_model=DatabaseOut, responses=LISTED)
def get_database(api: TheApi, caller: TheCaller, database: TheDatabase) -> Response:
    """Load a database; it exists while a Paimon table is registered in it. `default` always exists."""
    members = Names(api, caller).members(database).values()
    return answer(
        DatabaseOut(
            id=database,
            name=database,
            location="",
            options={},
            created_at=min((table.created_at_ms for table in members), default=0),
            updated_at=max((table.last_updated_ms or table.created_at_ms for table in members), default=0),
        )
    )


@router.get("/databases/{database}/tables", name="paimon_list_tables", response_model=TablesOut, responses=LISTED)
def list_tables(
    api: TheApi,
    caller: TheCaller,
    paging: ThePaging,
    database: TheDatabase,
    pattern: TablePattern = None,
    kind: TableType = None,
) -> Response:
    """List the names of a database's tables."""
    like = NamePattern.of(pattern)
    members = Names(api, caller).members(database).items()
    chosen = (
        name for name, table in members if like.matches(name) and (not kind or tables.is_of_type(api, table, kind))
    )
    audience = Audience(0, "paimon tables", {"of": database, "like": pattern or "", "type": kind or ""}, caller.name)
    found, token = page_of(api, paging, chosen, lambda name: (name,), audience)
    return answer(TablesOut(tables=found, next_page_token=token))


@router.get("/tables", name="paimon_list_all_tables", response_model=PaimonIdentifiersOut, responses=LISTED)
def list_all_tables(
    api: TheApi, caller: TheCaller, paging: ThePaging, database: DatabasePattern = None, pattern: TablePattern = None
) -> Response:
    """List the names of the tables of all databases."""
    of, like = NamePattern.of(database), NamePattern.of(pattern)
    names = sorted((format_name(name[:-1]), name[-1]) for name in Names(api, caller).all())
    chosen = (name for name in names if of.matches(name[0]) and like.matches(name[1]))
    audience = Audience(0, "all paimon tables", {"of": database or "", "like": pattern or ""}, caller.name)
    found, token = page_of(api, paging, chosen, lambda name: name, audience)
    identifiers = [PaimonIdentifier(database=name[0], object=name[1]) for name in found]
    return answer(PaimonIdentifiersOut(tables=identifiers, next_page_token=token))


@router.get("/databases/{database}/views", name="paimon_list_views", response_model=ViewsOut, responses=LISTED)
def list_views(api: TheApi, caller: TheCaller, _: ThePaging, database: TheDatabase) -> Response:
    """List the views of a database: always empty."""
    Names(api, caller).members(database)
    return answer(ViewsOut(views=[]))


@router.get(
    "/databases/{database}/view-details",
    name="paimon_list_view_details",
    response_model=ViewDetailsOut,
    responses=LISTED,
)
def list_view_details(api: TheApi, caller: TheCaller, _: ThePaging, database: TheDatabase) -> Response:
    """List the views of a database with their details: always empty."""
    Names(api, caller).members(database)
    return answer(ViewDetailsOut(view_details=[]))


@router.get("/views", name="paimon_list_all_views", response_model=ViewsOut, responses=LISTED)
def list_all_views(_: ThePaging) -> Response:
    """List the views of all databases: always empty."""
    return answer(ViewsOut(views=[]))


@router.get(
    "/databases/{database}/views/{view}",
    name="paimon_get_view",
    response_model=None,
    responses=LISTED,
    dependencies=path_parameters("{database}{view}"),
)
def get_view() -> None:
    """Load a view: always fails, since the catalog has no views."""
    raise ViewNotFound("this catalog has no views")


@router.get(
    "/databases/{database}/functions", name="paimon_list_functions", response_model=FunctionsOut, responses=LISTED
)
def list_functions(api: TheApi, caller: TheCaller, _: ThePaging, database: TheDatabase) -> Response:
    """List the functions of a database: always empty."""
    Names(api, caller).members(database)
    return answer(FunctionsOut(functions=[]))


@router.get(
    "/databases/{database}/function-details",
    name="paimon_list_function_details",
    response_model=FunctionDetailsOut,
    responses=LISTED,
)
def list_function_details(api: TheApi, caller: TheCaller, _: ThePaging, database: TheDatabase) -> Response:
    """List the functions of a database with their details: always empty."""
    Names(api, caller).members(database)
    return answer(FunctionDetailsOut(function_details=[]))


@router.get("/functions", name="paimon_list_all_functions", response_model=FunctionsOut, responses=LISTED)
def list_all_functions(_: ThePaging) -> Response:
    """List the functions of all databases: always empty."""
    return answer(FunctionsOut(functions=[]))


@router.get(
    "/databases/{database}/functions/{function}",
    name="paimon_get_function",
    response_model=None,
    responses=LISTED,
    dependencies=path_parameters("{database}{function}"),
)
def get_function() -> None:
    """Load a function: always fails, since the catalog has no functions."""
    raise NotFound("this catalog has no functions")
