"""PostgreSQL connections with deadlines and a circuit breaker, for a server that stops answering.

The server's own timeouts need a running server, and TCP timeouts do not exist on Unix sockets. So every wait for a
response has a deadline here. A slow statement is not a failure: after a period of silence one thread probes the server
with a new connection, and the wait continues if the probe succeeds. Otherwise a circuit breaker opens: current waits
end, and requests fail at once instead of each occupying a thread until its own deadline.

Behind a pooler, a silent probe may only be in the queue for one of the pooler's connections. So an answer to any other
statement counts as one to the probe, and current waits end by their own deadlines.

Nothing depends on a session of the server, so a pooler may give each transaction another session (PgBouncer's
transaction mode): locks and settings belong to a transaction, and behind a pooler no statements are prepared.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import psycopg
from psycopg.errors import ConnectionTimeout
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.pool import ConnectionPoolEntry

from lakemuster.errors import IndexUnavailable
from lakemuster.index.sqlite import AUTOCOMMIT, MAX_CONNECTIONS, POOL_SIZE

T = TypeVar("T")

STATEMENT_SECONDS = 30
_LOCK_SECONDS = 15
_POOL_SECONDS = 3
QUIET_SECONDS = 1.5
"""Silence after which the server is probed."""
PROBE_SECONDS = 2
"""Deadline for the probe's connection, and for its statement; the minimum that libpq accepts."""
OPEN_SECONDS = 1.0
"""Time for which the open breaker fails requests without probing the server."""


class DatabaseSilent(psycopg.OperationalError):
    """The server did not answer in time."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Time limits of a statement, in seconds.

    Attributes:
        silent: time without any byte from the server.
        total: time from the statement's start to the end of its response.
    """

    silent: float
    total: float


READING = Limit(silent=4.0, total=STATEMENT_SECONDS)
WRITING = Limit(silent=STATEMENT_SECONDS + 5.0, total=STATEMENT_SECONDS + 5.0)
"""Writers may wait for each other's locks, up to the server's own timeouts."""
MIGRATING = Limit(math.inf, math.inf)

QUERYING = Limit(silent=4.0, total=4.0)

_limit: ContextVar[Limit] = ContextVar("limit", default=QUERYING)


@contextmanager
def limited(limit: Limit) -> Iterator[None]:
    """Run the statements of a block under a limit other than ``QUERYING``."""
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


