"""The documented commands run the benchmarks, and a peer's figure counts only if its answer is the same."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.__main__ import WORKLOADS
from benchmarks.lakes import Lake, Lakes, Shape
from benchmarks.measuring import HEAD
from benchmarks.peers import KINDS, DuckDB, Java, Make, NotObtained, OtherAnswer, Peers
from benchmarks.planning import clustered, day
from lakemuster.planner.view import CURRENT, Selector
from tests.tree import ROOT

FILES = 1_200
FILTERS: dict[str, str | None] = {
    "none": None,
    "partition": day(3),
    "clustered": clustered(FILES)(0),
    "partition and bounds": f"{day(3)} and price < -900",
    "bucket": "user_id = 12345",
    "IN": "code in (5000, 500000000, 700000000)",
    "OR": "code = 500000000 or id < 4000 or url < 'a1'",
    "AND": "price < 900 and shipped < date '2023-04-15' and url < 'b' and quantity < 15",
    "double": "score < -450",
    "NaN": "is_nan(score)",
}

LOOSE = ("OR", "NaN", "double", "AND")
"""Filters for which DuckDB opens files that no other planner selects."""


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory):
    made = Lakes(tmp_path_factory.mktemp("benchmarks"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def lake(lakes: Lakes) -> Lake:
    return lakes.lake(Shape(FILES, manifests=3))


@pytest.fixture(scope="module")
def planners():
    made = {name: kind() for name, kind in KINDS.items() if kind is not Java} | {"java": Java(warm_seconds=(0, 0))}
    yield made
    for planner in made.values():
        planner.close()


def always(text: str | None) -> Make:
    return lambda _: text


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("case", FILTERS)
def test_peers_plan_the_same_files_or_are_found_not_to(lake, planners, name, case):
    ours, planner = lake.answer(FILTERS[case]), planners[name]
    if name == "duckdb" and case in LOOSE:
        with pytest.raises(OtherAnswer, match="No such file"):
            planner.answer(lake, FILTERS[case], CURRENT, ours)
    else:
        assert planner.answer(lake, FILTERS[case], CURRENT, ours) == ours
        figures = list(planner.plans(lake, [FILTERS[case]], CURRENT))
        assert all(figure.ms > 0 for figure in figures)
    assert not (lake.root / "data").exists()


def test_java_attaches_the_same_deletes(lakes, planners):
    lake = lakes.lake(Shape(FILES, manifests=3, deletes=100))
    attached = []
    for snapshot in lake.snapshots():
        selector = Selector(snapshot_id=snapshot)
        for text in (None, day(3)):
            ours = lake.answer(text, selector)
            assert planners["java"].answer(lake, text, selector, set()) == ours
        attached.append(sum(line.count("\t") for line in lake.answer(None, selector)))
    assert attached[0] == 0
    assert attached[1] == 100
    assert attached[2] > 100
    assert attached[3] > attached[2]


def test_java_keeps_manifests(tmp_path):
    lakes, java = Lakes(tmp_path), Java()
    try:
        lake = lakes.lake(Shape(200, manifests=2))
        ours = lake.answer(None)
        assert java.answer(lake, None, CURRENT, ours) == ours
        for path in (lake.root / "metadata").glob("*-m*.avro"):
            path.unlink()
        assert java.answer(lake, None, CURRENT, ours) == ours
    finally:
        java.close()
        lakes.close()


def test_a_figure_beside_another_answer_is_none(lake, monkeypatch):
    peers = Peers(["pyiceberg"])
    (figure,) = peers.beside(lake, always(None), FILES)
    assert figure.ms is not None
    whole = Lake.answer
    monkeypatch.setattr(Lake, "answer", lambda *words: set(sorted(whole(*words))[1:]) | {"file"})
    (figure,) = peers.beside(lake, always(None), FILES)
    assert figure.ms is None
    assert "1 files more and 1 fewer" in figure.note


def test_what_would_take_too_long_is_left_out_and_what_is_not_there_is_said(lake, monkeypatch):
    def missing() -> Java:
        raise NotObtained("no java")

    monkeypatch.setitem(KINDS, "java", missing)
    figures = Peers(["pyiceberg", "java"], seconds=0.01).beside(lake, always(None), FILES)
    assert [figure.ms for figure in figures] == [None, None]
    assert figures[0].note.startswith("left out")
    assert "no java" in figures[1].note


def test_duckdb_that_opens_a_file_which_is_not_in_our_plan_gives_no_figure(lake, planners):
    duckdb: DuckDB = planners["duckdb"]
    ours = lake.answer(day(3))
    with pytest.raises(OtherAnswer, match="No such file"):
        duckdb.answer(lake, day(3), CURRENT, set(sorted(ours)[1:]))
    assert not (lake.root / "data").exists()


@pytest.mark.full
@pytest.mark.timeout(900)
def test_many_tables_are_indexed_by_one_job_of_spark():
    command = [sys.executable, "-m", "benchmarks.spark_catalog", "--size", "tiny"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    one, many = result["one"], result["many"]
    assert (one["tables"], many["tables"], many["jobs"], one["jobs"]) == (1, 12, 1, 1)
    assert one["manifests"] == many["manifests"] > 12
    assert one["entries"] == many["entries"] == 20 * many["manifests"]
    assert min(one["cpu_seconds"], many["cpu_seconds"], result["ratio_entries_per_cpu_second"]) > 0


OF_PROGRAMS = {"http": {"W4", "W7"}, "memory": {"W14"}}
"""Workloads of programs with another name."""
SHORT = ("W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W19")
"""Workloads that take a few seconds each."""
ALL = [pytest.param(name, marks=() if name in SHORT else pytest.mark.full) for name in (*WORKLOADS, "growth")]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ALL)
def test_workloads_run(name, tmp_path_factory, lakes):
    folder = lakes.folder / "commands"
    command = [sys.executable, "-m", "benchmarks", name, "--size", "tiny", "--folder", str(folder)]
    command += ["--peer", "pyiceberg" if name in ("W3", "W9") else "none"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    if name == "growth":
        assert [line[0] for line in lines[2:]] == [
            "W3 one day",
            "W3 none",
            "W4 clustered range",
            "W5 unclustered",
            "W7 one partition",
            "W9 refresh",
            "W8 all, Arrow over HTTP",
        ]
        assert (folder / "growth.svg").read_text().startswith("<svg")
        return
    assert lines[0][: len(HEAD)] == list(HEAD)
    rows = lines[2:]
    assert {row[0] for row in rows} == OF_PROGRAMS.get(name, {name})
    assert all(row[1] for row in rows)
    assert any(row[3] and row[4] for row in rows)
