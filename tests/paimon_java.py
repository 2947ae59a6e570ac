"""Apache Paimon's Java client, to write tables, to compare plans, and to read through the server's catalog.

Its jars (``requirements-paimon.jars``: Paimon's, and Hadoop's for writing Parquet) are downloaded on first use. One
process runs the actions of ``tests/java`` for all tests.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.beside import end, jars_of
from tests.tree import ROOT


class PaimonFailed(Exception):
    """An error of the Java client."""


class Paimon:
    """A running process; its catalog ``plain`` has tables as files in ``folder/lake``, all in the database ``db``."""

    def __init__(self, jars: list[str], folder: Path) -> None:
        self.folder = folder
        self.lake = folder / "lake"
        self.log = folder / "java.log"
        classes = folder / "classes"
        path = os.pathsep.join([str(classes), *jars])
        sources = sorted((ROOT / "tests" / "java").glob("*.java"))
        subprocess.run(["javac", "-nowarn", "-Xlint:-options", "-d", classes, "-cp", path, *sources], check=True)
        options = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC"]
        options.append(f"-Djava.io.tmpdir={folder}")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["java", *options, "-cp", path, "Session"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env=os.environ | {"TZ": "UTC"},
            )
        self.ask("catalog", name="plain", options={"warehouse": self.lake.as_uri()})

    def ask(self, action: str, **arguments: Any) -> Any:
        """Run an action of ``Session.java``, by default on the catalog ``plain``; PaimonFailed if it fails."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"action": action, "catalog": "plain", **arguments}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"Java ended with {self.process.wait()}:\n{self.log.read_text()[-4000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise PaimonFailed(f"{action} {str(arguments)[:500]}: {answer['error']}")
        return answer["value"]

    def stop(self) -> None:
        """End the process."""
        end(self.process)


@pytest.fixture(scope="session")
def java_paimon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paimon]:
    """The process that all tests share."""
    running = Paimon(jars_of("requirements-paimon.jars"), tmp_path_factory.mktemp("paimon"))
    try:
        yield running
    finally:
        running.stop()
