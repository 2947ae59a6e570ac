"""Join an Iceberg table and a Paimon table in Spark, with no jar in the session.

Driver and executors need PySpark 4.1 or later and the extra ``spark``; ``PYSPARK_PYTHON`` names their Python.
"""

from __future__ import annotations

import os

from pyspark.sql import SparkSession

import lakemuster.spark


def main(spark: SparkSession, uri: str) -> None:
    """Print the clicks and the events of each day."""
    lakemuster.spark.register(spark)
    source = spark.read.format("lakemuster").option("uri", uri)
    clicks = source.option("filter", "dt >= '2024-05-04'").load("web.clicks")
    events = source.option("filter", "ts >= TIMESTAMP '2024-05-04 00:00:00'").load("web.events")
    by_day = (
        events.groupBy(events.ts.cast("date").cast("string").alias("dt")).count().withColumnRenamed("count", "events")
    )
    clicks.groupBy("dt").count().withColumnRenamed("count", "clicks").join(by_day, "dt").orderBy("dt").show()


if __name__ == "__main__":
    main(SparkSession.builder.getOrCreate(), os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181"))
