"""The databases that the index's contract holds for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.index.database import Database


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/index.db"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with this code's tables."""
    opened = Database(database_url)
    opened.migrate()
    yield opened
    opened.close()
