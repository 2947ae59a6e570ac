"""Operational routes: liveness, readiness, Prometheus metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from starlette.responses import Response

from lakemuster import __version__
from lakemuster.api.draining import DRAIN
from lakemuster.api.errors import RETRY_SECONDS
from lakemuster.api.identity.callers import Caller
from lakemuster.api.measured import count_tables
from lakemuster.api.metrics import MEDIA_TYPE, MetricSet
from lakemuster.api.native.dependencies import TheApi, TheCaller, needs
from lakemuster.api.native.responses import ALWAYS
from lakemuster.api.readiness import OK, Readiness
from lakemuster.api.shared import Api
from lakemuster.catalog.warm_up import WarmUp
from lakemuster.wire.operations import Health, Ready

T = TypeVar("T")

router = APIRouter(tags=["operations"])


@router.get("/healthz", response_model=Health)
async def healthz() -> Response:
    """Tell that the process is alive."""
    return _json({"status": "ok", "version": __version__})


@router.get(
    "/readyz",
    response_model=Ready,
    responses={503: {"model": Ready, "description": "A check failed, or did not finish in time."}},
)
async def readyz(request: Request) -> Response:
    """Check that the database responds with a schema that is served, the segment store is writable, and clocks agree.

    A server that drains before its stop is not ready, nor is one that still loads recently planned tables.
    Responds within seconds, even if the database or the store does not.
    """
    readiness: Readiness = request.app.state.readiness
    found = await readiness.states()
    if DRAIN.has_begun:
        found["server"] = "stopping: it answers what comes, and takes no more load"
    warm_up: WarmUp | None = request.app.state.warm_up
    if warm_up is not None and not warm_up.is_over:
        found["warm_up"] = "starting: it loads recently planned tables, and answers requests"
    ready = all(state == OK for state in found.values())
    return _json({"ready": ready, "checks": found}, 200 if ready else 503)


@router.get(
    "/metrics",
    response_model=None,
    dependencies=[needs("read")],
    responses={
        **ALWAYS,
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Metrics."},
    },
)
async def metrics(api: TheApi, caller: TheCaller) -> Response:
    """Export metrics of all workers in the Prometheus text format, version 0.0.4.

    A token with namespaces gets the metrics of its own tables only.
    """
    text = api.metrics.text if api.identity.policy.sees_all(caller) else lambda: _of_caller(api, caller)
    return Response(await _apart(text), media_type=MEDIA_TYPE)


def _of_caller(api: Api, caller: Caller) -> bytes:
    """Return metrics of the caller's own tables only: counts of work and requests would reveal other tables."""
    metrics = MetricSet()
    count_tables(metrics, api.services, partial(api.identity.policy.sees, caller))
    return metrics.text()


async def _apart(work: Callable[[], T]) -> T:
    """Run work in a thread outside the shared limit, so that metrics can be read while all other threads are busy."""
    return await to_thread.run_sync(work, limiter=CapacityLimiter(1))


def _json(document: object, status: int = 200) -> Response:
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
    return Response(
        orjson.dumps(document),
        status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **headers},
    )
