"""SIGKILL in the middle of indexing, then a restart: every snapshot is complete or invisible."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import catalog, rows, settings
from tests.journey.servers import environment, lakemuster

KILLS = 50
SNAPSHOTS = 12

_INDEX = """
import json, os, signal, sys
from lakemuster.config import load_settings
from lakemuster.main import build_services
while line := sys.stdin.readline():
    if child := os.fork():
        sys.stdout.write(f"{child}\\n"); sys.stdout.flush()
        os.waitpid(child, 0)
        sys.stdout.write("gone\\n"); sys.stdout.flush()
        continue
    os.environ.update(json.loads(line))
    services = build_services(load_settings())
    sys.stdout.write("go\\n"); sys.stdout.flush()
    for table in services.tables():
        services.refresh(table.name)
    sys.stdout.write("done\\n"); sys.stdout.flush()
    signal.pause()
"""
"""A script that runs a process for each line of settings, forked after all imports and before any thread."""


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory, lakes: Path) -> Path:
    """A folder with two tables, registered in an index but not indexed yet."""
    folder = tmp_path_factory.mktemp("kills")
    iceberg = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/lake")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64()), "name": pa.array(["x" * i for i in range(10)])})
    table = iceberg.create_table("db.t", data.schema)
    for _ in range(SNAPSHOTS):
        table.append(data)
    name = "pk_table_with_alter_table"
    shutil.copytree(
        lakes / "paimon" / "parquet" / f"{name}.db" / name,
        folder / "lake" / "p.db" / name,
        copy_function=shutil.copyfile,
    )
    assert lakemuster(folder, "discover", f"{folder}/lake").returncode == 0
    return folder


@pytest.fixture(scope="module")
def answers(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[str]]:
    """The files of every snapshot, indexed without kills."""
    folder = tmp_path_factory.mktemp("unkilled")
    shutil.copyfile(registered / "index.db", folder / "index.db")
    with catalog(settings(folder)) as services:
        for table in services.tables():
            assert services.refresh(table.name).quarantined == ()
    return dict(published(folder))


def published(folder: Path) -> Iterator[tuple[tuple[str, int], list[str]]]:
    with catalog(settings(folder, max_staleness=1e9, history=0)) as services:
        for table in services.tables():
            _, records, _ = services.snapshots(table.name)
            for record in records:
                assert record.state in ("known", "published"), (record.state, record.error)
                if record.state == "published":
                    snapshot_id = record.snapshot.snapshot_id
                    view = services.view(table.name, Selector(snapshot_id=snapshot_id))
                    found = rows(lists.files(services.index, view))
                    yield (table.name, snapshot_id), sorted(row["file_path"] for row in found)


class Indexers:
    """A parent of processes that index all tables, one at a time."""

    def __init__(self, folder: Path) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _INDEX],
            env=environment(folder, {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def start(self, variables: dict[str, str]) -> int:
        """Start a process; return its id."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps(variables) + "\n")
        self._parent.stdin.flush()
        said = {self.said(), self.said()}
        assert "go" in said
        return int((said - {"go"}).pop())

    def said(self) -> str:
        """Return the next line of any process."""
        assert self._parent.stdout is not None
        line: str = self._parent.stdout.readline()
        assert line, "the indexers' parent is gone"
        return line.strip()

    def close(self) -> None:
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        assert self._parent.wait(60) == 0


@pytest.fixture
def indexers(tmp_path: Path) -> Iterator[Indexers]:
    found = Indexers(tmp_path)
    yield found
    found.close()


def test_a_killed_indexer_leaves_every_snapshot_complete_or_invisible(
    registered: Path, answers: dict[tuple[str, int], list[str]], indexers: Indexers, tmp_path: Path
) -> None:
    longest = 1.0
    seen: list[int] = []
    for seed in range(KILLS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        shutil.copyfile(registered / "index.db", folder / "index.db")
        process = indexers.start(environment(folder, {"HISTORY": "1000"}))
        if seed == 0:
            started = time.monotonic()
            assert indexers.said() == "done"
            longest = time.monotonic() - started
        else:
            time.sleep(random.Random(seed).uniform(0, longest))
        os.kill(process, signal.SIGKILL)
        while indexers.said() != "gone":
            pass
        after = dict(published(folder))
        seen.append(len(after))
        assert after == {key: answers[key] for key in after}
        if seed % 5 == 0:
            # Work resumes: nothing left by the killed process prevents it.
            with catalog(settings(folder)) as services:
                for table in services.tables():
                    services.refresh(table.name)
            assert dict(published(folder)) == answers
        shutil.rmtree(folder)
    # Some kills interrupted the work, rather than preceding or following it.
    assert len({count for count in seen if 0 < count < len(answers)}) >= 2, seen
