"""The commands of docs/operations/backup.md: the database alone restores everything on an empty machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lakemuster.demo import unpack
from tests.journey.servers import environment, lakemuster, served
from tests.pages import blocks
from tests.postgres import PostgresServer
from tests.tree import ROOT

PAGE = ROOT / "docs" / "operations" / "backup.md"


def commands(of: str) -> str:
    """Return the page's block that contains a text."""
    (found,) = [block for block in blocks(PAGE, "sh") if of in block]
    return found


def shell(folder: Path, script: str, **settings: str) -> None:
    """Run a block of the page as an operator does."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, module in (("lakemuster", "-m lakemuster"), ("python3", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        (programs / name).chmod(0o755)
    database = settings.get("DATABASE_URL", "").replace("+psycopg", "")
    variables = environment(folder, settings) | {"DATABASE": database, "PATH": f"{programs}:{os.environ['PATH']}"}
    words = ["sh", "-eu", "-c", script]
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def answers(folder: Path, **settings: str) -> dict[str, Any]:
    """Return all files of all tables, as a server lists them."""
    with served(folder / "server", **settings) as server:
        names = [table["name"] for table in server.get("/tables")["tables"]]
        return {name: server.rows(f"/tables/{name}/files") for name in names}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return unpack(tmp_path / "demo")


def indexed(folder: Path, lake: Path, **settings: str) -> dict[str, Any]:
    """Index the lake; return its files before anything is lost."""
    folder.mkdir()
    assert lakemuster(folder, "discover", str(lake), **settings).returncode == 0
    assert lakemuster(folder, "refresh", "--all", **settings).returncode == 0
    found = answers(folder, **settings)
    assert len(found) == 8
    assert all(found.values())
    return found


def test_a_dump_of_postgresql_alone_brings_everything_back(
    tmp_path: Path, lake: Path, postgres_url: str, postgres_server: PostgresServer
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert lakemuster(tmp_path, "migrate", DATABASE_URL=postgres_url).returncode == 0
    of = {"DATABASE_URL": postgres_url, "SEGMENTS_URL": str(one / "segments"), "CACHE_DIR": str(one / "cache")}
    before = indexed(one, lake, **of)
    shell(one, commands("pg_dump"), DATABASE_URL=postgres_url)
    with postgres_server.database() as empty:
        other.mkdir()
        (one / "lakemuster.dump").rename(other / "lakemuster.dump")
        began = time.monotonic()
        shell(other, commands("pg_restore"), DATABASE_URL=empty)
        again = {"DATABASE_URL": empty, "SEGMENTS_URL": str(other / "segments"), "CACHE_DIR": str(other / "cache")}
        assert answers(other, **again) == before
        sys.stdout.write(f"restored, started and listed in {time.monotonic() - began:.1f} s\n")
        # Segments of older snapshots are restored on the first request for them, or by this command.
        lakemuster(other, "verify", "--all", "--repair", **again)
        assert lakemuster(other, "verify", "--all", **again).returncode == 0
    assert any((other / "segments").rglob("*"))


def test_a_copy_of_sqlite_that_is_made_while_a_server_runs_brings_everything_back(tmp_path: Path, lake: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    before = indexed(one, lake, **places(one))
    with served(one / "running", **places(one)):
        shell(one, commands("VACUUM INTO"))
    other.mkdir()
    (one / "lakemuster-backup.db").rename(other / "lakemuster-backup.db")
    shell(other, commands("cp lakemuster-backup.db"))
    assert answers(other, **places(other)) == before


def places(folder: Path) -> dict[str, str]:
    """Return the default settings with a folder's paths."""
    own = folder / ".lakemuster"
    return {"DATABASE_URL": f"sqlite:///{own}/index.db", "SEGMENTS_URL": f"{own}/segments", "CACHE_DIR": f"{own}/cache"}
