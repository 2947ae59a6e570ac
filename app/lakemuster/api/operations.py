"""Operational routes: liveness, readiness, Prometheus metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TypeVar

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from prometheus_client import Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from starlette.responses import Response

from lakemuster import __version__
from lakemuster.api.errors import RETRY_SECONDS
from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.token_file import TokenFile
from lakemuster.api.metrics import MEDIA_TYPE, Metrics, MetricSet, ReadValues
from lakemuster.api.native.dependencies import Api, TheApi, TheCaller, needs
from lakemuster.api.native.responses import ALWAYS
from lakemuster.api.readiness import OK, Readiness
from lakemuster.caching import MEMORY
from lakemuster.catalog import TableRecord
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError
from lakemuster.jobs.supervisor import JobState, Supervisor
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
    """Check that the database responds and has this version's schema, the segment store is writable, and clocks agree.

    Responds within seconds, even if the database or the store does not.
    """
    readiness: Readiness = request.app.state.readiness
    found = await readiness.states()
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
    """Export metrics in the Prometheus text format, version 0.0.4.

    A token with namespaces gets the metrics of its own tables only.
    """
    text = api.metrics.text if api.identity.policy.sees_all(caller) else lambda: _of_caller(api, caller)
    return Response(await _apart(text), media_type=MEDIA_TYPE)


def count_services(metrics: Metrics, services: Services) -> None:
    """Export the counters of the services."""
    metrics.observe(
        CounterMetricFamily,
        "lakemuster_work",
        "Work done since the start: refreshes, looks at tables, fetches, decoded entries, snapshots.",
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
        "lakemuster_storage_threads",
        "Threads that look at tables and index them: at work, work that waits for one, buckets that have all of theirs "
        "at work.",
        lambda: dict(services.refresher.threads.counts()),
        "state",
    )
    _count_tables(metrics, lambda: _states(services.tables))
    _count_caches(metrics)


def _count_caches(metrics: Metrics) -> None:
    for name, kind, text in (
        ("hits", CounterMetricFamily, "Reads of a cache that found a value, since the start."),
        ("misses", CounterMetricFamily, "Reads of a cache that found no value, since the start."),
        ("evictions", CounterMetricFamily, "Values that a cache removed to make room, since the start."),
        ("entries", GaugeMetricFamily, "Values that a cache holds."),
        ("bytes", GaugeMetricFamily, "Approximate bytes of memory that a cache holds."),
    ):
        metrics.observe(kind, f"lakemuster_cache_{name}", text, partial(_of_caches, name), "cache")
    Gauge(
        "lakemuster_cache_limit_bytes",
        "Bytes that all caches of this process may hold together.",
        registry=metrics.registry,
    ).set_function(lambda: MEMORY.limit)


def _of_caches(name: str) -> dict[str, float]:
    return {cache: getattr(found, name) for cache, found in MEMORY.statistics().items()}


def count_jobs(metrics: Metrics, supervisor: Supervisor) -> None:
    """Export the background jobs that this process holds."""
    counters = {"runs": "Runs that ended.", "failures": "Runs that failed."}
    for field, help_text in counters.items():
        metrics.observe(
            CounterMetricFamily,
            f"lakemuster_job_{field}",
            f"{help_text} Of jobs that this process holds; their former holders' runs are counted in.",
            lambda field=field: {held.name: getattr(held.state, field) for held in supervisor.held()},  # type: ignore[misc]
            "job",
        )
    gauges: dict[str, tuple[str, Callable[[JobState], float | None]]] = {
        "job_failures_in_a_row": ("Runs that failed since the last success.", lambda state: state.failures_in_a_row),
        "job_last_success_age_seconds": (
            "Seconds since a run last succeeded.",
            lambda state: None if state.succeeded_in is None else -state.succeeded_in,
        ),
        "job_last_duration_seconds": ("Seconds that the last run took.", lambda state: state.duration),
        "job_running": ("1 while a run is in progress.", lambda state: float(state.started_in is not None)),
    }
    for name, (help_text, of) in gauges.items():
        metrics.observe(
            GaugeMetricFamily,
            f"lakemuster_{name}",
            f"{help_text} Of jobs that this process holds.",
            lambda of=of: {held.name: at for held in supervisor.held() if (at := of(held.state)) is not None},  # type: ignore[misc]
            "job",
        )


def count_tokens(metrics: Metrics, tokens: TokenFile) -> None:
    """Export whether the current content of the tokens file could be read."""
    metrics.observe(
        GaugeMetricFamily,
        "lakemuster_last_reload_successful",
        "1 when the file's newest content is in use, 0 when it is wrong and an older one is.",
        lambda: {"tokens": float(tokens.looked().is_current)},
        "file",
    )


def _of_caller(api: Api, caller: Caller) -> bytes:
    """Metrics of the caller's own tables only: counts of work and requests would reveal others."""
    metrics = MetricSet()
    _count_tables(metrics, lambda: _states(lambda: api.tables(caller)))
    return metrics.text()


def _count_tables(metrics: MetricSet, read_values: ReadValues) -> None:
    metrics.observe(
        GaugeMetricFamily,
        "lakemuster_tables",
        "Registered tables; those whose newest state could not be read are stale.",
        read_values,
        "state",
    )


def _states(list_tables: Callable[[], list[TableRecord]]) -> dict[str, float]:
    try:
        tables = list_tables()
    except CatalogError:
        return {}
    stale = sum(table.stale_reason is not None for table in tables)
    return {"fresh": len(tables) - stale, "stale": stale}


async def _apart(work: Callable[[], T]) -> T:
    """Run in a thread outside of the shared limit, so that metrics can be read while all others wait."""
    return await to_thread.run_sync(work, limiter=CapacityLimiter(1))


def _json(document: object, status: int = 200) -> Response:
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
    return Response(
        orjson.dumps(document),
        status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **headers},
    )
