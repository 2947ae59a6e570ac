"""Indexing on a cluster of executors that are processes of their own, and die."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from tests.contract.service.backends import catalog, settings
from tests.journey.spark.indexing import Driver, driver, sql_rows, stored

pytestmark = pytest.mark.timeout(900)


def executors(running: Driver) -> list[int]:
    """The JVMs of a driver's executors."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes()
            own = str(running.log.parent).encode() in (folder / "environ").read_bytes()
            if b"CoarseGrainedExecutorBackend" in words and own:
                found.append(int(folder.name))
    return sorted(found)


def killed(running: Driver, of: Settings) -> int | None:
    """Kill an executor once the store has segments."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if list(Path(of.segments_url).glob("??/*.arrow")):
            for executor in executors(running):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(executor, signal.SIGKILL)
                    return executor
        time.sleep(0.005)
    return None


def test_a_killed_executor_changes_nothing(tmp_path: Path) -> None:
    table = tmp_path / "lake" / "t"
    iceberg_table(table, files=2_400, columns=4, manifests=24, level=1)
    (tmp_path / "driver").mkdir()
    indexes = [settings(tmp_path / name, roots=(str(table),)) for name in ("local", "spark")]
    for of in indexes:
        with catalog(of) as services:
            services.add("b.t", str(table), None, ())
            if of is indexes[0]:
                services.refresh("b.t")
    local, on_spark = indexes
    with driver("local-cluster[2,1,1024]", tmp_path / "driver") as running:
        running.ask(on_spark, "b.t")
        dead = killed(running, on_spark)
        [report] = running.answer()["reports"]
        assert dead is not None
        assert dead not in executors(running)
    assert (report["entries_decoded"], len(report["published"])) == (2_400, 1)
    assert {key: data for key, data in stored(on_spark).items() if not key.startswith("/tmp/")} == stored(local)
    assert sql_rows(on_spark) == sql_rows(local)
