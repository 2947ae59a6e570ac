"""The local index with manifests decoded by Spark, in a session that lasts for one command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from lakemuster.cli.local import LocalSource
from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.ingest.shared_looks import NO_LIMITS
from lakemuster.main import build_services
from lakemuster.spark.pipeline import SparkEngine
from lakemuster.spark.pipeline.jobs import INSTALL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def spark_source(master: str | None, history: int) -> Iterator[LocalSource]:
    """Open the local index with Spark as its engine.

    Args:
        master: a master URL as for ``spark-submit``, or ``sc://…``; None for Spark's own settings.
        history: overrides that setting for every table.

    Raises:
        ConfigInvalid: a setting is wrong, PySpark is not installed, or no session starts.
        DatabaseVersionMismatch, IndexUnavailable: the database is not ready.
    """
    builder = _builder(master)
    with (
        closing(build_services(load_settings().with_history(history), NO_LIMITS)) as services,
        _session(builder) as spark,
    ):
        services.refresher.engine = SparkEngine.of(spark, services.settings, services.refresher)
        yield LocalSource(services)


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
