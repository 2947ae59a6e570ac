"""Calls of functions of ``lakemuster.spark`` and of its data source in a Spark session, requested as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import lakemuster.spark
from tests.spark_session import plain

Call = tuple[str, dict[str, Any]]
"""A function's name, or ``load``, and its options."""


def answers(spark: SparkSession, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Return the rows and types of each call's result."""
    found = []
    for name, options in calls:
        frame = load(spark, **options) if name == "load" else getattr(lakemuster.spark, name)(spark, **options)
        found.append({"rows": sorted((plain(row) for row in frame.collect()), key=json.dumps), "types": frame.dtypes})
    return found


def load(spark: SparkSession, table: str, where: str, **options: str) -> DataFrame:
    """Return the rows of a table as the data source reads them."""
    lakemuster.spark.register(spark)
    return spark.read.format("lakemuster").options(**options).load(table).where(where)
