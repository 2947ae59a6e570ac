"""The programs of examples/ run on the demo lake, and print what their page shows.

Spark's example runs in the session of ``journey/spark``.
"""

from __future__ import annotations

import csv
import datetime as dt
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DateType, LongType, NestedField

from tests.beside import python_of
from tests.journey.preloaded import APP
from tests.journey.servers import Running, lakemuster, served
from tests.pages import examples, matches
from tests.tree import ROOT

FOLDER = ROOT / "examples"
SHOWN = {shlex.split(command)[1]: (command, printed) for command, printed in examples(FOLDER / "README.md")}
SPARK = "examples/spark_tables.py"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


def start(uri: str, folder: Path, program: str, *words: str) -> subprocess.Popen[str]:
    """Start a program of examples/ with the packages that its page names."""
    python = python_of("requirements-duckdb.lock") if "duckdb" in program else Path(sys.executable)
    paths = {} if "duckdb" in program else {"PYTHONPATH": str(APP)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAKEMUSTER_", "PYTHON"))}
    return subprocess.Popen(
        [python, ROOT / program, *words],
        cwd=folder,
        env={**kept, **paths, "LAKEMUSTER_URI": uri},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(uri: str, folder: Path, program: str, *words: str) -> tuple[int, str, str]:
    """Run a program; return exit status, output and errors."""
    process = start(uri, folder, program, *words)
    output, errors = process.communicate(timeout=240)
    return process.returncode, output, errors


def test_the_page_shows_every_program() -> None:
    assert set(SHOWN) == {f"examples/{path.name}" for path in FOLDER.glob("*.py")}


@pytest.mark.parametrize("program", [program for program in SHOWN if program != SPARK])
def test_a_program_prints_what_the_page_shows(demo: Running, tmp_path: Path, program: str) -> None:
    command, shown = SHOWN[program]
    status, output, errors = run(demo.uri, tmp_path, *shlex.split(command)[1:])
    assert (status, errors) == (0, "")
    assert matches(shown, output), output
    for written in tmp_path.glob("*.csv"):
        rows = list(csv.DictReader(written.open()))
        assert len(rows) == {"sizes.csv": len(demo_partitions(demo)), "report.csv": 3}[written.name]


def demo_partitions(demo: Running) -> list[object]:
    return [row for table in demo.rows("/tables") for row in demo.rows(f"/tables/{table['name']}/partitions")]


def test_conditions_that_drop_no_files_are_named_on_stderr(demo: Running, tmp_path: Path) -> None:
    status, output, errors = run(demo.uri, tmp_path, "examples/query_files.py", "shop.orders", "length(status) > 4")
    assert (status, output.splitlines()[-1]) == (0, "10 files, 466 records, 34778 bytes")
    assert errors.startswith("length(status) > 4 drops no files: ")


def test_a_partition_that_does_not_appear_in_time_is_status_1(demo: Running, tmp_path: Path) -> None:
    assert run(demo.uri, tmp_path, "examples/wait_for_partition.py", "shop.orders", "day=2025-01-01", "0") == (
        1,
        "",
        "",
    )


def test_a_wait_ends_with_the_commit_of_the_partition(tmp_path: Path) -> None:
    catalog = SqlCatalog("writer", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/lake")
    catalog.create_namespace("ns")
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", DateType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))
    table = catalog.create_table("ns.sales", schema, partition_spec=spec)

    def commit(day: int) -> None:
        columns = {"id": pa.array([1, 2]), "day": pa.array([dt.date(2024, 5, day)] * 2)}
        table.append(pa.table(columns))

    commit(1)
    done = lakemuster(tmp_path, "add", "ns.sales", table.location())
    assert done.returncode == 0, done.stderr
    with served(tmp_path) as running:
        waiting = start(running.uri, tmp_path, "examples/wait_for_partition.py", "ns.sales", "day=2024-05-02", "120")
        commit(2)
        output, errors = waiting.communicate(timeout=240)
    assert (waiting.returncode, errors) == (0, "")
    assert output == "{'day': '2024-05-02'} 2 records in 1 files\n"
