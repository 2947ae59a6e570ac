"""Fixtures: databases that the contract of the index covers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from lakemuster.index.database import Database
from lakemuster.index.sql_tables import METADATA
from lakemuster.index.stored_version import SUPPORT_TABLE
from tests.postgres import PostgresServer


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/index.db"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="session")
def shared_postgres(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a migrated PostgreSQL database, which is emptied after each test that uses it."""
    with postgres_server.database() as url:
        database = Database(url)
        database.migrate()
        database.close()
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated database that contains only rows written by the migration."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/index.db"
        Database(url).migrate()
        yield url
        return
    yield request.getfixturevalue("shared_postgres")
    database = Database(request.getfixturevalue("shared_postgres"))
    with database.session() as session:
        session.execute(text(f"TRUNCATE {', '.join(METADATA.tables.keys() - {SUPPORT_TABLE})}"))
    database.close()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The database at ``database_url``."""
    opened = Database(database_url)
    yield opened
    opened.close()
