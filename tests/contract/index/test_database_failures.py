"""Error messages when PostgreSQL rejects a connection."""

from __future__ import annotations

import pytest

from lakemuster.errors import IndexUnavailable
from lakemuster.failure_reasons import operator_message
from lakemuster.index.database import open_database
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
