"""Indexing on a cluster whose executors are separate processes: they use the native decoder, and they may die."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from tests.contract.service.backends import catalog, settings
from tests.journey.spark.indexing import Driver, driver, sql_rows, stored

pytestmark = pytest.mark.timeout(900)

FALLBACK_NOTED = """
import os, sys
from pathlib import Path
from lakemuster.formats.avro import table

here = Path(__file__).parent

def noted(decode):
    def call(*arguments):
        (here / "fallbacks" / str(os.getpid())).write_bytes(Path(f"/proc/{os.getppid()}/cmdline").read_bytes())
        return decode(*arguments)
    return call

table.decode_fastavro = noted(table.decode_fastavro)
if (here / "without llvmlite").exists():
    sys.modules["llvmlite.binding"] = None
"""
"""The ``sitecustomize`` of every Python: it records who uses fastavro, and can make llvmlite unavailable."""


@dataclass(frozen=True)
class Cluster:
    """A cluster of two executors, each a JVM with Python workers and their decoders."""

    driver: Driver
    pythons: Path

    @property
    def fallbacks(self) -> list[bytes]:
        """The command lines of the processes whose decoders used fastavro."""
        return [note.read_bytes() for note in (self.pythons / "fallbacks").iterdir()]

    @property
    def logs(self) -> str:
        """The executors' logs."""
        return "".join(log.read_text() for log in (self.driver.log.parent / "home").rglob("stderr"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pythons = tmp_path_factory.mktemp("pythons")
    (pythons / "sitecustomize.py").write_text(FALLBACK_NOTED)
    (pythons / "fallbacks").mkdir()
    with driver("local-cluster[2,1,1024]", tmp_path_factory.mktemp("driver"), python_path=pythons) as running:
        yield Cluster(running, pythons)


def indexes(folder: Path, **settings_on_spark: int) -> tuple[Settings, Settings]:
    """Return the settings of two indexes with a table: this process indexes it in the first only."""
    table = folder / "lake" / "t"
    iceberg_table(table, files=2_400, columns=4, manifests=24, level=1)
    local = settings(folder / "local", roots=(str(table),))
    on_spark = settings(folder / "spark", roots=(str(table),), **settings_on_spark)
    for of in (local, on_spark):
        with catalog(of) as services:
            services.add("b.t", str(table), None, ())
            if of is local:
                services.refresh("b.t")
    return local, on_spark


def executors(running: Driver) -> list[int]:
    """Return the process ids of a driver's executors."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes()
            own = str(running.log.parent).encode() in (folder / "environ").read_bytes()
            if b"CoarseGrainedExecutorBackend" in words and own:
                found.append(int(folder.name))
    return sorted(found)


def killed(running: Driver, of: Settings) -> int | None:
    """Kill an executor once the store has segments; return its process id."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if list(Path(of.segments_url).glob("??/*.arrow")):
            for executor in executors(running):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(executor, signal.SIGKILL)
                    return executor
        time.sleep(0.005)
    return None


@pytest.mark.parametrize("missing", [False, True], ids=["with llvmlite", "without llvmlite"])
def test_executors_decode_with_the_kernel_and_say_when_it_is_missing(
    cluster: Cluster, tmp_path: Path, missing: bool
) -> None:
    memory = (512 + missing) * 2**20  # other settings start new decoder processes
    local, on_spark = indexes(tmp_path, decoder_memory=memory)
    flag = cluster.pythons / "without llvmlite"
    if missing:
        flag.touch()
    try:
        answer = cluster.driver.index(on_spark, "b.t")
    finally:
        flag.unlink(missing_ok=True)
    assert [report["entries_decoded"] for report in answer["reports"]] == [2_400]
    assert sum(answer["jobs"]) > 0
    assert any(b"pyspark.daemon" in parent for parent in cluster.fallbacks) is missing
    assert ("the kernel of formats.avro.native does not load" in cluster.logs) is missing
    assert stored(on_spark) == stored(local)


def test_a_killed_executor_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    local, on_spark = indexes(tmp_path)
    running = cluster.driver
    running.ask(on_spark, "b.t")
    dead = killed(running, on_spark)
    [report] = running.answer()["reports"]
    assert dead is not None
    assert dead not in executors(running)
    assert (report["entries_decoded"], len(report["published"])) == (2_400, 1)
    assert {key: data for key, data in stored(on_spark).items() if not key.startswith("/tmp/")} == stored(local)
    assert sql_rows(on_spark) == sql_rows(local)
