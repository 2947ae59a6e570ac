"""Every background job of the service. A new job is a class in this package, and a line here."""

from __future__ import annotations

from lakemuster.catalog.services import Services
from lakemuster.jobs.counting import CountSnapshots
from lakemuster.jobs.job import Job
from lakemuster.jobs.retrying import RetryQuarantined
from lakemuster.jobs.sweeping import SweepSegments
from lakemuster.jobs.syncing import SyncCatalog
from lakemuster.jobs.watching import WatchTables


def jobs_of(services: Services) -> list[Job]:
    """The jobs that these settings ask for."""
    refresher = services.refresher
    return [
        RetryQuarantined(refresher),
        WatchTables(refresher),
        CountSnapshots(services.index),
        SweepSegments(services.index, refresher.totals),
        *(SyncCatalog(services.index, catalog) for catalog in refresher.upstreams),
    ]
