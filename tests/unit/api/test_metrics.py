"""Metrics of one process and of several workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from lakemuster.api.metrics import Metrics
from lakemuster.api.worker_folder import WorkerFolder
from lakemuster.measures import Measure

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(metrics: Metrics) -> Samples:
    text = metrics.text().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture(params=["alone", "shared"])
def metrics(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Metrics]:
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    if request.param == "alone":
        yield Metrics()
        return
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    folder = WorkerFolder(tmp_path)
    yield Metrics(folder)
    folder.close()


def test_a_measure_is_counted_and_distributed_by_the_labels_chosen(metrics: Metrics) -> None:
    measure = Measure("kind", "outcome")
    metrics.count("a_things", "Things.", measure)
    metrics.distribute("a_seconds", "Seconds.", measure, ["outcome"], buckets=(1.0, 2.0))
    for value, kind in ((0.5, "x"), (1.5, "y"), (1.5, "y")):
        measure.record(value, kind, "ok")
    found = samples(metrics)
    assert found["a_things_total", (("kind", "y"), ("outcome", "ok"))] == 2
    assert found["a_seconds_bucket", (("le", "1.0"), ("outcome", "ok"))] == 1
    assert found["a_seconds_sum", (("outcome", "ok"),)] == 3.5


def test_an_amount_is_added_up(metrics: Metrics) -> None:
    measure = Measure()
    metrics.count("a_bytes", "Bytes.", measure, is_amount=True)
    measure.record(40)
    measure.record(2)
    assert samples(metrics)["a_bytes_total", ()] == 42


def test_held_counters_follow_their_component_and_gauges_end_with_it(metrics: Metrics) -> None:
    held = {"a": 3.0, "b": 1.0}
    metrics.hold_counter("a_work", "Work.", ["kind"], lambda: held)
    metrics.hold_gauge("a_level", "Level.", ["kind"], lambda: held)
    first = samples(metrics)
    assert (first["a_work_total", (("kind", "a"),)], first["a_level", (("kind", "b"),)]) == (3, 1)
    held.pop("b")
    held["a"] = 5.0
    second = samples(metrics)
    assert (second["a_work_total", (("kind", "a"),)], second["a_level", (("kind", "a"),)]) == (5, 5)
    assert ("a_level", (("kind", "b"),)) not in second
    assert second["a_work_total", (("kind", "b"),)] == 1
    held["b"] = 7.0
    assert samples(metrics)["a_level", (("kind", "b"),)] == 7


def test_a_common_value_is_read_once(metrics: Metrics) -> None:
    metrics.common("a_tables", "Tables.", ["state"], lambda: {"fresh": 3.0})
    assert samples(metrics)["a_tables", (("state", "fresh"),)] == 3


def test_process_series_name_their_worker(metrics: Metrics) -> None:
    assert samples(metrics)["process_resident_memory_bytes", (("worker", "0"),)] > 2**20


_OTHER = """
import sys
from pathlib import Path
from lakemuster.api.metrics import Metrics
from lakemuster.api.worker_folder import WorkerFolder
from lakemuster.measures import Measure

metrics, measure = Metrics(WorkerFolder(Path(sys.argv[1]))), Measure()
metrics.count("a_things", "Things.", measure)
held, worst = {"n": 10.0}, {"n": 0.0}
metrics.hold_counter("a_work", "Work.", ["kind"], lambda: held)
metrics.hold_gauge("a_level", "Level.", ["kind"], lambda: held)
metrics.hold_gauge("a_worst", "Worst.", ["kind"], lambda: worst, "min")
metrics.hold_gauge("a_each", "Each.", ["kind"], lambda: held, "each")
metrics.in_flight.inc(5)
metrics.start()
measure.record(1)
print(metrics.worker, flush=True)
for line in sys.stdin:
    measure.record(1)
    held["n"] += 1
    print("done", flush=True)
"""


class Other:
    """Another worker process."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OTHER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.number = self.said()

    def said(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def work(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.said() == "done"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            pipe.close()


def test_a_scrape_is_of_all_workers_and_a_killed_one_is_counted_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    folder = WorkerFolder(tmp_path)
    metrics, measure = Metrics(folder), Measure()
    metrics.count("a_things", "Things.", measure)
    metrics.hold_counter("a_work", "Work.", ["kind"], lambda: {"n": 1.0})
    metrics.hold_gauge("a_level", "Level.", ["kind"], lambda: {"n": 1.0})
    metrics.hold_gauge("a_worst", "Worst.", ["kind"], lambda: {"n": 1.0}, "min")
    metrics.hold_gauge("a_each", "Each.", ["kind"], lambda: {"n": 1.0}, "each")
    measure.record(1)
    other = Other(tmp_path)
    try:
        assert (metrics.worker, other.number) == ("0", "1")
        other.work()
        found = samples(metrics)
        key = (("kind", "n"),)
        assert found["a_things_total", ()] == 3
        assert (found["a_work_total", key], found["a_level", key], found["a_worst", key]) == (12, 12, 0)
        assert found["a_each", (*key, ("worker", "1"))] == 11
        assert found["lakemuster_requests_in_flight", ()] == 5
        assert len([name for name, _ in found if name == "process_start_time_seconds"]) == 2
        other.kill()
        found = samples(metrics)
        assert (found["a_things_total", ()], found["a_work_total", key]) == (3, 12)
        assert (found["a_level", key], found["a_worst", key]) == (1, 1)
        assert found.get(("lakemuster_requests_in_flight", ()), 0) == 0
        assert len([name for name, _ in found if name == "process_start_time_seconds"]) == 1
        other = Other(tmp_path)
        assert other.number == "1"
        found = samples(metrics)
        assert (found["a_things_total", ()], found["a_work_total", key], found["a_level", key]) == (4, 22, 11)
        assert found["lakemuster_requests_in_flight", ()] == 5
        assert len(list(tmp_path.glob("counter_*.db"))) == 2
    finally:
        other.kill()
        folder.close()
