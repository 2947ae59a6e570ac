"""The SQL database of the index: engine settings, short transactions, and mapping of driver errors.

SQLite serves one machine. It allows one writer at a time, so a writing transaction takes the write lock at its
start (BEGIN IMMEDIATE): a transaction that reads first and writes later cannot wait for another writer and would
fail. PostgreSQL serves several replicas.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Select, Update, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import BigInteger

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import ConfigInvalid, IndexUnavailable
from lakemuster.extras import pip_install
from lakemuster.index import schema_version, stored_version
from lakemuster.index.change_file import ChangeFile
from lakemuster.index.database_errors import is_lock_timeout, map_database_errors, place_of
from lakemuster.index.raw_sql import RawStatement
from lakemuster.index.sqlite import (
    AUTOCOMMIT,
    BUSY_SECONDS,
    MAX_CONNECTIONS,
    NOW_FUNCTION,
    WRITES,
    open_engine,
    pragma,
)
from lakemuster.index.sqlite_file import SqliteFile
from lakemuster.index.statement_limits import StatementLimits, Unlimited

WAL_IS_SAFE = sqlite3.sqlite_version_info >= (3, 51, 3)
"""Before 3.51.3, several processes can corrupt a database in WAL mode (sqlite.org/wal.html#walresetbug)."""

_MIGRATION_WAIT_SECONDS = 600
_MIGRATION_LOCK_SECONDS = 2.0
"""Timeout of a migration's wait for a table: all later statements on the table wait behind it."""
_MIGRATION_PAUSE_SECONDS = 3.0
"""Pause before a migration that got no lock is tried again, in which the statements behind it run."""
_MIGRATION_LOCK = 0x6C616B65  # any number that nothing else on the server uses as an advisory lock


class NowMs(FunctionElement[int]):
    """The database's clock in milliseconds since 1970-01-01 UTC: one clock for all processes.

    SQLite uses the clock of its machine. Like any wall clock it may step, so no age may depend on it alone.
    """

    type = BigInteger()
    inherit_cache = True


@compiles(NowMs, "sqlite")
def _now_sqlite(_element: NowMs, _compiler: object, **_: object) -> str:
    return f"{NOW_FUNCTION}()"


@compiles(NowMs, "postgresql")
def _now_postgresql(_element: NowMs, _compiler: object, **_: object) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"


_NOW = select(NowMs().label("now"))


class Database:
    """One database of the index.

    Args:
        url: ``sqlite:///path`` or ``postgresql+psycopg://…``.
        clock: the time source for SQLite, which has no server clock.
        max_connections: maximum number of connections of this process, not counting a probe of PostgreSQL.

    Attributes:
        changes: the file that records commits; None if the database does.

    Raises:
        ConfigInvalid: the URL is not supported, or its driver is not installed.
    """

    def __init__(self, url: str, clock: Clock = SYSTEM, max_connections: int = MAX_CONNECTIONS) -> None:
        self.max_connections = max_connections
        self._url = _parse(url)
        self._place = place_of(self._url)
        self._guard: StatementLimits = Unlimited()
        self._file = SqliteFile(Path(self._url.database or "")) if self.is_embedded else None
        self.changes: ChangeFile | None = None
        if self.is_embedded:
            self._engine = open_engine(self._url, clock)
            if ChangeFile.is_possible:
                self.changes = ChangeFile(Path(f"{self._url.database}-changes"))
        else:
            self._engine, self._guard = _postgres(self._url, max_connections)
        self._write_lock = threading.Lock()
        self._nowait_lock = threading.Lock()
        self._nowait_connection: Any = None
        self._raw_statements: dict[Select[*tuple[Any, ...]] | Update, RawStatement] = {}
        self._autocommit = self._engine.execution_options(**{AUTOCOMMIT: True})
        self._writing = self._engine.execution_options(**{WRITES: True})
        self._reading = (
            self._engine
            if self.is_embedded
            else self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        )

    @property
    def is_embedded(self) -> bool:
        """Whether this is SQLite, which Lakemuster creates and migrates itself."""
        return self._url.get_backend_name() == "sqlite"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a transaction that may write: commit when the block ends, roll back when it raises.

        Keep it short: SQLite allows one writer at a time.

        Raises:
            IndexUnavailable: the database does not answer, or not in time.
            DatabaseVersionMismatch: the database lacks a table or column.
            MetadataCorrupt: the database cannot hold a given value.
        """
        with (
            self._holding_write_lock(),
            map_database_errors(self._place),
            self._guard.writing(),
            Session(self._writing, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a read-only transaction; all its reads see one snapshot of the database.

        Raises:
            IndexUnavailable: the database does not answer, or not in time.
            DatabaseVersionMismatch: the database lacks a table or column.
        """
        with (
            map_database_errors(self._place),
            self._guard.reading(),
            Session(self._reading, autoflush=False) as session,
            session.begin(),
        ):
            yield session

    def rows(self, statement: Select[*tuple[Any, ...]], parameters: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        """Execute one SELECT outside a transaction, at a tenth of the cost of :meth:`reading`.

        Raises:
            IndexUnavailable: the database does not answer, or not in time.
            DatabaseVersionMismatch: the database lacks a table or column.
        """
        if not self.is_embedded:
            with map_database_errors(self._place), self._guard.querying(), self._autocommit.connect() as connection:
                return connection.execute(statement, parameters).all()
        with map_database_errors(self._place), contextlib.closing(self._engine.raw_connection()) as connection:
            return self._raw_statement(statement).rows(connection.cursor(), parameters)

    def rows_nowait(
        self, statement: Select[*tuple[Any, ...]], parameters: Mapping[str, object]
    ) -> Sequence[Sequence[Any]] | None:
        """Execute :meth:`rows` without waiting; return None for PostgreSQL, or if SQLite is locked or fails."""
        if not self.is_embedded:
            return None
        with self._nowait_lock, contextlib.suppress(sqlite3.Error, DBAPIError):
            if self._nowait_connection is None:
                pooled = self._engine.raw_connection()
                self._nowait_connection = pooled.driver_connection
                pooled.detach()
                self._nowait_connection.execute("PRAGMA busy_timeout=0")
            return self._raw_statement(statement).rows(self._nowait_connection.cursor(), parameters)
        return None

    def update(self, changes: Sequence[tuple[Update, Mapping[str, object]]]) -> None:
        """Execute statements with their parameters as one transaction, at a quarter of the cost of :meth:`session`.

        Raises:
            IndexUnavailable: the database does not answer, or not in time.
            DatabaseVersionMismatch: the database lacks a table or column.
        """
        if not self.is_embedded:
            with map_database_errors(self._place), self._guard.writing(), self._writing.begin() as server:
                for statement, values in changes:
                    server.execute(statement, values)
            return
        with (
            self._holding_write_lock(),
            map_database_errors(self._place),
            contextlib.closing(self._engine.raw_connection()) as connection,
        ):
            cursor = connection.cursor()
            cursor.execute("PRAGMA query_only=OFF")
            cursor.execute("BEGIN IMMEDIATE")
            # On an error the connection returns to the pool, which rolls it back.
            for statement, values in changes:
                self._raw_statement(statement).execute(cursor, values)
            cursor.execute("COMMIT")

    def _raw_statement(self, statement: Select[*tuple[Any, ...]] | Update) -> RawStatement:
        if statement not in self._raw_statements:
            self._raw_statements[statement] = RawStatement.of(statement, self._engine.dialect)
        return self._raw_statements[statement]

    def migrate(self) -> None:
        """Create or upgrade the tables, completely or not at all. Safe to call from several processes concurrently.

        A newer database that supports this version of the code is left unchanged. If another session holds a table for
        long, as a backup does, the migration is rolled back and tried again: servers continue to answer meanwhile.

        Raises:
            DatabaseVersionMismatch: the database is newer than this code, and does not support it.
            IndexUnavailable: the database does not answer, or a session holds a table for ten minutes.
        """
        until = time.monotonic() + _MIGRATION_WAIT_SECONDS
        while True:
            try:
                self._migrate()
            except IndexUnavailable as error:
                if not is_lock_timeout(error):
                    raise
                if time.monotonic() > until:
                    raise IndexUnavailable(
                        "another session of the database, such as a backup, holds what the migration changes: "
                        "pg_stat_activity shows it"
                    ) from error
            else:
                return
            time.sleep(_MIGRATION_PAUSE_SECONDS)

    def _migrate(self) -> None:
        with self.migrating() as connection:
            found = stored_version.stored(connection)
            if found == schema_version.newest():
                return
            if found is not None and stored_version.is_newer(found):
                stored_version.require_admitted(connection, found)
                return
            from lakemuster.index import migrations  # noqa: PLC0415 - Alembic is slow to import

            migrations.upgrade(connection)

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """Open a connection in a transaction that may change the schema; only one process at a time holds one."""
        with map_database_errors(self._place):
            if self._file is not None:
                self._prepare_file()
                self._file.opened()
            with self._guard.migrating(), self._writing.connect() as connection:
                if self.is_embedded:
                    # SQLite alters a table by copying and dropping it, and the drop must not cascade.
                    pragma(connection, "foreign_keys=OFF")
                    connection.detach()
                else:
                    connection.detach()
                with connection.begin():
                    if not self.is_embedded:
                        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_MIGRATION_WAIT_SECONDS}s'")
                        # SQLite's transaction began with BEGIN IMMEDIATE.
                        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
                        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_MIGRATION_LOCK_SECONDS}s'")
                    yield connection

    def check_version(self) -> None:
        """Check that this code supports the schema version of the database.

        Raises:
            DatabaseVersionMismatch: it does not; the message says what to do.
            IndexUnavailable: the database does not answer.
        """
        with map_database_errors(self._place), self._guard.querying(), self._reading.connect() as connection:
            stored_version.check(connection)

    def check(self) -> None:
        """Check that the database answers and has a supported schema version; for SQLite, also that its file is intact.

        Raises:
            DatabaseVersionMismatch: this code does not support the schema version.
            IndexUnavailable: the database does not answer, or its file is missing, replaced or damaged.
        """
        if self._file is not None:
            self._file.check()
        self.check_version()

    def clock_ms(self) -> int:
        """Return the database's current time in milliseconds.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        ((now,),) = self.rows(_NOW, {})
        return int(now)

    def connections(self) -> dict[str, float]:
        """Return the numbers of the pool's connections that are in use, and that are idle."""
        pool = self._engine.pool
        return {"in_use": pool.checkedout(), "idle": pool.checkedin()} if isinstance(pool, QueuePool) else {}

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
        if self.changes is not None:
            self.changes.close()
        with self._nowait_lock:
            if self._nowait_connection is not None:
                self._nowait_connection.close()
                self._nowait_connection = None

    @contextmanager
    def _holding_write_lock(self) -> Iterator[None]:
        """Serialize this process's SQLite writers with a lock: SQLite itself makes waiting writers poll."""
        if not self.is_embedded:
            yield
            return
        if not self._write_lock.acquire(timeout=BUSY_SECONDS):
            raise IndexUnavailable("the database is too busy")
        try:
            yield
        finally:
            self._write_lock.release()

    def _prepare_file(self) -> None:
        path = Path(self._url.database or "")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # The file holds the secret that signs tokens. SQLite creates its journals with the same mode.
            if not path.exists():
                path.touch(mode=0o600)
        except OSError as cause:
            raise IndexUnavailable(f"cannot create the index {path}: {cause.strerror}", path=str(path)) from cause
        mode = "WAL" if WAL_IS_SAFE else "DELETE"
        with sqlite3.connect(path, timeout=BUSY_SECONDS) as connection:
            connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
        connection.close()


