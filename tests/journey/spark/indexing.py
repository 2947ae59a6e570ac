"""A driver that indexes on Spark, and functions that compare two indexes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fsspec
from sqlalchemy import create_engine, select

from lakemuster.config import Settings
from lakemuster.index.sql_tables import METADATA
from tests.beside import end, python_of
from tests.tree import ROOT

TIMES = {
    "retry_at_ms",
    "created_at_ms",
    "registered_at_ms",
    "published_at_ms",
    "checked_at_ms",
    "at_ms",
    "expires_at_ms",
    "holder",
    "fence",
}
"""Columns with times, and with the holders of leases."""

SESSION = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""The configuration of a small session."""

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of every JVM, executors included: none lives long enough for an optimizing compiler to pay off."""


def environment() -> dict[str, str]:
    """Return an environment in which PySpark uses its own packages after the locked ones of Lakemuster."""
    pyspark, connect = (
        python_of(lock).parent.parent / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        for lock in ("requirements-spark.lock", "requirements-connect.lock")
    )
    places = [ROOT / "app", ROOT, sysconfig.get_paths()["purelib"], pyspark, connect]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAKEMUSTER_", "SPARK_"))}
    python = {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYSPARK_PYTHON": sys.executable, "TZ": "UTC"}
    return kept | python | {"SPARK_HOME": str(pyspark / "pyspark"), "JAVA_TOOL_OPTIONS": SHORT_LIVED}


class Driver:
    """A process with a Spark session in which Lakemuster's driver runs."""

    def __init__(
        self, master: str, folder: Path, storage: Mapping[str, Any] | None = None, python_path: Path | None = None
    ) -> None:
        home = folder / "home"  # workers of a cluster write to it
        home.mkdir()
        self.log = folder / "driver.log"
        told = {} if storage is None else {"LAKEMUSTER_STORAGE": json.dumps(storage)}
        given = environment()
        if python_path is not None:
            given["PYTHONPATH"] = f"{python_path}{os.pathsep}{given['PYTHONPATH']}"
        for part in Path(given["SPARK_HOME"]).iterdir():
            (home / part.name).symlink_to(part)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, ROOT / "tests" / "journey" / "spark" / "indexing_session.py", master, folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env=given | told | {"SPARK_HOME": str(home)},
            )
        self.kind = self.answer()["ready"]

    def index(self, settings: Settings, *names: str, fault: str | None = None) -> dict[str, Any]:
        """Index tables; return the reports, or an error with its code."""
        self.ask(settings, *names, fault=fault)
        return self.answer()

    def ask(self, settings: Settings, *names: str, fault: str | None = None) -> None:
        """Request an index of tables without waiting for the response."""
        assert self.process.stdin
        line = {"settings": settings.model_dump(mode="json"), "names": names, "fault": fault}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def call(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Return the results of functions of ``lakemuster.spark`` in the session."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"calls": calls}) + "\n")
        self.process.stdin.flush()
        found: list[Any] = self.answer()["calls"]
        return found

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the driver ended with {self.process.wait()}:\n{self.log.read_text()[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """Stop the session's process."""
        end(self.process)


@contextmanager
def driver(
    master: str, folder: Path, storage: Mapping[str, Any] | None = None, python_path: Path | None = None
) -> Iterator[Driver]:
    """Run a driver; it and its executors' Python search ``python_path`` first for modules."""
    running = Driver(master, folder, storage, python_path)
    try:
        yield running
    finally:
        running.stop()


def sql_rows(settings: Settings) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the index by table, without times, leases and the index's own secret."""
    engine = create_engine(settings.database_url)
    try:
        with engine.connect() as connection:
            return {
                table.name: sorted(
                    (
                        tuple(row)
                        for row in connection.execute(
                            select(*(column for column in table.columns if column.name not in TIMES))
                        )
                    ),
                    key=repr,
                )
                for table in METADATA.sorted_tables
                if table.name != "server_key"
            }
    finally:
        engine.dispose()


def stored(settings: Settings) -> dict[str, bytes]:
    """Return every file of the segment store, by its key."""
    scheme = settings.segments_url.partition("://")[0]
    options = dict(settings.storage.get(scheme, {}), use_listings_cache=False) if "://" in settings.segments_url else {}
    system, root = fsspec.url_to_fs(settings.segments_url, **options)
    return {path.removeprefix(root): system.cat_file(path) for path in system.find(root)}
