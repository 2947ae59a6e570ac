"""A separate process: the driver of jobs that index tables, with requests and responses as JSON lines.

``python indexing_session.py MASTER FOLDER`` needs PySpark and ``lakemuster`` on the path. A request has settings, table
names and a fault; the response has reports or an error. Faults are injected within the driver, see ``index``. A request
may instead have ``calls``, see ``calls.py``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import pyarrow as pa
from pyspark.sql import SparkSession
from sqlalchemy import update

import lakemuster.spark
from lakemuster.config import Settings
from lakemuster.errors import CatalogError
from lakemuster.index.database import open_database
from lakemuster.index.orm import LeaseRow
from lakemuster.ingest import table_refresh
from lakemuster.spark.pipeline import jobs, refreshes
from lakemuster.spark.pipeline.job_files import JobFiles
from tests.journey.spark import calls
from tests.journey.spark.indexing import SESSION


class Noted(jobs.SparkJob):
    """A job that is recorded in ``JOBS``."""

    def __init__(self, spark: SparkSession, job: bytes, digests: Sequence[bytes], description: str) -> None:
        JOBS.append((self, len(digests)))
        super().__init__(spark, job, digests, description)

    def spark_jobs(self) -> int:
        """Return the number of Spark jobs that this job ran; a Connect client cannot ask, so 1 is assumed."""
        if jobs.is_connect(self._spark):
            return 1
        return len(self._spark.sparkContext.statusTracker().getJobIdsForGroup(self._name))


class Twice(Noted):
    """A job whose every task runs twice at the same time."""

    def __init__(self, *arguments: Any) -> None:
        self._copy = jobs.SparkJob(*arguments)
        super().__init__(*arguments)

    @property
    def is_over(self) -> bool:
        return super().is_over and self._copy.is_over

    def errors(self) -> list[str]:
        return [*super().errors(), *self._copy.errors()]


class LeaseTaken(Noted):
    """A job during which another process takes the leases of the tables."""

    def __init__(self, *arguments: Any) -> None:
        database = open_database(DATABASE_URL[0])
        with database.session() as session:
            taken = {"holder": "another", "fence": LeaseRow.fence + 1, "expires_at_ms": 2**53}
            session.execute(update(LeaseRow).values(taken))
        database.close()
        super().__init__(*arguments)


def short(read: Callable[[JobFiles, int], bytes]) -> Callable[[JobFiles, int], bytes]:
    """Return a reader that drops the first row of each outcome."""

    def shortened(files: JobFiles, number: int) -> bytes:
        table = pa.ipc.open_stream(read(files, number)).read_all()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table[1:])
        data: bytes = sink.getvalue().to_pybytes()
        return data

    return shortened


FAULTS = {"twice": Twice, "lease taken": LeaseTaken}
JOBS: list[tuple[Noted, int]] = []
"""The jobs that ran, with the number of their parts."""
DATABASE_URL = [""]


def index(spark: SparkSession, settings: dict[str, Any], names: list[str], fault: str | None) -> dict[str, Any]:
    """Run ``lakemuster.spark.index`` under a fault, and return its result as JSON values."""
    given = Settings(**settings)
    DATABASE_URL[0] = given.database_url
    JOBS.clear()
    progress: list[tuple[str, int, int]] = []
    threads = threading.active_count()
    read = short(JobFiles.read_outcomes) if fault == "short" else JobFiles.read_outcomes
    with (
        mock.patch.object(refreshes, "SparkJob", FAULTS.get(fault or "", Noted)),
        mock.patch.object(JobFiles, "read_outcomes", read),
        mock.patch.object(table_refresh, "LEASE_WAIT_SECONDS", 1.0),
    ):
        try:
            reports = lakemuster.spark.index(
                spark, *names, settings=given, progress=lambda *done: progress.append(done)
            )
        except CatalogError as error:
            return {"error": error.code, "message": error.message}
    return {
        "reports": [dataclasses.asdict(report) for report in reports],
        "jobs": [parts for _, parts in JOBS],
        "spark_jobs": sum(job.spark_jobs() for job, _ in JOBS),
        "progress": progress,
        "threads": threading.active_count() - threads,
    }


def main(master: str, folder: str) -> None:
    """Respond to requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    builder = SparkSession.builder
    builder = builder.remote(master.removeprefix("connect:")) if "connect:" in master else builder.master(master)
    for name, value in {**SESSION, "spark.local.dir": f"{folder}/spark"}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    print(json.dumps({"ready": type(spark).__module__}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {"calls": calls.answers(spark, asked["calls"])} if "calls" in asked else index(spark, **asked)
        print(json.dumps(answer), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
