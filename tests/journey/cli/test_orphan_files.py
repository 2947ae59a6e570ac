"""``lakemuster orphans`` as users run it: sums, lists, a Parquet file, exit statuses, and one line for each refusal."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.contract.service.orphan_lakes import DAY, Lake
from tests.journey.servers import lakemuster

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Lake, float]:
    folder = tmp_path_factory.mktemp("orphans")
    lake, now = Lake(folder / "lake", 3), time.time()
    lake.settle(now)
    lake.plant(now)
    for name, table in lake.tables.items():
        assert lakemuster(folder, "add", f"l.{name}", table.url).returncode == 0
    return folder, lake, now


def test_orphans_are_summed_listed_and_written(made: tuple[Path, Lake, float]) -> None:
    folder, lake, now = made
    wanted = lake.orphans(now)
    done = lakemuster(folder, "orphans", "lake", "--output", "list.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    size = sum(os.stat(path).st_size for path in wanted)
    lines = done.stdout.splitlines()
    assert lines[0] == f"{len(wanted)} orphan files, {size:,} bytes below {lake.root}"
    assert f"{len(lake.files())} files listed at" in lines[1]
    assert f" younger than 3d; {len(lake.tables)} tables" in lines[1]
    assert {"kind\tfiles\tbytes", "folder\tfiles\tbytes"} <= set(lines)
    written = pq.read_table(folder / "list.parquet").column("file_path").to_pylist()
    assert {path.removeprefix("file://") for path in written} == wanted
    report = json.loads(lakemuster(folder, "orphans", "lake", "--json").stdout)
    assert report["orphans"] == {"files": len(wanted), "bytes": size}
    assert sum(one["files"] for one in report["kinds"]) == sum(one["files"] for one in report["folders"]) == len(wanted)
    rows = json.loads(lakemuster(folder, "orphans", str(lake.root), "--files", "--json").stdout)
    assert {row["file_path"].removeprefix("file://") for row in rows} == wanted
    assert all(row["modified_at"].endswith("Z") for row in rows)


def test_an_age_is_given_in_words(made: tuple[Path, Lake, float]) -> None:
    folder, lake, now = made
    for text, days in (("12d", 12), ("96h", 4)):
        rows = json.loads(lakemuster(folder, "orphans", "lake", "--older-than", text, "--files", "--json").stdout)
        found = {row["file_path"].removeprefix("file://") for row in rows}
        assert found == lake.orphans(now, days * DAY)
    assert " younger than 4d; " in lakemuster(folder, "orphans", "lake", "--older-than", "96h").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--older-than", "23h"], "below 1d"),
        (["--older-than", "soon"], "not an age"),
        (["--output", "none/x.parquet"], "no folder none"),
        (["--uri", "http://127.0.0.1:1"], "works on the index of this folder only"),
    ],
)
def test_wrong_usage_is_status_2(made: tuple[Path, Lake, float], words: list[str], said: str) -> None:
    done = lakemuster(made[0], "orphans", "lake", *words)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")


def test_each_refusal_is_a_line_and_status_1(made: tuple[Path, Lake, float]) -> None:
    folder, lake, _ = made
    for name in lake.tables:
        assert lakemuster(folder, "remove", f"l.{name}").returncode == 0
    try:
        done = lakemuster(folder, "orphans", "lake", "--output", "none.parquet")
        assert (done.returncode, done.stdout) == (1, "")
        *each, last = done.stderr.splitlines()
        told = {line.removeprefix("lakemuster: ").partition(": it looks like")[0] for line in each}
        assert told == {f"file://{table.url}" for table in lake.tables.values()}
        assert last.startswith("lakemuster: not every file that tables refer to below ")
        assert not (folder / "none.parquet").exists()
    finally:
        for name, table in lake.tables.items():
            lakemuster(folder, "add", f"l.{name}", table.url)
    done = lakemuster(folder, "orphans", "nothing")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