class DatabaseBreaker:
    """A circuit breaker, shared by all connections of an engine, that opens when the server does not answer.

    Args:
        probe: queries the server; raises :class:`psycopg.Error` if it does not answer.
        clock: monotonic seconds.
    """

    def __init__(self, probe: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._probe = probe
        self._clock = clock
        self._probing = threading.Lock()
        self._try_again_at: float | None = None
        self._answered_at = -QUIET_SECONDS

    @property
    def is_open(self) -> bool:
        """Whether the server was silent at the last attempt."""
        return self._try_again_at is not None

    def require(self) -> None:
        """Return if the server is expected to answer; while the breaker is open, one caller at a time probes it.

        Raises:
            IndexUnavailable: the server does not answer.
        """
        if self.is_open and not self.check():
            raise IndexUnavailable("the database does not answer")

    @contextmanager
    def _under(self, limit: Limit) -> Iterator[None]:
        self.require()
        with limited(limit):
            yield

    def querying(self) -> AbstractContextManager[None]:
        """Limit one short statement; fail if the server does not answer."""
        return self._under(QUERYING)

    def reading(self) -> AbstractContextManager[None]:
        """Limit statements that read; fail if the server does not answer."""
        return self._under(READING)

    def writing(self) -> AbstractContextManager[None]:
        """Limit statements that may wait for locks; fail if the server does not answer."""
        return self._under(WRITING)

    def migrating(self) -> AbstractContextManager[None]:
        """Limit statements that may take hours; fail if the server does not answer."""
        return self._under(MIGRATING)

    def check(self) -> bool:
        """Probe the server unless another thread is doing so or just did; return False while it is silent."""
        now, at = self._clock(), self._try_again_at
        if at is None and now - self._answered_at < QUIET_SECONDS:
            return True
        if at is not None and now < at:
            return False
        if not self._probing.acquire(blocking=False):
            return not self.is_open
        try:
            self._probe()
        except psycopg.Error as error:
            if not _is_answer(error) and self._answered_at <= now:
                self.open()
                return False
        finally:
            self._probing.release()
        self.answered()
        return True

    def answered(self) -> None:
        """Close the breaker, because the server has answered a statement."""
        self._answered_at, self._try_again_at = self._clock(), None

    def open(self) -> None:
        """Open the breaker, because the server is silent."""
        self._try_again_at = self._clock() + OPEN_SECONDS


def _is_answer(error: psycopg.Error) -> bool:
    """Return whether the server, or a pooler, reported the error: it answers, even with too many connections.

    The error of a refused connection has no SQLSTATE. libpq writes two spaces between the severity, which is in the
    server's language, and the message, but a single one in its own errors.
    """
    return error.sqlstate is not None or ":  " in str(error)


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed when a wait exceeds its limit.

    Attributes:
        breaker: consulted when the server is silent; None for probes.
        is_pooled: whether a pooler may give each transaction another session of the server.
    """

    breaker: DatabaseBreaker | None = None
    is_pooled = False

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Wait for a response.

        Raises:
            DatabaseSilent: there was none in time.
        """
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """Run the driver's generator under the limits; without data, the driver resumes it at least every 0.1 s."""
        limit = _limit.get()
        started = heard = quiet = time.monotonic()
        try:
            state = next(gen)
            while True:
                ready = yield state
                now = time.monotonic()
                if ready:
                    heard = quiet = now
                elif self.breaker is not None and now - quiet > QUIET_SECONDS:
                    if not self.breaker.check() and not (self.is_pooled and math.isfinite(limit.silent)):
                        raise self._given_up()
                    quiet = time.monotonic()
                if now - heard > limit.silent or now - started > limit.total:
                    raise self._given_up()
                state = gen.send(ready)
        except StopIteration as done:
            if self.breaker is not None:
                self.breaker.answered()
            answer: T = done.value
            return answer

    def _given_up(self) -> DatabaseSilent:
        # Send nothing: the server would read neither a cancellation nor a rollback.
        self.pgconn.finish()
        return DatabaseSilent("the server did not answer in time")


def open_engine(url: URL, max_connections: int = MAX_CONNECTIONS) -> tuple[Engine, DatabaseBreaker]:
    """Create an engine with bounded connections, and the breaker that they share."""
    engine = create_engine(
        url,
        # A role or database may have other defaults: writers rely on seeing what was committed while they waited.
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_size=min(POOL_SIZE, max_connections),
        max_overflow=max_connections - min(POOL_SIZE, max_connections),
        pool_timeout=_POOL_SECONDS,
        pool_recycle=1800,
        # Text of a database without an encoding (SQL_ASCII, initdb's choice without a locale) would come as bytes.
        connect_args={"application_name": "lakemuster", "client_encoding": "utf8"},
    )
    known: dict[str, Any] = {}

    def probe() -> None:
        with limited(Limit(PROBE_SECONDS, PROBE_SECONDS)), BoundedConnection.connect(**known) as connection:
            connection.execute("SELECT 1")

    breaker = DatabaseBreaker(probe)

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: object, _record: object, _args: object, parameters: dict[str, Any]) -> BoundedConnection:
        known.update(parameters, connect_timeout=PROBE_SECONDS)
        if breaker.is_open:
            raise DatabaseSilent("the server did not answer a moment ago")
        try:
            connection = BoundedConnection.connect(**known)
        except ConnectionTimeout:
            breaker.open()
            raise
        connection.breaker = breaker
        return connection

    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "handle_error", _leave_standby)
    return engine, breaker


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Set the timeouts of a session, or detect a pooler, which shares sessions."""
    bounded = cast("BoundedConnection", connection)
    cursor = bounded.cursor()
    # A pooler reports a process id of its own.
    bounded.is_pooled = cursor.execute("SELECT pg_backend_pid()").fetchone() != (bounded.info.backend_pid,)
    if bounded.is_pooled:
        bounded.prepare_threshold = None
    else:
        cursor.execute(_timeouts("SET"))
    cursor.close()
    bounded.commit()


def _begin(connection: Connection) -> None:
    """Behind a pooler, set the timeouts of each transaction; for a single short statement the wait's limit suffices."""
    bounded = connection.connection.driver_connection
    is_single = connection.get_execution_options().get(AUTOCOMMIT, False)
    if isinstance(bounded, BoundedConnection) and bounded.is_pooled and not is_single:
        connection.exec_driver_sql(_timeouts("SET LOCAL"))


def _leave_standby(context: ExceptionContext) -> None:
    """Close all connections when a write is refused as read-only: after a failover, they may lead to a standby."""
    if isinstance(context.original_exception, psycopg.errors.ReadOnlySqlTransaction):
        context.is_disconnect = True


def _timeouts(command: str) -> str:
    seconds = {
        "statement_timeout": STATEMENT_SECONDS,
        "lock_timeout": _LOCK_SECONDS,
        "idle_in_transaction_session_timeout": 2 * STATEMENT_SECONDS,
    }
    return "; ".join(f"{command} {name} = '{limit}s'" for name, limit in seconds.items())
