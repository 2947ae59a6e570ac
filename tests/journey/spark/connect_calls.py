"""Runs beside us: functions of ``lakemuster.spark``, and its data source, in a Connect session; asked in JSON.

``python connect_calls.py FOLDER`` with PySpark, its Connect client's packages and ours on the path. Standard input is
a list of ``[name, options]``; the answer, in FOLDER, one of what each gives.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import lakemuster.spark
from tests.spark_session import plain


def main(folder: Path) -> None:
    """Answer all calls."""
    builder = SparkSession.builder.remote("local[1]")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": f"{folder}/spark",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    answers: list[Any] = [type(spark).__module__]
    for name, options in json.load(sys.stdin):
        frame = load(spark, **options) if name == "load" else getattr(lakemuster.spark, name)(spark, **options)
        rows = sorted((plain(row) for row in frame.collect()), key=json.dumps)
        answers.append({"rows": rows, "types": frame.dtypes})
    (folder / "answers.json").write_text(json.dumps(answers))
    spark.stop()


def load(spark: SparkSession, table: str, where: str, **options: str) -> DataFrame:
    """Rows of a table by our data source."""
    lakemuster.spark.register(spark)
    return spark.read.format("lakemuster").options(**options).load(table).where(where)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
