"""Routes for those who run the service: is it alive, is it ready, what does it count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TypeVar

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from starlette.responses import Response

from lakemuster import __version__
from lakemuster.api.errors import RETRY_SECONDS
from lakemuster.api.metrics import MEDIA_TYPE, Metrics
from lakemuster.api.native.asking import TheApi, needs
from lakemuster.api.native.documented import ALWAYS
from lakemuster.api.services import Services
from lakemuster.errors import CatalogError
from lakemuster.wire.operations import Health, Readiness

T = TypeVar("T")

router = APIRouter(tags=["operations"])


@router.get("/healthz", response_model=Health)
async def healthz() -> Response:
    """The process answers."""
    return _json({"status": "ok", "version": __version__})


@router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness, "description": "Not ready."}})
async def readyz(api: TheApi) -> Response:
    """The database answers and is of this version, and the segment store can be read and written."""
    found = await _apart(lambda: _checked(api.services))
    ready = all(state == "ok" for state in found.values())
    return _json({"ready": ready, "checks": found}, 200 if ready else 503)


@router.get(
    "/metrics",
    response_model=None,
    dependencies=[needs("read")],
    responses={**ALWAYS, 200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Figures."}},
)
async def metrics(api: TheApi) -> Response:
    """Figures for Prometheus."""
    return Response(await _apart(api.metrics.text), media_type=MEDIA_TYPE)


def count_services(metrics: Metrics, services: Services) -> None:
    """Show what the services count themselves."""
    metrics.observe(
        CounterMetricFamily,
        "lakemuster_work",
        "Work done since the start: refreshes, fetches, decoded entries, snapshots.",
        lambda: asdict(services.refresher.totals),
        "kind",
    )
    metrics.observe(
        CounterMetricFamily,
        "lakemuster_storage_operations",
        "Operations on object storage since the start, and bytes read.",
        lambda: {name: getattr(services.store.counts, name) for name in ("reads", "stats", "lists", "bytes")},
        "kind",
    )
    metrics.observe(
        GaugeMetricFamily,
        "lakemuster_tables",
        "Registered tables; those whose newest state could not be read are stale.",
        lambda: _tables(services),
        "state",
    )


def _tables(services: Services) -> dict[str, float]:
    try:
        tables = services.tables()
    except CatalogError:
        return {}
    stale = sum(table.stale_reason is not None for table in tables)
    return {"fresh": len(tables) - stale, "stale": stale}


async def _apart(work: Callable[[], T]) -> T:
    """Run in a thread of its own: when all others wait for something, this tells for what."""
    return await to_thread.run_sync(work, limiter=CapacityLimiter(1))


def _checked(services: Services) -> dict[str, str]:
    index = services.index
    return {"database": _state(index.database.check_version), "segments": _state(index.segments.check)}


def _state(check: Callable[[], object]) -> str:
    try:
        check()
    except CatalogError as error:
        return error.code
    return "ok"


def _json(document: object, status: int = 200) -> Response:
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
    return Response(
        orjson.dumps(document),
        status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **headers},
    )
