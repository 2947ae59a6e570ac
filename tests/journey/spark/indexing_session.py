"""Runs beside us: the driver of a job that indexes tables, asked for and answered in JSON lines.

``python indexing_session.py MASTER FOLDER`` with PySpark and our packages on the path. A line has settings, names and a
fault, the answer reports or an error. Faults are done to the job from inside the driver: see ``index``. Or it has
``calls``: see ``calls.py``.
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
    """A job; ``JOBS`` has all that ran."""

    def __init__(self, spark: SparkSession, job: bytes, digests: Sequence[bytes], description: str) -> None:
        JOBS.append((self, len(digests)))
        super().__init__(spark, job, digests, description)

    def spark_jobs(self) -> int:
        """How many jobs it was for Spark, by its own account; a Connect client cannot ask."""
        if jobs.is_connect(self._spark):
            return 1
        return len(self._spark.sparkContext.statusTracker().getJobIdsForGroup(self._name))


class Twice(Noted):
    """Every task has a copy that runs at the same time."""

    def __init__(self, *arguments: Any) -> None:
        self._copy = jobs.SparkJob(*arguments)
        super().__init__(*arguments)

    @property
    def is_over(self) -> bool:
        return super().is_over and self._copy.is_over

    def errors(self) -> list[str]:
        return [*super().errors(), *self._copy.errors()]


class LeaseTaken(Noted):
    """Another process refreshes the tables before the job is done."""

    def __init__(self, *arguments: Any) -> None:
        database = open_database(DATABASE_URL[0])
        with database.session() as session:
            taken = {"holder": "another", "fence": LeaseRow.fence + 1, "expires_at_ms": 2**53}
            session.execute(update(LeaseRow).values(taken))
        database.close()
        super().__init__(*arguments)


def short(read: Callable[[JobFiles, int], bytes]) -> Callable[[JobFiles, int], bytes]:
    """A row of each answer is lost."""

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
"""The jobs that ran, and their parts."""
DATABASE_URL = [""]


def index(spark: SparkSession, settings: dict[str, Any], names: list[str], fault: str | None) -> dict[str, Any]:
    """What ``lakemuster.spark.index`` gives."""
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
    """Answer until standard input ends."""
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
