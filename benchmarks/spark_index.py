"""Indexing on Spark compared with the engine of one process, on the same table over S3 and PostgreSQL.

``python -m benchmarks.spark_index --files 2000000 --manifests 400`` prints one JSON object: entries per second of
wall-clock time of each, from pointer to publish, and whether both wrote the same segments. Each has indexed a small
table before, so that decoders are running. S3 is moto's server in a separate process on this machine, whose CPU time
affects both figures.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.index.database import Database
from lakemuster.ingest.reports import RefreshReport
from lakemuster.main import build_services
from tests.journey.servers import free_port
from tests.journey.spark.indexing import SESSION, environment
from tests.postgres import running_postgres

BUCKET, KEY, SECRET = "bench", "muster-key", "muster-secret"
_START_SECONDS = 120.0


@contextlib.contextmanager
def s3() -> Iterator[str]:
    """Run an S3 server in its own process, and yield its URL."""
    port = free_port()
    command = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            _await(port)
            _client(url).create_bucket(Bucket=BUCKET)
            yield url
        finally:
            server.terminate()


def _await(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _client(url: str) -> Any:
    keys = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=url, **keys)


def put(url: str, folder: Path, prefix: str) -> None:
    """Copy a table into the bucket."""
    client = _client(url)
    files = [path for path in folder.rglob("*") if path.is_file()]
    with ThreadPoolExecutor(8) as threads:
        done = threads.map(
            lambda path: client.put_object(
                Bucket=BUCKET, Key=f"{prefix}/{path.relative_to(folder)}", Body=path.read_bytes()
            ),
            files,
        )
        list(done)


def measured(
    of: Settings, rules: tuple[tuple[str, str], ...], refresh: Callable[[Settings], RefreshReport]
) -> dict[str, object]:
    """Register the tables in an empty index, and measure the indexing."""
    Database(of.database_url).migrate()
    services = build_services(of)
    for name, root in zip(("b.t", "b.warm"), of.roots, strict=True):
        services.add(name, root, None, rules)
    services.close()
    report = refresh(of)
    assert len(report.published) == 1
    assert not report.quarantined
    return {
        "entries": report.entries_decoded,
        "manifests": report.manifests_fetched,
        "seconds": round(report.seconds, 2),
        "entries_per_second": round(report.entries_decoded / report.seconds),
    }


def here(of: Settings) -> RefreshReport:
    """Index with the engine of this process, with warm decoders."""
    services = build_services(of)
    try:
        services.refresh("b.warm")
        return services.refresh("b.t")
    finally:
        services.close()


def segments(url: str, prefix: str) -> dict[str, tuple[str, int]]:
    """Return the digest and size of every segment of an index."""
    pages = _client(url).get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
    found = (one for page in pages for one in page.get("Contents", ()))
    return {one["Key"].removeprefix(prefix): (one["ETag"], one["Size"]) for one in found}


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.spark_index", description=__doc__)
    parser.add_argument("--files", type=int, default=2_000_000)
    parser.add_argument("--manifests", type=int, default=400)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--cores", type=int, default=2, help="decoders here, slots on Spark: local[N]")
    given = parser.parse_args()
    if "SPARK_HOME" not in os.environ:
        # PySpark has its own environment.
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.spark_index", *sys.argv[1:]], environment())
    with tempfile.TemporaryDirectory() as scratch, s3() as url, running_postgres() as server:
        folder, size = Path(scratch), {"files": given.files, "columns": given.columns, "manifests": given.manifests}
        iceberg_table(folder / "t", **size, processes=given.cores)
        iceberg_table(folder / "warm", files=1_000, columns=2, manifests=16)
        for name in ("t", "warm"):
            put(url, folder / name, name)
        storage = {"s3": {"endpoint_url": url, "key": KEY, "secret": SECRET}}
        os.environ["LAKEMUSTER_STORAGE"] = json.dumps(storage)

        def settings(engine: str, database: str) -> Settings:
            return Settings(
                database_url=database,
                segments_url=f"s3://{BUCKET}/{engine}",
                cache_dir=f"{folder}/{engine}",
                decoders=given.cores,
                roots=(f"s3://{BUCKET}/t", f"s3://{BUCKET}/warm"),
                storage=storage,
            )

        rules = ((str(folder), f"s3://{BUCKET}"),)
        with server.database() as first, server.database() as second, spark_session(given.cores, folder) as spark:
            import lakemuster.spark  # noqa: PLC0415 - needs PySpark

            def on_spark(of: Settings) -> RefreshReport:
                _, report = lakemuster.spark.index(spark, "b.warm", "b.t", settings=of)
                return report

            result: dict[str, object] = {
                "spark": measured(settings("spark", second), rules, on_spark),
                "local": measured(settings("local", first), rules, here),
            }
        made = segments(url, "local")
        result["same_segments"] = made == segments(url, "spark") and len(made) > 0
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


@contextlib.contextmanager
def spark_session(cores: int, folder: Path) -> Iterator[Any]:
    """Run a PySpark session."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - installed in another environment

    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.local.dir", f"{folder}/spark")
    for name, value in SESSION.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
