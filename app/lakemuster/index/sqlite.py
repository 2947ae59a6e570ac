"""The SQLite engine: connection settings, and the start of transactions."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import cast

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from lakemuster.clock import Clock

BUSY_SECONDS = 15
POOL_SIZE = 8
"""Number of connections that stay open."""
MAX_CONNECTIONS = 32
"""Maximum number of connections of a process at a time, for either database."""
WRITES = "lakemuster_writes"
"""The execution option of transactions that write."""
AUTOCOMMIT = "lakemuster_autocommit"
"""The execution option of statements outside transactions."""
NOW_FUNCTION = "lakemuster_now_ms"


def open_engine(url: URL, clock: Clock) -> Engine:
    """Create the engine of a SQLite file; its SQL function for the time reads ``clock``."""
    engine = create_engine(
        url, pool_size=POOL_SIZE, max_overflow=MAX_CONNECTIONS - POOL_SIZE, pool_timeout=BUSY_SECONDS
    )
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "connect", partial(_tell_time, clock))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # The driver must not begin transactions itself: it would defer them. See _begin_sqlite.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _tell_time(clock: Clock, connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cast("sqlite3.Connection", connection).create_function(NOW_FUNCTION, 0, clock.wall_ms)


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get(AUTOCOMMIT, False):
        return
    writes = options.get(WRITES, False)
    pragma(connection, f"query_only={'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def pragma(connection: Connection, text: str) -> None:
    """Execute one PRAGMA."""
    # Bypass SQLAlchemy, which would begin a transaction; most pragmas have no effect within one.
    dbapi = connection.connection.dbapi_connection
    assert dbapi is not None
    cursor = dbapi.cursor()
    cursor.execute(f"PRAGMA {text}")
    cursor.close()
