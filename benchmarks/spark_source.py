"""Reads of one day of a small and of a large table with Spark's data source: the driver's cost must not grow.

``python -m benchmarks.spark_source`` writes tables of 2,000 and of 200,000 files, twenty per day, and the data files of
one day, which Spark then counts. For each table it prints in one JSON object: seconds and memory of the driver's work
(schema and partitions, in a separate process) for one day and for the whole table, and seconds of Spark's count.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.columns import FIRST_DAY
from benchmarks.generate import iceberg_table
from benchmarks.http_server import HOST, NAME, indexed, serving
from lakemuster import Client
from tests.journey.spark.indexing import SESSION, environment

FILES_A_DAY = 20
DAY = "ts >= TIMESTAMPTZ '{0}T00:00:00+00:00' AND ts < TIMESTAMPTZ '{0}T23:59:59.999999+00:00'"


def write_day(uri: str, day: date) -> tuple[int, int]:
    """Write the data files of one day with the columns ``id`` and ``ts``; return the numbers of files and rows."""
    with Client(uri) as client:
        plan = client.table(NAME).plan(DAY.format(day))
        current = next(schema for schema in client.table(NAME).schemas() if schema["current"])
    ids = {field["name"]: {"PARQUET:field_id": str(field["id"])} for field in current["fields"]}
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata=ids["id"]),
            pa.field("ts", pa.timestamp("us", tz="UTC"), metadata=ids["ts"]),
        ]
    )
    noon = datetime.combine(day, time(12), UTC)
    rows = 0
    for file in plan.files:
        path, count = Path(file["file_path"].removeprefix("file://")), int(file["record_count"])
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = [pa.array(range(count), pa.int64()), pa.repeat(pa.scalar(noon, schema.field("ts").type), count)]
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), path)
        rows += count
    return len(plan.files), rows


def driver(options: Mapping[str, str], times: int) -> dict[str, object]:
    """Repeat the driver's part of a read, and measure it."""
    from lakemuster.spark.source import LakemusterSource  # noqa: PLC0415 - needs PySpark

    seconds, parts = [], b""
    before = _peak_bytes()
    for _ in range(times):
        started = perf_counter()
        source = LakemusterSource(options)
        reader = source.reader(source.schema())
        parts = pickle.dumps([partition.value for partition in reader.partitions()])
        seconds.append(perf_counter() - started)
    after = _peak_bytes()
    return {
        "memory_mib": round(after / 2**20, 1),
        "first_seconds": round(seconds[0], 3),
        "seconds": round(statistics.median(seconds), 3),
        "memory_grew_by_mib": round((after - before) / 2**20, 1),
        "partitions": len(pickle.loads(parts)),
        "bytes_of_partitions": len(parts),
    }


def _peak_bytes() -> int:
    """Return the peak memory of this program (Linux), excluding earlier programs of the process."""
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


def beside(options: Mapping[str, str], times: int) -> Any:
    """Run :func:`driver` in a separate process."""
    words = [
        sys.executable,
        "-m",
        "benchmarks.spark_source",
        "--driver",
        json.dumps(dict(options)),
        "--times",
        str(times),
    ]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measure(spark: Any, folder: Path, files: int, times: int) -> dict[str, object]:
    """Measure one table."""
    table = folder / f"lake{files}" / "t"
    days = files // FILES_A_DAY
    iceberg_table(table, files=files, columns=20, manifests=max(1, files // 10_000), days=days, level=1)
    indexed(table, folder / f"index{files}")
    with serving(folder / f"index{files}", table.parent) as server:
        uri = f"http://{HOST}:{server.port}"
        day = date(1970, 1, 1) + timedelta(FIRST_DAY + days // 2)
        count, rows = write_day(uri, day)
        options = {"uri": uri, "path": NAME, "columns": "id"}
        one_day = {**options, "filter": DAY.format(day)}
        read: list[float] = []
        for _ in range(times):
            started = perf_counter()
            frame = spark.read.format("lakemuster").options(**{k: v for k, v in one_day.items() if k != "path"})
            found = frame.load(NAME).count()
            read.append(perf_counter() - started)
            if found != rows:
                raise SystemExit(f"{found} rows were read of {rows}")
        return {
            "files": files,
            "files_of_the_day": count,
            "rows_of_the_day": rows,
            "driver_of_the_day": beside(one_day, times),
            "driver_of_the_table": beside(options, times),
            "spark_count_first_seconds": round(read[0], 2),
            "spark_count_seconds": round(statistics.median(read), 2),
        }


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.spark_source", description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[2_000, 200_000])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--driver", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if "SPARK_HOME" not in os.environ:
        # PySpark has its own environment.
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.spark_source", *sys.argv[1:]], environment())
    if given.driver:
        sys.stdout.write(json.dumps(driver(json.loads(given.driver), given.times)))
        return
    from pyspark.sql import SparkSession  # noqa: PLC0415

    import lakemuster.spark  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as scratch:
        builder = SparkSession.builder.master("local[1]")
        for name, value in {**SESSION, "spark.sql.warehouse.dir": f"{scratch}/warehouse"}.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        lakemuster.spark.register(spark)
        results = [measure(spark, Path(scratch), files, given.times) for files in given.files]
        spark.stop()
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
