"""Making the data source known to a session."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark: SparkSession) -> None:
    """Make ``spark.read.format("lakemuster")`` known to a session, classic or Connect, of PySpark 4.1 or newer.

    Turns the pushdown of filters on, which Spark has off by default, for frames that ask for it (option ``pushdown``).
    Where the session does not allow that setting, everything works but that option.

    Driver and executors need ``lakemuster[spark]`` (Connect: the server, not the client).
    """
    from lakemuster.spark.source import LakemusterSource  # noqa: PLC0415 - PySpark may be older

    with suppress(Exception):  # every kind of session has its own refusal
        spark.conf.set(PUSHDOWN, "true")
    spark.dataSource.register(LakemusterSource)
