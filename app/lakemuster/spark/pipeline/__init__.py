"""Indexing on Spark: executors decode manifests and write segments, the driver does the rest of a refresh.

Driver and executors need the same version of ``lakemuster[server]``. The driver has the service's settings. It sends
locations, schemas and limits to executors, but no secrets: they read storage credentials (STORAGE) from their own
environment or ``lakemuster.toml``, which on one machine is the driver's.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from lakemuster.config import Settings, load_settings
from lakemuster.errors import CatalogError
from lakemuster.index.tables import find_table
from lakemuster.ingest.opening import open_refresher
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.shared_looks import NO_LIMITS
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.spark.pipeline.refreshes import SparkRefreshes, TableProgress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkRefreshes", "index"]

EVERY_SNAPSHOT = 2**31 - 1


def index(
    spark: SparkSession,
    *names: str,
    settings: Settings | None = None,
    progress: TableProgress | None = None,
) -> list[RefreshReport]:
    """Index every snapshot of registered tables, old ones included, like ``lakemuster index --engine spark``.

    One job decodes the manifests of all tables. A table is published when its manifests are decoded.

    Args:
        spark: a classic or Connect session of Spark 4.
        names: dotted names of tables.
        settings: the service's; read from environment and file unless given. STORAGE is not sent to executors.
        progress: called with a table's name, the number of its manifests that are done, and their total.

    Returns:
        one report per table, in the order of names; snapshots that cannot be read are quarantined and listed there.

    Raises:
        TableNotFound: a table is not registered; nothing was indexed.
        ConfigInvalid: a setting or an executor's installation is wrong.
        CatalogError: a table's newest metadata cannot be read now, and all others are indexed; or the index or Spark
            failed.
    """
    settings = settings or load_settings().with_history(EVERY_SNAPSHOT)
    with closing(open_refresher(settings, NO_LIMITS)) as refresher:
        refreshes = SparkRefreshes.of(spark, settings, refresher.tables)
        if progress is not None:
            refreshes.progress = progress
        tables = [find_table(refresher.index.database, format_name(parse_name(name))) for name in names]
        outcomes = {table.table_id: outcome for table, outcome in refreshes.refresh(tables)}
    return [_report(outcomes[table.table_id]) for table in tables]


def _report(outcome: RefreshReport | CatalogError) -> RefreshReport:
    if isinstance(outcome, CatalogError):
        raise outcome
    return outcome
