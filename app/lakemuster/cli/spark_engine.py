"""The local index with manifests decoded by one Spark job, in a session that lasts for one command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from lakemuster.catalog.services import Services
from lakemuster.cli.local import LocalSource
from lakemuster.cli.sources import Advance, Refreshed, Row
from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.ingest.shared_looks import NO_LIMITS
from lakemuster.main import build_services
from lakemuster.spark.pipeline import SparkRefreshes
from lakemuster.spark.pipeline.jobs import INSTALL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkSource(LocalSource):
    """The local index; tables are refreshed together, on Spark."""

    def __init__(self, services: Services, refreshes: SparkRefreshes) -> None:
        super().__init__(services)
        self._refreshes = refreshes

    def refresh(self, name: str, advance: Advance) -> Row:
        """Refresh a table."""
        (found,) = self.refresh_many([name], advance)
        if found.report is None:
            assert found.error is not None
            raise found.error
        return found.report

    def refresh_many(self, names: Sequence[str], advance: Advance) -> Iterator[Refreshed]:
        """Refresh tables by one job; report the progress of all of their manifests."""
        done: dict[str, tuple[int, int]] = {}

        def of_table(name: str, own_done: int, own_total: int) -> None:
            done[name] = own_done, own_total
            advance(sum(each for each, _ in done.values()), sum(each for _, each in done.values()))

        self._refreshes.progress = of_table
        yield from super().refresh_many(names, advance)


@contextmanager
def spark_source(master: str | None, history: int | None) -> Iterator[SparkSource]:
    """Open the local index with Spark as its engine.

    Args:
        master: a master URL as for ``spark-submit``, or ``sc://…``; None for Spark's own settings.
        history: overrides that setting for every table, unless None.

    Raises:
        ConfigInvalid: a setting is wrong, PySpark is not installed, or no session starts.
        DatabaseVersionMismatch, IndexUnavailable: the database is not ready.
    """
    builder, settings = _builder(master), load_settings()
    with (
        closing(build_services(settings if history is None else settings.with_history(history), NO_LIMITS)) as services,
        _session(builder) as spark,
    ):
        refreshes = SparkRefreshes.of(spark, services.settings, services.refresher.tables)
        services.refresher.many = refreshes
        yield SparkSource(services, refreshes)


def _builder(master: str | None) -> SparkSession.Builder:
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - only for this engine
    except ImportError as cause:
        raise ConfigInvalid(f"--engine spark needs PySpark, which is not installed: {INSTALL}") from cause
    builder = SparkSession.builder.appName("lakemuster index").config("spark.ui.showConsoleProgress", "false")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
        if master.startswith("local"):
            # This Python has the packages that executors need; the first on the PATH may not.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return builder


@contextmanager
def _session(builder: SparkSession.Builder) -> Iterator[SparkSession]:
    try:
        spark = builder.getOrCreate()
    except Exception as cause:
        code = getattr(cause, "getErrorClass", lambda: None)() or type(cause).__name__
        hint = "; Spark 4 needs Java 17 or newer" if code == "JAVA_GATEWAY_EXITED" else ""
        raise ConfigInvalid(f"no Spark session starts ({code}){hint}") from cause
    try:
        yield spark
    finally:
        spark.stop()
