"""Runs beside us: functions of ``lakemuster.spark``, and its data source, called in a session; asked in JSON."""

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
    """The rows and types that each gives."""
    found = []
    for name, options in calls:
        frame = load(spark, **options) if name == "load" else getattr(lakemuster.spark, name)(spark, **options)
        found.append({"rows": sorted((plain(row) for row in frame.collect()), key=json.dumps), "types": frame.dtypes})
    return found


def load(spark: SparkSession, table: str, where: str, **options: str) -> DataFrame:
    """Rows of a table by our data source."""
    lakemuster.spark.register(spark)
    return spark.read.format("lakemuster").options(**options).load(table).where(where)
