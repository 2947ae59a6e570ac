"""Projections follow from measurements by simple laws, and the page shows the program's output."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.capacity import COLUMNS, FIGURES, KINDS, case, whole
from benchmarks.capacity_projection import (
    AGAIN_PER_CORE,
    PAGES_PER_CORE,
    PLANS_PER_CORE,
    Lake,
    cost_table,
    limit_table,
    process_table,
    processes,
    project,
    shown,
)
from lakemuster.cli import bench_here
from lakemuster.cli.bench_here import REFERENCE
from tests.pages import examples
from tests.tree import ROOT

MEASURED = json.loads(FIGURES.read_text())
PAGE = ROOT / "docs" / "operations" / "capacity.md"
lakes = st.builds(
    Lake,
    tables=st.integers(0, 10**6),
    files=st.integers(0, 10**11),
    columns=st.sampled_from(COLUMNS),
    kind=st.sampled_from(KINDS),
    manifest_entries=st.integers(1, 10**5),
    commits_per_second=st.floats(0, 1_000),
    interval_seconds=st.floats(1, 10**5),
    plans_per_second=st.floats(0, 10**5),
    active=st.floats(0, 1),
)


@given(lakes)
def test_no_quantity_and_no_limit_is_negative(lake):
    found = project(lake, MEASURED)
    assert all(one.value >= 0 and math.isfinite(one.value) for one in found.quantities)
    assert all(one.use >= 0 and one.most > 0 and one.parts >= 1 for one in found.limits)


@given(lakes)
def test_twice_the_files_are_twice_the_bytes_and_the_cpu(lake):
    once, twice = project(lake, MEASURED), project(replace(lake, files=2 * lake.files), MEASURED)
    for name in ("segments", "CPU to index all once", "local copies of segments"):
        assert twice.value(name) == pytest.approx(2 * once.value(name))
    for name in ("CPU a day for commits", "CPU a day for looks", "CPU a day for plans", "looks a second"):
        assert twice.value(name) == once.value(name)


@given(lakes)
def test_twice_the_lake_is_twice_of_what_it_has(lake):
    once = project(lake, MEASURED)
    twice = project(replace(lake, files=2 * lake.files, tables=2 * lake.tables), MEASURED)
    for name in ("manifests", "database rows", "database", "segments", "segment objects", "MEMORY_BYTES, all servers"):
        assert twice.value(name) == pytest.approx(2 * once.value(name)), name
    assert twice.value("CPU a day for looks") == pytest.approx(2 * once.value("CPU a day for looks"))


@given(lakes, st.sampled_from(["tables", "files", "commits_per_second", "plans_per_second"]))
def test_more_of_anything_takes_no_less_of_anything(lake, name):
    once = project(lake, MEASURED)
    more = project(replace(lake, **{name: getattr(lake, name) * 3 + 1}), MEASURED)
    assert all(b.value >= a.value * (1 - 1e-12) for a, b in zip(once.quantities, more.quantities, strict=True))
    assert all(one.headroom <= next(o.headroom for o in once.limits if o.name == one.name) for one in more.limits)


@given(lakes)
def test_the_first_limit_is_the_one_with_the_least_headroom(lake):
    found = project(lake, MEASURED)
    assert found.limits[0].headroom == min(one.most / one.use if one.use else math.inf for one in found.limits)
    assert f"\nfirst limit: {found.limits[0].name} (" in shown(found)


def test_parts_keep_the_first_limit():
    whole_lake = Lake()
    first = project(whole_lake, MEASURED).limits[0]
    assert first.parts > 1, "the default lake exceeds a limit"
    part = replace(whole_lake, tables=whole_lake.tables // first.parts, files=whole_lake.files // first.parts)
    part = replace(part, commits_per_second=part.commits_per_second / first.parts)
    part = replace(part, plans_per_second=part.plans_per_second / first.parts)
    divided = next(one for one in project(part, MEASURED).limits if one.name == first.name)
    assert divided.use <= divided.most


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", COLUMNS)
def test_a_lake_of_what_was_measured_takes_what_was_measured(kind, columns):
    (one,) = [each for each in MEASURED["cases"] if (each["format"], each["columns"]) == (kind, columns)]
    lake = Lake(1, one["entries"], columns, kind, one["entries"] // one["manifests"], active=1.0)
    found = project(lake, MEASURED)
    assert found.value("segments") == pytest.approx(one["segment_bytes"])
    # The number of entries per manifest is rounded to an integer.
    assert found.value("segment objects") == pytest.approx(one["segment_objects"], rel=1e-3)
    assert found.value("CPU to index all once") == pytest.approx(one["cpu_seconds"])


def test_a_day_of_commits_and_looks_is_what_one_takes():
    small = MEASURED["small_tables"]
    found = project(Lake(600, 600, commits_per_second=2.0, interval_seconds=60.0), MEASURED)
    assert found.value("CPU a day for commits") == pytest.approx(2 * 86_400 * small["per_commit"]["cpu_seconds"])
    assert found.value("database a day") == pytest.approx(2 * 86_400 * small["per_commit"]["database_bytes"])
    assert found.value("segments a day") == pytest.approx(2 * 86_400 * small["per_commit"]["segment_bytes"])
    assert found.value("CPU a day for looks") == pytest.approx(10 * 86_400 * small["per_look"]["cpu_seconds"])


def test_a_figure_twice_as_high_is_noticed():
    other = copy.deepcopy(MEASURED)
    for one in other["cases"]:
        one["segment_bytes"] *= 2
    assert project(Lake(), other).value("segments") == pytest.approx(2 * project(Lake(), MEASURED).value("segments"))
    assert cost_table(other) != cost_table(MEASURED)


@given(st.floats(0, 10**6))
def test_processes_are_half_busy_at_most_and_no_more_than_needed(cores):
    assert cores <= processes(cores) / 2
    assert processes(cores) == 1 or cores > (processes(cores) - 1) / 2


def test_rates_are_those_of_the_last_results():
    results = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    (again,) = [line for line in results.splitlines() if line.startswith("| W11 | 32 clients, again, nothing else")]
    (new,) = [line for line in results.splitlines() if line.startswith("| W11 | 32 clients, new, nothing else")]
    assert f"| {AGAIN_PER_CORE:,.0f}/s of" in again
    assert f"| {PLANS_PER_CORE:,.0f}/s of" in new
    pages = "| W4 | over HTTP, new: clustered range, plan, 10 files a page | 10,000,000 |"
    (line,) = [line for line in results.splitlines() if line.startswith(pages)]
    assert f"CPU {1_000 / PAGES_PER_CORE:.2f} ms" in line


def test_nonsense_is_refused():
    for wrong in ({"tables": -1}, {"interval_seconds": 0}, {"manifest_entries": 0}):
        with pytest.raises(ValueError, match="no negative numbers"):
            project(Lake(**wrong), MEASURED)
    assert whole("10e9") == 10**10
    for text in ("1.5", "-1", "inf", "nan", "x"):
        with pytest.raises(ValueError, match=r".+"):
            whole(text)


def test_the_page_quotes_the_measured_figures_and_the_limits():
    page = PAGE.read_text("utf-8")
    assert cost_table(MEASURED) in page
    assert limit_table(project(Lake(), MEASURED)) in page
    assert process_table() in page
    small = MEASURED["small_tables"]
    for number in (
        f"{small['per_table']['database_bytes']:,} bytes",
        f"{small['per_table']['cpu_seconds'] * 1000:.1f} ms",
        f"{small['per_commit']['cpu_seconds'] * 1000:.1f} ms",
        f"{small['per_commit']['wal_bytes']:,} bytes",
        f"{small['per_commit']['database_bytes']:,} bytes",
        f"{small['per_commit']['segment_bytes']:,} bytes",
        f"{small['per_look']['cpu_seconds'] * 1000:.2f} ms",
    ):
        assert number in page, number


def test_the_page_has_the_reference_of_bench_here():
    page = PAGE.read_text("utf-8")
    assert REFERENCE
    assert not [name for name, value in REFERENCE.items() if f"| {name} | {bench_here.shown(value)} |" not in page]


def test_the_page_shows_what_the_program_prints():
    shown_examples = [one for one in examples(PAGE) if one[0].startswith("python -m benchmarks.capacity ")]
    assert shown_examples
    for command, printed in shown_examples:
        done = subprocess.run(
            [sys.executable, *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip() == printed
        assert "--tables 100000 --files 10e9" in command


def test_four_times_the_entries_cost_four_times_as_much():
    small, large = MEASURED["cases"][0], MEASURED["larger"]
    assert (large["format"], large["columns"], large["entries"]) == ("iceberg", 12, 4 * small["entries"])
    for name in ("cpu_seconds", "database_bytes", "segment_bytes", "segment_objects"):
        assert large[name] / large["entries"] == pytest.approx(small[name] / small["entries"], rel=0.15), name
    words = (f"{large['cpu_seconds'] * 2.5:.1f} s of CPU", f"{large['segment_bytes'] * 2.5 / 1e6:.0f} MB of segments")
    assert all(word in PAGE.read_text("utf-8") for word in words)


def test_all_kinds_were_measured_on_as_many_entries():
    assert [(one["format"], one["columns"]) for one in MEASURED["cases"]] == [(k, c) for k in KINDS for c in COLUMNS]
    assert all(one["entries"] >= 100_000 for one in MEASURED["cases"])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "entries"), [("iceberg", 300), ("paimon append", 300), ("paimon primary key", 360)])
def test_a_case_counts_the_entries_of_its_table(kind, entries):
    """In the primary-key table of 300 files, a compaction deletes 30 files and adds 30; each run has one file."""
    found = case(kind, 12, 300)
    assert found["entries"] == entries
    assert found["segment_bytes"] > 0
    assert found["cpu_seconds"] >= 0
    assert found["peak_memory_bytes"] > 100 * 2**20
