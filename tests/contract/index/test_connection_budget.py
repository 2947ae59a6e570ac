"""The maximum number of a server's PostgreSQL connections, and its error when the database allows fewer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from lakemuster.config import LEAST_CONNECTIONS, MOST_CONNECTIONS, load_settings
from lakemuster.errors import ConfigInvalid, IndexUnavailable
from lakemuster.index.connection_budget import ConnectionBudget
from lakemuster.index.database import Database
from tests.journey.servers import free_port, lakemuster, served
from tests.pgbouncer import pgbouncer
from tests.postgres import PostgresServer


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    opened = Database(postgres_url)
    opened.migrate()
    yield opened
    opened.close()


def limit(server: PostgresServer, url: str, connections: int) -> None:
    """Set the connection limit of the database."""
    with server.connect() as connection:
        connection.autocommit = True
        connection.execute(f'ALTER DATABASE "{make_url(url).database}" CONNECTION LIMIT {connections}')


def test_a_process_opens_no_more_than_it_may(postgres_url: str, database: Database) -> None:
    few = Database(postgres_url, max_connections=3)
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(few.reading()).execute(text("SELECT 1"))
        assert few.connections()["in_use"] == 3
        with pytest.raises(IndexUnavailable), few.reading() as session:
            session.execute(text("SELECT 1"))
    few.close()


def test_a_server_tells_what_it_opens_and_what_its_database_allows(
    postgres_server: PostgresServer, postgres_url: str, database: Database
) -> None:
    budget = ConnectionBudget.of(database, 2)
    assert budget.most == 2 * MOST_CONNECTIONS
    assert budget.allowed is not None
    assert budget.allowed > budget.most
    budget.check()
    assert "DATABASE_CONNECTIONS" not in budget.summary()
    limit(postgres_server, postgres_url, 2 * LEAST_CONNECTIONS)
    budget = ConnectionBudget.of(database, 2)
    assert budget.allowed == 2 * LEAST_CONNECTIONS
    budget.check()
    assert budget.summary() == (
        "up to 66 connections to the database, which allows 8 to all servers: set DATABASE_CONNECTIONS, "
        "or put PgBouncer between"
    )
    with pytest.raises(ConfigInvalid, match=r"allows 8 connections, and WORKERS=3 needs 12: .*PgBouncer"):
        ConnectionBudget.of(database, 3).check()


def test_behind_a_pooler_the_database_s_limit_is_not_the_server_s(
    postgres_server: PostgresServer, postgres_url: str, database: Database
) -> None:
    with pgbouncer(postgres_server, postgres_url, 3) as url:
        behind = Database(url)
        budget = ConnectionBudget.of(behind, 100)
        behind.close()
    budget.check()
    assert budget.summary() == "up to 3300 connections to the database, through a pooler"


def test_a_budget_is_shared_by_the_processes_and_refused_if_it_is_too_small() -> None:
    assert load_settings(workers=3).connections_of_a_process == MOST_CONNECTIONS - 1
    assert load_settings(workers=3, database_connections=50).connections_of_a_process == 15
    least = 3 * LEAST_CONNECTIONS
    assert load_settings(workers=3, database_connections=least).connections_of_a_process == LEAST_CONNECTIONS - 1
    with pytest.raises(ConfigInvalid, match=r"^invalid setting: DATABASE_CONNECTIONS is 11, and WORKERS=3 needs 12$"):
        load_settings(workers=3, database_connections=least - 1)


def test_a_real_server_says_it_at_the_start_or_does_not_start(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str, database: Database
) -> None:
    with served(tmp_path / "server", DATABASE_URL=postgres_url, DATABASE_CONNECTIONS="10") as server:
        assert server.logged("It opens up to 10 connections to the database, which allows ", 1) == 1
    limit(postgres_server, postgres_url, 3)
    refused = lakemuster(tmp_path, "serve", "--port", str(free_port()), DATABASE_URL=postgres_url)
    assert refused.returncode == 1
    assert "allows 3 connections, and WORKERS=1 needs 4" in refused.stderr
