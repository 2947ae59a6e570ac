"""Making the data source known to a session."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark: SparkSession) -> None:
    """Make ``spark.read.format("lakemuster")`` known to a session, classic or Connect, of PySpark 4.1 or newer.

    Turns the pushdown of filters on, which Spark has off by default. Where the session does not allow that setting and
    has it off, everything works but that: the ``filter`` option still chooses files.

    Driver and executors need ``lakemuster[spark]`` (Connect: the server, not the client).
    """
    from lakemuster.spark.source import LakemusterSource, WithoutPushdown  # noqa: PLC0415 - PySpark may be older

    spark.dataSource.register(LakemusterSource if _pushes(spark) else WithoutPushdown)


def _pushes(spark: SparkSession) -> bool:
    """Whether filters reach data sources now."""
    with suppress(Exception):  # every kind of session has its own refusal
        spark.conf.set(PUSHDOWN, "true")
    with suppress(Exception):
        return str(spark.conf.get(PUSHDOWN, "false")).lower() == "true"
    return False
