"""Documents of attached catalogs for the native API: their state, and the result of a listing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from lakemuster.catalog.attached import sync
from lakemuster.catalog.services import Services
from lakemuster.clock import SYSTEM
from lakemuster.errors import CatalogNotFound
from lakemuster.index.attached import names_below
from lakemuster.index.jobs import JobRecord, list_jobs, record_success
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.upstream.locations import catalog_location
from lakemuster.upstream.protocol import Upstream
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.catalogs import CatalogOut, SyncOut

SYNC = "sync "
"""Prefix of the names of the background jobs that list catalogs."""
_REQUESTED = "requested sync "


def catalogs_out(services: Services, sees: Callable[[Levels], bool] = lambda _: True) -> list[CatalogOut]:
    """Return all attached catalogs by name, as far as they are known without a request to them.

    Args:
        sees: whether the caller may see a table; only such tables are counted.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    jobs = _jobs(services)
    found: list[CatalogOut] = []
    with services.index.database.reading() as session:
        for catalog in sorted(services.refresher.upstreams, key=lambda one: one.name):
            synced_at_ms, error = _last_listing(jobs, catalog.name)
            found.append(
                CatalogOut(
                    name=catalog.name,
                    type=catalog.settings.type,
                    auth=catalog.settings.auth,
                    reachable=error is None and not catalog.breaker.is_open,
                    tables=sum(map(sees, map(parse_name, names_below(session, catalog_location(catalog.name, ()))))),
                    synced_at=None if synced_at_ms is None else format_instant(synced_at_ms),
                    error=error,
                )
            )
    return found


def _jobs(services: Services) -> Mapping[str, JobRecord]:
    return {job.name: job for job in list_jobs(services.index.database)}


def _last_listing(jobs: Mapping[str, JobRecord], catalog: str) -> tuple[int | None, str | None]:
    """Return when a catalog was last listed, by its job or by request, and the error of a later failure."""
    job, requested = jobs.get(f"{SYNC}{catalog}"), jobs.get(f"{_REQUESTED}{catalog}")
    times = [record.succeeded_at_ms or 0 for record in (job, requested) if record is not None]
    newest = max(times, default=0)
    is_failed = job is not None and job.error is not None and newest < (job.ended_at_ms or 0)
    return newest or None, job.error if job is not None and is_failed else None


def ensure_listed(services: Services, name: str) -> None:
    """List a catalog's tables now if the index has none of them, or has only those that requests have registered.

    Raises:
        CatalogNotFound: no catalog of that name is attached.
        UpstreamFailed: the catalog does not answer, or violates its protocol.
    """
    catalog = _attached(services, name)

    def list_now() -> None:
        sync_out(services, name)

    with services.index.database.reading() as session:
        is_known = bool(names_below(session, catalog_location(name, ())))
    if not is_known or _last_listing(_jobs(services), name)[0] is None:
        catalog.share_listing("all", list_now)


def sync_out(services: Services, name: str) -> SyncOut:
    """List a catalog now.

    Raises:
        CatalogNotFound: no catalog of that name is attached.
        UpstreamFailed: the catalog does not answer, or violates its protocol; nothing was changed.
    """
    catalog = _attached(services, name)
    began = SYSTEM.monotonic()
    found = asdict(sync(services.index, catalog))
    record_success(services.index.database, f"{_REQUESTED}{name}")
    found["left_out"] = found.pop("others")
    return SyncOut(name=name, **found, seconds=round(SYSTEM.monotonic() - began, 3))


def _attached(services: Services, name: str) -> Upstream:
    catalog = services.refresher.upstreams.get(name)
    if catalog is None:
        raise CatalogNotFound(f"no catalog {name[:200]} is attached")
    return catalog
