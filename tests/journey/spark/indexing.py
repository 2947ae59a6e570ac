"""A driver that indexes on Spark, and what makes two indexes the same."""

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
"""Columns of the moment, and of who holds a lease."""

SESSION = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""Of a small session."""

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of every machine that Java starts, executors too: none lives long enough to repay what more would cost."""


def environment() -> dict[str, str]:
    """PySpark of its own environments behind our packages, which it thus runs with in the versions of our lock."""
    pyspark, connect = (
        python_of(lock).parent.parent / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        for lock in ("requirements-spark.lock", "requirements-connect.lock")
    )
    places = [ROOT / "app", ROOT, sysconfig.get_paths()["purelib"], pyspark, connect]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAKEMUSTER_", "SPARK_"))}
    python = {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYSPARK_PYTHON": sys.executable, "TZ": "UTC"}
    return kept | python | {"SPARK_HOME": str(pyspark / "pyspark"), "JAVA_TOOL_OPTIONS": SHORT_LIVED}


class Driver:
    """A running session of Spark's with our driver in it."""

    def __init__(
        self, master: str, folder: Path, storage: Mapping[str, Any] | None = None, python_path: Path | None = None
    ) -> None:
        home = folder / "home"  # a cluster's workers write there
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
        """Reports, or an error with its code."""
        self.ask(settings, *names, fault=fault)
        return self.answer()

    def ask(self, settings: Settings, *names: str, fault: str | None = None) -> None:
        """The same, without waiting."""
        assert self.process.stdin
        line = {"settings": settings.model_dump(mode="json"), "names": names, "fault": fault}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def call(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """What functions of ``lakemuster.spark`` give in the session."""
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
        """End the session."""
        end(self.process)


@contextmanager
def driver(
    master: str, folder: Path, storage: Mapping[str, Any] | None = None, python_path: Path | None = None
) -> Iterator[Driver]:
    """A driver that is ended; it and its executors' Python find modules in ``python_path`` first."""
    running = Driver(master, folder, storage, python_path)
    try:
        yield running
    finally:
        running.stop()


def sql_rows(settings: Settings) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables of the index, but moments and leases; tokens' secret, which is each index's own, too."""
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
    """Every file of the segment store, by its key."""
    scheme = settings.segments_url.partition("://")[0]
    options = dict(settings.storage.get(scheme, {}), use_listings_cache=False) if "://" in settings.segments_url else {}
    system, root = fsspec.url_to_fs(settings.segments_url, **options)
    return {path.removeprefix(root): system.cat_file(path) for path in system.find(root)}
