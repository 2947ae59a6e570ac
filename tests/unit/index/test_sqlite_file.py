"""Checks of an embedded index's file on disk."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from lakemuster.errors import IndexUnavailable
from lakemuster.index.database import open_database
from lakemuster.index.sqlite_file import RECHECK_SECONDS, SqliteFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    open_database(f"sqlite:///{tmp_path}/index.db").close()
    with sqlite3.connect(tmp_path / "index.db") as connection:
        connection.execute("CREATE TABLE many (one TEXT)")
        connection.executemany("INSERT INTO many VALUES (?)", [("x" * 500,)] * 2_000)
    connection.close()
    return tmp_path / "index.db"


def test_an_intact_file_passes_also_after_writes(path: Path) -> None:
    file = SqliteFile(path)
    file.opened()
    file.check()
    with sqlite3.connect(path) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        SqliteFile(path).check()


def test_a_missing_or_replaced_file_is_reported(path: Path) -> None:
    file = SqliteFile(path)
    file.opened()
    copy = path.with_suffix(".copy")
    shutil.copy(path, copy)
    path.unlink()
    with pytest.raises(IndexUnavailable, match="the database file is missing"):
        file.check()
    copy.rename(path)
    with pytest.raises(IndexUnavailable, match="the database file was replaced"):
        file.check()


@pytest.mark.parametrize(("start", "stop"), [(0, 4096), (4096, 1 << 20), (100_000, 400_000)])
def test_a_damaged_file_is_reported_at_the_next_check(path: Path, start: int, stop: int) -> None:
    now = 0.0
    file = SqliteFile(path, lambda: now)
    file.check()
    data = bytearray(path.read_bytes())
    stop = min(stop, len(data))
    data[start:stop] = b"\x5a" * (stop - start)
    path.write_bytes(data)
    file.check()
    now += RECHECK_SECONDS
    for _ in range(2):
        with pytest.raises(IndexUnavailable, match="the database file is damaged"):
            file.check()


def test_a_truncated_file_is_reported(path: Path) -> None:
    file = SqliteFile(path)
    file.opened()
    with path.open("r+b") as opened:
        opened.truncate(path.stat().st_size // 2)
    with pytest.raises(IndexUnavailable, match="the database file is damaged"):
        file.check()
