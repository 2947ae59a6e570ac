"""Apache Spark with Iceberg's runtime, to write tables, and to read them through the server's catalog and data source.

It has a separate environment (``requirements-spark.lock``) and a jar (``requirements-spark.jars``), both downloaded on
first use. Spark 3.5 with Paimon's connector has its own (``requirements-spark35.lock``), since Maven has no connector
for Spark 4. The newest Spark (``requirements-spark43.lock``) has no jar. One session of each serves all tests of a
process; see ``spark_session.py`` for its actions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.beside import end, python_of
from tests.tree import ROOT

Rows = list[Any]
APP = str(ROOT / "app")
PACKAGES = [APP, sysconfig.get_paths()["purelib"]]
"""The folders of this package and of the test environment's packages."""
TOKEN = ("LAKE_TOKEN", "a-token-of-the-tests-which-executors-have")
"""An environment variable of Spark's workers, and its value."""


class SparkFailed(Exception):
    """An error of Spark."""


class Spark:
    """A running session; with a connector's jar, ``folder/lake`` has the tables of its catalog ``plain``.

    Workers import from the folders ``packages``. With ``sites``, the packages of PySpark's Connect client, it is a
    Connect session.
    """

    def __init__(
        self, python: Path, jar: Path | None, folder: Path, packages: Sequence[str], sites: Path | None = None
    ) -> None:
        self.folder = folder
        self.packages = list(packages)
        self.log = folder / "spark.log"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPARK_"))}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [python, "-I", ROOT / "tests" / "spark_session.py", jar or "", folder, sites or ""],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env=kept
                | {"TZ": "UTC", "PYSPARK_PYTHON": str(python), "PYTHONPATH": os.pathsep.join(packages)}
                | dict([TOKEN]),
            )
        self.kind: str = self._answer()["ready"]

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"Spark ended with {self.process.wait()}:\n{self.log.read_text()[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, action: str, **arguments: Any) -> Any:
        """Run an action of the session, and return its result; SparkFailed with Spark's message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"action": action, **arguments}) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise SparkFailed(f"{action} {arguments}: {answer['error']}")
        return answer["value"]

    def sql(self, text: str) -> Rows:
        """Return a statement's rows, sorted, with values in the form of ``spark_session.plain``."""
        rows: Rows = self.ask("sql", text=text)
        return rows

    def view(self, name: str, table: str, **options: str) -> Any:
        """Create a temporary view over our data source, and return its schema in Spark's JSON."""
        return self.ask("view", packages=self.packages, name=name, table=table, options=options)

    def stop(self) -> None:
        """End the session."""
        end(self.process)


def jar_of(lock: str) -> Path:
    """Return the connector's jar that a lock of the repository pins."""
    command = [sys.executable, "-I", str(ROOT / "scripts" / "jars.py"), str(ROOT / lock)]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return Path(brought.stdout.strip())


def the_jar() -> Path:
    """Return the jar of Iceberg's runtime."""
    return jar_of("requirements-spark.jars")


@contextmanager
def session(
    lock: str, jar: Path | None, folder: Path, packages: Sequence[str], sites: Path | None = None
) -> Iterator[Spark]:
    """Run a session in the environment of a lock."""
    running = Spark(python_of(lock), jar, folder, packages, sites)
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """The session that the tests of this process share."""
    with session("requirements-spark.lock", the_jar(), tmp_path_factory.mktemp("spark"), PACKAGES) as running:
        yield running


@pytest.fixture(scope="session")
def newest_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """A session of the newest Spark without a jar, with only the extra ``spark`` of this package."""
    with session("requirements-spark43.lock", None, tmp_path_factory.mktemp("newest_spark"), [APP]) as running:
        yield running


@pytest.fixture(scope="session")
def connect_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """Like ``newest_spark``, as a Connect session."""
    sites = next((python_of("requirements-connect.lock").parents[1] / "lib").glob("python*/site-packages"))
    with session("requirements-spark43.lock", None, tmp_path_factory.mktemp("connect"), [APP], sites) as running:
        yield running


@pytest.fixture(scope="session")
def paimon_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """A session of Spark 3.5 with Paimon's connector."""
    jar = jar_of("requirements-spark35.jars")
    with session("requirements-spark35.lock", jar, tmp_path_factory.mktemp("paimon_spark"), []) as running:
        yield running
