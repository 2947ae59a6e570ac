"""``lakemuster verify``: its output as text and JSON, and its exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.journey.servers import lakemuster


@pytest.fixture
def folder(lakes: Path, tmp_path: Path) -> Path:
    shutil.copytree(lakes / "paimon/parquet/pk_09.db", tmp_path / "lake" / "pk_09")
    shutil.copytree(lakes / "iceberg/partition_integer", tmp_path / "lake" / "partition_integer")
    rewrite = f"data/persistent={tmp_path}/lake"
    found = lakemuster(tmp_path, "discover", "lake", "--rewrite", rewrite)
    assert found.returncode == 0, found.stderr
    done = lakemuster(tmp_path, "refresh", "--all")
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_verify_says_what_differs_and_repairs_it(folder: Path) -> None:
    done = lakemuster(folder, "verify", "--all")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) > 1
    assert all(line.endswith("all equal") for line in lines)
    segments = sorted(path for path in (folder / "segments").rglob("*.arrow"))
    lost, damaged = segments[0], segments[-1]
    data = damaged.read_bytes()
    lost.unlink()
    damaged.write_bytes(data[:-9])
    done = lakemuster(folder, "verify", "--all")
    assert done.returncode == 1
    words = {tuple(line.split("\t")[i] for i in (1, -1)) for line in done.stdout.splitlines() if "\t" in line}
    assert ("lost", "the segment store has no such segment") in words
    assert {kind for kind, _ in words} == {"lost", "damaged"}
    done = lakemuster(folder, "verify", "--all", "--repair", "--json")
    assert done.returncode == 1
    told = [one for report in json.loads(done.stdout) for one in report["differences"]]
    assert {one["segment"] for one in told} == {lost.stem, damaged.stem}
    assert all(one["repaired"] for one in told)
    assert damaged.read_bytes() == data
    assert lakemuster(folder, "verify", "--all", "--sample", "2").returncode == 0


def test_verify_takes_names_or_all(folder: Path) -> None:
    assert lakemuster(folder, "verify").returncode == 2
    assert lakemuster(folder, "verify", "a.b", "--all").returncode == 2
    done = lakemuster(folder, "verify", "no.such")
    assert done.returncode == 1
    assert "no.such" in done.stderr
