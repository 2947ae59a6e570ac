"""Runs beside us: the driver of a job that indexes tables, asked for and answered in JSON lines.

``python indexing_session.py MASTER FOLDER`` with PySpark and our packages on the path. A line has settings, names and a
fault, the answer reports or an error. Faults are done to the job from inside the driver: see ``FAULTS``. Or it has
``calls``: see ``calls.py``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

from pyspark.sql import SparkSession
from sqlalchemy import update

import lakemuster.spark
from lakemuster.config import Settings
from lakemuster.errors import CatalogError
from lakemuster.index.database import open_database
from lakemuster.index.orm import LeaseRow
from lakemuster.spark.pipeline import engine, jobs
from tests.journey.spark import calls
from tests.journey.spark.indexing import SESSION


def twice(run: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    """Every task has a copy that runs at the same time; the answer is the copies'."""
    del settings

    def both(*arguments: Any) -> Any:
        with ThreadPoolExecutor(2) as threads:
            first, second = (threads.submit(run, *arguments) for _ in range(2))
            assert sorted(first.result()) == sorted(second.result())
            return second.result()

    return both


def lease_lost(run: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    """Another process has taken the table's lease over before the job is done."""

    def then_lost(*arguments: Any) -> Any:
        rows = run(*arguments)
        database = open_database(settings.database_url)
        with database.session() as session:
            taken = {"holder": "another", "fence": LeaseRow.fence + 1, "expires_at_ms": 2**53}
            session.execute(update(LeaseRow).values(taken))
        database.close()
        return rows

    return then_lost


def short(run: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    """A row of the answer is lost."""
    del settings
    return lambda *arguments: run(*arguments)[1:]


def counted(run: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    """Nothing is done to the job, but it must have happened."""
    del settings

    def noted(*arguments: Any) -> Any:
        JOBS.append(len(arguments[2]))
        return run(*arguments)

    return noted


FAULTS = {"twice": twice, "lease lost": lease_lost, "short": short, None: counted}
JOBS: list[int] = []
"""Parts of the jobs that ran."""


def index(spark: SparkSession, settings: dict[str, Any], names: list[str], fault: str | None) -> dict[str, Any]:
    """What ``lakemuster.spark.index`` gives."""
    given = Settings(**settings)
    JOBS.clear()
    progress: list[tuple[str, int, int]] = []
    threads = threading.active_count()
    with mock.patch.object(engine, "run_parts", FAULTS[fault](jobs.run_parts, given)):
        try:
            reports = lakemuster.spark.index(
                spark, *names, settings=given, progress=lambda *done: progress.append(done)
            )
        except CatalogError as error:
            return {"error": error.code, "message": error.message}
    return {
        "reports": [dataclasses.asdict(report) for report in reports],
        "jobs": JOBS,
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
