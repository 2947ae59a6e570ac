"""Routes of one table: metadata, existence, credentials, metrics reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from lakemuster.api.iceberg_rest.catalog import answer
from lakemuster.api.iceberg_rest.dependencies import PREFIX, TheIcebergTable
from lakemuster.api.iceberg_rest.responses import EXISTS, LOAD_TABLE, NOTED, TABLE
from lakemuster.api.native.answers import is_known, stale_header
from lakemuster.api.native.dependencies import Target, needs
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.attached import require_at_catalog
from lakemuster.catalog.iceberg_rest import load_table_cache
from lakemuster.errors import ObjectMissing
from lakemuster.wire.iceberg_rest.catalog import CredentialsOut, LoadTableOut, MetricsReport

router = APIRouter(
    prefix=f"{PREFIX}/namespaces/{{namespace}}/tables",
    tags=["iceberg"],
    dependencies=[needs("read")],
    route_class=TableRoute,
)


def answers_of(request: Request) -> load_table_cache.LoadTableCache:
    """Return the app's cache of load-table responses."""
    kept: load_table_cache.LoadTableCache = request.app.state.iceberg_tables
    return kept


@router.get("/{table}", name="iceberg_load_table", response_model=LoadTableOut, responses=LOAD_TABLE)
def load_table(
    table: TheIcebergTable,
    snapshots: Annotated[
        load_table_cache.Snapshots,
        Query(description="`all` snapshots, or only those that `refs` (branches and tags) refer to."),
    ] = "all",
    if_none_match: Annotated[str | None, Header(description="ETags that the client has cached.")] = None,
) -> Response:
    """Load a table: its current metadata, with rewritten locations if the table was moved.

    A quarantined snapshot does not prevent loading the table.
    """
    loaded = load_table_cache.look(table.services, table.name, snapshots)
    known = [] if if_none_match is None else [if_none_match]
    try:
        return _loaded(table, loaded, known)
    except ObjectMissing:
        if loaded.table.companion_of is None:
            raise
        return _loaded(table, load_table_cache.look_again(table.services, loaded), known)


def _loaded(table: Target, loaded: load_table_cache.Loaded, known: Sequence[str]) -> Response:
    headers = {
        "ETag": loaded.etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization",
        **stale_header(loaded.stale),
    }
    if is_known(loaded.etag, known):
        return Response(status_code=304, headers=headers)
    body = answers_of(table.request).get(loaded.etag, lambda: load_table_cache.read(table.services, loaded))
    return Response(body, media_type="application/json", headers=headers)


@router.head("/{table}", name="iceberg_table_exists", status_code=204, response_model=None, responses=EXISTS)
def table_exists(table: TheIcebergTable) -> Response:
    """Check whether a table exists."""
    require_at_catalog(table.services.refresher, table.services.iceberg_table(table.name))
    return Response(status_code=204)


@router.get("/{table}/credentials", name="iceberg_load_credentials", response_model=CredentialsOut, responses=TABLE)
def load_credentials(table: TheIcebergTable) -> Response:
    """Return the credentials for the table's files: always none, clients use their own."""
    table.services.iceberg_table(table.name)
    return answer(CredentialsOut(storage_credentials=[]))


@router.post("/{table}/metrics", name="iceberg_report_metrics", status_code=204, response_model=None, responses=NOTED)
def report_metrics(table: TheIcebergTable, _: MetricsReport) -> Response:
    """Accept a client's metrics report, and discard it."""
    table.services.iceberg_table(table.name)
    return Response(status_code=204)
