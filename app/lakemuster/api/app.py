"""Assemble the FastAPI application: routes, error handlers, middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from anyio import create_task_group, to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from lakemuster import __version__
from lakemuster.api import console, docs, errors, measured, operations
from lakemuster.api.admission import Admission
from lakemuster.api.compression import Compression
from lakemuster.api.draining import DRAIN
from lakemuster.api.event_feed import EventFeed
from lakemuster.api.iceberg_rest import attached, catalog, configuration, planning, unsupported
from lakemuster.api.iceberg_rest import tables as iceberg_tables
from lakemuster.api.identity.opening import Identity, open_identity
from lakemuster.api.metrics import Metrics
from lakemuster.api.middleware import Middleware, MiddlewareRules
from lakemuster.api.native import (
    aggregates,
    catalogs,
    events,
    expiry,
    health,
    history,
    lists,
    plans,
    references,
    statistics,
    system,
    tables,
    timeline,
    webhooks,
)
from lakemuster.api.openapi import DescribedApp
from lakemuster.api.paimon_rest.routes import routers as paimon_routers
from lakemuster.api.readiness import Readiness
from lakemuster.api.response_cache import ResponseCache, is_current
from lakemuster.api.shared import Api
from lakemuster.api.sidecar.marks import Marks
from lakemuster.api.sidecar.rights import Rights
from lakemuster.api.sign_in import routes as sign_in
from lakemuster.api.sign_in.code_flow import code_flow_of
from lakemuster.api.sign_in.cookies import SessionCookies
from lakemuster.api.sign_in.routes import SignIn
from lakemuster.api.sign_in.sessions import Sessions
from lakemuster.api.slots import ConcurrencyLimit, Slots
from lakemuster.api.stream_memory import share_arenas, trim_regularly
from lakemuster.api.worker_folder import WorkerFolder
from lakemuster.catalog.browser_sessions import BrowserSessions
from lakemuster.catalog.events import EventLog
from lakemuster.catalog.iceberg_rest.load_table_cache import LoadTableCache
from lakemuster.catalog.services import Services
from lakemuster.catalog.warm_up import WarmUp
from lakemuster.catalog.webhooks import require_keys
from lakemuster.config import Settings
from lakemuster.jobs.registry import jobs_of
from lakemuster.jobs.supervisor import Supervisor
from lakemuster.jobs.webhooks import WebhookMeasures
from lakemuster.loopback import host_names, is_loopback

_DESCRIPTION = """Plans which files of an Iceberg or Paimon table a query must read, and lists snapshots, manifests and
files, from an index.

