"""Iceberg's REST catalog test fixture, and its REST Compatibility Kit (RCK).

Both are jars of one release (``requirements-iceberg-rest.jars``), which Maven downloads on first use. They need a
JDK 17.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.beside import jars_of
from tests.counterparts.processes import JAVA_OPTIONS, Started, started
from tests.tree import ROOT

OPTIONS = ["-Xmx512m", *JAVA_OPTIONS]
SERVER = "org.apache.iceberg.rest.LoopbackServer"
SUITE = "org.apache.iceberg.rest.RESTCompatibilityKitSuite"
LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
REPORT = "TEST-junit-platform-suite.xml"
NOT_MET = ("AssumptionViolatedException", "TestAbortedException")


@dataclass(frozen=True)
class IcebergRest:
    """A running catalog.

    Attributes:
        uri: the URI of the catalog; its routes are below ``/v1``.
        warehouse: the URI of the folder of its tables.
    """

    uri: str
    warehouse: str
    started: Started


@contextmanager
def iceberg_rest_server(
    folder: Path, properties: Mapping[str, str] | None = None, port: int = 0
) -> Iterator[IcebergRest]:
    """Run Iceberg's REST catalog on 127.0.0.1.

    Its state is in ``folder``: a server that is started there again has the same tables.

    Args:
        properties: properties of the backing catalog, which override the defaults; ``include-credentials=true`` adds
            its ``s3.*`` keys to responses.
        port: 0 for a free one.
    """
    jars = jars_of("requirements-iceberg-rest.jars")
    classes = folder / "classes"
    path = os.pathsep.join([str(classes), *jars])
    sources = sorted((ROOT / "tests" / "java_iceberg_rest").glob("*.java"))
    subprocess.run(["javac", "-nowarn", "-Xlint:-options", "-d", classes, "-cp", path, *sources], check=True)
    warehouse = (folder / "warehouse").as_uri()
    stated = {
        "catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "uri": f"jdbc:sqlite:{folder}/catalog.db?synchronous=OFF",
        "jdbc.schema-version": "V1",
        "clients": "1",  # SQLite refuses a second connection during a write
        "warehouse": warehouse,
    } | dict(properties or {})
    command = ["java", *OPTIONS, f"-Djava.io.tmpdir={folder}", "-cp", path, SERVER, str(port)]
    command += [f"{name}={value}" for name, value in stated.items()]
    with started(command, folder / "iceberg_rest.log", r"^(\d+)$") as running:
        yield IcebergRest(f"http://127.0.0.1:{running.ready[1]}", stated["warehouse"], running)


@pytest.fixture(scope="module")
def iceberg_rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IcebergRest]:
    """Iceberg's REST catalog, empty for each test module."""
    with iceberg_rest_server(tmp_path_factory.mktemp("iceberg_rest")) as running:
        yield running


@dataclass(frozen=True)
class KitResult:
    """The result of the kit.

    Attributes:
        passed: the number of passed tests.
        failed: names of the failed tests, ``Class.test``.
        aborted: tests whose assumptions the catalog does not meet.
        disabled: tests that the kit itself disables.
    """

    passed: int
    failed: list[str]
    aborted: list[str]
    disabled: list[str]


def rck(uri: str, folder: Path, properties: Mapping[str, str] | None = None) -> KitResult:
    """Run Iceberg's REST Compatibility Kit once against a catalog: it refuses one with namespaces of an earlier run.

    Args:
        uri: the URI of the catalog, without ``/v1``.
        folder: the folder for the report, the log and temporary files.
        properties: client properties with Java's names: ``warehouse``, ``credential``, ``scan-planning-mode`` …

    Raises:
        RuntimeError: no test was run; the message contains the end of the kit's output.
    """
    stated = {"rck.local": "false", "uri": uri, "requires-namespace-create": "true"} | dict(properties or {})
    path = os.pathsep.join(jars_of("requirements-iceberg-rest.jars"))
    command = ["java", *OPTIONS, f"-Djava.io.tmpdir={folder}", *(f"-D{name}={value}" for name, value in stated.items())]
    command += ["-cp", path, LAUNCHER, "execute", "--select-class", SUITE, "--reports-dir", str(folder)]
    done = subprocess.run(
        [*command, "--details=none"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("CATALOG_")},
        check=False,
    )
    (folder / "rck.log").write_text(done.stdout)
    if done.returncode not in (0, 1) or not (folder / REPORT).exists():
        raise RuntimeError(f"The kit ended with {done.returncode}:\n{done.stdout[-4000:]}")
    found = kit_result(folder / REPORT)
    if not found.passed and not found.failed:
        raise RuntimeError(f"The kit ran no test:\n{done.stdout[-4000:]}")
    return found


def kit_result(report: Path) -> KitResult:
    """Parse a report of JUnit's console launcher."""
    passed, failed, aborted, disabled = 0, [], [], []
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.attrib['classname'].rpartition('.')[2]}.{case.attrib['name'].removesuffix('()')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif skipped is None:
            passed += 1
        elif any(reason in (skipped.text or "") for reason in NOT_MET):
            aborted.append(name)
        else:
            disabled.append(name)
    return KitResult(passed, sorted(failed), sorted(aborted), sorted(disabled))
