"""A database that can be read but not written is told apart from a silent one."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from lakemuster.errors import IndexUnavailable
from lakemuster.index.database_errors import map_database_errors


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE large (value BLOB)")
    connection.close()
    return path


WRITE = "INSERT INTO large VALUES (zeroblob(1000000))"


@pytest.mark.parametrize(
    ("limit", "words"),
    [("max_page_count=2", "the database's disk is full"), ("query_only=ON", "the database is read-only")],
)
def test_sqlite(limit: str, words: str, file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA {limit}")
        with pytest.raises(IndexUnavailable) as told, map_database_errors(str(file)):
            connection.execute(WRITE)
    assert told.value.message == words
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as pooled:
        pooled.exec_driver_sql(f"PRAGMA {limit}")
        with pytest.raises(IndexUnavailable) as told, map_database_errors(str(file)):
            pooled.execute(text(WRITE))
    assert told.value.message == words
    engine.dispose()


def test_the_log_tells_errors_of_one_message_apart(file: Path) -> None:
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorcode, cause.sqlite_errorname = sqlite3.SQLITE_IOERR_LOCK, "SQLITE_IOERR_LOCK"
    with pytest.raises(IndexUnavailable) as told, map_database_errors(str(file)):
        raise cause
    assert told.value.__notes__ == [f"{file}: disk I/O error (SQLITE_IOERR_LOCK)"]
    assert "SQLITE" not in told.value.message


@pytest.mark.parametrize(
    ("sqlstate", "words"),
    [
        ("53100", "the database's disk is full"),
        ("25006", "the database is read-only"),
        ("57P01", "the database does not answer"),
    ],
)
def test_postgresql(sqlstate: str, words: str) -> None:
    cause = psycopg.errors.lookup(sqlstate)(f"{os.strerror(28)}: /data/base/5")
    with pytest.raises(IndexUnavailable) as told, map_database_errors("db/index"):
        raise OperationalError("INSERT", {}, cause)
    assert told.value.message == words
