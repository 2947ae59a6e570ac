"""The list of all background jobs. To add one, write a class in this package and add a line here."""

from __future__ import annotations

from lakemuster.catalog.services import Services
from lakemuster.catalog.webhooks import webhooks_of
from lakemuster.jobs.counting import CountSnapshots
from lakemuster.jobs.health import ComputeHealth
from lakemuster.jobs.job import Job
from lakemuster.jobs.readiness import TellReadyPartitions
from lakemuster.jobs.retrying import RetryQuarantined
from lakemuster.jobs.sweeping import SweepSegments
from lakemuster.jobs.syncing import SyncCatalog
from lakemuster.jobs.watching import WatchTables
from lakemuster.jobs.webhooks import DeliverEvents, WebhookMeasures


def jobs_of(services: Services, deliveries: WebhookMeasures | None = None) -> list[Job]:
    """Return the jobs for the services' settings.

    Args:
        deliveries: the measures in which webhook deliveries are recorded.
    """
    refresher = services.refresher
    return [
        RetryQuarantined(refresher),
        WatchTables(refresher),
        CountSnapshots(services.index),
        TellReadyPartitions(services),
        ComputeHealth(services),
        SweepSegments(services.index, refresher.totals),
        *(SyncCatalog(services.index, catalog) for catalog in refresher.upstreams),
        *(DeliverEvents(services.index.database, one, deliveries) for one in webhooks_of(services.settings)),
    ]
