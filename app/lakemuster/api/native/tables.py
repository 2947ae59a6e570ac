"""Routes of tables: list, register, show, refresh, remove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from lakemuster.api.identity.callers import Caller
from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, TheApi, TheCaller, TheTable, needs
from lakemuster.api.native.list_parameters import NamespacesQuery, TablesQuery
from lakemuster.api.native.responses import CREATE, LIST_OF_TABLES, READ, REFRESH, REMOVE
from lakemuster.api.shared import Api
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.documents import refresh_out
from lakemuster.catalog.namespace_lists import namespace_listing
from lakemuster.catalog.table_documents import table_details, table_out
from lakemuster.catalog.table_lists import TableListing, order_of, with_figures
from lakemuster.errors import CatalogError, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.wire.documents import Document, dumps
from lakemuster.wire.native.pages import NamespacesPage, TablesPage
from lakemuster.wire.native.snapshots import RefreshOut
from lakemuster.wire.native.tables import NewTable, TableDetails, TableOut

router = APIRouter(prefix=PREFIX, tags=["tables"], route_class=TableRoute)


@router.get("/tables", response_model=TablesPage, responses=LIST_OF_TABLES, dependencies=[needs("read")])
def list_tables(caller: TheCaller, api: TheApi, query: TablesQuery, request: Request) -> Response:
    """List the registered tables that the caller may see, with the size of each.

    In a list that is sorted by a figure, a table whose figure changes between two pages may be in both, or in none.
    """
    listing = TableListing(api.services, query.choice(), order_of(query.sort, query.order), _sees(api, caller))
    request_of = ListRequest(request, api, "tables", query)
    return listing_answer(request_of, listing, stale=None, others=TableOut.model_fields)


@router.get("/namespaces", response_model=NamespacesPage, responses=LIST_OF_TABLES, dependencies=[needs("read")])
def list_namespaces(caller: TheCaller, api: TheApi, query: NamespacesQuery, request: Request) -> Response:
    """List the namespaces of which the caller may see the tables, with the sums of their tables' figures."""
    listing = namespace_listing(
        api.services, _sees(api, caller), search=query.search, sort=query.sort, order=query.order
    )
    return listing_answer(ListRequest(request, api, "namespaces", query), listing, stale=None)


@router.post(
    "/tables",
    response_model=TableOut,
    status_code=201,
    responses=CREATE,
    dependencies=[needs("register", parameters=False)],
)
def add_table(caller: TheCaller, api: TheApi, table: NewTable, request: Request) -> Response:
    """Register a table. It is indexed by the first request that needs it.

    The location must be under the server's roots, and under the locations of the table's namespace if it has any.
    """
    levels = parse_name(table.name)
    rewrites = tuple((rule.old, rule.new) for rule in table.rewrite)
    request.state.table = format_name(levels)
    confined_to = api.identity.policy.confinement(caller, levels)
    record = api.services.add(
        format_name(levels), table.location, table.format, rewrites, operator=False, confined_to=confined_to
    )
    return _json(_document(table_out(record)), 201)


@router.get(
    "/tables/{table}", response_model=TableDetails, responses=READ, dependencies=[needs("read", parameters=False)]
)
def get_table(table: TheTable) -> Response:
    """Show a table with its newest metadata; if that could never be read, only its registration."""
    rules = table.services.settings.of_table(table.name)
    try:
        record, metadata, stale = table.services.fresh(table.name)
        found = with_figures(table.services, record)
    except TableNotFound:
        raise
    except CatalogError as error:
        record = table.services.table(table.name)
        return _json(_document(table_details(record, None, f"{error.code}: {error}", rules)))
    return _json(_document(table_details(record, metadata, stale, rules, found.figures, found.health)))


@router.delete(
    "/tables/{table}",
    status_code=204,
    responses=REMOVE,
    dependencies=[needs("remove", parameters=False)],
    response_model=None,
)
def remove_table(table: TheTable) -> Response:
    """Unregister a table. Its files are not changed."""
    table.services.remove(table.name)
    return Response(status_code=204)


@router.post(
    "/tables/{table}/refresh",
    response_model=RefreshOut,
    responses=REFRESH,
    dependencies=[needs("refresh", parameters=False)],
)
def refresh_table(table: TheTable) -> Response:
    """Read the table's pointer now, and index new snapshots."""
    return _json(_document(refresh_out(table.services.refresh(table.name))))


def _sees(api: Api, caller: Caller) -> Callable[[Levels], bool] | None:
    policy = api.identity.policy
    return None if policy.sees_all(caller) else partial(policy.sees, caller)


def _document(model: TableOut | RefreshOut) -> Document:
    return model.model_dump(mode="json")


def _json(document: Mapping[str, object], status: int = 200) -> Response:
    return Response(dumps(document), status, media_type="application/json")
