"""PostgreSQL connections that give up on a server that stops answering.

The server's own timeouts need a server that runs, and TCP's do not exist on Unix sockets. So every wait for an answer
has a deadline here. A slow statement is no failure: after a moment of silence one thread probes the server with a new
connection, and waiting goes on if that is answered. If not, a circuit breaker opens: waits that are under way end, and
requests fail at once instead of each occupying a thread until its own deadline.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from psycopg.errors import ConnectionTimeout
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from lakemuster.errors import IndexUnavailable

T = TypeVar("T")

STATEMENT_SECONDS = 30
_LOCK_SECONDS = 15
_POOL_SECONDS = 3
QUIET_SECONDS = 1.5
"""Silence after which the server is probed."""
PROBE_SECONDS = 2
"""Deadline of a probe's connection, and of its statement; libpq takes no less."""
OPEN_SECONDS = 1.0
"""How long requests fail without a try once the server was found silent."""


class DatabaseSilent(psycopg.OperationalError):
    """The server did not answer in time."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a statement may take, in seconds.

    Attributes:
        silent: without any byte from the server.
        total: from its beginning to the end of its answer.
    """

    silent: float
    total: float


READING = Limit(silent=4.0, total=STATEMENT_SECONDS)
WRITING = Limit(silent=STATEMENT_SECONDS + 5.0, total=STATEMENT_SECONDS + 5.0)
"""Writers may wait for each other's locks, up to the server's own timeouts."""
MIGRATING = Limit(math.inf, math.inf)

ASKING = Limit(silent=4.0, total=4.0)

_limit: ContextVar[Limit] = ContextVar("limit", default=ASKING)


@contextmanager
def limited(limit: Limit) -> Iterator[None]:
    """Run the statements of a block under another limit than ``ASKING``."""
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


class Breaker:
    """Whether the server answers, as all connections of an engine find out together.

    Args:
        probe: asks the server something; raises :class:`psycopg.Error` when there is no answer.
        clock: seconds, never stepping back.
    """

    def __init__(self, probe: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._probe = probe
        self._clock = clock
        self._probing = threading.Lock()
        self._try_again_at: float | None = None
        self._answered_at = -QUIET_SECONDS

    @property
    def is_open(self) -> bool:
        """Whether the server was silent at the last try."""
        return self._try_again_at is not None

    def require(self) -> None:
        """Pass when the server is thought to answer. While it is not, one caller at a time probes it.

        Raises:
            IndexUnavailable: it does not answer.
        """
        if self.is_open and not self.check():
            raise IndexUnavailable("the database does not answer")

    @contextmanager
    def _under(self, limit: Limit) -> Iterator[None]:
        self.require()
        with limited(limit):
            yield

    def asking(self) -> AbstractContextManager[None]:
        """One short statement, if the server answers."""
        return self._under(ASKING)

    def reading(self) -> AbstractContextManager[None]:
        """Statements that read, if the server answers."""
        return self._under(READING)

    def writing(self) -> AbstractContextManager[None]:
        """Statements that may wait for locks, if the server answers."""
        return self._under(WRITING)

    def migrating(self) -> AbstractContextManager[None]:
        """Statements that may take hours, if the server answers."""
        return self._under(MIGRATING)

    def check(self) -> bool:
        """Probe the server unless another thread does, or just did; False while it is silent."""
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
            if error.sqlstate is None:
                self.open()
                return False
        finally:
            self._probing.release()
        # A refusal with an SQLSTATE, such as of too many connections, is an answer.
        self._answered_at, self._try_again_at = self._clock(), None
        return True

    def open(self) -> None:
        """Note that the server is silent."""
        self._try_again_at = self._clock() + OPEN_SECONDS


class BoundedConnection(psycopg.Connection[Any]):
    """A connection whose waits end at their limit; it is closed then.

    Attributes:
        breaker: asked when the server is quiet; None for probes.
    """

    breaker: Breaker | None = None

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Wait for an answer.

        Raises:
            DatabaseSilent: there was none in time.
        """
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """The driver's steps; it resumes them after each tenth of a second without a byte, too."""
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
                    if not self.breaker.check():
                        raise self._given_up()
                    quiet = time.monotonic()
                if now - heard > limit.silent or now - started > limit.total:
                    raise self._given_up()
                state = gen.send(ready)
        except StopIteration as done:
            answer: T = done.value
            return answer

    def _given_up(self) -> DatabaseSilent:
        # Nothing is sent: neither a cancellation nor a rollback would be read.
        self.pgconn.finish()
        return DatabaseSilent("the server did not answer in time")


def open_engine(url: URL) -> tuple[Engine, Breaker]:
    """An engine whose connections are bounded, and the breaker that they share."""
    engine = create_engine(
        url,
        pool_pre_ping=True,
        pool_size=8,
        max_overflow=24,
        pool_timeout=_POOL_SECONDS,
        pool_recycle=1800,
        connect_args={"application_name": "lakemuster"},
    )
    known: dict[str, Any] = {}

    def probe() -> None:
        with limited(Limit(PROBE_SECONDS, PROBE_SECONDS)), BoundedConnection.connect(**known) as connection:
            connection.execute("SELECT 1")

    breaker = Breaker(probe)

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
    return engine, breaker


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'")
    cursor.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{2 * STATEMENT_SECONDS}s'")
    cursor.close()
    connection.commit()
