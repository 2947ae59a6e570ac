"""The report of measurements, and the files that a run leaves."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from benchmarks.everything import run
from benchmarks.generate import append_manifest, iceberg_table
from benchmarks.growth_plot import svg
from benchmarks.lakes import unchanged
from benchmarks.measuring import HEAD, Peer, Row, Times, alternating, machine, table, together


def test_medians_spread_and_noise():
    times = Times((1.0, 3.0, 1.0, 3.0, 1.0, 3.0), (9.0,) * 6)
    assert (times.p50, times.wall50, times.p99) == (2.0, 9.0, 9.0)
    assert times.spread == 0.5
    assert times.noise == pytest.approx(2 / 3)
    assert together([Times((1.0,), (2.0,)), Times((3.0,), (4.0,))]) == Times((1.0, 3.0), (2.0, 4.0))


def test_what_is_compared_takes_turns():
    asked: list[tuple[str, int]] = []
    one, other = alternating([lambda n: asked.append(("a", n)), lambda n: asked.append(("b", n))], [4, 5])
    assert asked == [("a", 4), ("b", 4), ("a", 5), ("b", 5)]
    assert len(one.cpu) == len(other.cpu) == 2


def test_cells_say_who_else_and_how_much_of_the_limit():
    times = Times((2.0,), (4.0,))
    peers = [Peer("A", 4_000.0), Peer("B", None, "left out: more than 9 s"), Peer("C", 10.0, "a part")]
    cells = Row("W3", "none", "≥ 10 ×", "1,000 ×", True, times, 1_000, peers, 0.5).cells()
    assert len(cells) == len(HEAD)
    assert cells[5:] == [
        "yes",
        "2.00 ms ± 0% (A/A 0%)",
        "25%",
        "A 4.0 s, 1,000 ×; B: none (left out: more than 9 s); C 10 ms, 2.5 × (a part)",
    ]
    assert table([cells]).splitlines()[2].startswith("| W3 | none | 1,000 | ≥ 10 × |")


def test_the_machine_names_the_versions_of_all_peers():
    said = machine()
    for name in ("Python 3", "pyiceberg ", "iceberg-spark-runtime ", "duckdb 1.", "pypaimon 2.", "pypaimon-rust "):
        assert name in said


def test_the_drawing_is_the_same_for_the_same_figures():
    points = {"W3 one day": [(1_000, 1.0), (10_000, 2.0)], "W5": [(1_000, 0.5), (10_000, 50.0)]}
    drawn = svg(points)
    assert drawn == svg(points)
    assert len(ET.fromstring(drawn).findall("{*}path[@fill='none']")) == 2
    assert len(drawn) < 5_000


def test_tables_are_as_they_were(tmp_path):
    table = iceberg_table(tmp_path / "t", files=10, columns=2)
    before = {path: path.read_bytes() for path in (tmp_path / "t" / "metadata").iterdir()}
    with unchanged(table.folder):
        assert append_manifest(table.folder, files=3).files == 13
        assert len(list((tmp_path / "t" / "metadata").iterdir())) > len(before)
    assert {path: path.read_bytes() for path in (tmp_path / "t" / "metadata").iterdir()} == before


def test_a_workload_that_fails_is_said_and_the_rest_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # no workload module can be imported here
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run(["W5", "W6"], ["W2"], ["--size", "tiny"], tmp_path, tmp_path / "out.md")
    said = (tmp_path / "out.md").read_text()
    assert said.count("ended with") == 2
    assert "Left out when this ran: W2." in said
