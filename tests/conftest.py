"""Options, scheduling and fixtures for all tests."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.examples import examples
from tests.tree import ROOT, lakes_folder

pytest_plugins = [
    "tests.duckdb",
    "tests.paimon_java",
    "tests.postgres",
    "tests.pypaimon",
    "tests.selection",
    "tests.spark",
    "tests.storage_servers",
    "tests.counterparts.azure_blobs",
    "tests.counterparts.google_storage",
    "tests.counterparts.hdfs",
    "tests.counterparts.hive",
    "tests.counterparts.iceberg_rest",
    "tests.counterparts.nessie",
]

SHARED = ("tests/journey/spark/", "tests/journey/console/", "tests/journey/paimon_java/")
"""Folders that one process runs completely: their tests share sessions, servers and lakes that are slow to start."""

# Child processes import the package from here too.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "app"), os.environ.get("PYTHONPATH")]))

# The machine may be busy, so examples have no deadline.
hypothesis.settings.register_profile("muster", deadline=None, print_blob=True, max_examples=examples(100))
hypothesis.settings.register_profile("ci", parent=hypothesis.settings.get_profile("muster"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "muster")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden``, which rewrites the golden files for review."""
    parser.addoption("--update-golden", action="store_true", help="write the golden answers anew, for review")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with tests that take minutes, so that parallel processes end together."""
    long = ("test_kills.py", "test_same_answers.py", "test_benchmarks.py", "test_pyiceberg_server_planning.py")
    order = {folder: number for number, folder in enumerate(SHARED)}
    items.sort(key=lambda item: (order.get(unit_of(item.nodeid), len(order)), item.path.name not in long))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the garbage collector leave out modules and collected tests, and run as often as in a server.

    It took a fifth of the CPU time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 20)


def unit_of(nodeid: str) -> str:
    """Return the unit that one process runs: a file, or a folder of ``SHARED`` and a file that uses the same Spark."""
    file = nodeid.partition("::")[0]
    if file.endswith("/paimon_java/test_spark_tables.py"):
        return SHARED[0]
    return next((folder for folder in SHARED if file.startswith(folder)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Schedule units to processes in the order of the tests."""
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class Units(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    return Units(config, log)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def lakes() -> Path:
    """The folder of real tables by other writers."""
    return lakes_folder()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the developer's settings from the environment."""
    for name in [name for name in os.environ if name.startswith("LAKEMUSTER_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def assert_golden(pytestconfig: pytest.Config) -> Callable[[Path, object], None]:
    """A function that compares a JSON value with a golden file, or stores it under ``--update-golden``."""

    def check(path: Path, value: object) -> None:
        if pytestconfig.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n", "utf-8")
            return
        if not path.exists():
            pytest.fail(f"no stored answer {path}; look at the value, then run with --update-golden")
        assert json.loads(json.dumps(value, default=str)) == json.loads(path.read_text("utf-8"))

    return check
