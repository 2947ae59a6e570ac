"""Slow statements on a responsive server complete; short statements have a separate deadline."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, text

from lakemuster.errors import IndexUnavailable
from lakemuster.index import postgres
from lakemuster.index.database import Database, open_database
from tests.postgres import PostgresServer


@pytest.fixture
def database(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    Database(postgres_url).migrate()
    monkeypatch.setattr(postgres, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(postgres, "QUERYING", postgres.Limit(0.5, 0.5))
    made = open_database(postgres_url)
    yield made
    made.close()


def test_a_slow_statement_of_a_responsive_server_completes(database: Database) -> None:
    with database.reading() as session:
        session.execute(text("SELECT pg_sleep(1.2)"))
    with database.session() as session:
        session.execute(text("SELECT pg_sleep(1.2)"))


def test_a_slow_statement_completes_while_the_server_refuses_further_connections(
    database: Database, postgres_server: PostgresServer
) -> None:
    role = "limited"
    with postgres_server.connect() as server:
        server.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 1")
        limited = Database(database._url.set(username=role).render_as_string())
        try:
            for _ in range(2):
                with limited.reading() as session:
                    session.execute(text("SELECT pg_sleep(0.6)"))
        finally:
            limited.close()
            server.execute(f"DROP ROLE {role}")


def test_a_short_statement_times_out_and_the_next_one_succeeds(database: Database) -> None:
    with pytest.raises(IndexUnavailable, match="does not answer"):
        database.rows(select(func.pg_sleep(20)), {})
    assert database.rows(select(func.abs(-5)), {}) == [(5,)]


def test_a_stopped_server_fails_fast_and_recovers(database: Database, postgres_server: PostgresServer) -> None:
    for write in (False, True):
        with postgres_server.frozen():
            with (
                pytest.raises(IndexUnavailable),
                database.session() if write else database.reading() as session,
            ):
                session.execute(text("SELECT 1"))
            with pytest.raises(IndexUnavailable):
                database.check_version()
        deadline = time.monotonic() + 30
        while not _answers(database):
            assert time.monotonic() < deadline


def _answers(database: Database) -> bool:
    try:
        database.check_version()
    except IndexUnavailable:
        return False
    return True