Lists are pages of JSON; with `Accept: application/x-ndjson` or `application/vnd.apache.arrow.stream` they are streams
of the whole list, with `Accept: text/csv` too. A complete stream ends with a record of its row count and snapshot id,
unless it is CSV. Lists are compressed with zstd or gzip for clients that accept it. 64-bit ids are strings.
Values have the JSON single-value form of the Iceberg specification; binary values are hex. Responses for `snapshot=`
never change, and may be cached without limit."""


def create_app(services: Services, folder: WorkerFolder | None = None) -> FastAPI:
    """Create the HTTP application for ``services``.

    Args:
        folder: the folder that this worker process shares with others; None in a server of one process.

    Raises:
        ConfigInvalid: the tokens file or a webhook's secret file is invalid.
    """
    settings = services.settings
    identity, metrics = open_identity(settings), Metrics(folder)
    measured.count_services(metrics, services)
    measured.count_streams(metrics)
    slots: dict[str, Slots] = {}
    closing: list[Callable[[], Awaitable[None]]] = []
    measured.count_slots(metrics, lambda: slots)
    deliveries = WebhookMeasures()
    supervisor = None if settings.role == "api" else Supervisor(services.index.database, jobs_of(services, deliveries))
    if supervisor is not None:
        measured.count_jobs(metrics, supervisor)
        require_keys(settings)
    measured.count_webhooks(metrics, services, deliveries)
    if identity.tokens is not None:
        services.store.confinement.rule = identity.tokens.locations
    measured.count_reloads(metrics, identity.tokens, settings)
    warm_up = None if settings.role == "worker" else WarmUp(services, settings.warm_up_seconds)
    app = DescribedApp(
        title="Lakemuster",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Telemetry would send exception texts and query strings to whatever endpoint the environment names.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        generate_unique_id_function=lambda route: route.name,
        lifespan=lambda _: _maintained(supervisor, identity, closing, warm_up, settings.drain_seconds),
    )
    app.state.api = Api(services, identity, metrics)
    app.state.events = EventFeed(EventLog(services.index.database), settings.workers)
    measured.count_events(metrics, app.state.events)
    sessions = _open_sign_in(app, services, identity)
    app.state.readiness = Readiness.of(services)
    app.state.warm_up = warm_up
    if settings.role != "worker":
        _include_requests(app)
    app.include_router(operations.router)
    errors.install(app)
    # The middleware added last is the outermost. CORS is outside admission: preflight requests carry no token, and
    # error responses need CORS headers, too.
    app.add_middleware(ConcurrencyLimit, workers=settings.workers, slots=slots)
    app.add_middleware(ResponseCache, is_current=is_current(services))
    app.add_middleware(Compression)
    upstreams = services.refresher.upstreams
    if settings.catalogs:
        _pass_on(app, services, identity, closing)
    app.add_middleware(
        Admission,
        authenticator=identity.authenticator,
        limits=identity.limits,
        is_behind_proxy=bool(settings.forwarded_allow_ips),
        keep_bodies=settings.audit_filters,
        upstreams=upstreams,
    )
    app.add_middleware(SessionCookies, sessions=sessions)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "If-None-Match", "X-Request-Id"],
            expose_headers=["ETag", "Lakemuster-Stale", "Lakemuster-Snapshot-Id", "Retry-After", "X-Request-Id"],
        )
    app.add_middleware(Middleware, rules=_edge_rules(settings), metrics=metrics)
    metrics.start()
    return app


def _open_sign_in(app: FastAPI, services: Services, identity: Identity) -> Sessions | None:
    """Set up sign-in for browsers; return their sessions, None if the server has no authentication."""
    flow = code_flow_of(services.settings, identity.providers)
    sessions = Sessions(BrowserSessions(services.index.database), flow)
    app.state.sign_in = SignIn(identity, services, sessions, flow)
    return None if identity.authenticator is None else sessions


def _pass_on(
    app: FastAPI, services: Services, identity: Identity, closing: list[Callable[[], Awaitable[None]]]
) -> None:
    """Add the middleware that forwards requests to attached REST catalogs."""
    # Importing aiohttp takes a fifth of a second, and only this middleware needs it.
    from lakemuster.api.sidecar.forwarding import Forwarders  # noqa: PLC0415
    from lakemuster.api.sidecar.middleware import Sidecar  # noqa: PLC0415

    app.state.rights, marks, forwarders = Rights(), Marks(services), Forwarders()
    closing += [app.state.rights.close, marks.close, forwarders.close]
    planned = tuple(configuration.endpoints(planning.router))
    app.add_middleware(Sidecar, policy=identity.policy, planning=planned, marks=marks, forwarders=forwarders)


def _include_requests(app: FastAPI) -> None:
    """Add the routes of the APIs, sign-in, documentation and console."""
    # Routers are matched in order: the most requested come first.
    for router in (
        plans.router,
        aggregates.router,
        planning.router,
        tables.router,
        history.router,
        timeline.router,
        expiry.router,
        lists.router,
        statistics.router,
        system.router,
        catalogs.router,
        references.router,
        events.router,
        webhooks.router,
        health.router,
    ):
        app.include_router(router)
    app.include_router(sign_in.router)
    app.state.iceberg_tables = LoadTableCache()
    app.include_router(attached.planning_router)
    own = (configuration.router, catalog.router, iceberg_tables.router, unsupported.router, unsupported.tokens_router)
    for router in (*own, *attached.routers):
        app.include_router(router)
    for router in paimon_routers:
        app.include_router(router)
    app.include_router(docs.router)
    app.include_router(console.router)


@asynccontextmanager
async def _maintained(
    supervisor: Supervisor | None,
    identity: Identity,
    closing: Sequence[Callable[[], Awaitable[None]]],
    warm_up: WarmUp | None,
    drain_seconds: float,
) -> AsyncIterator[None]:
    """Run background jobs, return freed memory to the system, and refresh issuers' keys while the server runs.

    Args:
        closing: functions to call at the end.
        warm_up: loads recently planned tables at the start, and records which tables are planned.
        drain_seconds: delay between SIGTERM and the stop of the server.
    """
    share_arenas()
    if supervisor is not None:
        supervisor.start()
    try:
        async with create_task_group() as tasks:
            tasks.start_soon(trim_regularly)
            if warm_up is not None:
                warm_up.start()
            for provider in identity.providers:
                tasks.start_soon(provider.keep_fresh)
            with DRAIN.delaying(drain_seconds):
                yield
            tasks.cancel_scope.cancel()
    finally:
        if supervisor is not None:
            await to_thread.run_sync(supervisor.stop)
        if warm_up is not None:
            await to_thread.run_sync(warm_up.stop)
        for close in closing:
            await close()


def _edge_rules(settings: Settings) -> MiddlewareRules:
    """Return the middleware's rules. On loopback without tokens they reject other host names (DNS rebinding)."""
    is_open = not settings.has_callers and is_loopback(settings.host)
    return MiddlewareRules(
        host_names(settings.host) if is_open else None,
        frozenset(settings.cors_origins),
        settings.root_path,
        is_audited=settings.has_callers,
        audits_filters=settings.audit_filters,
    )
