"""PostgreSQL behind PgBouncer in transaction mode, where each transaction may use another server session."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest
from sqlalchemy import select, text

from lakemuster.index import postgres
from lakemuster.index.database import Database, open_database
from lakemuster.index.orm import TableRow
from lakemuster.index.postgres import BoundedConnection
from lakemuster.index.tables import list_tables
from tests.contract.index import made
from tests.pgbouncer import pgbouncer
from tests.postgres import PostgresServer

CONNECTIONS = 3
"""Connections of PgBouncer to the server, fewer than there are concurrent transactions."""
TIMEOUTS = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"


@pytest.fixture
def pooled(postgres_server: PostgresServer, postgres_url: str) -> Iterator[Database]:
    """An index behind PgBouncer."""
    with pgbouncer(postgres_server, postgres_url, CONNECTIONS) as url:
        database = Database(url)
        database.migrate()
        yield database
        database.close()


def sessions(server: PostgresServer, database: Database) -> int:
    with server.connect() as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [database._url.database]
        ).fetchone()
        assert found is not None
        return int(found[0])


def test_transactions_side_by_side_share_few_connections(postgres_server: PostgresServer, pooled: Database) -> None:
    of_tables = select(TableRow.name).where(TableRow.name == "db.t7")

    def work(number: int) -> int:
        made.table(pooled, f"db.t{number}", of=made.metadata([made.snapshot(1)]))
        for _ in range(10):  # enough executions for the driver to prepare the statement at the server
            with pooled.reading() as session:
                list_tables(session)
            pooled.rows(of_tables, {})
        return sessions(postgres_server, pooled)

    with ThreadPoolExecutor(12) as pool:
        open_at_once = list(pool.map(work, range(24)))
    assert max(open_at_once) <= CONNECTIONS
    with pooled.reading() as session:
        assert len(list_tables(session)) == 24
    assert [tuple(row) for row in pooled.rows(of_tables, {})] == [("db.t7",)]


def test_each_transaction_has_the_timeouts_and_no_session_keeps_any(
    postgres_server: PostgresServer, pooled: Database
) -> None:
    with pooled.session() as session:
        assert session.execute(text(TIMEOUTS)).one() == ("30s", "15s")
    with pooled.reading() as session:
        assert session.execute(text(TIMEOUTS)).one() == ("30s", "15s")
        assert session.execute(text("SHOW transaction_isolation")).scalar() == "repeatable read"
        assert session.execute(text("SHOW transaction_read_only")).scalar() == "on"
    with pooled.migrating() as connection:
        assert connection.execute(text(TIMEOUTS)).one() == ("0", "2s")
    barrier = Barrier(CONNECTIONS)

    def left(_: int) -> tuple[str, str]:
        with pooled._autocommit.connect() as connection:
            found = connection.execute(text(TIMEOUTS)).one()
            barrier.wait(60)  # one transaction in each server session
            return found[0], found[1]

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        assert set(pool.map(left, range(CONNECTIONS))) == {("0", "0")}


def test_a_slow_write_completes_although_probes_wait_for_a_connection_of_the_pooler(
    postgres_server: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(postgres, "PROBE_SECONDS", 0.5)
    with pgbouncer(postgres_server, postgres_url, 1) as url, closing(Database(url)) as database:
        with database.session() as session:
            session.execute(text("SELECT pg_sleep(1.5)"))
        database.clock_ms()


def test_migrations_through_it_wait_for_each_other(pooled: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: pooled.migrate(), range(8)))
    pooled.check_version()


def test_a_session_of_our_own_keeps_its_timeouts_and_prepares_statements(postgres_url: str) -> None:
    Database(postgres_url).migrate()
    database = open_database(postgres_url)
    with database._engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, BoundedConnection)
        assert (driver.is_pooled, driver.prepare_threshold) == (False, 5)
        assert connection.execute(text(TIMEOUTS)).one() == ("30s", "15s")
    with database.migrating() as connection:
        assert connection.execute(text(TIMEOUTS)).one() == ("0", "2s")
    database.close()
