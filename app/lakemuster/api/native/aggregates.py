"""The route of aggregates: count, extremes and sizes from metadata alone."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import SNAPSHOT_HEADER, stale_header
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.api.native.dependencies import PREFIX, TheTable, needs
from lakemuster.api.native.plans import with_nan
from lakemuster.api.native.responses import EXPLAIN
from lakemuster.api.response_cache import cache_until_changed
from lakemuster.catalog.aggregates import aggregates_out
from lakemuster.catalog.planning import selector_of
from lakemuster.cpu_semaphore import CPU
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.aggregates import AggregatesOut, AggregatesRequest

router = APIRouter(prefix=PREFIX, tags=["plans"], dependencies=[needs("read", parameters=False)], route_class=BodyRoute)


@router.post("/tables/{table}/statistics", response_model=AggregatesOut, responses=EXPLAIN)
def statistics(table: TheTable, body: AggregatesRequest) -> Response:
    """Compute aggregates of the rows that match a filter from metadata alone, without reading data.

    Each is exact, and has a `value`; or an interval that holds the value, with the reason why it is not exact. What
    metadata does not record widens the interval.
    """
    body = with_nan(table, body)
    selector = selector_of(body)
    view = table.services.view(table.name, selector)
    stale = None if selector.snapshot_id is not None else view.stale
    with CPU.permit():
        document = aggregates_out(table.services, view, body, stale=stale)
    if view.stale is None:
        cache_until_changed(table.request, view.table)
    headers = stale_header(stale)
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    return Response(dumps(document), media_type=media.JSON, headers=headers)