def _postgres(url: URL, max_connections: int) -> tuple[Engine, StatementLimits]:
    try:
        from lakemuster.index import postgres  # noqa: PLC0415 - its driver is an extra
    except ModuleNotFoundError as cause:
        raise ConfigInvalid(f"PostgreSQL needs its driver: {pip_install('postgres')}") from cause
    return postgres.open_engine(url, max_connections)


def open_database(url: str, clock: Clock = SYSTEM, max_connections: int = MAX_CONNECTIONS) -> Database:
    """Open the index; create or upgrade a SQLite database first.

    Raises:
        ConfigInvalid: the URL is not supported.
        DatabaseVersionMismatch: this code does not support the database's schema version.
        IndexUnavailable: the database does not answer.
    """
    database = Database(url, clock, max_connections)
    if database.is_embedded:
        database.migrate()
    else:
        database.check_version()
    return database


def current_ms(session: Session) -> int:
    """Return the database's current time in milliseconds."""
    return int(session.scalar(select(NowMs())) or 0)


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigInvalid("DATABASE_URL is not a database URL") from None
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise ConfigInvalid("DATABASE_URL must begin with sqlite:/// or postgresql+psycopg://")
    if "@" in (parsed.host or ""):
        # Part of the password: messages name the host.
        raise ConfigInvalid("DATABASE_URL has more than one @: in a user name or password, write %40")
    if parsed.drivername == "sqlite" and (parsed.database or ":memory:").startswith((":memory:", "file:")):
        raise ConfigInvalid("DATABASE_URL must name a SQLite file; an index in memory is lost and not shared")
    if parsed.drivername == "sqlite" and "?" in url:
        raise ConfigInvalid("DATABASE_URL: a SQLite file has no parameters, and no ? in its name")
    return parsed
