"""Error messages when PostgreSQL rejects a connection, and writes after a failover."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import make_url

from lakemuster.errors import IndexUnavailable
from lakemuster.failure_reasons import operator_message
from lakemuster.index.database import Database, open_database
from lakemuster.index.jobs import record_success
from tests.postgres import ROLE, PostgresServer


@pytest.mark.parametrize(
    ("role", "name", "said"),
    [
        (ROLE, "nowhere", 'database "nowhere" does not exist'),
        ("nobody", "postgres", 'role "nobody" does not exist'),
    ],
)
def test_the_reason_of_the_server_is_for_the_operator(
    postgres_server: PostgresServer, role: str, name: str, said: str
) -> None:
    folder = postgres_server.socket.parent
    with pytest.raises(IndexUnavailable) as told:
        open_database(f"postgresql+psycopg://{role}:hunter2@/{name}?host={folder}")
    assert told.value.message == "the database does not answer"
    assert operator_message(told.value).startswith(f"the database does not answer: {folder}/{name}: ")
    assert operator_message(told.value).endswith(said)
    assert "hunter2" not in operator_message(told.value)


def test_writes_continue_after_a_failover_although_connections_to_a_standby_stay_open(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    name = make_url(postgres_url).database
    with closing(Database(postgres_url)) as database, postgres_server.connect() as server:
        database.migrate()
        database.close()
        # The database's name still led to the standby when these connections were opened.
        server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        with pytest.raises(IndexUnavailable, match="read-only"):
            record_success(database, "sweep")
        server.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        record_success(database, "sweep")
