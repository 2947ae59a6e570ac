"""Routes of scan planning. Plans are completed at once; nothing is kept between requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path
from starlette.responses import Response

from lakemuster.api.at_hand import follows_from
from lakemuster.api.iceberg_rest.asking import PREFIX, TheIcebergTable
from lakemuster.api.iceberg_rest.documented import CANCELLED, PLAN
from lakemuster.api.iceberg_rest.plan_tokens import PlanTokens
from lakemuster.api.iceberg_rest.scan_tasks import TaskWriter
from lakemuster.api.iceberg_rest.scans import PlannedScan, plan_again, plan_request
from lakemuster.api.native.asking import Target, needs
from lakemuster.errors import PlanNotFound, PlanTaskNotFound, SnapshotNotFound
from lakemuster.index.tables import TableRecord
from lakemuster.index.turns import COMPUTING
from lakemuster.wire.iceberg_rest.plans import (
    FetchScanTasksRequest,
    FetchScanTasksResult,
    PlanTableScanRequest,
    PlanTableScanResult,
)

TABLE = f"{PREFIX}/namespaces/{{namespace}}/tables/{{table}}"
_GONE = "not a plan of this table that this server made for you, or its snapshot is gone: plan again"


async def idempotency_key(
    _: Annotated[
        str | None,
        Header(alias="Idempotency-Key", description="Accepted: planning again has the same effect, which is none."),
    ] = None,
) -> None:
    """What clients may send with every POST."""


router = APIRouter(prefix=TABLE, tags=["iceberg"], dependencies=[needs("read")])
PlanId = Annotated[str, Path(description="The plan-id of a plan.")]
UserAgent = Annotated[str, Header(description="PyIceberg 0 is given partition values as it can read them.")]


@router.post(
    "/plan",
    name="iceberg_plan_table_scan",
    response_model=PlanTableScanResult,
    response_model_exclude_none=True,
    responses=PLAN,
    dependencies=[Depends(idempotency_key)],
)
def plan_table_scan(table: TheIcebergTable, asked: PlanTableScanRequest, user_agent: UserAgent = "") -> Response:
    """Plan a scan: the data files to read, with the delete files that apply to each and what is left of the filter.

    A large plan is answered with plan tasks only, each good for a part of it.
    """
    planned = plan_request(table.services, table.name, asked)
    tokens = _tokens(table, planned.view.table)
    return _json(table, planned, _writer(planned, tokens, user_agent).first)


@router.get("/plan/{plan_id}", name="iceberg_fetch_planning_result", response_model=PlanTableScanResult, responses=PLAN)
def fetch_planning_result(table: TheIcebergTable, plan_id: PlanId, user_agent: UserAgent = "") -> Response:
    """A plan again, of the same snapshot."""
    tokens = _tokens(table)
    known, scan = tokens.read_plan_id(plan_id)
    if scan is None:
        raise PlanNotFound("this plan was too large for its id to hold: plan again" if known else _GONE)
    planned = _again(lambda: plan_again(table.services, table.name, scan), PlanNotFound)
    return _json(table, planned, _writer(planned, tokens, user_agent).first)


@router.delete(
    "/plan/{plan_id}", name="iceberg_cancel_planning", status_code=204, response_model=None, responses=CANCELLED
)
def cancel_planning(table: TheIcebergTable, plan_id: PlanId) -> Response:
    """Say that a plan is no longer needed. Nothing was kept of it."""
    known, _ = _tokens(table).read_plan_id(plan_id)
    if not known:
        raise PlanNotFound(_GONE)
    return Response(status_code=204)


@router.post(
    "/tasks",
    name="iceberg_fetch_scan_tasks",
    response_model=FetchScanTasksResult,
    responses=PLAN,
    dependencies=[Depends(idempotency_key)],
)
def fetch_scan_tasks(table: TheIcebergTable, asked: FetchScanTasksRequest, user_agent: UserAgent = "") -> Response:
    """Redeem a plan task: its part of the plan."""
    tokens = _tokens(table)
    found = tokens.read_plan_task(asked.plan_task)
    if found is None:
        raise PlanTaskNotFound(_GONE)
    scan, part = found
    planned = _again(lambda: plan_again(table.services, table.name, scan), PlanTaskNotFound)
    return _json(table, planned, partial(_writer(planned, tokens, user_agent).later, part))


def _tokens(table: Target, record: TableRecord | None = None) -> PlanTokens:
    record = record or table.services.iceberg_table(table.name)
    return PlanTokens(table.api.signing_key, record.table_id, table.request.state.caller)


def _again(plan: Callable[[], PlannedScan], gone: type[PlanNotFound | PlanTaskNotFound]) -> PlannedScan:
    try:
        return plan()
    except SnapshotNotFound as cause:
        raise gone(_GONE) from cause


def _writer(planned: PlannedScan, tokens: PlanTokens, user_agent: str) -> TaskWriter:
    return TaskWriter(planned, tokens, for_pyiceberg=user_agent.startswith("PyIceberg/0."))


def _json(table: Target, planned: PlannedScan, write: Callable[[], bytes]) -> Response:
    if planned.view.stale is None and planned.view.table.companion_of is None:
        follows_from(table.request, planned.view.table)
    with COMPUTING.taken():
        return Response(write(), media_type="application/json", headers={"Cache-Control": "no-store"})
