"""Routes of scan planning. Plans complete within the request, and the server keeps no state between requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Request
from starlette.responses import Response

from lakemuster.api.iceberg_rest.dependencies import PREFIX, TheIcebergTable, levels_of, the_table
from lakemuster.api.iceberg_rest.responses import CANCELLED, PLAN
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.api.native.dependencies import Target, needs
from lakemuster.api.response_cache import cache_until_changed
from lakemuster.catalog import TableRecord
from lakemuster.catalog.iceberg_rest.clients import VERSION_HEADER, IcebergClient
from lakemuster.catalog.iceberg_rest.plan_tokens import PlanTokens
from lakemuster.catalog.iceberg_rest.scan_tasks import TaskWriter
from lakemuster.catalog.iceberg_rest.scans import PlannedScan, plan_again, plan_request
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import PlanNotFound, PlanTaskNotFound, RequestInvalid, SnapshotNotFound
from lakemuster.predicates import NAN_MODES, NanMode
from lakemuster.wire.iceberg_rest.plans import (
    FetchScanTasksRequest,
    FetchScanTasksResult,
    PlanTableScanRequest,
    PlanTableScanResult,
)
from lakemuster.wire.native.plans import NAN

TABLE = f"{PREFIX}/namespaces/{{namespace}}/tables/{{table}}"
NAN_HEADER = "Lakemuster-Nan"
_GONE = "unknown plan or plan task: it is not valid for this table and caller, or its snapshot has expired; plan again"


async def idempotency_key(
    _: Annotated[
        str | None,
        Header(alias="Idempotency-Key", description="Accepted and ignored: planning has no side effects."),
    ] = None,
) -> None:
    """Document the header that clients may send with every POST."""


async def client_headers(
    _: Annotated[
        str,
        Header(
            alias="user-agent",
            description="Identifies the client: PyIceberg 0.x gets partition values in the form that it reads.",
        ),
    ] = "",
    __: Annotated[
        str,
        Header(
            alias=VERSION_HEADER,
            description="Version of Iceberg's Java library: plans that it would misread fail with status 406.",
        ),
    ] = "",
) -> None:
    """Document the headers that identify the client; :class:`IcebergClient` reads them."""


async def nan_header(
    _: Annotated[NanMode | None, Header(alias=NAN_HEADER, description=NAN)] = None,
) -> None:
    """Document the header for the meaning of comparisons with NaN; :func:`_nan_of` reads it."""


def _nan_of(table: Target) -> NanMode:
    """Return the meaning of comparisons with NaN: from the request's header, else the table's setting.

    Raises:
        RequestInvalid: the header has an unknown value, or occurs twice.
    """
    given = table.request.headers.getlist(NAN_HEADER)
    if not given:
        return table.services.settings.nan_of(table.name)
    for mode in NAN_MODES:
        if given == [mode]:
            return mode
    raise RequestInvalid(
        f"the header {NAN_HEADER} must be one of {', '.join(NAN_MODES)}", header=", ".join(given)[:100]
    )


class _Route(BodyRoute):
    async def table_of(self, request: Request) -> Target:
        names = request.path_params
        return await the_table(request, levels_of(names["namespace"]), names["table"], names.get("catalog"))

    def is_plain(self, request: Request) -> bool:
        return super().is_plain(request) and NAN_HEADER not in request.headers


router = APIRouter(prefix=TABLE, tags=["iceberg"], dependencies=[needs("read")], route_class=_Route)
PlanId = Annotated[str, Path(description="The `plan-id` of a plan.")]


@router.post(
    "/plan",
    name="iceberg_plan_table_scan",
    response_model=PlanTableScanResult,
    response_model_exclude_none=True,
    responses=PLAN,
    dependencies=[Depends(idempotency_key), Depends(client_headers), Depends(nan_header)],
)
def plan_table_scan(table: TheIcebergTable, body: PlanTableScanRequest) -> Response:
    """Plan a scan: the data files to read, with the delete files and the residual filter of each.

    The response to a large plan has only plan tasks, each for a part of it. A plan that the client would misread fails
    with status 406: set the catalog property `scan-planning-mode=client` for such scans.
    """
    planned = plan_request(table.services, table.name, body, _nan_of(table))
    IcebergClient.of(table.request.headers).require_columns(planned, body)
    tokens = _tokens(table, planned.view.table)
    writer = _writer(table, planned, tokens)
    response = _json(table, planned, writer.first)
    table.api.metrics.planned("iceberg", planned.plan.entries, writer.files)
    return response


@router.get(
    "/plan/{plan_id}",
    name="iceberg_fetch_planning_result",
    response_model=PlanTableScanResult,
    responses=PLAN,
    dependencies=[Depends(client_headers)],
)
def fetch_planning_result(table: TheIcebergTable, plan_id: PlanId) -> Response:
    """Fetch a plan again, of the same snapshot."""
    tokens = _tokens(table)
    known, scan = tokens.read_plan_id(plan_id)
    if scan is None:
        raise PlanNotFound("this plan is too large to be stored in its id; plan again" if known else _GONE)
    planned = _again(lambda: plan_again(table.services, table.name, scan), PlanNotFound)
    return _json(table, planned, _writer(table, planned, tokens).first)


@router.delete(
    "/plan/{plan_id}", name="iceberg_cancel_planning", status_code=204, response_model=None, responses=CANCELLED
)
def cancel_planning(table: TheIcebergTable, plan_id: PlanId) -> Response:
    """Cancel a plan. The server keeps no state of plans."""
    known, _ = _tokens(table).read_plan_id(plan_id)
    if not known:
        raise PlanNotFound(_GONE)
    return Response(status_code=204)


@router.post(
    "/tasks",
    name="iceberg_fetch_scan_tasks",
    response_model=FetchScanTasksResult,
    responses=PLAN,
    dependencies=[Depends(idempotency_key), Depends(client_headers)],
)
def fetch_scan_tasks(table: TheIcebergTable, body: FetchScanTasksRequest) -> Response:
    """Fetch the part of a plan that a plan task identifies."""
    tokens = _tokens(table)
    found = tokens.read_plan_task(body.plan_task)
    if found is None:
        raise PlanTaskNotFound(_GONE)
    scan, part = found
    planned = _again(lambda: plan_again(table.services, table.name, scan), PlanTaskNotFound)
    writer = _writer(table, planned, tokens)
    response = _json(table, planned, partial(writer.later, part))
    table.api.metrics.plan_files.record(writer.files, "iceberg", "kept")
    return response


def _tokens(table: Target, record: TableRecord | None = None) -> PlanTokens:
    record = record or table.services.iceberg_table(table.name)
    return PlanTokens(table.api.token_signer, record.table_id, table.request.state.caller)


def _again(plan: Callable[[], PlannedScan], gone: type[PlanNotFound | PlanTaskNotFound]) -> PlannedScan:
    try:
        return plan()
    except SnapshotNotFound as cause:
        raise gone(_GONE) from cause


def _writer(table: Target, planned: PlannedScan, tokens: PlanTokens) -> TaskWriter:
    return TaskWriter(planned, tokens, IcebergClient.of(table.request.headers))


def _json(table: Target, planned: PlannedScan, write: Callable[[], bytes]) -> Response:
    if planned.view.stale is None and planned.view.table.companion_of is None:
        cache_until_changed(table.request, planned.view.table)
    with CPU.permit():
        return Response(write(), media_type="application/json", headers={"Cache-Control": "no-store"})
